//! When which lane has to be looked at.

use std::collections::BTreeSet;

use punctual_model::lane::Lane;
use punctual_model::time::Timestamp;

/// When which lane has to be looked at. The lanes of the server's own jobs are apart: in a pause they are looked at, and all others
/// wait, however many they are.
#[derive(Default)]
pub(super) struct Alarms {
    jobs: BTreeSet<(Timestamp, Lane)>,
    own: BTreeSet<(Timestamp, Lane)>,
}

impl Alarms {
    /// The alarms among which that of a lane is.
    pub(super) fn of(&mut self, lane: Lane) -> &mut BTreeSet<(Timestamp, Lane)> {
        if lane.is_of_server() { &mut self.own } else { &mut self.jobs }
    }

    /// The first alarm, of the server's own lanes alone while jobs are held.
    pub(super) fn first(&self, are_jobs_held: bool) -> Option<(Timestamp, Lane)> {
        let jobs = self.jobs.first().filter(|_| !are_jobs_held);
        self.own.first().into_iter().chain(jobs).min().copied()
    }
}

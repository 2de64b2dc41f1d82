//! What the schedule of each job was, and when: from which an audit derives what should have run.

use punctual_model::job::{State, Uid};
use punctual_model::recurrence::Anchor;
use punctual_model::time::Timestamp;

use crate::key::{CollectionId, JobId};
use crate::record::ScheduleRecord;

/// A time in which the schedule and the state of a job were the same. It is kept as long as history.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SeriesEntry {
    /// Its place in the order.
    pub key: SeriesKey,
    /// The random number by which the job is the same job for ever.
    pub uid: Uid,
    /// The collection that the job is or was in.
    pub collection: CollectionId,
    /// Since when.
    pub from: Timestamp,
    /// Until when; none if it still is so.
    pub until: Option<Timestamp>,
    /// The state of the job.
    pub state: State,
    /// When it ran, and how.
    pub schedule: ScheduleRecord,
    /// What the series is counted from.
    pub anchor: Anchor,
    /// The number of the series.
    pub series: u32,
    /// The version of the zone database that was in force when it began.
    pub zones: String,
}

/// The place of a [`SeriesEntry`]: those of a job stand together, the oldest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct SeriesKey {
    /// The job.
    pub job: JobId,
    /// Which of its entries.
    pub number: i64,
}

/// A part of all entries.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SeriesPage {
    /// What comes after this one; from the beginning if none is given.
    pub after: Option<SeriesKey>,
    /// So many at most.
    pub limit: usize,
}

/// A time in which the jobs of a collection did not run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stop {
    /// Since when.
    pub from: Timestamp,
    /// Until when; none if it still is so.
    pub until: Option<Timestamp>,
}

//! What users run beside the schedule: manual runs, and occurrences once more.

use punctual_model::lane::Lane;
use punctual_model::occurrence::{Occurrence, Origin, Original, Phase};
use punctual_model::time::Timestamp;
use punctual_store::{Error, JobId, Revision};

use crate::tables::{OpenRow, Tables, WorkRow, count};

impl Tables {
    /// Opens a manual run of a job, and returns it.
    pub fn run_job(&mut self, id: JobId, now: Timestamp, waiting_max: u32) -> Result<Occurrence, Error> {
        let is_manual = |(_, occurrence): &(_, Occurrence)| matches!(occurrence.origin, Origin::Manual(_));
        let waiting = count(self.rows_beside(id).filter(is_manual));
        let job = self.jobs.get_mut(&id).ok_or(Error::Stale)?;
        if waiting >= waiting_max {
            return Err(Error::Full { max: waiting_max });
        }
        job.manual_runs += 1;
        let run = Occurrence::asked_for(Origin::Manual(job.manual_runs), now, now);
        let lane = Lane::of(job.collection.0, &job.definition.action, Phase::Main);
        self.insert_work(WorkRow::new(id, lane, OpenRow::Beside(run)));
        self.changed.jobs.insert(id);
        Ok(run)
    }

    /// Opens an occurrence that is run once more. Returns whether it was opened: not if the same occurrence is open.
    pub fn rerun_job(&mut self, id: JobId, rerun: Occurrence, lane: Lane, waiting_max: u32) -> Result<bool, Error> {
        if !self.jobs.contains_key(&id) {
            return Err(Error::Stale);
        }
        let original = rerun.origin.original().map_or(rerun.origin, Original::origin);
        let is_same = |open: &Occurrence| {
            open.nominal == rerun.nominal && (open.origin == original || open.origin == rerun.origin)
        };
        let is_open_in_schedule = self.progress(id).open.is_some_and(|open| is_same(&open));
        if is_open_in_schedule || self.rows_beside(id).any(|(_, open)| is_same(&open)) {
            return Ok(false);
        }
        if count(self.rows_beside(id).filter(|(_, open)| open.is_rerun())) >= waiting_max {
            return Err(Error::Full { max: waiting_max });
        }
        self.insert_work(WorkRow::new(id, lane, OpenRow::Beside(rerun)));
        self.changed.jobs.insert(id);
        Ok(true)
    }

    /// Opens the parts of a backfill of a job. Returns whether it was opened: not while another one is open.
    pub fn backfill_job(&mut self, id: JobId, parts: &[Occurrence], lane: Lane) -> Result<bool, Error> {
        if !self.jobs.contains_key(&id) {
            return Err(Error::Stale);
        }
        if !self.backfill_of(id).is_empty() {
            return Ok(false);
        }
        for part in parts {
            self.insert_work(WorkRow::new(id, lane, OpenRow::Beside(*part)));
        }
        self.changed.jobs.insert(id);
        Ok(true)
    }

    /// What is open of the backfill of a job.
    pub fn backfill_of(&self, id: JobId) -> Vec<Occurrence> {
        self.rows_beside(id).map(|(_, open)| open).filter(|open| open.origin == Origin::Backfill).collect()
    }

    /// Ends the backfill of a job: what is still to come of it goes, and what has begun is its last.
    pub fn cancel_backfill(&mut self, id: JobId, begun_until: Timestamp) -> bool {
        let mut is_cancelled = false;
        self.work.retain(|_, row| match row.open {
            OpenRow::Beside(open) if row.job == id && open.origin == Origin::Backfill => {
                let is_to_come =
                    open.is_untried() && open.wake_at > begun_until && row.resends == 0 && row.claim.is_none();
                is_cancelled |= is_to_come;
                !is_to_come
            }
            _ => true,
        });
        for row in self.work.values_mut().filter(|row| row.job == id) {
            if let OpenRow::Beside(open) = &mut row.open
                && open.origin == Origin::Backfill
                && open.backlog_until.is_some_and(|until| until > open.nominal)
            {
                open.backlog_until = Some(open.nominal);
                row.revision = Revision(row.revision.0 + 1);
                is_cancelled = true;
            }
        }
        self.changed.jobs.insert(id);
        is_cancelled
    }
}

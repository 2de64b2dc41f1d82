//! How far the keys have been read.

use punctual_model::time::{TICKS_PER_SECOND, Timestamp};
use punctual_store::{DueKey, DuePage};

/// How far ahead keys are read.
const AHEAD_TICKS: i64 = 60 * TICKS_PER_SECOND;

/// Keys in one read.
pub(super) const PAGE: usize = 1000;

/// However far the window reaches, it is read anew from the beginning after so long: nothing that was overlooked is
/// overlooked for ever.
const ANEW_TICKS: i64 = 60 * TICKS_PER_SECOND;

/// How far the keys have been read, page by page.
pub(super) struct Reach {
    /// All that wakes up to here is known, but for what full lanes have passed over.
    until: Timestamp,
    /// Where the next page begins.
    after: Option<DueKey>,
    reading: Option<DuePage>,
    is_complete: bool,
    /// When it was last begun from the beginning.
    began: Option<Timestamp>,
}

impl Reach {
    pub(super) fn new() -> Self {
        Self { until: Timestamp::MIN, after: None, reading: None, is_complete: false, began: None }
    }

    pub(super) fn until(&self) -> Timestamp {
        self.until
    }

    /// Up to where keys are known, or will be when what is being read has come.
    pub(super) fn reading_until(&self) -> Timestamp {
        self.reading.map_or(self.until, |page| self.until.max(page.until))
    }

    pub(super) fn begin_anew(&mut self) {
        self.is_complete = false;
        self.after = None;
    }

    /// The next page that is to be read, if it is time for one.
    pub(super) fn page(&mut self, now: Timestamp) -> Option<DuePage> {
        if self.reading.is_some() {
            return None;
        }
        if self.is_complete {
            let is_old = self.began.is_none_or(|began| now.since(began).abs() > ANEW_TICKS);
            let is_short = self.until < now.saturating_add(AHEAD_TICKS / 2);
            if !is_old && !is_short {
                return None;
            }
            if is_old {
                self.after = None;
            }
            self.is_complete = false;
        }
        if self.after.is_none() {
            self.began = Some(now);
        }
        let until = now.saturating_add(AHEAD_TICKS);
        self.reading = Some(DuePage { after: self.after, until, lane: None, limit: PAGE });
        self.reading
    }

    /// A page was read, or could not be.
    pub(super) fn read(&mut self, page: DuePage, keys: Option<&[DueKey]>) {
        self.reading = None;
        // It may have been told to begin anew meanwhile.
        let Some(keys) = keys.filter(|_| page.after == self.after) else { return };
        match keys.last() {
            Some(last) if keys.len() == page.limit => {
                self.after = Some(*last);
                self.until = self.until.max(last.wake_at);
            }
            last => {
                self.after = last.copied().or(page.after);
                self.until = page.until;
                self.is_complete = true;
            }
        }
    }
}

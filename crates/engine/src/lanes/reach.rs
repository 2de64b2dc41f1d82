//! How far the keys have been read.

use punctual_model::time::{TICKS_PER_SECOND, Timestamp};
use punctual_store::{DueKey, DuePage, DueStart, Shards};

/// How far ahead keys are read.
const AHEAD_TICKS: i64 = 60 * TICKS_PER_SECOND;

/// However far the window reaches, the keys are read from the beginning after this time: a key that was overlooked is not
/// overlooked for ever.
const REREAD_TICKS: i64 = 60 * TICKS_PER_SECOND;

/// How long the store is left alone after a page could not be read.
const REST_TICKS: i64 = TICKS_PER_SECOND;

fn start(after: Option<DueKey>) -> DueStart {
    after.map_or(DueStart::Beginning, DueStart::After)
}

/// How far the keys have been read, page by page.
pub(super) struct Reach {
    /// Keys in one read.
    limit: usize,
    /// All that wakes up to here is known, but for what full lanes have passed over.
    until: Timestamp,
    /// Where the next page begins.
    after: Option<DueKey>,
    reading: Option<DuePage>,
    /// The page that is being read does not count: the keys are to be read from the beginning.
    is_outdated: bool,
    is_complete: bool,
    /// When it was last begun from the beginning.
    began: Option<Timestamp>,
    /// When a page could not be read, if the last one could not.
    failed: Option<Timestamp>,
}

impl Reach {
    pub(super) fn new(limit: usize) -> Self {
        Self {
            limit,
            until: Timestamp::MIN,
            after: None,
            reading: None,
            is_outdated: false,
            is_complete: false,
            began: None,
            failed: None,
        }
    }

    pub(super) fn until(&self) -> Timestamp {
        self.until
    }

    /// Up to where keys are known, or will be when what is being read has come.
    pub(super) fn reading_until(&self) -> Timestamp {
        self.reading.map_or(self.until, |page| self.until.max(page.until))
    }

    pub(super) fn begin_again(&mut self) {
        self.is_complete = false;
        self.after = None;
        self.is_outdated = self.reading.is_some();
    }

    /// Forgets all that was read.
    pub(super) fn forget(&mut self) {
        self.begin_again();
        self.until = Timestamp::MIN;
    }

    /// The next page that is to be read, if it is time for one.
    pub(super) fn page(&mut self, now: Timestamp) -> Option<DuePage> {
        if self.reading.is_some() || self.is_resting(now) {
            return None;
        }
        if self.is_complete {
            let is_old = self.began.is_none_or(|began| now.since(began).abs() > REREAD_TICKS);
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
        self.reading =
            Some(DuePage { shards: Shards::ALL, start: start(self.after), until, lane: None, limit: self.limit });
        self.reading
    }

    /// Whether the store is left alone, because it could not read a page a moment ago.
    pub(super) fn is_resting(&self, now: Timestamp) -> bool {
        self.failed.is_some_and(|failed| now.since(failed).abs() < REST_TICKS)
    }

    /// Takes note whether the store could read a page.
    pub(super) fn record_answer(&mut self, is_read: bool, now: Timestamp) {
        self.failed = Some(now).filter(|_| !is_read);
    }

    /// Takes note of a page that was read, or could not be.
    pub(super) fn record(&mut self, page: DuePage, keys: Option<&[DueKey]>, now: Timestamp) {
        self.reading = None;
        self.record_answer(keys.is_some(), now);
        let is_outdated = std::mem::take(&mut self.is_outdated);
        let Some(keys) = keys.filter(|_| !is_outdated) else { return };
        match keys.last() {
            Some(last) if keys.len() == page.limit => {
                self.after = Some(*last);
                self.until = self.until.max(last.wake_at);
            }
            last => {
                self.after = last.copied().or(self.after);
                self.until = page.until;
                self.is_complete = true;
            }
        }
    }
}

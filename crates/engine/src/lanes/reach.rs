//! How far the keys have been read.

use punctual_model::time::{TICKS_PER_SECOND, Timestamp};
use punctual_store::{DueKey, DuePage, DueStart, Shards};

/// How far ahead keys are read.
const AHEAD_TICKS: i64 = 60 * TICKS_PER_SECOND;

/// However far the window reaches, it is read anew from the beginning after so long: nothing that was overlooked is
/// overlooked for ever.
const ANEW_TICKS: i64 = 60 * TICKS_PER_SECOND;

/// After a page could not be read, the next one is tried after so long.
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
    is_complete: bool,
    /// When it was last begun from the beginning.
    began: Option<Timestamp>,
    /// When a page could not be read, if the last one could not.
    failed: Option<Timestamp>,
}

impl Reach {
    pub(super) fn new(limit: usize) -> Self {
        Self { limit, until: Timestamp::MIN, after: None, reading: None, is_complete: false, began: None, failed: None }
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

    /// Nothing is known any more.
    pub(super) fn forget(&mut self) {
        self.begin_anew();
        self.until = Timestamp::MIN;
    }

    /// The next page that is to be read, if it is time for one.
    pub(super) fn page(&mut self, now: Timestamp) -> Option<DuePage> {
        if self.reading.is_some() || self.rests(now) {
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
        self.reading =
            Some(DuePage { shards: Shards::ALL, start: start(self.after), until, lane: None, limit: self.limit });
        self.reading
    }

    /// Whether the store is left alone for a moment, because it could not read a page.
    pub(super) fn rests(&self, now: Timestamp) -> bool {
        self.failed.is_some_and(|failed| now.since(failed).abs() < REST_TICKS)
    }

    /// The store was asked for a page, and could read it or not.
    pub(super) fn answered(&mut self, is_read: bool, now: Timestamp) {
        self.failed = Some(now).filter(|_| !is_read);
    }

    /// A page was read, or could not be.
    pub(super) fn read(&mut self, page: DuePage, keys: Option<&[DueKey]>, now: Timestamp) {
        self.reading = None;
        self.answered(keys.is_some(), now);
        // It may have been told to begin anew meanwhile.
        let Some(keys) = keys.filter(|_| page.start == start(self.after)) else { return };
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

//! Pauses of the whole server.

use punctual_model::time::Timestamp;
use punctual_store::PauseEntry;

use crate::tables::Tables;

impl Tables {
    /// Pauses the server, unless it is paused already. Gives the pause that goes on.
    pub fn pause(&mut self, new: PauseEntry) -> PauseEntry {
        if let Some(last) = self.pauses.last_mut().filter(|last| last.until.is_none()) {
            let (is_more, last) = (last.hold_what(&new), last.clone());
            if is_more {
                self.changed.pauses = Some(PauseEntry::times(&self.pauses));
            }
            return last;
        }
        let kept_max = PauseEntry::KEPT_MAX as usize;
        self.pauses.drain(..(self.pauses.len() + 1).saturating_sub(kept_max));
        self.pauses.push(new.clone());
        self.watermarks_at_pause.clone_from(&self.watermarks);
        self.changed.pauses = Some(PauseEntry::times(&self.pauses));
        new
    }

    /// Ends the pause of the server. Gives the pause that ended; none if there was none.
    pub fn resume(&mut self, resumed_by: String, now: Timestamp) -> Option<PauseEntry> {
        let last = self.pauses.last_mut().filter(|last| last.until.is_none())?;
        last.end(resumed_by, now);
        let last = last.clone();
        self.watermarks_at_pause.clear();
        self.changed.pauses = Some(PauseEntry::times(&self.pauses));
        Some(last)
    }

    /// Whether the server is paused.
    pub fn is_paused(&self) -> bool {
        PauseEntry::times(&self.pauses).is_paused()
    }
}

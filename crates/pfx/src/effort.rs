//! How much work a file has asked for.

use std::num::NonZeroU32;

use crate::error::Error;
use crate::limits::ROUNDS_MAX;

/// What is left of the rounds of hashing that one file may ask for.
pub(crate) struct Effort {
    rounds_left: u64,
}

impl Default for Effort {
    fn default() -> Self {
        Self { rounds_left: ROUNDS_MAX }
    }
}

impl Effort {
    /// Allows for `rounds` for each of the blocks of a key, or says that it is too much.
    pub(crate) fn spend(&mut self, rounds: u64, blocks: usize) -> Result<NonZeroU32, Error> {
        let cost = rounds.saturating_mul(blocks as u64);
        self.rounds_left = self.rounds_left.checked_sub(cost).ok_or(Error::TooSlow)?;
        // So much fits, since it was there to be spent; only zero is none of them.
        u32::try_from(rounds).ok().and_then(NonZeroU32::new).ok_or(Error::NotPfx)
    }
}

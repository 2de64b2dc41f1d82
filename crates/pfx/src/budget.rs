//! How much work a file may ask for.

use std::num::NonZeroU32;

use crate::error::Error;
use crate::limits::ROUNDS_MAX;

/// The rounds of hashing that one file may still ask for.
pub(crate) struct Budget {
    rounds_left: u64,
}

impl Default for Budget {
    fn default() -> Self {
        Self { rounds_left: ROUNDS_MAX }
    }
}

impl Budget {
    /// Spends `rounds` for each of the blocks of a key, or refuses if fewer rounds are left.
    pub(crate) fn spend(&mut self, rounds: u64, blocks: usize) -> Result<NonZeroU32, Error> {
        let cost = rounds.saturating_mul(blocks as u64);
        self.rounds_left = self.rounds_left.checked_sub(cost).ok_or(Error::TooSlow)?;
        // The number fits, since that many rounds were left; only zero rounds are refused here.
        u32::try_from(rounds).ok().and_then(NonZeroU32::new).ok_or(Error::NotPfx)
    }
}

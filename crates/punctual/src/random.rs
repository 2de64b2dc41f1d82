//! The one place where the dice are thrown.

use aws_lc_rs::rand::SecureRandom;
use punctual_api::Entropy;

/// The random bytes of the system.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct SystemRandom;

impl Entropy for SystemRandom {
    fn fill(&self, bytes: &mut [u8]) {
        // Nothing made without them would be safe, and no server runs long where there are none.
        aws_lc_rs::rand::SystemRandom::new().fill(bytes).expect("the system has random bytes");
    }
}

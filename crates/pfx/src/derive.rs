//! Keys from passwords, as PKCS #12 did it before there was PBKDF2 (RFC 7292, appendix B).

use aws_lc_rs::digest::{self, Context};
use zeroize::Zeroizing;

use crate::budget::Budget;
use crate::error::Error;
use crate::hash::Hash;
use crate::password::Password;

/// What is derived. Each purpose has a number of its own, so that the same password gives different bytes.
#[derive(Clone, Copy)]
pub(crate) enum Purpose {
    Key = 1,
    InitialVector = 2,
    MacKey = 3,
}

/// How bytes are derived, as the file says.
pub(crate) struct Derivation<'a> {
    pub(crate) hash: Hash,
    pub(crate) salt: &'a [u8],
    pub(crate) rounds: u64,
}

impl Derivation<'_> {
    pub(crate) fn derive(
        &self,
        purpose: Purpose,
        length: usize,
        password: &Password<'_>,
        budget: &mut Budget,
    ) -> Result<Zeroizing<Vec<u8>>, Error> {
        let algorithm = self.hash.digest();
        let block_length = algorithm.block_len;
        let rounds = budget.spend(self.rounds, self.hash.blocks(length))?.get();
        let diversifier = vec![purpose as u8; block_length];
        let mut input = Zeroizing::new(repeated(self.salt, block_length));
        input.append(&mut repeated(&password.utf16, block_length));
        let mut derived = Zeroizing::new(Vec::with_capacity(length + algorithm.output_len));
        loop {
            let mut context = Context::new(algorithm);
            context.update(&diversifier);
            context.update(&input);
            let mut hashed = context.finish();
            for _ in 1..rounds {
                hashed = digest::digest(algorithm, hashed.as_ref());
            }
            derived.extend(hashed.as_ref());
            if derived.len() >= length {
                derived.truncate(length);
                return Ok(derived);
            }
            let addend = repeated_to(hashed.as_ref(), block_length);
            for block in input.chunks_exact_mut(block_length) {
                add_and_one(block, &addend);
            }
        }
    }
}

/// The bytes repeated, up to the next whole number of blocks.
fn repeated(bytes: &[u8], block_length: usize) -> Vec<u8> {
    repeated_to(bytes, bytes.len().next_multiple_of(block_length))
}

fn repeated_to(bytes: &[u8], length: usize) -> Vec<u8> {
    bytes.iter().copied().cycle().take(length).collect()
}

/// Adds `addend` and one to a long number; what does not fit is lost.
fn add_and_one(number: &mut [u8], addend: &[u8]) {
    let mut carry = 1;
    for (digit, added) in number.iter_mut().zip(addend).rev() {
        let sum = u16::from(*digit) + u16::from(*added) + carry;
        let [high, low] = sum.to_be_bytes();
        *digit = low;
        carry = u16::from(high);
    }
}

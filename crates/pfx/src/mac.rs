//! The MAC, which shows that a file is complete and that the password is right.

use aws_lc_rs::hmac;

use crate::ber::{INTEGER, Item, OBJECT_IDENTIFIER, OCTET_STRING};
use crate::budget::Budget;
use crate::derive::{Derivation, Purpose};
use crate::error::Error;
use crate::hash::Hash;
use crate::oid;
use crate::password::Password;

/// Checks the contents against `MacData`.
pub(crate) fn check(mac: Item<'_>, contents: &[u8], password: &Password<'_>, budget: &mut Budget) -> Result<(), Error> {
    let mac = Mac::parse(mac).ok_or(Error::NotPfx)?;
    let hash = Hash::of_digest(mac.algorithm).ok_or_else(|| Error::Unsupported(oid::name(mac.algorithm)))?;
    let derivation = Derivation { hash, salt: mac.salt, rounds: mac.rounds };
    let key = derivation.derive(Purpose::MacKey, hash.digest().output_len, password, budget)?;
    let key = hmac::Key::new(hash.hmac(), &key);
    hmac::verify(&key, contents, mac.code).map_err(|_| Error::WrongPassword)
}

struct Mac<'a> {
    algorithm: &'a [u8],
    code: &'a [u8],
    salt: &'a [u8],
    rounds: u64,
}

impl<'a> Mac<'a> {
    fn parse(mac: Item<'a>) -> Option<Self> {
        let mut mac = mac.reader();
        let mut digest = mac.sequence()?;
        let algorithm = digest.sequence()?.take(OBJECT_IDENTIFIER)?.content;
        let code = digest.take(OCTET_STRING)?.content;
        let salt = mac.take(OCTET_STRING)?.content;
        let rounds = if mac.is_empty() { 1 } else { mac.take(INTEGER)?.number()? };
        Some(Self { algorithm, code, salt, rounds })
    }
}

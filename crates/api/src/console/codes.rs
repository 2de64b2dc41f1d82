//! One-time codes: a link that a terminal shows, with which its reader is signed in without copying a token.

use std::collections::HashMap;
use std::sync::Mutex;

use aws_lc_rs::digest::{SHA256, digest};
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use punctual_model::access::TokenId;
use punctual_model::time::Timestamp;

use crate::limits::{SIGN_IN_CODE_TICKS, SIGN_IN_CODES_MAX};

/// The codes that were given out and not used. They are in memory only: a restart ends them.
#[derive(Default)]
pub(crate) struct Codes(Mutex<HashMap<[u8; 32], Code>>);

struct Code {
    token: TokenId,
    expires: Timestamp,
}

impl Codes {
    /// A code for who has that token, made of random bytes. The oldest makes room if there are too many.
    pub(crate) fn issue(&self, token: TokenId, random: [u8; 24], now: Timestamp) -> String {
        let text = URL_SAFE_NO_PAD.encode(random);
        let mut known = self.known();
        known.retain(|_, code| code.expires > now);
        if known.len() >= SIGN_IN_CODES_MAX {
            let oldest = known.iter().min_by_key(|(_, code)| code.expires).map(|(hash, _)| *hash);
            oldest.and_then(|hash| known.remove(&hash));
        }
        let expires = now.saturating_add(SIGN_IN_CODE_TICKS);
        known.insert(hash(&text), Code { token, expires });
        text
    }

    /// Whose code it is. It is used up.
    pub(crate) fn redeem(&self, text: &str, now: Timestamp) -> Option<TokenId> {
        let code = self.known().remove(&hash(text))?;
        (code.expires > now).then_some(code.token)
    }

    fn known(&self) -> std::sync::MutexGuard<'_, HashMap<[u8; 32], Code>> {
        self.0.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
    }
}

/// Found by its hash, so that how long the search takes tells nothing about the code.
fn hash(text: &str) -> [u8; 32] {
    let mut bytes = [0; 32];
    bytes.copy_from_slice(digest(&SHA256, text.as_bytes()).as_ref());
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_code_is_used_once_and_in_its_time() {
        let (codes, now) = (Codes::default(), Timestamp::EPOCH);
        let token = TokenId::parse("hqbkacmaciaa").unwrap();
        let code = codes.issue(token.clone(), [1; 24], now);
        assert_eq!(codes.redeem("another", now), None);
        assert_eq!(codes.redeem(&code, now), Some(token.clone()));
        assert_eq!(codes.redeem(&code, now), None);
        let late = codes.issue(token, [2; 24], now);
        assert_eq!(codes.redeem(&late, now.saturating_add(SIGN_IN_CODE_TICKS)), None);
    }

    #[test]
    fn the_oldest_code_makes_room() {
        let (codes, token) = (Codes::default(), TokenId::parse("hqbkacmaciaa").unwrap());
        let at = |n: usize| Timestamp::EPOCH.saturating_add(i64::try_from(n).unwrap());
        let made: Vec<_> = (0..=SIGN_IN_CODES_MAX)
            .map(|n| codes.issue(token.clone(), [u8::try_from(n).unwrap(); 24], at(n)))
            .collect();
        assert_eq!(codes.redeem(&made[0], at(0)), None);
        assert_eq!(codes.redeem(&made[1], at(0)), Some(token));
    }
}

//! The tokens we give out ourselves.
//!
//! ```text
//!   punctual _ abc234def567 _ 43 characters
//!              public, 60 bits  secret, 256 bits, base64url
//! ```
//!
//! The public part finds the token in the store and names it in lists and logs. Of the whole text only a hash is kept,
//! a plain one: 256 random bits cannot be guessed, so there is nothing that a slow hash would have to protect.

use std::fmt;

use aws_lc_rs::constant_time::verify_slices_are_equal;
use aws_lc_rs::digest::{SHA256, SHA256_OUTPUT_LEN, digest};
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use percent_encoding::percent_decode_str;
use punctual_model::access::TokenId;
use punctual_model::action::Secret;

/// The first word of every token of ours, by which people and secret scanners recognise one.
pub(super) const PREFIX: &str = "punctual_";

const ID_BYTES: usize = 8;
const SECRET_BYTES: usize = 32;
const SECRET_CHARS: usize = 43;

/// A token of ours.
#[derive(Clone)]
pub struct Token {
    id: TokenId,
    text: Secret,
}

/// What the store keeps of a token.
#[derive(Clone, Copy)]
pub struct TokenHash([u8; SHA256_OUTPUT_LEN]);

impl Token {
    /// Random bytes that a token is made of.
    pub const RANDOM_BYTES: usize = ID_BYTES + SECRET_BYTES;

    /// A new token, made of random bytes that are used for nothing else.
    pub fn generate(random: [u8; Self::RANDOM_BYTES]) -> Self {
        let (id, secret) = random.split_at(ID_BYTES);
        let text = format!("{PREFIX}{}_{}", id_text(id), URL_SAFE_NO_PAD.encode(secret));
        Self::parse(&text).expect("a token has the shape of one")
    }

    /// Reads a token that somebody sent, if it has the shape of one.
    pub fn parse(text: &str) -> Option<Self> {
        let (id, secret) = text.strip_prefix(PREFIX)?.split_once('_')?;
        let is_right = |c: u8| c.is_ascii_alphanumeric() || matches!(c, b'-' | b'_');
        let has_shape = secret.len() == SECRET_CHARS && secret.bytes().all(is_right);
        has_shape.then(|| TokenId::parse(id).ok()).flatten().map(|id| Self { id, text: Secret::new(text) })
    }

    /// The public part of the token.
    pub fn id(&self) -> TokenId {
        self.id.clone()
    }

    /// What the store keeps of it.
    pub fn hash(&self) -> TokenHash {
        let hashed = digest(&SHA256, self.expose().as_bytes());
        TokenHash(hashed.as_ref().try_into().expect("SHA-256 has 32 bytes"))
    }

    /// The token as its holder sends it; shown once, to the one it is made for.
    pub fn expose(&self) -> &str {
        self.text.expose()
    }
}

/// Whether a text may be a token, ours or that of an issuer, or hold one. Percent signs of an address may stand for some of
/// its characters.
pub(crate) fn looks_like_token(text: &str) -> bool {
    let text = percent_decode_str(text).decode_utf8_lossy();
    let has_secret = |text: &str| text.split_once('_').is_some_and(|(_, secret)| secret.len() >= SECRET_CHARS);
    text.split_once(PREFIX).is_some_and(|(_, rest)| has_secret(rest)) || is_jwt(&text)
}

/// Whether a text is three parts in base64url, the first of which begins as an object of JSON does.
fn is_jwt(text: &str) -> bool {
    let is_right = |c: u8| c.is_ascii_alphanumeric() || matches!(c, b'-' | b'_');
    text.starts_with("eyJ")
        && text.split('.').count() == 3
        && text.split('.').all(|part| !part.is_empty() && part.bytes().all(is_right))
}

/// Five bits a character, without those that are easily taken for another.
fn id_text(random: &[u8]) -> String {
    const ALPHABET: &[u8; 32] = b"abcdefghijklmnopqrstuvwxyz234567";
    let bits = random.iter().fold(0_u64, |bits, byte| bits << 8 | u64::from(*byte));
    (0..TokenId::CHARS).map(|at| char::from(ALPHABET[(bits >> (5 * at) & 31) as usize])).collect()
}

impl TokenHash {
    /// The hash, as the store has kept it.
    pub const fn from_bytes(bytes: [u8; SHA256_OUTPUT_LEN]) -> Self {
        Self(bytes)
    }

    /// The hash, for the store to keep.
    pub const fn bytes(&self) -> [u8; SHA256_OUTPUT_LEN] {
        self.0
    }
}

/// In constant time, so that how long it takes does not tell how much of a guess is right.
impl PartialEq for TokenHash {
    fn eq(&self, other: &Self) -> bool {
        verify_slices_are_equal(&self.0, &other.0).is_ok()
    }
}

impl Eq for TokenHash {}

impl fmt::Debug for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Token({}…)", self.id)
    }
}

impl fmt::Debug for TokenHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("TokenHash(…)")
    }
}

#[cfg(test)]
mod tests {
    use insta::assert_snapshot;
    use proptest::prelude::*;

    use super::{Token, TokenHash};

    fn counting() -> Token {
        Token::generate(std::array::from_fn(|at| u8::try_from(at).unwrap()))
    }

    proptest! {
        #[test]
        fn a_token_is_read_back_and_no_other_is_it(random in any::<[u8; 40]>(), at in 0_usize..40, bit in 0_u32..8) {
            let token = Token::generate(random);
            let read = Token::parse(token.expose()).unwrap();
            prop_assert_eq!((read.id(), read.hash()), (token.id(), token.hash()));
            prop_assert_eq!(TokenHash::from_bytes(token.hash().bytes()), token.hash());
            let mut changed = random;
            changed[at] ^= 1 << bit;
            // Four bits of the public part are not used.
            if at > 0 || bit < 4 {
                prop_assert_ne!(Token::generate(changed).hash(), token.hash());
            }
        }

        #[test]
        fn any_text_is_read_or_refused(text in any::<String>(), close in "punctual_[a-z2-7_]{11,13}_[-a-zA-Z0-9_]{42,44}") {
            for text in [text, close] {
                if let Some(token) = Token::parse(&text) {
                    prop_assert_eq!(token.expose(), text);
                }
            }
        }
    }

    #[test]
    fn a_token_looks_like_this() {
        assert_snapshot!(counting().expose(), @"punctual_hqbkacmaciaa_CAkKCwwNDg8QERITFBUWFxgZGhscHR4fICEiIyQlJic");
        assert_snapshot!(counting().id(), @"hqbkacmaciaa");
    }

    #[test]
    fn the_hash_is_that_of_the_whole_text() {
        // What `sha256sum` says of it.
        let hex = counting().hash().bytes().map(|byte| format!("{byte:02x}"));
        assert_snapshot!(hex.concat(), @"47fcf6f0f321617f71b86285b374fdb3a50b65402616321dd79063cda50cfcc4");
    }

    #[test]
    fn only_the_public_part_is_shown() {
        let token = counting();
        assert_snapshot!(format!("{token:?} {:?}", token.hash()), @"Token(hqbkacmaciaa…) TokenHash(…)");
    }

    #[test]
    fn what_is_no_token_of_ours_is_refused() {
        let right = counting().expose().to_owned();
        let wrong = [
            String::new(),
            "punctual_".to_owned(),
            right.to_uppercase(),
            right.replace("punctual", "other"),
            right.replacen('_', "-", 1),
            format!("{right}A"),
            format!(" {right}"),
            right[..right.len() - 1].to_owned(),
            right[..right.len() - 1].to_owned() + "=",
            right[..right.len() - 2].to_owned() + "é",
        ];
        for text in wrong {
            assert!(Token::parse(&text).is_none(), "{text:?}");
        }
    }
}

//! The token that is asked for where metrics have an address of their own.

use std::path::Path;

use anyhow::{Context, ensure};
use aws_lc_rs::constant_time::verify_slices_are_equal;
use aws_lc_rs::digest::{Digest, SHA256, digest};

/// Shorter than this a token can be guessed.
const CHARS_MIN: usize = 16;

/// A token, of which only the hash is kept.
pub(super) struct ScrapeToken(Digest);

impl ScrapeToken {
    /// Reads the file that holds the token and nothing else but white space around it.
    pub(super) fn read(file: &Path) -> anyhow::Result<Self> {
        let text = std::fs::read_to_string(file);
        let text = text.with_context(|| format!("metrics.token_file: cannot read {}", file.display()))?;
        let token = text.trim();
        ensure!(
            token.len() >= CHARS_MIN && token.bytes().all(|byte| byte.is_ascii_graphic()),
            "metrics.token_file: {} has to hold one word of at least {CHARS_MIN} ASCII characters, such as `openssl rand -hex \
             32` makes it",
            file.display()
        );
        Ok(Self(digest(&SHA256, token.as_bytes())))
    }

    /// Whether the value of an `Authorization` header shows the token.
    pub(super) fn is_shown_in(&self, authorization: &str) -> bool {
        let Some((scheme, token)) = authorization.split_once(' ') else { return false };
        // Hashes are compared, so that the time it takes says nothing about the token.
        let hash = digest(&SHA256, token.trim().as_bytes());
        scheme.eq_ignore_ascii_case("bearer") && verify_slices_are_equal(hash.as_ref(), self.0.as_ref()).is_ok()
    }
}

#[cfg(test)]
mod tests {
    use super::ScrapeToken;

    #[test]
    fn a_token_is_long_enough_and_compared_as_a_whole() {
        let directory = tempfile::tempdir().unwrap();
        let file = directory.path().join("token");
        let read = |text: &str| {
            std::fs::write(&file, text).unwrap();
            ScrapeToken::read(&file)
        };
        for text in ["", "short", "sixteen letters!", "0123456789abcdé0"] {
            assert!(read(text).is_err(), "{text:?}");
        }
        let token = read(" 0123456789abcdef\n").unwrap();
        for (header, expected) in [
            ("Bearer 0123456789abcdef", true),
            ("bearer  0123456789abcdef", true),
            ("Basic 0123456789abcdef", false),
            ("Bearer 0123456789abcde", false),
            ("Bearer", false),
            ("", false),
        ] {
            assert_eq!(token.is_shown_in(header), expected, "{header}");
        }
        assert!(ScrapeToken::read(&directory.path().join("nothing")).is_err());
    }
}

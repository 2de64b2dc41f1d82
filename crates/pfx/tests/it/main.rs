//! Files of every kind that programs write, and files that nobody should have written.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod encoding;
mod files;
mod hostile;
mod refused;

use std::fs;
use std::path::Path;

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use punctual_pfx::{Error, Identity};

const PASSWORD: &str = "secret";

/// A file from `tests/fixtures`, which were all made by the script there.
fn fixture(name: &str) -> Vec<u8> {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures");
    fs::read(directory.join(format!("{name}.pfx"))).unwrap()
}

fn read(bytes: &[u8], password: &str) -> Result<Identity, Error> {
    punctual_pfx::read(&BASE64_STANDARD.encode(bytes), password)
}

/// What is shown of the identity in a file.
fn shown(result: Result<Identity, Error>) -> String {
    match result {
        Ok(Identity { chain, key, thumbprint, valid_from_unix_seconds, expires_unix_seconds, subject }) => {
            format!(
                "{subject} {thumbprint} from {valid_from_unix_seconds} until {expires_unix_seconds}, chain {}, key {}",
                chain.len(),
                key.pkcs8_der().len()
            )
        }
        Err(error) => format!("✗ {error}"),
    }
}

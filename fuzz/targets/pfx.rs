//! A PFX file: any bytes are opened or refused, and soon.

#![no_main]

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use libfuzzer_sys::fuzz_target;
use punctual_fuzz::explain;

/// The password of the seeds.
const PASSWORD: &str = "secret";

// Without a deadline of its own: a file may ask for half a second of work. What is longer the fuzzer notices itself.
fuzz_target!(|input: &[u8]| {
    explain(|| format!("{} bytes", input.len()));
    if let Ok(identity) = punctual_pfx::read(&BASE64_STANDARD.encode(input), PASSWORD) {
        assert!(!identity.chain.is_empty(), "a certificate belongs to the key");
        assert_eq!(identity.thumbprint.len(), 40, "{identity:?}");
    }
});

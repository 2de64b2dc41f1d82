//! What an input means, for somebody who looks at a failure.

use std::sync::OnceLock;

/// Prints what the input means if `FUZZ_EXPLAIN` is set, as it is when `scripts/fuzz` shows a failure again.
pub fn explain(meaning: impl FnOnce() -> String) {
    static IS_WANTED: OnceLock<bool> = OnceLock::new();
    if *IS_WANTED.get_or_init(|| std::env::var_os("FUZZ_EXPLAIN").is_some()) {
        eprintln!("input: {}", meaning());
    }
}

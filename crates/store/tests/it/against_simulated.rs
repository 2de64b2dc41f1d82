//! SQLite and the simulated store always give the same answers, whatever happens.
//!
//! 64 lives; 1280 if `PUNCTUAL_TEST_LONG` is set.

use proptest::collection::vec;
use proptest::prelude::*;

use crate::lives::{Pair, events};

proptest! {
    #![proptest_config(ProptestConfig { cases: cases(), failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn sqlite_answers_as_the_simulated_store(happens in vec(events(), 1..80)) {
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        runtime.block_on(async {
            let mut pair = Pair::new().await;
            for event in happens {
                pair.happen(event).await;
            }
            pair.compare().await;
        });
    }
}

fn cases() -> u32 {
    if std::env::var_os("PUNCTUAL_TEST_LONG").is_some() { 1280 } else { 64 }
}

//! ARM templates: any text is evaluated or refused with reasons, within the work that one evaluation may do.

#![no_main]

use std::collections::BTreeMap;

use libfuzzer_sys::fuzz_target;
use punctual_arm::{Inputs, Outcome, evaluate};
use punctual_fuzz::{Bytes, explain};
use punctual_model::time::Timestamp;

fuzz_target!(|input: &[u8]| {
    if let Some(text) = Bytes::new(input).text() {
        explain(|| format!("{text:?}"));
        check(text);
    }
});

fn check(text: &str) {
    let fills = BTreeMap::new();
    let inputs = Inputs {
        parameters: None,
        fills: &fills,
        subscription: None,
        group: Some("group"),
        now: Timestamp::EPOCH,
        wanted: &["Microsoft.Scheduler/jobCollections", "Microsoft.Scheduler/jobCollections/jobs"],
    };
    match evaluate(text, &inputs) {
        Ok(evaluated) => {
            for found in &evaluated.found {
                if let Outcome::Wrong(violation) = &found.outcome {
                    assert!(!violation.advice().is_empty(), "{violation:?}");
                }
            }
        }
        Err(violations) => assert!(!violations.is_empty(), "refused without a reason"),
    }
}

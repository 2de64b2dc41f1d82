//! Files of other schedulers: any text is read or refused with reasons, and every job that comes out would be taken.

#![no_main]

use std::collections::BTreeMap;

use libfuzzer_sys::fuzz_target;
use punctual_api::wire::{self, Unknown};
use punctual_arm::Json;
use punctual_fuzz::{Bytes, explain};
use punctual_import::{Checked, Kind, Settings, Strictness, read};
use punctual_model::Violation;
use punctual_model::time::Timestamp;

fuzz_target!(|input: &[u8]| {
    let mut bytes = Bytes::new(input);
    let kind = bytes.one_of(&Kind::ALL);
    if let Some(text) = bytes.text() {
        explain(|| format!("{}: {text:?}", kind.name()));
        import(kind, text);
    }
});

fn import(kind: Kind, text: &str) {
    let fills = BTreeMap::from([("FILLED".to_owned(), "a value".to_owned())]);
    let settings = Settings {
        parameters: None,
        fills: &fills,
        subscription: None,
        group: None,
        collection: "default",
        time_zone: Some("Europe/Berlin"),
        now: Timestamp::EPOCH,
        check: &check,
    };
    match read(kind, text, &settings) {
        Ok(report) => {
            for job in &report.jobs {
                assert!(check(&job.body, Strictness::Strict).is_ok(), "{:?}", job.body);
            }
        }
        Err(violations) => assert!(!violations.is_empty(), "refused without a reason"),
    }
}

fn check(body: &Json, strictness: Strictness) -> Result<Checked, Vec<Violation>> {
    let unknown = match strictness {
        Strictness::Lenient => Unknown::Warned,
        Strictness::Strict => Unknown::Refused,
    };
    let parsed = wire::parse_job_json(&wire::Json::parse(&body.to_string())?, unknown)?;
    let definition = parsed.value.definition;
    Checked::new(definition.start, definition.recurrence.as_ref(), parsed.warnings, Timestamp::EPOCH)
        .map_err(|violation| vec![violation])
}

//! Whatever the text is, it is read or refused with a reason, and every job that comes out would be taken.

use proptest::prelude::*;
use punctual_import::{Kind, Strictness};

use crate::reader::{Given, check, import};

/// Pieces of which texts are made that get far.
const PIECES: [&str; 40] = [
    "{",
    "}",
    "[",
    "]",
    "\"",
    ":",
    ",",
    "'",
    "(",
    ")",
    " ",
    "\n",
    "\\",
    "%",
    "$",
    "$(",
    "`",
    "|",
    "&",
    "&&",
    ";",
    "*",
    "0",
    "5",
    "@daily",
    "* * * * * ",
    "curl ",
    "wget ",
    "-d ",
    "-H ",
    "https://a.example/",
    "resources",
    "type",
    "name",
    "parameters",
    "Microsoft.Scheduler/jobCollections/jobs",
    "kind: CronJob\n",
    "- ",
    "spec:\n  ",
    "concat(",
];

proptest! {
    #![proptest_config(ProptestConfig { cases: 2_000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_text_is_read_or_refused(pieces in prop::collection::vec(prop::sample::select(&PIECES[..]), 0..40), kind in prop::sample::select(&Kind::ALL[..])) {
        let text = pieces.concat();
        match import(kind, &text, &Given::default()) {
            Ok(report) => for job in &report.jobs {
                prop_assert!(check(&job.body, Strictness::Strict).is_ok(), "{:?}", job.body);
            },
            Err(violations) => prop_assert!(!violations.is_empty()),
        }
    }
}

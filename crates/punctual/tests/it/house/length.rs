//! How long a file may be.

use super::source::{File, files};

/// Beyond it a file holds more than one thing.
const LINES_MAX: usize = 400;

#[test]
fn files_are_short() {
    let is_source = |file: &File| file.is_rust() && !file.is_test();
    let long: Vec<String> = files()
        .iter()
        .filter(|file| is_source(file) && file.text.lines().count() >= LINES_MAX)
        .map(|file| format!("{}: {} lines", file.path, file.text.lines().count()))
        .collect();
    assert!(long.is_empty(), "{LINES_MAX} lines or more: {long:#?}");
}

//! What the pure rooms do not do.

use super::source::sources;

const PURE: [&str; 4] = ["crates/model/src/", "crates/pfx/src/", "crates/arm/src/", "crates/import/src/"];

const IMPURE: [&str; 11] = [
    "println!",
    "print!",
    "dbg!",
    "async ",
    ".await",
    "tokio",
    "rand::",
    "serde",
    "SystemTime",
    "Instant::",
    "static mut",
];

const IMPURE_STD: [&str; 7] = ["fs", "net", "env", "io", "process", "thread", "os"];

#[test]
fn pure_rooms_touch_nothing() {
    let mut wrong = Vec::new();
    for room in PURE {
        assert!(sources().any(|file| file.path.starts_with(room)), "no file was found in {room}");
    }
    for file in sources().filter(|file| PURE.iter().any(|room| file.path.starts_with(room))) {
        wrong.extend(file.uses(&IMPURE));
        for (number, line) in file.code() {
            for module in IMPURE_STD.iter().filter(|module| names_std_module(line, module)) {
                wrong.push(format!("{}:{number}: std::{module}", file.path));
            }
        }
    }
    assert!(wrong.is_empty(), "a pure room touches the world: {wrong:#?}");
}

/// Whether the line names `std::fs`, or `fs` within `std::{…}`.
fn names_std_module(line: &str, module: &str) -> bool {
    let is_word = |text: &str| !text.starts_with(|c: char| c.is_alphanumeric() || c == '_');
    line.match_indices("std::").any(|(at, prefix)| {
        let after = &line[at + prefix.len()..];
        match after.strip_prefix('{') {
            Some(list) => list.split(|c: char| !c.is_alphanumeric() && c != '_').any(|word| word == module),
            None => after.strip_prefix(module).is_some_and(is_word),
        }
    })
}

#[test]
fn std_modules_are_recognised() {
    assert!(names_std_module("use std::io;", "io"));
    assert!(names_std_module("use std::{fmt, io::Read};", "io"));
    assert!(names_std_module("    std::process::exit(1)", "process"));
    assert!(!names_std_module("use std::iter;", "io"));
    assert!(!names_std_module("use std::ops::Range;", "os"));
}

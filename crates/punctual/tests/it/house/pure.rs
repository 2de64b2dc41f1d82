//! What the model does not do.

use super::source::sources;

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
fn the_model_touches_nothing() {
    let mut looked_at = 0;
    let mut wrong = Vec::new();
    for file in sources().filter(|file| file.path.starts_with("crates/model/src/")) {
        looked_at += 1;
        wrong.extend(file.uses(&IMPURE));
        for (number, line) in file.code() {
            for module in IMPURE_STD.iter().filter(|module| names_std_module(line, module)) {
                wrong.push(format!("{}:{number}: std::{module}", file.path));
            }
        }
    }
    assert!(looked_at > 0, "no file of the model was found");
    assert!(wrong.is_empty(), "the model touches the world: {wrong:#?}");
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

//! The settings: `config.default.toml` and what the binary reads are the same keys.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::Output;

use toml::{Table, Value};

use super::source;

/// No setting is a date, so that every one that is read complains of it.
const WRONG: &str = "1979-05-27";

#[test]
fn every_key_that_is_read_has_a_default() {
    // A key without a default is reported as a mistake, as long as nothing is set.
    let output = check_config(&[]);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

#[test]
fn every_default_is_read() {
    let keys = keys();
    let lines: Vec<String> = keys.iter().map(|key| format!("{key} = {WRONG}\n")).collect();
    let file = Path::new(env!("CARGO_TARGET_TMPDIR")).join("every_setting_wrong.toml");
    fs::write(&file, lines.concat()).expect("a file in the directory for temporary files");
    let output = check_config(&["--config", file.to_str().expect("a path in UTF-8")]);
    let complaints = String::from_utf8(output.stderr).expect("UTF-8");
    let named: BTreeSet<String> = complaints
        .lines()
        .filter_map(|line| Some(line.strip_prefix("error: ")?.split_once(' ')?.0.to_owned()))
        .collect();
    assert!(keys.len() > 40, "only {} keys", keys.len());
    assert_eq!(named, keys, "left: what the binary reads, right: what config.default.toml has");
}

fn check_config(arguments: &[&str]) -> Output {
    let mut command = crate::binary();
    command.arg("check-config").args(arguments).env_clear().output().expect("the binary runs")
}

/// The keys of `config.default.toml`, as dotted paths.
fn keys() -> BTreeSet<String> {
    let text = fs::read_to_string(source::root().join("config.default.toml")).expect("config.default.toml");
    let mut keys = BTreeSet::new();
    collect("", &text.parse().expect("TOML"), &mut keys);
    keys
}

fn collect(section: &str, table: &Table, keys: &mut BTreeSet<String>) {
    for (name, value) in table {
        match value {
            Value::Table(members) => collect(&format!("{section}{name}."), members, keys),
            _ => assert!(keys.insert(format!("{section}{name}"))),
        }
    }
}

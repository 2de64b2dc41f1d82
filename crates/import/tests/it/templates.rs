//! ARM templates of many shapes. What is given beside a template stands in its first line.

use std::fs;
use std::path::{Path, PathBuf};

use punctual_import::Kind;

use crate::reader::{Given, import, shown};

#[test]
fn every_template_has_its_report() {
    let mut files: Vec<PathBuf> = fs::read_dir(directory())
        .expect("a directory of templates")
        .map(|entry| entry.expect("an entry").path())
        .filter(|path| !path.to_string_lossy().ends_with(".parameters.json"))
        .collect();
    files.sort();
    assert!(files.len() >= 40, "only {} templates", files.len());
    for file in files {
        let name = file.file_stem().expect("a name").to_string_lossy().into_owned();
        let text = fs::read_to_string(&file).expect("a template");
        let report = shown(import(Kind::Arm, &text, &given(&file, &text)));
        insta::assert_snapshot!(name, report);
    }
}

fn directory() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/templates")
}

/// The options in the first line, and the file of parameters beside the template.
fn given(file: &Path, text: &str) -> Given {
    let mut given = Given::default();
    let options = text.lines().next().and_then(|line| line.strip_prefix("// ")).unwrap_or_default();
    let words: Vec<&str> = options.split_whitespace().collect();
    for option in words.chunks(2).filter(|option| option[0].starts_with("--")) {
        match option {
            ["--subscription", id] => given.subscription = Some((*id).to_owned()),
            ["--group", name] => given.group = Some((*name).to_owned()),
            ["--set", pair] => {
                let (name, value) = pair.split_once('=').expect("NAME=VALUE");
                given.fills.insert(name.to_owned(), value.to_owned());
            }
            other => panic!("an unknown option: {other:?}"),
        }
    }
    let parameters = file.with_extension("parameters.json");
    given.parameters = fs::read_to_string(parameters).ok().map(|text| punctual_arm::json::parse(&text).expect("JSON"));
    given
}

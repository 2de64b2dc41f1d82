//! A file of each kind, with its report.

use std::fs;
use std::path::Path;

use punctual_import::Kind;

use crate::reader::{Given, import, shown};

const FILES: [(Kind, &str); 12] = [
    (Kind::Crontab, "crontab"),
    (Kind::Crontab, "crontab-system"),
    (Kind::Kubernetes, "cronjobs.yaml"),
    (Kind::Google, "google.json"),
    (Kind::Google, "google.tfstate"),
    (Kind::EventBridge, "eventbridge.json"),
    (Kind::EventBridge, "eventbridge.tfstate"),
    (Kind::LogicApp, "logic-apps.json"),
    (Kind::AzureJson, "azure-jobs.json"),
    (Kind::TerraformAzurerm, "azurerm.tfstate"),
    (Kind::TerraformAzurerm, "azurerm-old.tfstate"),
    (Kind::LogicApp, "logic-app-template.json"),
];

fn text(file: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/imports").join(file);
    fs::read_to_string(path).expect("a file to import")
}

#[test]
fn every_kind_has_its_report() {
    for (kind, file) in FILES {
        insta::assert_snapshot!(file, shown(import(kind, &text(file), &Given::default())));
    }
}

#[test]
fn what_is_filled_in_is_no_hole() {
    let mut given = Given { time_zone: Some("Europe/Berlin".to_owned()), ..Given::default() };
    given.fills.insert("unknown".to_owned(), "x".to_owned());
    given.fills.insert("body.json".to_owned(), "{}".to_owned());
    given.fills.insert("nobody".to_owned(), "y".to_owned());
    let line = "0 9 * * * curl -d @body.json -H \"X: $UNKNOWN\" https://example.com/\n";
    insta::assert_snapshot!("filled", shown(import(Kind::Crontab, line, &given)));
}

#[test]
fn files_of_another_kind_are_refused() {
    for kind in Kind::ALL.into_iter().filter(|kind| *kind != Kind::Crontab) {
        for text in ["", "{}", "[]", "{\"a\": 1}", "null", "x"] {
            let report = import(kind, text, &Given::default());
            let is_said = report.as_ref().map_or_else(|wrong| !wrong.is_empty(), |report| !report.findings.is_empty());
            assert!(is_said, "{} says nothing about {text:?}", kind.name());
        }
    }
}

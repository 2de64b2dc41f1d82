//! Reads files as the command line does, and shows what came of them.

use std::collections::BTreeMap;
use std::fmt::Write;

use punctual_api::wire::{self, Unknown};
use punctual_arm::Json;
use punctual_import::{Checked, Kind, Report, Settings, Strictness, read};
use punctual_model::Violation;
use punctual_model::time::Timestamp;

/// What is given beside a file.
#[derive(Default)]
pub(crate) struct Given {
    pub(crate) parameters: Option<Json>,
    pub(crate) fills: BTreeMap<String, String>,
    pub(crate) subscription: Option<String>,
    pub(crate) group: Option<String>,
    pub(crate) time_zone: Option<String>,
}

/// 2026-11-18T05:00:00Z.
pub(crate) fn now() -> Timestamp {
    Timestamp::from_seconds(1_794_978_000).expect("an instant of our age")
}

pub(crate) fn import(kind: Kind, text: &str, given: &Given) -> Result<Report, Vec<Violation>> {
    let settings = Settings {
        parameters: given.parameters.as_ref(),
        fills: &given.fills,
        subscription: given.subscription.as_deref(),
        group: given.group.as_deref(),
        collection: "default",
        time_zone: given.time_zone.as_deref(),
        now: now(),
        check: &check,
    };
    read(kind, text, &settings)
}

/// Whether the API takes a job.
pub(crate) fn check(body: &Json, strictness: Strictness) -> Result<Checked, Vec<Violation>> {
    let unknown = match strictness {
        Strictness::Lenient => Unknown::Warned,
        Strictness::Strict => Unknown::Refused,
    };
    let parsed = wire::parse_job_json(&wire::Json::parse(&body.to_string())?, unknown)?;
    let definition = parsed.value.definition;
    Checked::new(definition.start, definition.recurrence.as_ref(), parsed.warnings, now())
        .map_err(|violation| vec![violation])
}

/// Everything in a report.
pub(crate) fn shown(report: Result<Report, Vec<Violation>>) -> String {
    let report = match report {
        Ok(report) => report,
        Err(violations) => {
            return violations.iter().map(|violation| format!("error: {violation}")).collect::<Vec<_>>().join("\n");
        }
    };
    let mut text = String::new();
    for finding in &report.findings {
        let job = finding.job.as_deref().unwrap_or("-");
        let _ = writeln!(text, "{}: {}: {job} <- {}", finding.line, finding.verdict.name(), finding.item);
        for remark in &finding.remarks {
            let _ = writeln!(text, "    {remark}");
        }
    }
    for collection in &report.collections {
        let _ = writeln!(text, "collection {}: {}", collection.name, collection.body);
    }
    for job in &report.jobs {
        let next = job.next.first().map(ToString::to_string).unwrap_or_default();
        let enabled = if job.can_be_enabled { "" } else { ", stays disabled" };
        let _ = writeln!(
            text,
            "{}/{}: {}; next {next}{enabled}\n    {}",
            job.collection, job.name, job.description, job.body
        );
    }
    for hole in &report.holes {
        let _ = writeln!(text, "hole {}: {} (line {})", hole.name, hole.what, hole.line);
    }
    for note in &report.notes {
        let _ = writeln!(text, "note: {note}");
    }
    text
}

//! Each test shows what an input is taken for, or what is said against it: `!` is a warning, `✗` a violation.

use std::fmt::Write;
use std::fs;
use std::path::Path;

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use punctual_model::Violation;
use punctual_model::options::Options;
use punctual_model::recurrence::TimeZoneName;

use super::{CollectionInput, JobInput, Json, Parsed, Timing, Unknown};

mod actions;
mod alerts;
mod authentication;
mod certificates;
mod collections;
mod documents;
mod history;
mod http;
mod jobs;
mod json;
mod leniency;
mod messages;
mod options;
mod patches;
mod recurrence;
mod schedule;
mod timing;
mod totality;
mod views;

/// The body of a job.
fn check(input: &str) -> String {
    shown(super::parse_job(input), |job| show_job(&job))
}

/// A job with this action.
fn action(action: &str) -> String {
    check(&format!(r#"{{"action": {action}}}"#))
}

/// A job with this request.
fn request(request: &str) -> String {
    action(&format!(r#"{{"request": {request}}}"#))
}

/// A job with this recurrence; its action is not shown.
fn recurrence(recurrence: &str) -> String {
    timed(&format!(r#""recurrence": {recurrence}"#))
}

/// A job with these members beside an action, which is not shown.
fn timed(members: &str) -> String {
    let shown = check(&format!(r#"{{"action": {{"request": {{"uri": "https://example.com"}}}}, {members}}}"#));
    shown.lines().filter(|line| !line.starts_with("does")).collect::<Vec<_>>().join("\n")
}

/// A PFX file in base64, of those that the crate which reads them is tested with.
fn pfx(name: &str) -> String {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("../pfx/tests/fixtures");
    BASE64_STANDARD.encode(fs::read(directory.join(format!("{name}.pfx"))).unwrap())
}

/// A long text for a `~`.
fn filled(template: &str, chars: usize) -> String {
    template.replace('~', &"a".repeat(chars))
}

/// So many members for a `~`.
fn with_members(template: &str, count: usize) -> String {
    let members: Vec<_> = (0..count).map(|n| format!(r#""x{n}": "y""#)).collect();
    template.replace('~', &members.join(", "))
}

fn shown<T>(result: Result<Parsed<T>, Vec<Violation>>, show: impl Fn(T) -> String) -> String {
    let lines = match result {
        Ok(parsed) => {
            let warnings = parsed.warnings.iter().map(|warning| format!("! {warning}"));
            std::iter::once(show(parsed.value)).chain(warnings).collect::<Vec<_>>()
        }
        Err(violations) => violations.iter().map(|violation| format!("✗ {violation}")).collect(),
    };
    lines.iter().map(|line| line.trim_end()).collect::<Vec<_>>().join("\n")
}

/// Whatever is not as it is by default.
fn show_job(job: &JobInput) -> String {
    let definition = &job.definition;
    let mut shown = format!("does {:?}\n", definition.action.target);
    if let Some(retry) = &definition.action.retry {
        writeln!(shown, "retry {retry:?}").unwrap();
    }
    if let Some(error) = &definition.action.error {
        writeln!(shown, "else {:?}", error.target).unwrap();
        if let Some(retry) = &error.retry {
            writeln!(shown, "else retry {retry:?}").unwrap();
        }
    }
    let timing = Timing { start: definition.start, recurrence: definition.recurrence.clone(), state: None, path: "" };
    shown.push_str(&show_timing(&timing));
    if definition.options != Options::default() {
        writeln!(shown, "options {:?}", definition.options).unwrap();
    }
    if let Some(state) = job.state {
        writeln!(shown, "state {}", state.name()).unwrap();
    }
    shown.trim_end().to_owned()
}

fn show_timing(timing: &Timing) -> String {
    let mut shown = String::new();
    if let Some(start) = timing.start {
        writeln!(shown, "from {}", start.instant()).unwrap();
    }
    if let Some(recurrence) = &timing.recurrence {
        writeln!(shown, "{:?}", recurrence.rule()).unwrap();
        let ends = (recurrence.time_zone().map(TimeZoneName::as_written), recurrence.count(), recurrence.end());
        if ends != (None, None, None) {
            writeln!(shown, "zone {:?}, count {:?}, end {:?}", ends.0, ends.1, ends.2).unwrap();
        }
    }
    shown
}

fn check_timing(input: &str) -> String {
    let result = Json::parse(input).and_then(|json| super::parse_timing(&json, Unknown::Warned));
    shown(result, |timing| show_timing(&timing).trim_end().to_owned())
}

fn check_collection(input: &str) -> String {
    let result = Json::parse(input).and_then(|json| super::parse_collection_json(&json, Unknown::Warned));
    shown(result, |collection: CollectionInput| format!("{collection:?}"))
}

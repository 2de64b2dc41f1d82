//! Gathers drafts into a report: fills in what is missing for now, and has each job checked.

use std::collections::BTreeSet;

use punctual_arm::{Hole, HolePart, Json, Value};
use punctual_model::Name;

use crate::draft::Draft;
use crate::fill::Fills;
use crate::limits::JOBS_MAX;
use crate::{Checked, Collection, Finding, Job, Report, Settings, Strictness, Verdict};

/// What stands in for an address of which something is missing: a name that never leads anywhere.
const ADDRESS_STAND_IN: &str = "https://fill-in.invalid/";

/// What the API says of a member that it does not know.
const IGNORED: &str = "ignored: it means nothing here";

/// What has been found so far.
pub(crate) struct Gather<'a> {
    pub(crate) settings: &'a Settings<'a>,
    pub(crate) fills: Fills<'a>,
    report: Report,
    /// Paths of jobs, in lower case.
    paths: BTreeSet<String>,
}

impl<'a> Gather<'a> {
    pub(crate) fn new(settings: &'a Settings<'a>) -> Self {
        let fills = Fills::new(settings.fills);
        Self { settings, fills, report: Report::default(), paths: BTreeSet::new() }
    }

    pub(crate) fn finish(mut self) -> Report {
        for name in self.fills.unused() {
            self.report.notes.push(format!("{name} was given and nothing asks for it"));
        }
        self.report
    }

    /// Whether nothing was found yet.
    pub(crate) fn is_empty(&self) -> bool {
        self.report.findings.is_empty()
    }

    /// Says something about the file as a whole.
    pub(crate) fn note(&mut self, text: impl Into<String>) {
        let text = text.into();
        if !self.report.notes.contains(&text) {
            self.report.notes.push(text);
        }
    }

    /// Nothing is made of an item.
    pub(crate) fn refuse(&mut self, line: u32, item: impl Into<String>, why: impl Into<String>) {
        self.finding(line, item, Verdict::Not, vec![why.into()]);
    }

    /// Something about an item that is no job.
    pub(crate) fn finding(&mut self, line: u32, item: impl Into<String>, verdict: Verdict, remarks: Vec<String>) {
        self.report.findings.push(Finding { line, item: item.into(), verdict, job: None, remarks });
    }

    /// A collection that the source names.
    pub(crate) fn collection(&mut self, name: String, body: Json) {
        let is_known = |known: &Collection| known.name.eq_ignore_ascii_case(&name);
        if !self.report.collections.iter().any(is_known) {
            self.report.collections.push(Collection { name, body });
        }
    }

    /// Remembers what somebody has to fill in.
    pub(crate) fn missing(&mut self, parts: &[HolePart]) {
        for part in parts {
            if self.report.holes.iter().all(|known| known.name != part.name) {
                self.report.holes.push(part.clone());
            }
        }
    }

    /// Makes a job of a draft, if it would be taken.
    pub(crate) fn add(&mut self, draft: Draft) {
        if self.report.jobs.len() >= JOBS_MAX {
            return self.refuse(draft.line, draft.item, format!("at most {JOBS_MAX} jobs are imported at once"));
        }
        let mut draft = draft;
        let parts = stand_in(&mut draft.body);
        self.missing(&parts);
        let checked = match self.checked(&mut draft) {
            Ok(checked) => checked,
            Err(mut remarks) => {
                let verdict = if parts.is_empty() { Verdict::Not } else { Verdict::ByHand };
                remarks.extend(missing_remark(&parts, "it is not made before that"));
                return self.finding(draft.line, draft.item, verdict, remarks);
            }
        };
        if checked.next.is_empty() {
            let why = match (draft.body.get("recurrence"), draft.body.get("startTime")) {
                (Some(_), _) => "its end lies in the past: no run is left",
                (None, Some(_)) => "its only run lies in the past, and here it would run at once",
                (None, None) => "it has no time: it would run once, at once",
            };
            return self.refuse(draft.line, draft.item, why);
        }
        draft.by_hand.extend(missing_remark(&parts, "until then the job stays disabled"));
        self.push(draft, checked, parts.is_empty());
    }

    fn push(&mut self, draft: Draft, checked: Checked, is_complete: bool) {
        let collection = draft.collection.unwrap_or_else(|| self.settings.collection.to_owned());
        for name in [&collection, &draft.name] {
            if let Err(expected) = Name::parse(name) {
                return self.refuse(draft.line, draft.item, format!("the name {name:?} must be {expected}"));
            }
        }
        let name = self.free_name(&collection, &draft.name);
        let verdict = match (draft.by_hand.is_empty(), draft.near.is_empty()) {
            (false, _) => Verdict::ByHand,
            (true, false) => Verdict::Nearly,
            (true, true) => Verdict::Exactly,
        };
        let mut remarks = draft.by_hand;
        remarks.extend(draft.near);
        remarks.extend(draft.notes);
        if !draft.is_enabled {
            remarks.push("it was disabled, and stays so".to_owned());
        }
        let (line, item, job) = (draft.line, draft.item, Some(format!("{collection}/{name}")));
        self.report.findings.push(Finding { line, item, verdict, job, remarks });
        let (next, description) = (checked.next, checked.description);
        let can_be_enabled = draft.is_enabled && is_complete;
        self.report.jobs.push(Job { collection, name, body: draft.body, can_be_enabled, next, description });
    }

    /// Has the job checked, without what it does not know; warnings become remarks.
    fn checked(&self, draft: &mut Draft) -> Result<Checked, Vec<String>> {
        let told =
            |violations: Vec<punctual_model::Violation>| violations.iter().map(ToString::to_string).collect::<Vec<_>>();
        let checked = (self.settings.check)(&draft.body, Strictness::Lenient).map_err(told)?;
        for warning in &checked.warnings {
            if warning.text == IGNORED {
                remove(&mut draft.body, &warning.path);
                draft.notes.push(format!("{} was left out: it means nothing, and meant nothing there", warning.path));
            } else {
                draft.notes.push(warning.to_string());
            }
        }
        (self.settings.check)(&draft.body, Strictness::Strict).map_err(told)
    }

    /// The name, with a number behind it if there is a job of that name already.
    fn free_name(&mut self, collection: &str, name: &str) -> String {
        let path = |name: &str| format!("{collection}/{name}").to_lowercase();
        let mut free = name.to_owned();
        let mut number = 2;
        while !self.paths.insert(path(&free)) {
            free = format!("{name}-{number}");
            number += 1;
        }
        free
    }
}

fn missing_remark(parts: &[HolePart], then: &str) -> Option<String> {
    let names: Vec<_> = parts.iter().map(|part| part.name.as_str()).collect();
    (!names.is_empty()).then(|| format!("fill in {}; {then}", names.join(" and ")))
}

/// Puts something in the place of each hole that no one can take for the real value; and what is missing.
fn stand_in(body: &mut Json) -> Vec<HolePart> {
    let mut parts: Vec<HolePart> = Vec::new();
    replace("", body, &mut |path, hole| {
        for part in &hole.parts {
            if parts.iter().all(|known| known.name != part.name) {
                parts.push(part.clone());
            }
        }
        if path.eq_ignore_ascii_case("uri") {
            return ADDRESS_STAND_IN.to_owned();
        }
        let names: Vec<_> = hole.parts.iter().map(|part| part.name.as_str()).collect();
        format!("fill-in:{}", names.join("+"))
    });
    parts
}

fn replace(name: &str, json: &mut Json, stand_in: &mut dyn FnMut(&str, &Hole) -> String) {
    match &mut json.value {
        Value::Hole(hole) => json.value = Value::Text(stand_in(name, hole)),
        Value::List(items) => items.iter_mut().for_each(|item| replace(name, item, stand_in)),
        Value::Object(members) => members.iter_mut().for_each(|(name, json)| replace(name, json, stand_in)),
        _ => {}
    }
}

/// Takes the member at a path such as `action.request.headers` out.
fn remove(json: &mut Json, path: &str) {
    let (first, rest) = path.split_once('.').unwrap_or((path, ""));
    if rest.is_empty() {
        json.remove(first);
        return;
    }
    if let Value::Object(members) = &mut json.value
        && let Some((_, inner)) = members.iter_mut().find(|(name, _)| name.eq_ignore_ascii_case(first))
    {
        remove(inner, rest);
    }
}

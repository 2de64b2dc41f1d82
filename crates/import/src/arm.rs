//! ARM templates.

use punctual_arm::{Found, Inputs, Json, Outcome};
use punctual_model::Violation;

use crate::azure::{self, Secrets};
use crate::gather::Gather;
use crate::report::Verdict;

const COLLECTION: &str = "Microsoft.Scheduler/jobCollections";
const JOB: &str = "Microsoft.Scheduler/jobCollections/jobs";

pub(crate) fn read(text: &str, gather: &mut Gather<'_>) -> Result<(), Vec<Violation>> {
    let settings = gather.settings;
    let inputs = Inputs {
        parameters: settings.parameters,
        fills: settings.fills,
        subscription: settings.subscription,
        group: settings.group,
        now: settings.now,
        wanted: &[COLLECTION, JOB],
    };
    let evaluated = punctual_arm::evaluate(text, &inputs)?;
    gather.fills.mark_used_all_but(&evaluated.unused_fills);
    for warning in &evaluated.warnings {
        gather.note(warning.to_string());
    }
    for found in &evaluated.found {
        let item = format!("{} {}", found.kind, found.name);
        match &found.outcome {
            Outcome::Skipped(reason) => gather.refuse(found.line, item, format!("skipped: {reason}")),
            Outcome::Wrong(violation) => {
                gather.missing(&found.holes);
                let verdict = if found.holes.is_empty() { Verdict::Not } else { Verdict::ByHand };
                gather.finding(found.line, item, verdict, vec![violation.to_string()]);
            }
            Outcome::Made(body) if found.kind.eq_ignore_ascii_case(JOB) => job(found, body, gather),
            Outcome::Made(body) => collection(found, body, gather),
        }
    }
    Ok(())
}

fn job(found: &Found, body: &Json, gather: &mut Gather<'_>) {
    match body.get("properties") {
        Some(properties) if found.name.contains('/') => {
            azure::job(&found.name, found.line, properties, Secrets::Given, gather);
        }
        Some(_) => {
            let why = "the name of a job is collection/job";
            gather.refuse(found.line, format!("job {}", found.name), why);
        }
        None => gather.refuse(found.line, format!("job {}", found.name), "it has no properties"),
    }
}

fn collection(found: &Found, body: &Json, gather: &mut Gather<'_>) {
    let made = azure::collection_body(body);
    let mut remarks = Vec::new();
    for name in ["location", "tags"] {
        if body.get(name).is_some() && made.get(name).is_none() {
            remarks.push(format!("its {name} is left out: only Azure knows it, and it does nothing here"));
        }
    }
    if let Some(state) = body.at(&["properties", "state"]).and_then(Json::text)
        && !state.eq_ignore_ascii_case("Enabled")
    {
        remarks.push(format!("it was {state}; its jobs are made disabled, and the collection enabled"));
    }
    let verdict = if remarks.is_empty() { Verdict::Exactly } else { Verdict::Nearly };
    gather.finding(found.line, format!("collection {}", found.name), verdict, remarks);
    gather.collection(found.name.clone(), made);
}

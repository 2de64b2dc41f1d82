//! The body of a request to run again all that failed. Nothing in it is ignored: what was meant to be narrower must not
//! run more.

use punctual_model::access::Scope;
use punctual_model::time::{DateTime, Zone};
use punctual_model::{Expected, Name, TargetPattern, Violation};
use punctual_store::{CollectionKey, GroupKey};

use super::findings::Findings;
use super::json::Json;
use super::object::Object;
use crate::input::{Parsed, RerunInput};

/// Reads the body. A collection is named by its path, or by its name in the group that `defaults` says.
pub fn parse_rerun_json(json: &Json, defaults: &GroupKey) -> Result<Parsed<RerunInput>, Vec<Violation>> {
    let findings = Findings::default();
    let input = Object::root(json, &findings).and_then(|root| rerun(root, defaults));
    findings.finish(input)
}

fn rerun(mut root: Object<'_>, defaults: &GroupKey) -> Option<RerunInput> {
    let instant = |written: DateTime| written.resolve(Zone::utc()).instant();
    root.require("since", "the instant since which it failed, such as 2026-01-01T00:00:00Z");
    let since = root.date_time("since").map(instant);
    let until = root.date_time("until").map(instant);
    if let (Some(since), Some(until)) = (since, until)
        && until < since
    {
        root.violation("until", until, format!("an instant not before since, {since}"));
    }
    let collection = root.value("collection").and_then(|value| value.parsed(|text| collection(text, defaults)));
    let job = root.value("job").and_then(|value| value.parsed(Name::parse));
    if job.is_some() && !root.has("collection") {
        root.violation("collection", "nothing", "the collection that the job is in");
    }
    let target = root.value("target").and_then(|value| value.parsed(TargetPattern::parse));
    root.refuse_rest();
    Some(RerunInput { since: since?, until, collection, job, target })
}

fn collection(text: &str, defaults: &GroupKey) -> Result<CollectionKey, Expected> {
    let expected = || {
        Expected::new(
            "the name of a collection, or its path /subscriptions/S/resourceGroups/G/providers/Microsoft.Scheduler/\
             jobCollections/C",
        )
    };
    if text.starts_with('/') {
        return match Scope::parse(text) {
            Ok(Scope::Collection { subscription, group, collection }) => {
                Ok(CollectionKey { subscription, group, collection })
            }
            _ => Err(expected()),
        };
    }
    let GroupKey { subscription, group } = defaults.clone();
    Name::parse(text).map(|collection| CollectionKey { subscription, group, collection }).map_err(|_| expected())
}

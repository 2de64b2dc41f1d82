//! What Azure Scheduler answered: a job, a collection, or a list of either.

use punctual_arm::{Json, Value};
use punctual_model::Violation;

use crate::azure::{self, Secrets};
use crate::gather::Gather;
use crate::report::Verdict;

pub(crate) fn read(json: &Json, gather: &mut Gather<'_>) -> Result<(), Vec<Violation>> {
    let before = gather.is_empty();
    answer(json, gather);
    if before && gather.is_empty() {
        let sentence = "this is no answer of Azure Scheduler: it has neither jobs nor collections";
        return Err(vec![Violation::sentence("", sentence)]);
    }
    Ok(())
}

fn answer(json: &Json, gather: &mut Gather<'_>) {
    match &json.value {
        Value::List(items) => items.iter().for_each(|item| answer(item, gather)),
        Value::Object(_) if matches!(json.get("value").map(|value| &value.value), Some(Value::List(_))) => {
            let list = json.get("value").map(Json::items).unwrap_or_default();
            for item in list {
                answer(item, gather);
            }
            if let Some(link) = json.get("nextLink").and_then(Json::text) {
                let remark = format!("the list goes on: import what {link} answers, too");
                gather.finding(json.line, "nextLink", Verdict::ByHand, vec![remark]);
            }
        }
        Value::Object(_) => resource(json, gather),
        _ => {}
    }
}

fn resource(json: &Json, gather: &mut Gather<'_>) {
    let text = |name: &str| json.get(name).and_then(Json::text);
    let properties = json.get("properties");
    let kind = text("type").unwrap_or_default().to_ascii_lowercase();
    let is_job = kind.ends_with("/jobs") || properties.unwrap_or(json).get("action").is_some();
    let is_collection = kind.ends_with("/jobcollections") || properties.is_some_and(|of| of.get("sku").is_some());
    if is_job {
        // Before the resource manager, what is in properties now stood at the top, beside an id.
        let Some(name) = text("name").or(text("id")) else {
            return gather.refuse(json.line, "a job", "it has no name");
        };
        let name =
            name.rsplit_once("/jobCollections/").map_or(name.to_owned(), |(_, rest)| rest.replace("/jobs/", "/"));
        let mut properties = properties.unwrap_or(json).clone();
        for member in ["id", "name", "type"] {
            properties.remove(member);
        }
        azure::job(&name, json.line, &properties, Secrets::LeftOut, gather);
    } else if is_collection {
        let name = text("name").unwrap_or_default().to_owned();
        gather.finding(json.line, format!("collection {name}"), Verdict::Exactly, Vec::new());
        gather.collection(name, azure::collection_body(json));
    } else {
        gather.refuse(json.line, text("name").unwrap_or("an object"), "it is neither a job nor a collection");
    }
}

//! Jobs of Azure Scheduler, whose JSON is that of our API.

use punctual_arm::Json;

use crate::draft::Draft;
use crate::gather::Gather;

/// Where an action keeps its secrets, below the action: the member, which object it stands in, and when it is needed.
const SECRETS: [(&[&str], &str, &str); 5] = [
    (&["request", "authentication"], "password", "basic"),
    (&["request", "authentication"], "secret", "activedirectoryoauth"),
    (&["queueMessage"], "sasToken", ""),
    (&["serviceBusQueueMessage", "authentication"], "sasKey", ""),
    (&["serviceBusTopicMessage", "authentication"], "sasKey", ""),
];

/// Whether what was left out of an answer has to be filled in.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Secrets {
    /// The source has them, or nobody does.
    Given,
    /// The source is an answer of the original, which leaves them out.
    LeftOut,
}

/// Makes a job of the properties that the original knew it by; `name` is `collection/job`.
pub(crate) fn job(name: &str, line: u32, properties: &Json, secrets: Secrets, gather: &mut Gather<'_>) {
    let (collection, job) = name.split_once('/').map_or((None, name), |(collection, job)| (Some(collection), job));
    let mut draft = Draft::new(line, name, job);
    draft.collection = collection.map(str::to_owned);
    let mut body = properties.clone();
    let state = body.remove("state").and_then(|state| state.text().map(str::to_ascii_lowercase));
    match state.as_deref() {
        Some(state @ ("completed" | "faulted")) => {
            return gather.refuse(line, name, format!("it has ended: its state is {state}"));
        }
        Some("disabled") => draft.is_enabled = false,
        _ => {}
    }
    let status = body.remove("status");
    let executions = status.as_ref().and_then(|status| status.get("executionCount")?.integer()).unwrap_or_default();
    if let (Some(count), true) = (body.at(&["recurrence", "count"]).and_then(Json::integer), executions > 0) {
        draft.near(format!(
            "count {count} is counted from the beginning again, although {executions} attempts were made there"
        ));
    }
    if secrets == Secrets::LeftOut
        && let Some(mut action) = body.remove("action")
    {
        fill_secrets(&mut action, name, line, gather);
        body.set("action", action);
    }
    draft.body = body;
    gather.add(draft);
}

fn fill_secrets(action: &mut Json, name: &str, line: u32, gather: &Gather<'_>) {
    for (path, member, kind) in SECRETS {
        let Some(object) = action.at(path) else { continue };
        let named = object.get("type").and_then(Json::text).unwrap_or_default().to_ascii_lowercase();
        if object.get(member).is_none() && (kind.is_empty() || named == kind) {
            put(action, path, member, gather, name, line);
        }
    }
    let is_certificate = action.at(&["request", "authentication", "type"]).and_then(Json::text);
    if is_certificate.is_some_and(|kind| kind.eq_ignore_ascii_case("ClientCertificate")) {
        let path = ["request", "authentication"];
        for member in ["pfx", "password"] {
            if action.at(&path).is_some_and(|object| object.get(member).is_none()) {
                put(action, &path, member, gather, name, line);
            }
        }
    }
    if let Some(mut error) = action.remove("errorAction") {
        fill_secrets(&mut error, &format!("{name}.errorAction"), line, gather);
        action.set("errorAction", error);
    }
}

fn put(action: &mut Json, path: &[&str], member: &str, gather: &Gather<'_>, name: &str, line: u32) {
    let hole_name = format!("{name}.{member}");
    let hole = gather.fills.hole(&hole_name, "a secret, which answers of the original leave out", line);
    set_at(action, path, member, hole);
}

fn set_at(json: &mut Json, path: &[&str], member: &str, value: Json) {
    let Some((first, rest)) = path.split_first() else { return json.set(member, value) };
    if let Some(mut inner) = json.remove(first) {
        set_at(&mut inner, rest, member, value);
        json.set(first, inner);
    }
}

/// The body of a collection: what our API takes of it.
pub(crate) fn collection_body(body: &Json) -> Json {
    let mut properties = body.get("properties").cloned().unwrap_or_else(|| Json::new(body.line, Vec::new()));
    let mut made = Json::object(
        body.line,
        [
            ("location", body.get("location").cloned()),
            ("tags", body.get("tags").cloned()),
            ("sku", properties.remove("sku")),
            ("quota", properties.remove("quota")),
        ],
    );
    for name in ["location", "tags"] {
        let mut is_hole = false;
        if let Some(json) = made.get(name) {
            json.holes("", &mut |_, _| is_hole = true);
        }
        if is_hole {
            made.remove(name);
        }
    }
    made
}

//! The HTTP action of a workflow.

use std::collections::BTreeMap;

use punctual_arm::{Json, Value};
use punctual_model::time::{Span, TICKS_PER_SECOND};

use super::text::text;
use crate::action::{Call, Retry};
use crate::draft::Draft;
use crate::gather::Gather;

/// Puts the call into the job.
pub(super) fn put_into(
    action: &Json,
    parameters: &BTreeMap<String, Json>,
    draft: &mut Draft,
    gather: &Gather<'_>,
) -> Result<(), String> {
    let kind = action.get("type").and_then(Json::text).unwrap_or_default();
    if !kind.eq_ignore_ascii_case("Http") {
        return Err(format!("its action is of type {kind:?}, and only Http can be read"));
    }
    let inputs = action.get("inputs").ok_or("its action has no inputs")?;
    let read = |json: &Json, draft: &Draft| text(json, parameters, draft, gather);
    let mut call = Call {
        uri: read(inputs.get("uri").ok_or("its action has no uri")?, draft)?,
        method: Some(
            inputs.get("method").map(|json| read(json, draft)).transpose()?.unwrap_or_else(|| "GET".to_owned()),
        ),
        ..Call::default()
    };
    for (name, value) in inputs.get("queries").map(Json::members).unwrap_or_default() {
        let between = if call.uri.contains('?') { "&" } else { "?" };
        call.uri.extend([between, name, "=", &read(value, draft)?]);
    }
    for (name, value) in inputs.get("headers").map(Json::members).unwrap_or_default() {
        let value = read(value, draft)?;
        call.add_header(name, &value);
    }
    if let Some(body) = inputs.get("body") {
        call.body = Some(body_text(body, &read, draft)?);
        if call.header("content-type").is_none() {
            let kind =
                if matches!(body.value, Value::Text(_)) { "text/plain; charset=utf-8" } else { "application/json" };
            call.add_header("Content-Type", kind);
        }
    }
    call.timeout_ms = Some(limit(action).unwrap_or(120_000));
    call.retry = Some(retry(inputs.get("retryPolicy"), draft));
    let authentication = authentication(inputs.get("authentication"), &read, draft)?;
    call.put_into(draft, gather);
    if let Some(authentication) = authentication {
        put_authentication(authentication, draft, gather);
    }
    Ok(())
}

type Read<'a> = &'a dyn Fn(&Json, &Draft) -> Result<String, String>;

/// A text, or JSON as a text; no expression may stand deeper inside of it.
fn body_text(body: &Json, read: Read<'_>, draft: &Draft) -> Result<String, String> {
    if matches!(body.value, Value::Text(_) | Value::Hole(_)) {
        return read(body, draft);
    }
    let filled = filled(body, read, draft)?;
    Ok(filled.to_string())
}

fn filled(json: &Json, read: Read<'_>, draft: &Draft) -> Result<Json, String> {
    let value = match &json.value {
        Value::Text(_) | Value::Hole(_) => Value::Text(read(json, draft)?),
        Value::List(items) => {
            Value::List(items.iter().map(|item| filled(item, read, draft)).collect::<Result<_, _>>()?)
        }
        Value::Object(members) => {
            let member = |(name, json): &(String, Json)| Ok((name.clone(), filled(json, read, draft)?));
            Value::Object(members.iter().map(member).collect::<Result<_, String>>()?)
        }
        other => other.clone(),
    };
    Ok(Json { line: json.line, value })
}

fn seconds(json: Option<&Json>) -> Option<i64> {
    let span = Span::parse(json?.text()?).ok()?;
    Some(span.ticks() / TICKS_PER_SECOND)
}

/// How long an answer is waited for, in milliseconds.
fn limit(action: &Json) -> Option<u64> {
    let seconds = seconds(action.at(&["limit", "timeout"]))?;
    u64::try_from(seconds).ok()?.checked_mul(1000)
}

fn retry(policy: Option<&Json>, draft: &mut Draft) -> Retry {
    let kind = policy.and_then(|policy| policy.get("type")?.text()).unwrap_or_default().to_ascii_lowercase();
    let count = policy.and_then(|policy| policy.get("count")?.integer()).unwrap_or(4);
    let interval = seconds(policy.and_then(|policy| policy.get("interval"))).unwrap_or(7);
    let most = seconds(policy.and_then(|policy| policy.get("maximumInterval")));
    match kind.as_str() {
        "none" => return Retry::NONE,
        "fixed" | "exponential" => {
            if interval < 15 || count > 20 {
                draft.near(format!(
                    "its retries ({count}, {interval} s apart) are here at least 15 s apart and at most 20"
                ));
            }
        }
        _ => draft.near("Logic Apps retries 4 times, some 7 s apart at first; here retries are at least 15 s apart"),
    }
    if kind == "fixed" {
        return Retry { kind: "fixed", count, seconds: interval, seconds_max: None };
    }
    Retry { kind: "exponential", count, seconds: interval, seconds_max: Some(most.unwrap_or(3600)) }
}

/// The credentials, with the names our API has for them.
fn authentication(
    given: Option<&Json>,
    read: Read<'_>,
    draft: &mut Draft,
) -> Result<Option<Vec<(&'static str, String)>>, String> {
    let Some(given) = given else { return Ok(None) };
    let kind = given.get("type").and_then(Json::text).unwrap_or_default().to_ascii_lowercase();
    let members: &[&str] = match kind.as_str() {
        "" | "none" => return Ok(None),
        "basic" => &["username", "password"],
        "clientcertificate" => &["pfx", "password"],
        "activedirectoryoauth" => &["tenant", "audience", "clientId", "secret"],
        "raw" => return Err("its credential is a raw header: put it into headers as Authorization".to_owned()),
        other => {
            return Err(format!("it signs in as {other}, which only Azure can; give the target another credential"));
        }
    };
    let name = match kind.as_str() {
        "basic" => "Basic",
        "clientcertificate" => "ClientCertificate",
        _ => "ActiveDirectoryOAuth",
    };
    let mut made = vec![("type", name.to_owned())];
    for member in members {
        let text = given.get(member).map(|json| read(json, draft)).transpose()?;
        match (text, *member) {
            (Some(text), member) => made.push((static_name(member), text)),
            (None, "password" | "pfx" | "secret") => {
                draft.by_hand(format!("its {member} is not in the file"));
                made.push((static_name(member), String::new()));
            }
            (None, _) => {}
        }
    }
    Ok(Some(made))
}

fn static_name(name: &str) -> &'static str {
    ["username", "password", "pfx", "tenant", "audience", "clientId", "secret"]
        .into_iter()
        .find(|known| *known == name)
        .unwrap_or("secret")
}

/// Puts credentials into the request. An empty secret is a hole, never an empty secret.
fn put_authentication(members: Vec<(&'static str, String)>, draft: &mut Draft, gather: &Gather<'_>) {
    let line = draft.line;
    let mut object = Json { line, value: Value::Object(Vec::new()) };
    for (name, text) in members {
        let json = if text.is_empty() {
            gather.fills.hole(&format!("{}.{name}", draft.name), "a secret of the workflow", line)
        } else {
            gather.fills.json(line, &text)
        };
        object.set(name, json);
    }
    if let Some(mut action) = draft.body.remove("action") {
        if let Some(mut request) = action.remove("request") {
            request.set("authentication", object);
            action.set("request", request);
        }
        draft.body.set("action", action);
    }
}

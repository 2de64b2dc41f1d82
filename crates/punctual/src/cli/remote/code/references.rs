//! Texts that do not stand in files: `{fromEnv: NAME}` and `{fromFile: PATH}`.
//!
//! Secrets never stand in files: where one belongs, a text is refused. Other texts that are sent to targets may be references, too.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use anyhow::Context;
use serde_json::{Map, Value, json};

use crate::cli::failure::Failure;
use crate::cli::remote::variable;
use crate::limits::DOCUMENT_BYTES_MAX;

/// Members that are secrets, and what they stand in.
const SECRETS: [(&str, &str); 6] = [
    ("authentication", "password"),
    ("authentication", "pfx"),
    ("authentication", "secret"),
    ("authentication", "sasKey"),
    ("queueMessage", "sasToken"),
    ("sign", "secret"),
];
/// Objects whose members have names that the user chose: a member called `fromEnv` is one of those.
const OPEN: [&str; 4] = ["headers", "customMessageProperties", "labels", "tags"];
const FROM_ENV: &str = "fromEnv";
const FROM_FILE: &str = "fromFile";
/// What stands for a value that the server does not show.
const MASK: &str = "***";

/// References that led to nothing.
#[derive(Default)]
pub(super) struct Missing(pub(super) BTreeSet<String>);

/// Finds secrets that stand in a document, and references that are none. Files are named by their whole paths from here on.
pub(super) fn check(body: &mut Value, directory: Option<&Path>) -> Vec<String> {
    let mut wrong = Vec::new();
    check_member(body, "", "", "", directory, &mut wrong);
    wrong
}

fn check_member(
    value: &mut Value,
    parent: &str,
    name: &str,
    path: &str,
    directory: Option<&Path>,
    wrong: &mut Vec<String>,
) {
    let is = |one: &str, other: &str| one.eq_ignore_ascii_case(other);
    let is_secret = SECRETS.iter().any(|(owner, secret)| is(parent, owner) && is(name, secret));
    match value {
        Value::String(text) if (is_secret || is(name, "sign")) && text != MASK => {
            let advice = format!("write {{{FROM_ENV}: NAME}} or {{{FROM_FILE}: PATH}}, and keep it elsewhere");
            wrong.push(format!("{path}: a secret does not stand in a file: {advice}"));
        }
        Value::Object(members) if is_reference(members, name) => {
            let given = members.values().next().and_then(Value::as_str).filter(|text| !text.is_empty());
            match (given, directory) {
                (None, _) => wrong.push(format!("{path}: a reference has the name of a variable, or of a file")),
                (Some(file), Some(directory)) if members.contains_key(FROM_FILE) => {
                    let file = directory.join(file).display().to_string();
                    members.insert(FROM_FILE.to_owned(), json!(file));
                }
                _ => {}
            }
        }
        Value::Object(members) => {
            for (member, value) in members {
                let path = if path.is_empty() { member.clone() } else { format!("{path}.{member}") };
                check_member(value, name, member, &path, directory, wrong);
            }
        }
        Value::Array(items) => {
            for (at, item) in items.iter_mut().enumerate() {
                check_member(item, parent, name, &format!("{path}[{at}]"), directory, wrong);
            }
        }
        _ => {}
    }
}

/// Whether an object stands for a text.
fn is_reference(members: &Map<String, Value>, name: &str) -> bool {
    let is_open = OPEN.iter().any(|open| open.eq_ignore_ascii_case(name));
    members.len() == 1 && !is_open && (members.contains_key(FROM_ENV) || members.contains_key(FROM_FILE))
}

/// Puts the texts in the places of their references. What is not there is left out, so that what the server has stored stays.
pub(super) fn resolve(value: &mut Value, missing: &mut Missing) -> Result<(), Failure> {
    match value {
        Value::Object(members) => {
            let names: Vec<String> = members.keys().cloned().collect();
            for name in names {
                let reference = match &members[&name] {
                    Value::Object(inner) if is_reference(inner, &name) => inner.clone(),
                    _ => {
                        resolve(&mut members[&name], missing)?;
                        continue;
                    }
                };
                let Some(text) = look_up(&reference)? else {
                    missing.0.extend(reference.values().filter_map(Value::as_str).map(ToOwned::to_owned));
                    members.remove(&name);
                    continue;
                };
                members.insert(name.clone(), Value::String(text));
                if name.eq_ignore_ascii_case("pfx") {
                    // These describe the certificate that is replaced.
                    members.retain(|name, _| !name.to_ascii_lowercase().starts_with("certificate"));
                }
            }
            Ok(())
        }
        Value::Array(items) => items.iter_mut().try_for_each(|item| resolve(item, missing)),
        _ => Ok(()),
    }
}

fn look_up(reference: &Map<String, Value>) -> Result<Option<String>, Failure> {
    if let Some(name) = reference.get(FROM_ENV).and_then(Value::as_str) {
        return Ok(variable(name));
    }
    let Some(path) = reference.get(FROM_FILE).and_then(Value::as_str) else { return Ok(None) };
    match fs::metadata(path) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        Ok(file) if file.len() > DOCUMENT_BYTES_MAX as u64 => {
            let sentence = format!("{path}: a file that a document names has at most {DOCUMENT_BYTES_MAX} bytes");
            return Err(Failure::Refused(vec![sentence]));
        }
        _ => {}
    }
    let text = fs::read_to_string(path).with_context(|| format!("cannot read {path} as text"))?;
    // Editors end every file with a line end, which belongs to no secret.
    Ok(Some(text.strip_suffix('\n').map_or(text.as_str(), |text| text.trim_end_matches('\r')).to_owned()))
}

/// Adds references where the server has stored a secret, with names that nobody else has.
pub(super) fn add(body: &mut Value, owner: &str, taken: &mut BTreeSet<String>) {
    add_to_action(&mut body["action"], owner, taken);
    if body["options"]["sign"].is_object() {
        body["options"]["sign"]["secret"] = reference(owner, "SIGNING_KEY", taken);
    }
}

fn add_to_action(action: &mut Value, owner: &str, taken: &mut BTreeSet<String>) {
    let Some(members) = action.as_object_mut() else { return };
    if let Some(message) = members.get_mut("queueMessage") {
        message["sasToken"] = reference(owner, "SAS_TOKEN", taken);
    }
    for message in ["request", "serviceBusQueueMessage", "serviceBusTopicMessage"] {
        let Some(credentials) = members.get_mut(message).and_then(|message| message.get_mut("authentication")) else {
            continue;
        };
        let names: &[(&str, &str)] =
            match credentials["type"].as_str().unwrap_or_default().to_ascii_lowercase().as_str() {
                "basic" => &[("password", "PASSWORD")],
                "clientcertificate" => &[("pfx", "PFX"), ("password", "PFX_PASSWORD")],
                "activedirectoryoauth" => &[("secret", "CLIENT_SECRET")],
                "sharedaccesskey" => &[("sasKey", "SAS_KEY")],
                _ => &[],
            };
        for (member, word) in names {
            credentials[*member] = reference(owner, word, taken);
        }
    }
    if let Some(error) = members.get_mut("errorAction") {
        add_to_action(error, &format!("{owner} error"), taken);
    }
}

/// A reference to a variable with a speaking name.
fn reference(owner: &str, word: &str, taken: &mut BTreeSet<String>) -> Value {
    let spelled: String =
        owner.chars().map(|c| if c.is_ascii_alphanumeric() { c.to_ascii_uppercase() } else { '_' }).collect();
    let spelled = if spelled.starts_with(|c: char| c.is_ascii_digit()) { format!("_{spelled}") } else { spelled };
    let name = format!("{spelled}_{word}");
    let numbered = (2_u32..).map(|number| format!("{name}_{number}"));
    let free = std::iter::once(name.clone()).chain(numbered).find(|name| !taken.contains(name)).unwrap_or(name);
    taken.insert(free.clone());
    json!({ FROM_ENV: free })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_do_not_stand_in_files() {
        let mut body = json!({
            "action": { "request": { "uri": "https://a", "headers": { "fromEnv": "x", "Authorization": { "fromEnv": "A" } },
                "authentication": { "type": "basic", "username": "u", "password": "p" } },
                "errorAction": { "queueMessage": { "sasToken": "?sv" } } },
            "options": { "sign": "whsec_x", "labels": { "fromFile": "y" } },
        });
        let wrong = check(&mut body, None);
        let places: Vec<_> = wrong.iter().map(|sentence| sentence.split(':').next().unwrap()).collect();
        assert_eq!(
            places,
            ["action.errorAction.queueMessage.sasToken", "action.request.authentication.password", "options.sign"]
        );
        let mut masked = json!({ "options": { "sign": { "secret": "***" } } });
        assert!(check(&mut masked, None).is_empty());
    }

    #[test]
    fn what_is_not_there_is_left_out() {
        let directory = tempfile::tempdir().unwrap();
        fs::write(directory.path().join("key"), "two words\n").unwrap();
        let mut body =
            json!({ "a": { "fromFile": "key" }, "b": { "c": { "fromEnv": "PUNCTUAL_TEST_NOWHERE" }, "d": 1 } });
        assert!(check(&mut body, Some(directory.path())).is_empty());
        let mut missing = Missing::default();
        resolve(&mut body, &mut missing).unwrap();
        assert_eq!(body, json!({ "a": "two words", "b": { "d": 1 } }));
        assert_eq!(Vec::from_iter(missing.0), ["PUNCTUAL_TEST_NOWHERE"]);
    }

    #[test]
    fn names_speak_and_nobody_else_has_them() {
        let mut taken = BTreeSet::new();
        let mut body = json!({ "action": { "request": { "authentication": { "type": "basic" } },
            "errorAction": { "queueMessage": {} } } });
        add(&mut body, "ops/night-ly", &mut taken);
        assert_eq!(
            body["action"]["request"]["authentication"]["password"],
            json!({ "fromEnv": "OPS_NIGHT_LY_PASSWORD" })
        );
        let sas = &body["action"]["errorAction"]["queueMessage"]["sasToken"];
        assert_eq!(*sas, json!({ "fromEnv": "OPS_NIGHT_LY_ERROR_SAS_TOKEN" }));
        assert_eq!(reference("ops/night_ly", "PASSWORD", &mut taken), json!({ "fromEnv": "OPS_NIGHT_LY_PASSWORD_2" }));
    }
}

//! Settings in the environment: `PUNCTUAL_SERVER__LISTEN` is `server.listen`.

use std::env;

use punctual_model::Violation;
use serde::Deserialize;
use toml::Value;
use toml::de::{DeValue, ValueDeserializer};

use super::nearest::nearest;
use super::settings::{Origin, Setting, Settings};

const PREFIX: &str = "PUNCTUAL_";
/// Stands between the parts of a key, whose words have single ones between them.
const DOT: &str = "__";

/// Short names of settings that every operator looks for.
const SHORT: [(&str, &str); 3] =
    [("PUNCTUAL_DATA", "store.data"), ("PUNCTUAL_LISTEN", "server.listen"), ("PUNCTUAL_STORE", "store.url")];

/// The names that OpenTelemetry has for some settings. The name of ours wins.
const STANDARD: [(&str, &str); 4] = [
    ("OTEL_EXPORTER_OTLP_ENDPOINT", "telemetry.endpoint"),
    ("OTEL_EXPORTER_OTLP_HEADERS", "telemetry.headers"),
    ("OTEL_RESOURCE_ATTRIBUTES", "telemetry.resource_attributes"),
    ("OTEL_SERVICE_NAME", "telemetry.service_name"),
];

/// Variables that are no settings: the settings file, and what the command line reads.
const OTHERS: [&str; 5] =
    ["PUNCTUAL_COMPLETE", "PUNCTUAL_CONFIG", "PUNCTUAL_CONTEXT", "PUNCTUAL_URL", "PUNCTUAL_TOKEN"];

/// The variables of this process that may be meant for us.
pub(crate) fn variables() -> Result<Vec<(String, String)>, Vec<Violation>> {
    let mut violations = Vec::new();
    let mut variables = Vec::new();
    for (name, value) in env::vars_os() {
        let Some(name) = name.to_str().filter(|name| is_ours(name)) else { continue };
        match value.into_string() {
            Ok(value) => variables.push((name.to_owned(), value)),
            Err(_) => violations.push(Violation::new(name, "other bytes", "text in UTF-8")),
        }
    }
    if violations.is_empty() { Ok(variables) } else { Err(violations) }
}

/// Lays what the environment says over `settings`.
pub(super) fn apply(
    settings: &mut Settings,
    environment: impl Iterator<Item = (String, String)>,
    violations: &mut Vec<Violation>,
) {
    // The order of an environment means nothing; sorted, errors come in the same order each time, and our own names after
    // the standard ones, over which they win.
    let mut variables: Vec<_> = environment.filter(|(name, text)| is_set(name, text)).collect();
    variables.sort();
    for (name, text) in variables {
        let mut others = SHORT.iter().chain(&STANDARD);
        let short = others.find(|(short, _)| *short == name).map(|(_, key)| *key);
        let is_meant = |key: &str| short.map_or_else(|| variable(key) == name, |short| short == key);
        let found = settings.iter().find(|setting| is_meant(&setting.key));
        let laid = match found.map(|setting| (setting.key.clone(), value(setting, &text))) {
            Some((key, Ok(value))) => settings.put(&key, value, Origin::Environment(name)),
            Some((key, Err((given, expected)))) => {
                Err(Violation::new(Origin::Environment(name).place(&key), given, expected))
            }
            None => unknown(settings, &name).map_or(Ok(()), Err),
        };
        violations.extend(laid.err());
    }
}

/// Variables that look like settings and are none. They are named and not refused: Kubernetes, for one, makes up variables
/// for each service, and a service may be called `punctual`.
pub(crate) fn ignored(variables: &[(String, String)]) -> Vec<String> {
    let known = |name: &str| OTHERS.contains(&name) || SHORT.iter().any(|(short, _)| *short == name);
    let is_of_kubernetes = |name: &str| {
        let rest = name.trim_start_matches(PREFIX);
        rest == "PORT"
            || rest.starts_with("PORT_")
            || rest.starts_with("SERVICE_HOST")
            || rest.starts_with("SERVICE_PORT")
    };
    let names = variables.iter().map(|(name, _)| name.as_str()).filter(|name| name.starts_with(PREFIX));
    let ignored = names.filter(|name| !name.contains(DOT) && !known(name) && !is_of_kubernetes(name));
    let note = |name: &str| {
        let known = SHORT.iter().map(|(short, _)| *short).chain(OTHERS);
        let nearest = nearest(&name[PREFIX.len()..], known.map(|known| &known[PREFIX.len()..]));
        let nearest = nearest.map(|near| format!(" (did you mean {PREFIX}{near}?)")).unwrap_or_default();
        format!("{name} is not a setting and is ignored{nearest}; settings are named PUNCTUAL_SECTION__KEY")
    };
    ignored.map(note).collect()
}

/// Whether a variable says something to us. A standard one that is empty says nothing, as OpenTelemetry has it.
fn is_set(name: &str, text: &str) -> bool {
    is_ours(name) && (name.starts_with(PREFIX) || !text.is_empty())
}

/// Whether a variable may be meant for us.
fn is_ours(name: &str) -> bool {
    name.starts_with(PREFIX) || STANDARD.iter().any(|(standard, _)| *standard == name)
}

/// The variable of a key.
fn variable(key: &str) -> String {
    format!("{PREFIX}{}", key.replace('.', DOT).to_uppercase())
}

/// What is wrong with a variable that names no setting; without a double underscore it is none of ours, unless it would be
/// with one.
fn unknown(settings: &Settings, name: &str) -> Option<Violation> {
    let variables: Vec<String> = settings.iter().map(|setting| variable(&setting.key)).collect();
    let meant = variables.iter().find(|variable| variable.replace(DOT, "_") == name.replace(DOT, "_"));
    if !name.contains(DOT) && meant.is_none() {
        return None;
    }
    let within = format!("{name}{DOT}");
    let known = variables.iter().map(String::as_str);
    let expected = if let Some(variable) = meant {
        format!("{variable}, with two underscores between section and key")
    } else if let Some(variable) = variables.iter().find(|variable| variable.starts_with(&within)) {
        format!("a variable for one key of the section, such as {variable}")
    } else if let Some(variable) = nearest(name, known) {
        format!("{variable}, which is the nearest")
    } else {
        "PUNCTUAL_SECTION__KEY for a key that `punctual check-config` lists".to_owned()
    };
    Some(Violation::new(name, "an unknown key", expected))
}

/// The value that a text stands for, by the kind of the default; or what was given, and what would be right.
fn value(setting: &Setting, text: &str) -> Result<Value, (String, String)> {
    let plain = Value::String(text.to_owned());
    let number = || text.trim().parse().ok().map(Value::Integer);
    let fraction = || text.trim().parse().ok().map(Value::Float);
    let truth = || text.trim().parse().ok().map(Value::Boolean);
    match &setting.value {
        // A value that is no number or truth stays a text, and the reader of the setting says what would be right.
        Value::Integer(_) => Ok(number().unwrap_or(plain)),
        Value::Float(_) => Ok(fraction().unwrap_or(plain)),
        Value::Boolean(_) => Ok(truth().unwrap_or(plain)),
        Value::Array(_) => DeValue::parse(text)
            .and_then(|value| Value::deserialize(ValueDeserializer::from(value)))
            .map_err(|_| (setting.shown(&plain), "a list as in a file: [\"one\", \"two\"]".to_owned())),
        _ => Ok(plain),
    }
}

//! Parameters of a template: what is given for them, their defaults and what they allow.

use std::collections::BTreeMap;

use punctual_model::{Violation, Warning};

use crate::evaluator::{Context, Evaluator, Scope};
use crate::hole::Hole;
use crate::json::{Json, Value};
use crate::place::Place;

/// The values of parameters by their names in lower case, and what their writer should know.
#[derive(Default)]
pub(crate) struct Parameters {
    pub(crate) values: BTreeMap<String, Json>,
    pub(crate) warnings: Vec<Warning>,
    pub(crate) violations: Vec<Violation>,
}

/// Reads what a template declares. A parameter without a value is a hole of its name.
///
/// `given` is a file of parameters: the whole of it or its `parameters` alone.
pub(crate) fn read(evaluator: &Evaluator<'_>, template: &Json, given: Option<&Json>) -> Parameters {
    let mut parameters = Parameters::default();
    let given = given.map(|given| given.get("parameters").unwrap_or(given));
    let declared = template.get("parameters").map(Json::members).unwrap_or_default();
    let root = Place::ROOT;
    let section = root.member("parameters", template.get("parameters").map_or(1, |json| json.line));
    for (name, declaration) in declared {
        let place = section.member(name, declaration.line);
        match value(evaluator, name, declaration, given, &parameters.values, &place) {
            Ok(value) => match check(name, declaration, value, &place, &mut parameters.warnings) {
                Ok(value) => {
                    parameters.values.insert(name.to_lowercase(), value);
                }
                Err(violation) => parameters.violations.push(violation),
            },
            Err(violation) => parameters.violations.push(violation),
        }
    }
    for (name, json) in given.map(Json::members).unwrap_or_default() {
        let is_declared = declared.iter().any(|(known, _)| known.eq_ignore_ascii_case(name));
        if !is_declared && !name.starts_with('$') && !name.eq_ignore_ascii_case("contentVersion") {
            let text = "the template has no parameter of that name";
            parameters
                .warnings
                .push(Warning::new(format!("parameters.{name} (line {} of the file of parameters)", json.line), text));
        }
    }
    parameters
}

/// What is given for a parameter: on the command line, in the file, as its default; or a hole.
fn value(
    evaluator: &Evaluator<'_>,
    name: &str,
    declaration: &Json,
    given: Option<&Json>,
    known: &BTreeMap<String, Json>,
    place: &Place<'_>,
) -> Result<Json, Violation> {
    if let Some(fill) = evaluator.fill(name) {
        return Ok(Json::new(declaration.line, fill));
    }
    let in_file = given.and_then(|given| given.members().iter().find(|(known, _)| known.eq_ignore_ascii_case(name)));
    if let Some((_, entry)) = in_file {
        match (entry.value.get("value"), entry.get("reference")) {
            (Some(value), _) => return Ok(value.clone()),
            (None, Some(_)) => {
                let what = "a secret of a key vault, which the file of parameters refers to";
                return Ok(hole(name, what, entry.line));
            }
            // A file without the usual `value` around each value.
            (None, None) if !entry.is_object() => return Ok(entry.clone()),
            (None, None) => {}
        }
    }
    match declaration.get("defaultValue") {
        Some(default) => {
            // A default sees the parameters before it.
            let scope = Scope::new(known.clone(), None);
            let place = place.member("defaultValue", default.line);
            evaluator.json(default, Context { scope: &scope, copies: &[] }, &place)
        }
        None => Ok(hole(name, "a parameter without a value", declaration.line)),
    }
}

fn hole(name: &str, what: &str, line: u32) -> Json {
    Json { line, value: Value::Hole(Hole::answer(name.to_owned(), what.to_owned(), line)) }
}

/// Whether the value is of the type that is declared, and one that is allowed. Secrets are not repeated.
fn check(
    name: &str,
    declaration: &Json,
    json: Json,
    place: &Place<'_>,
    warnings: &mut Vec<Warning>,
) -> Result<Json, Violation> {
    if matches!(json.value, Value::Hole(_)) {
        return Ok(json);
    }
    let kind = declaration.get("type").and_then(Json::text).unwrap_or("string").to_ascii_lowercase();
    let is_secret = kind.starts_with("secure");
    let shown = |json: &Json| if is_secret { json.value.kind().to_owned() } else { json.to_string() };
    let wrong = |expected: &str| place.wrong(shown(&json), format!("{expected} for the parameter {name}"));
    let value = match (kind.trim_start_matches("secure"), &json.value) {
        ("string", Value::Text(_))
        | ("int", Value::Integer(_))
        | ("bool", Value::Boolean(_))
        | ("object", Value::Object(_))
        | ("array", Value::List(_)) => json.value.clone(),
        ("int", Value::Text(_)) => {
            let integer = json.integer().ok_or_else(|| wrong("a whole number"))?;
            warnings.push(Warning::new(place.to_string(), format!("a text was taken as the number {integer}")));
            Value::Integer(integer)
        }
        ("bool", Value::Text(text)) if ["true", "false"].contains(&text.trim().to_ascii_lowercase().as_str()) => {
            warnings.push(Warning::new(place.to_string(), "a text was taken as true or false"));
            Value::Boolean(json.is_true())
        }
        ("string", Value::Integer(_) | Value::Boolean(_) | Value::Float(_)) => {
            warnings.push(Warning::new(place.to_string(), "a number or boolean was taken as a text"));
            Value::Text(json.value.to_string())
        }
        ("object" | "array", Value::Text(text)) => {
            let read = crate::json::parse(text).map_err(|_| wrong("JSON"))?;
            read.value
        }
        ("string", _) => return Err(wrong("a text")),
        ("int", _) => return Err(wrong("a whole number")),
        ("bool", _) => return Err(wrong("true or false")),
        ("object", _) => return Err(wrong("an object")),
        ("array", _) => return Err(wrong("a list")),
        (other, _) => {
            return Err(place.wrong(
                format!("the type {other:?}"),
                "one of string, secureString, int, bool, object, secureObject, array",
            ));
        }
    };
    let made = Json { line: json.line, value };
    let allowed = declaration.get("allowedValues").map(Json::items).unwrap_or_default();
    let is_allowed = |one: &Json| match (&one.value, &made.value) {
        (Value::Text(one), Value::Text(other)) => one.eq_ignore_ascii_case(other),
        (Value::Text(one), Value::Integer(other)) => one.trim() == other.to_string(),
        (one, other) => one.is_same(other),
    };
    if !allowed.is_empty() && !allowed.iter().any(is_allowed) {
        let values: Vec<_> = allowed.iter().take(20).map(ToString::to_string).collect();
        return Err(wrong(&format!("one of {}", values.join(", "))));
    }
    bounds(declaration, &made).map_or(Ok(made), |expected| Err(wrong(&expected)))
}

/// What would be right, if the value is out of its bounds.
fn bounds(declaration: &Json, json: &Json) -> Option<String> {
    let bound = |name: &str| declaration.get(name).and_then(Json::integer);
    let (size, least, most, what) = match &json.value {
        Value::Integer(integer) => (*integer, bound("minValue"), bound("maxValue"), "a number"),
        Value::Text(text) => {
            (count(text.chars().count()), bound("minLength"), bound("maxLength"), "a text with a length")
        }
        Value::List(items) => (count(items.len()), bound("minLength"), bound("maxLength"), "a list with a length"),
        _ => return None,
    };
    if least.is_some_and(|least| size < least) {
        return Some(format!("{what} of at least {}", least.unwrap_or_default()));
    }
    most.filter(|most| size > *most).map(|most| format!("{what} of at most {most}"))
}

fn count(length: usize) -> i64 {
    i64::try_from(length).unwrap_or(i64::MAX)
}

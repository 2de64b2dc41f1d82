//! Holds every answer against `openapi.json`: the status must be one that the operation has, and the body must match its
//! schema. Only the part of JSON Schema that the description uses is known here; anything else in it fails.

use std::collections::HashMap;
use std::sync::{LazyLock, Mutex};

use http::header::CONTENT_TYPE;
use regex::Regex;
use serde_json::{Map, Value};

use crate::answer::Answer;

static DESCRIPTION: LazyLock<Value> =
    LazyLock::new(|| serde_json::from_str(include_str!("../../openapi.json")).unwrap());

/// Patterns that were compiled already: lists of jobs need the same few thousands of times.
static PATTERNS: LazyLock<Mutex<HashMap<String, Regex>>> = LazyLock::new(Mutex::default);

/// Fails if the answer is not one that the description has for a request of this method and path.
pub(crate) fn check_answer(method: &str, path: &str, answer: &Answer) {
    let status = answer.status();
    let Some((template, item)) = path_item(path) else {
        assert!([404, 400].contains(&status), "{method} {path} is not described, but answers {answer}");
        return;
    };
    let Some(operation) = item.get(method.to_lowercase()) else {
        assert!([405, 400].contains(&status), "{method} {template} is not described, but answers {answer}");
        return;
    };
    if method == "HEAD" {
        // The server sends none of the body.
        return;
    }
    let response = operation["responses"].get(status.to_string());
    let response = response.unwrap_or_else(|| panic!("{method} {template} does not describe this answer: {answer}"));
    let content = resolved(response).get("content");
    if method == "DELETE" && status == 200 && answer.body().is_empty() {
        // What is deleted is not shown; only a plan is.
        return;
    }
    if let Some(content) = content.and_then(|content| content.get("application/json")) {
        check(&content["schema"], &answer.json(), "")
            .unwrap_or_else(|wrong| panic!("{method} {template} is described otherwise: {wrong}: {answer}"));
        return;
    }
    let sent = answer.header(CONTENT_TYPE);
    let media_type = sent.split(';').next().unwrap_or_default();
    let is_text = content.is_some_and(|content| content.get(media_type).is_some());
    assert!(is_text || answer.body().is_empty(), "{method} {template} describes no body of type {sent}");
}

/// Fails if this is not an event as the description has it.
pub(crate) fn check_event(data: &Value) {
    check(&DESCRIPTION["components"]["schemas"]["Event"], data, "")
        .unwrap_or_else(|wrong| panic!("events are described otherwise: {wrong}: {data}"));
}

/// The pattern that stands at that place of the description.
pub(crate) fn pattern(pointer: &str) -> Regex {
    Regex::new(DESCRIPTION.pointer(pointer).and_then(Value::as_str).unwrap_or_else(|| panic!("{pointer}"))).unwrap()
}

/// The path of the description that a path of a request is an example of, the one with the fewest parameters.
fn path_item(path: &str) -> Option<(&'static String, &'static Value)> {
    let segments: Vec<_> = path.trim_end_matches('/').split('/').collect();
    let fits = |template: &str| {
        let template: Vec<_> = template.split('/').collect();
        let mut pairs = template.iter().zip(&segments);
        template.len() == segments.len()
            && pairs.all(|(known, given)| known.starts_with('{') || known.eq_ignore_ascii_case(given))
    };
    let paths = DESCRIPTION["paths"].as_object().unwrap().iter();
    paths.filter(|(template, _)| fits(template)).min_by_key(|(template, _)| template.matches('{').count())
}

/// The value, or the one it refers to.
fn resolved(value: &Value) -> &Value {
    match value["$ref"].as_str() {
        Some(reference) => DESCRIPTION.pointer(reference.trim_start_matches('#')).expect(reference),
        None => value,
    }
}

/// Says where and how a value does not match a schema.
fn check(schema: &Value, value: &Value, at: &str) -> Result<(), String> {
    let schema = schema.as_object().ok_or_else(|| format!("{at}: the schema {schema} is no object"))?;
    for (keyword, rule) in schema {
        let is_met = match keyword.as_str() {
            "$ref" => {
                check(resolved(&Value::Object(schema.clone())), value, at)?;
                true
            }
            "type" => has_type(rule, value),
            "const" => rule == value,
            "enum" => rule.as_array().unwrap().contains(value),
            "minimum" => value.as_f64().is_none_or(|number| number >= rule.as_f64().unwrap()),
            "maximum" => value.as_f64().is_none_or(|number| number <= rule.as_f64().unwrap()),
            "minLength" => value.as_str().is_none_or(|text| text.chars().count() >= count(rule)),
            "maxLength" => value.as_str().is_none_or(|text| text.chars().count() <= count(rule)),
            "pattern" => value.as_str().is_none_or(|text| matches(rule.as_str().unwrap(), text)),
            "minItems" => value.as_array().is_none_or(|items| items.len() >= count(rule)),
            "maxItems" => value.as_array().is_none_or(|items| items.len() <= count(rule)),
            "maxProperties" => value.as_object().is_none_or(|members| members.len() <= count(rule)),
            "required" => value.as_object().is_none_or(|members| {
                rule.as_array().unwrap().iter().all(|name| members.contains_key(name.as_str().unwrap()))
            }),
            "items" => {
                for (index, item) in value.as_array().into_iter().flatten().enumerate() {
                    check(rule, item, &format!("{at}[{index}]"))?;
                }
                true
            }
            "propertyNames" => value.as_object().into_iter().flatten().all(|(name, _)| check_name(rule, name, at)),
            "oneOf" => fitting(rule, value, at) == 1,
            "anyOf" => fitting(rule, value, at) > 0,
            "not" => check(rule, value, at).is_err(),
            // Members are checked below, and the others check nothing.
            "properties"
            | "patternProperties"
            | "additionalProperties"
            | "description"
            | "examples"
            | "default"
            | "format"
            | "writeOnly" => true,
            unknown => return Err(format!("{at}: the keyword {unknown} is not known to this test")),
        };
        if !is_met {
            return Err(format!("{at}: {value} does not meet {keyword} {rule}"));
        }
    }
    value.as_object().map_or(Ok(()), |members| check_members(schema, members, at))
}

/// Every member of what is said to be an object must be described, even where JSON Schema would let others pass.
fn check_members(schema: &Map<String, Value>, members: &Map<String, Value>, at: &str) -> Result<(), String> {
    let is_open = !schema.contains_key("type") || !schema.contains_key("properties");
    for (name, value) in members {
        let at = format!("{at}.{name}");
        let known = schema.get("properties").and_then(|properties| properties.get(name));
        let patterns = schema.get("patternProperties").and_then(Value::as_object).into_iter().flatten();
        let by_pattern = || patterns.into_iter().find(|(pattern, _)| matches(pattern, name)).map(|(_, schema)| schema);
        match known.or_else(by_pattern).or_else(|| schema.get("additionalProperties")) {
            Some(Value::Bool(true)) => {}
            Some(schema) if schema.is_object() => check(schema, value, &at)?,
            None if is_open => {}
            _ => return Err(format!("{at} is not described")),
        }
    }
    Ok(())
}

fn check_name(schema: &Value, name: &str, at: &str) -> bool {
    check(schema, &Value::from(name), at).is_ok()
}

fn fitting(schemas: &Value, value: &Value, at: &str) -> usize {
    schemas.as_array().unwrap().iter().filter(|schema| check(schema, value, at).is_ok()).count()
}

fn count(rule: &Value) -> usize {
    usize::try_from(rule.as_u64().unwrap()).unwrap()
}

fn has_type(rule: &Value, value: &Value) -> bool {
    let is = |name: &Value| match name.as_str().unwrap() {
        "null" => value.is_null(),
        "boolean" => value.is_boolean(),
        "integer" => value.is_i64() || value.is_u64(),
        "number" => value.is_number(),
        "string" => value.is_string(),
        "array" => value.is_array(),
        "object" => value.is_object(),
        other => panic!("there is no type {other}"),
    };
    rule.as_array().map_or_else(|| is(rule), |names| names.iter().any(is))
}

fn matches(pattern: &str, text: &str) -> bool {
    let mut patterns = PATTERNS.lock().unwrap();
    let compiled = patterns.entry(pattern.to_owned()).or_insert_with(|| Regex::new(pattern).unwrap());
    compiled.is_match(text)
}

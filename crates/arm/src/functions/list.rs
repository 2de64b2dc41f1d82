//! Lists and objects, and what texts have in common with them.

use punctual_model::Violation;

use super::{Answer, Call};
use crate::json::{Json, Value};
use crate::limits::RANGE_MAX;

pub(super) const NAMES: &[&str] = &[
    "contains",
    "empty",
    "first",
    "last",
    "length",
    "skip",
    "take",
    "union",
    "intersection",
    "concat",
    "range",
    "items",
    "objectkeys",
    "flatten",
    "indexof",
    "lastindexof",
    "tryget",
    "shallowmerge",
];

/// Functions that only hold what they are given: a hole inside of a list or an object stays where it is.
pub(super) const HOLDERS: &[&str] =
    &["empty", "first", "last", "length", "skip", "take", "items", "objectkeys", "flatten", "tryget", "shallowmerge"];

pub(super) fn call(name: &str, call: &Call<'_>) -> Answer {
    let value = match name {
        "concat" => lists(call, "lists only, or texts only")?.into_iter().flatten().cloned().collect::<Vec<_>>().into(),
        "createarray" => Value::List(call.arguments.iter().map(|value| call.json(value.clone())).collect()),
        "array" => {
            let [value] = call.some()?;
            if matches!(value, Value::List(_)) { value.clone() } else { vec![call.json(value.clone())].into() }
        }
        "createobject" => create_object(call)?,
        "contains" => Value::Boolean(contains(call)?),
        "empty" => {
            let [value] = call.some()?;
            Value::Boolean(*value == Value::Null || length(value).is_some_and(|length| length == 0))
        }
        "length" => {
            let [value] = call.some()?;
            let length = length(value).ok_or_else(|| call.wrong(value.kind(), "a list, an object or a text"))?;
            Value::Integer(i64::try_from(length).unwrap_or(i64::MAX))
        }
        "first" | "last" => end(name == "first", call)?,
        "skip" | "take" => part(name == "skip", call)?,
        "indexof" | "lastindexof" => {
            let [list, wanted] = call.some()?;
            let Value::List(items) = list else { return Err(call.wrong(list.kind(), "a list or a text")) };
            let is_wanted = |item: &Json| item.value.is_same(wanted);
            let at =
                if name == "indexof" { items.iter().position(is_wanted) } else { items.iter().rposition(is_wanted) };
            Value::Integer(at.map_or(-1, |at| i64::try_from(at).unwrap_or(i64::MAX)))
        }
        "union" | "shallowmerge" => union(call)?,
        "intersection" => intersection(call)?,
        "range" => range(call)?,
        "items" | "objectkeys" => {
            let [object] = call.some()?;
            let Value::Object(members) = object else { return Err(call.wrong(object.kind(), "an object")) };
            let mut members: Vec<_> = members.iter().collect();
            members.sort_by(|(one, _), (other, _)| one.cmp(other));
            let item = |(name, json): &(String, Json)| match call.name.to_ascii_lowercase().as_str() {
                "items" => {
                    Json::object(json.line, [("key", Some(call.json(name.as_str()))), ("value", Some(json.clone()))])
                }
                _ => call.json(name.as_str()),
            };
            Value::List(members.into_iter().map(item).collect())
        }
        "flatten" => {
            let [list] = call.some()?;
            let Value::List(items) = list else { return Err(call.wrong(list.kind(), "a list of lists")) };
            Value::List(items.iter().flat_map(Json::items).cloned().collect())
        }
        "tryget" => try_get(call),
        _ => return Ok(None),
    };
    Ok(Some(value))
}

fn lists<'a>(call: &'a Call<'_>, expected: &str) -> Result<Vec<&'a [Json]>, Violation> {
    let list = |value: &'a Value| match value {
        Value::List(items) => Ok(items.as_slice()),
        other => Err(call.wrong(other.kind(), expected)),
    };
    call.arguments.iter().map(list).collect()
}

fn create_object(call: &Call<'_>) -> Result<Value, Violation> {
    let mut object = call.json(Value::Object(Vec::new()));
    for pair in call.arguments.chunks(2) {
        let [Value::Text(name), value] = pair else {
            return Err(call.wrong("something else", "names and values in turns"));
        };
        object.set(name, call.json(value.clone()));
    }
    Ok(object.value)
}

fn contains(call: &Call<'_>) -> Result<bool, Violation> {
    let [whole, part] = call.some()?;
    Ok(match (whole, part) {
        (Value::List(items), _) => items.iter().any(|item| item.value.is_same(part)),
        (Value::Object(members), Value::Text(name)) => {
            members.iter().any(|(known, _)| known.eq_ignore_ascii_case(name))
        }
        (Value::Text(text), _) => text.contains(&call.text_of(part)?),
        (other, _) => return Err(call.wrong(other.kind(), "a list, an object or a text")),
    })
}

fn length(value: &Value) -> Option<usize> {
    match value {
        Value::List(items) => Some(items.len()),
        Value::Object(members) => Some(members.len()),
        Value::Text(text) => Some(text.chars().count()),
        _ => None,
    }
}

fn end(is_first: bool, call: &Call<'_>) -> Result<Value, Violation> {
    let [value] = call.some()?;
    match value {
        Value::List(items) => {
            let item = if is_first { items.first() } else { items.last() };
            Ok(item.map_or(Value::Null, |item| item.value.clone()))
        }
        Value::Text(text) => {
            let c = if is_first { text.chars().next() } else { text.chars().next_back() };
            Ok(Value::Text(c.map(String::from).unwrap_or_default()))
        }
        other => Err(call.wrong(other.kind(), "a list or a text")),
    }
}

fn part(is_skip: bool, call: &Call<'_>) -> Result<Value, Violation> {
    let [value, _] = call.some()?;
    let number = usize::try_from(call.integer(1)?.max(0)).unwrap_or(usize::MAX);
    match value {
        Value::List(items) => {
            let at = number.min(items.len());
            Ok(Value::List(if is_skip { items[at..].to_vec() } else { items[..at].to_vec() }))
        }
        Value::Text(text) => {
            let chars = text.chars();
            Ok(Value::Text(if is_skip { chars.skip(number).collect() } else { chars.take(number).collect() }))
        }
        other => Err(call.wrong(other.kind(), "a list or a text")),
    }
}

/// Lists without what is there twice; or objects, of which the last one decides.
fn union(call: &Call<'_>) -> Result<Value, Violation> {
    if let Some(Value::List(_)) = call.arguments.first() {
        let mut made: Vec<Json> = Vec::new();
        for item in lists(call, "lists only, or objects only")?.into_iter().flatten() {
            call.evaluator.budget.spend(1 + made.len() / 4, call.place)?;
            if !made.iter().any(|known| known.value.is_same(&item.value)) {
                made.push(item.clone());
            }
        }
        return Ok(Value::List(made));
    }
    let mut made = call.json(Value::Object(Vec::new()));
    for value in &call.arguments {
        let Value::Object(members) = value else { return Err(call.wrong(value.kind(), "lists only, or objects only")) };
        merge(&mut made, members, call)?;
    }
    Ok(made.value)
}

fn merge(into: &mut Json, members: &[(String, Json)], call: &Call<'_>) -> Result<(), Violation> {
    for (name, json) in members {
        call.evaluator.budget.spend(1 + into.members().len() / 4, call.place)?;
        match (into.remove(name), &json.value) {
            (Some(mut known), Value::Object(inner)) if known.is_object() => {
                merge(&mut known, inner, call)?;
                into.set(name, known);
            }
            _ => into.set(name, json.clone()),
        }
    }
    Ok(())
}

fn intersection(call: &Call<'_>) -> Result<Value, Violation> {
    let (Some(first), others) = (call.arguments.first(), call.arguments.get(1..).unwrap_or_default()) else {
        return Err(call.wrong("nothing", "lists or objects"));
    };
    let work = length(first).unwrap_or(1) * others.iter().filter_map(length).sum::<usize>();
    call.evaluator.budget.spend(work / 4, call.place)?;
    match first {
        Value::List(items) => {
            let is_in = |list: &Value, item: &Json| match list {
                Value::List(items) => items.iter().any(|other| other.value.is_same(&item.value)),
                _ => false,
            };
            let is_in_all = |item: &&Json| others.iter().all(|list| is_in(list, item));
            Ok(Value::List(items.iter().filter(is_in_all).cloned().collect()))
        }
        Value::Object(members) => {
            let is_in = |object: &Value, name: &str, json: &Json| {
                object.get(name).is_some_and(|other| other.value.is_same(&json.value))
            };
            let is_in_all = |(name, json): &&(String, Json)| others.iter().all(|object| is_in(object, name, json));
            Ok(Value::Object(members.iter().filter(is_in_all).cloned().collect()))
        }
        other => Err(call.wrong(other.kind(), "lists or objects")),
    }
}

fn range(call: &Call<'_>) -> Result<Value, Violation> {
    let [_, _] = call.some()?;
    let (start, count) = (call.integer(0)?, call.integer(1)?);
    if !(0..=RANGE_MAX).contains(&count) {
        return Err(call.wrong(count, format!("a number of items from 0 to {RANGE_MAX}")));
    }
    Ok(Value::List((0..count).map(|at| call.json(start.saturating_add(at))).collect()))
}

/// The member at the end of a path, or null where there is none.
fn try_get(call: &Call<'_>) -> Value {
    let mut found = call.arguments.first().cloned().unwrap_or(Value::Null);
    for step in call.arguments.iter().skip(1) {
        let next = match (&found, step) {
            (value, Value::Text(name)) => value.get(name).map(|json| json.value.clone()),
            (Value::List(items), Value::Integer(at)) => {
                usize::try_from(*at).ok().and_then(|at| items.get(at)).map(|item| item.value.clone())
            }
            _ => None,
        };
        match next {
            Some(next) => found = next,
            None => return Value::Null,
        }
    }
    found
}

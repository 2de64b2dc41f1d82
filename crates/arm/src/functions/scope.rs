//! What the template itself knows: its parameters, its variables, the number of a copy.

use super::{Answer, Call};
use crate::json::Value;

pub(super) fn call(name: &str, call: &Call<'_>) -> Answer {
    let value = match name {
        "parameters" => parameter(call)?,
        "variables" => {
            let text = call.text(0)?;
            if call.context.scope.is_function {
                return Err(call.place.sentence("functions of a template see no variables"));
            }
            call.evaluator.variable(text, call.context, call.place)?
        }
        "copyindex" => Value::Integer(copy_index(call)?),
        _ => return Ok(None),
    };
    Ok(Some(value))
}

fn parameter(call: &Call<'_>) -> Result<Value, punctual_model::Violation> {
    let name = call.text(0)?;
    let parameters = &call.context.scope.parameters;
    if let Some(json) = parameters.get(&name.to_lowercase()) {
        return Ok(json.value.clone());
    }
    let names: Vec<_> = parameters.keys().take(20).map(String::as_str).collect();
    Err(call.place.wrong(format!("{name:?}"), format!("one of the parameters: {}", names.join(", "))))
}

/// `copyIndex()`, `copyIndex(offset)`, `copyIndex(name)`, `copyIndex(name, offset)`.
fn copy_index(call: &Call<'_>) -> Result<i64, punctual_model::Violation> {
    let copies = call.context.copies;
    let (name, offset) = match call.arguments.as_slice() {
        [] => (None, 0),
        [Value::Text(name)] => (Some(name), 0),
        [_] => (None, call.integer(0)?),
        [Value::Text(name), _] => (Some(name), call.integer(1)?),
        _ => return Err(call.wrong("something else", "the name of a copy and an offset")),
    };
    let copy = match name {
        Some(name) => copies.iter().rev().find(|copy| copy.name.eq_ignore_ascii_case(name)),
        None => copies.last(),
    };
    let copy = copy.ok_or_else(|| call.place.sentence("copyIndex() stands outside of every copy of that name"))?;
    Ok(copy.index.saturating_add(offset))
}

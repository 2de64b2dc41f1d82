//! Numbers.

use punctual_model::Violation;

use super::{Answer, Call};
use crate::json::{Json, Value};

pub(super) const NAMES: &[&str] = &["add", "sub", "mul", "div", "mod", "int", "float", "min", "max"];

pub(super) fn call(name: &str, call: &Call<'_>) -> Answer {
    let value = match name {
        "add" | "sub" | "mul" | "div" | "mod" => {
            let [_, _] = call.some()?;
            let (this, that) = (call.integer(0)?, call.integer(1)?);
            let made = match name {
                "add" => this.checked_add(that),
                "sub" => this.checked_sub(that),
                "mul" => this.checked_mul(that),
                "div" => this.checked_div(that),
                _ => this.checked_rem(that),
            };
            made.ok_or_else(|| call.wrong(format!("{this} and {that}"), "numbers with a result"))?
        }
        "int" => {
            let [_] = call.some()?;
            call.integer(0)?
        }
        "float" => return Ok(Some(Value::Float(float(call)?))),
        "min" | "max" => {
            let numbers = numbers(call)?;
            let made = if name == "min" { numbers.iter().min() } else { numbers.iter().max() };
            *made.ok_or_else(|| call.wrong("nothing", "at least one number"))?
        }
        _ => return Ok(None),
    };
    Ok(Some(Value::Integer(value)))
}

fn float(call: &Call<'_>) -> Result<f64, Violation> {
    let [value] = call.some()?;
    let float = match value {
        Value::Float(float) => Some(*float),
        Value::Text(text) => text.trim().parse().ok().filter(|float: &f64| float.is_finite()),
        #[expect(clippy::cast_precision_loss, reason = "a number with a fraction is no exact one")]
        Value::Integer(integer) => Some(*integer as f64),
        _ => None,
    };
    float.ok_or_else(|| call.wrong(value.kind(), "a number"))
}

/// The numbers that are given, or those of the one list that is.
fn numbers(call: &Call<'_>) -> Result<Vec<i64>, Violation> {
    let number = |value: &Value| {
        let integer = Json::new(0, value.clone()).integer();
        integer.ok_or_else(|| call.wrong(value.kind(), "whole numbers"))
    };
    match call.arguments.as_slice() {
        [Value::List(items)] => items.iter().map(|item| number(&item.value)).collect(),
        arguments => arguments.iter().map(number).collect(),
    }
}

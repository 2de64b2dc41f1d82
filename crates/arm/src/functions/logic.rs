//! Decisions and comparisons.

use punctual_model::Violation;

use super::{Answer, Call};
use crate::evaluator::{Context, Evaluator};
use crate::expression::Expression;
use crate::json::Value;
use crate::place::Place;

pub(super) const NAMES: &[&str] =
    &["not", "equals", "less", "lessorequals", "greater", "greaterorequals", "bool", "coalesce"];

/// Functions that evaluate an argument only if it decides: the other one may be wrong for this deployment.
pub(super) fn lazy(
    evaluator: &Evaluator<'_>,
    name: &str,
    arguments: &[Expression],
    context: Context<'_>,
    place: &Place<'_>,
) -> Answer {
    let boolean = |argument: &Expression| -> Result<Result<bool, Value>, Violation> {
        match evaluator.expression(argument, context, place)? {
            hole @ Value::Hole(_) => Ok(Err(hole)),
            value => {
                as_boolean(&value).map(Ok).ok_or_else(|| place.wrong(value.kind(), format!("a boolean for {name}()")))
            }
        }
    };
    match (name, arguments) {
        ("if", [condition, yes, no]) => match boolean(condition)? {
            Ok(is_true) => evaluator.expression(if is_true { yes } else { no }, context, place).map(Some),
            Err(hole) => Ok(Some(hole)),
        },
        ("if", _) => Err(place.wrong(arguments.len(), "3 arguments for if()")),
        ("and" | "or", _) => {
            let mut unknown = None;
            for argument in arguments {
                match boolean(argument)? {
                    Ok(is_true) if is_true == (name == "or") => return Ok(Some(Value::Boolean(is_true))),
                    Ok(_) => {}
                    Err(hole) => unknown = Some(hole),
                }
            }
            Ok(Some(unknown.unwrap_or(Value::Boolean(name == "and"))))
        }
        ("coalesce", _) => {
            for argument in arguments {
                let value = evaluator.expression(argument, context, place)?;
                if value != Value::Null {
                    return Ok(Some(value));
                }
            }
            Ok(Some(Value::Null))
        }
        _ => Ok(None),
    }
}

pub(super) fn call(name: &str, call: &Call<'_>) -> Answer {
    let value = match name {
        "true" => true,
        "false" => false,
        "null" => return Ok(Some(Value::Null)),
        "not" | "bool" => {
            let [value] = call.some()?;
            let is_true = as_boolean(value).ok_or_else(|| call.wrong(value.kind(), "a boolean"))?;
            if name == "not" { !is_true } else { is_true }
        }
        "equals" => {
            let [this, that] = call.some()?;
            this.is_same(that)
        }
        "less" | "lessorequals" | "greater" | "greaterorequals" => {
            let order = order(call)?;
            match name {
                "less" => order.is_lt(),
                "lessorequals" => order.is_le(),
                "greater" => order.is_gt(),
                _ => order.is_ge(),
            }
        }
        _ => return Ok(None),
    };
    Ok(Some(Value::Boolean(value)))
}

fn order(call: &Call<'_>) -> Result<std::cmp::Ordering, Violation> {
    let [this, that] = call.some()?;
    match (this, that) {
        (Value::Text(this), Value::Text(that)) => Ok(this.cmp(that)),
        (Value::Integer(this), Value::Integer(that)) => Ok(this.cmp(that)),
        _ => Err(call.wrong(format!("{} and {}", this.kind(), that.kind()), "two numbers or two texts")),
    }
}

pub(crate) fn as_boolean(value: &Value) -> Option<bool> {
    match value {
        Value::Boolean(is_true) => Some(*is_true),
        Value::Integer(integer) => Some(*integer != 0),
        Value::Text(text) if text.trim().eq_ignore_ascii_case("true") => Some(true),
        Value::Text(text) if text.trim().eq_ignore_ascii_case("false") => Some(false),
        _ => None,
    }
}

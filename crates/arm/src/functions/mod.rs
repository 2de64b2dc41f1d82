//! The functions of templates. Each file has those of one kind of value.

mod date;
mod encode;
mod list;
mod logic;
mod number;
mod resource;
mod scope;
mod text;

pub(crate) use logic::as_boolean;

use punctual_model::Violation;

use crate::evaluator::{Context, Evaluator};
use crate::expression::Expression;
use crate::hole::Hole;
use crate::json::{Json, Value};
use crate::limits::TEXT_CHARS_MAX;
use crate::place::Place;

/// A call whose arguments are evaluated.
pub(crate) struct Call<'a> {
    pub(crate) evaluator: &'a Evaluator<'a>,
    /// As it was written.
    pub(crate) name: &'a str,
    pub(crate) arguments: Vec<Value>,
    pub(crate) context: Context<'a>,
    pub(crate) place: &'a Place<'a>,
}

/// What a family of functions says to a call: its value, or nothing if it has no function of that name.
type Answer = Result<Option<Value>, Violation>;

/// Calls the function `name`.
pub(crate) fn call(
    evaluator: &Evaluator<'_>,
    name: &str,
    arguments: &[Expression],
    context: Context<'_>,
    place: &Place<'_>,
) -> Result<Value, Violation> {
    let folded = name.to_ascii_lowercase();
    if let Some(value) = logic::lazy(evaluator, &folded, arguments, context, place)? {
        return Ok(value);
    }
    let evaluate = |argument: &Expression| evaluator.expression(argument, context, place);
    let arguments = arguments.iter().map(evaluate).collect::<Result<Vec<_>, _>>()?;
    let call = Call { evaluator, name, arguments, context, place };
    if let Some(value) = scope::call(&folded, &call)? {
        return Ok(value);
    }
    if let Some(value) = resource::call(&folded, &call)? {
        return Ok(value);
    }
    if let Some(hole) = call.hole(list::HOLDERS.contains(&folded.as_str())).filter(|_| is_known(&folded)) {
        return Ok(Value::Hole(hole));
    }
    // Lists and objects can be made of holes: only what is a hole itself stays one.
    for family in [text::call, list::call, logic::call, number::call, encode::call, date::call] {
        if let Some(value) = family(&folded, &call)? {
            return Ok(value);
        }
    }
    Err(place.wrong(format!("{name}()"), "a template function that is known here; docs/moving-in.md lists them"))
}

/// The functions whose value is not known if one of their arguments is not.
fn is_known(name: &str) -> bool {
    [text::NAMES, list::NAMES, logic::NAMES, number::NAMES, encode::NAMES, date::NAMES]
        .iter()
        .any(|names| names.contains(&name))
}

impl Call<'_> {
    /// What is missing for the call, if something in its arguments is; of a function that only holds them, an argument itself.
    pub(crate) fn hole(&self, is_holder: bool) -> Option<Hole> {
        let mut holes = Vec::new();
        for argument in &self.arguments {
            match argument {
                Value::Hole(hole) => holes.push(hole),
                _ if is_holder => {}
                other => collect_holes(other, &mut holes),
            }
        }
        Hole::made_of(holes)
    }

    /// The arguments, if there are so many.
    pub(crate) fn some<const N: usize>(&self) -> Result<&[Value; N], Violation> {
        <&[Value; N]>::try_from(self.arguments.as_slice())
            .map_err(|_| self.wrong(self.arguments.len(), format!("{N} arguments")))
    }

    /// The error that something given to the call is wrong.
    pub(crate) fn wrong(&self, given: impl std::fmt::Display, expected: impl std::fmt::Display) -> Violation {
        self.place.wrong(given, format!("{expected} for {}()", self.name))
    }

    /// A text; numbers and booleans are taken as the text they are written as.
    pub(crate) fn text_of(&self, value: &Value) -> Result<String, Violation> {
        match value {
            Value::Text(text) => Ok(text.clone()),
            Value::Integer(_) | Value::Float(_) => Ok(value.to_string()),
            Value::Boolean(is_true) => Ok(if *is_true { "True" } else { "False" }.to_owned()),
            other => Err(self.wrong(other.kind(), "a text")),
        }
    }

    /// A text that is one.
    pub(crate) fn text(&self, at: usize) -> Result<&str, Violation> {
        let given = self.arguments.get(at);
        let text = given.and_then(Value::text);
        text.ok_or_else(|| self.wrong(given.map_or("nothing", Value::kind), format!("a text as argument {}", at + 1)))
    }

    /// A whole number, also as a text.
    pub(crate) fn integer(&self, at: usize) -> Result<i64, Violation> {
        let given = self.arguments.get(at);
        let integer = given.and_then(|value| Json::new(0, value.clone()).integer());
        integer.ok_or_else(|| {
            self.wrong(given.map_or("nothing", Value::kind), format!("a whole number as argument {}", at + 1))
        })
    }

    /// A value in the line of the call.
    pub(crate) fn json(&self, value: impl Into<Value>) -> Json {
        Json::new(self.place.line(), value)
    }

    /// A text that was made, if it is not too long.
    pub(crate) fn made(&self, text: String) -> Answer {
        if text.len() > TEXT_CHARS_MAX {
            return Err(self.wrong(format!("a text of {} characters", text.len()), "less than a million characters"));
        }
        Ok(Some(Value::Text(text)))
    }
}

fn collect_holes<'a>(value: &'a Value, holes: &mut Vec<&'a Hole>) {
    match value {
        Value::Hole(hole) => holes.push(hole),
        Value::List(items) => items.iter().for_each(|item| collect_holes(&item.value, holes)),
        Value::Object(members) => members.iter().for_each(|(_, json)| collect_holes(&json.value, holes)),
        _ => {}
    }
}

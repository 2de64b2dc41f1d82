//! JSON that remembers its lines.

mod read;
mod write;

pub use read::parse;

use crate::hole::Hole;

/// A value and the line in which it begins.
#[derive(Clone, Debug, PartialEq)]
pub struct Json {
    /// From 1 on.
    pub line: u32,
    /// The value.
    pub value: Value,
}

/// A value of JSON, or one that is not known.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// `null`.
    Null,
    /// `true` or `false`.
    Boolean(bool),
    /// A number without a fraction.
    Integer(i64),
    /// Any other number.
    Float(f64),
    /// A text.
    Text(String),
    /// A list.
    List(Vec<Json>),
    /// An object, its members in their order.
    Object(Vec<(String, Json)>),
    /// What only Azure knows, or what is made of it. No text that is read has one.
    Hole(Hole),
}

impl Json {
    /// A value in that line.
    pub fn new(line: u32, value: impl Into<Value>) -> Self {
        Self { line, value: value.into() }
    }

    /// The member of an object, in any case; `null` is absent.
    pub fn get(&self, name: &str) -> Option<&Json> {
        self.value.get(name)
    }

    /// The member at the end of a path of names.
    pub fn at(&self, path: &[&str]) -> Option<&Json> {
        path.iter().try_fold(self, |json, name| json.get(name))
    }

    /// The text it is.
    pub fn text(&self) -> Option<&str> {
        self.value.text()
    }

    /// The items of the list it is; none where it is no list.
    pub fn items(&self) -> &[Json] {
        if let Value::List(items) = &self.value { items } else { &[] }
    }

    /// The members of the object it is; none where it is no object.
    pub fn members(&self) -> &[(String, Json)] {
        if let Value::Object(members) = &self.value { members } else { &[] }
    }

    /// Whether it is an object.
    pub fn is_object(&self) -> bool {
        matches!(self.value, Value::Object(_))
    }

    /// Whether it is true, also as a text.
    pub fn is_true(&self) -> bool {
        match &self.value {
            Value::Boolean(is_true) => *is_true,
            Value::Text(text) => text.trim().eq_ignore_ascii_case("true"),
            _ => false,
        }
    }

    /// The whole number it is, also as a text.
    pub fn integer(&self) -> Option<i64> {
        match &self.value {
            Value::Integer(integer) => Some(*integer),
            Value::Text(text) => text.trim().parse().ok(),
            #[expect(clippy::cast_possible_truncation, reason = "a whole number that is small enough")]
            Value::Float(float) if float.fract() == 0.0 && float.abs() < 9e15 => Some(*float as i64),
            _ => None,
        }
    }

    /// Puts a member into an object, in the place of the one of that name.
    pub fn set(&mut self, name: &str, json: Json) {
        if let Value::Object(members) = &mut self.value {
            match members.iter_mut().find(|(known, _)| known.eq_ignore_ascii_case(name)) {
                Some((_, known)) => *known = json,
                None => members.push((name.to_owned(), json)),
            }
        }
    }

    /// Takes a member out of an object.
    pub fn remove(&mut self, name: &str) -> Option<Json> {
        let Value::Object(members) = &mut self.value else { return None };
        let at = members.iter().position(|(known, _)| known.eq_ignore_ascii_case(name))?;
        Some(members.remove(at).1)
    }

    /// Calls `each` for every hole in it, with the path to the hole.
    pub fn holes<'a>(&'a self, path: &str, each: &mut dyn FnMut(String, &'a Hole)) {
        match &self.value {
            Value::Hole(hole) => each(path.to_owned(), hole),
            Value::List(items) => {
                items.iter().enumerate().for_each(|(at, item)| item.holes(&format!("{path}[{at}]"), each));
            }
            Value::Object(members) => members.iter().for_each(|(name, json)| {
                let path = if path.is_empty() { name.clone() } else { format!("{path}.{name}") };
                json.holes(&path, each);
            }),
            _ => {}
        }
    }

    /// An object with these members, where those that are none are left out.
    pub fn object<const N: usize>(line: u32, members: [(&str, Option<Json>); N]) -> Self {
        let given = members.into_iter().filter_map(|(name, json)| Some((name.to_owned(), json?)));
        Self { line, value: Value::Object(given.collect()) }
    }
}

impl Value {
    /// The member of an object, in any case; `null` is absent.
    pub fn get(&self, name: &str) -> Option<&Json> {
        let Self::Object(members) = self else { return None };
        let (_, json) = members.iter().find(|(known, _)| known.eq_ignore_ascii_case(name))?;
        (json.value != Self::Null).then_some(json)
    }

    /// The text it is.
    pub fn text(&self) -> Option<&str> {
        if let Self::Text(text) = self { Some(text) } else { None }
    }

    /// What kind of value it is, for messages.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Null => "null",
            Self::Boolean(_) => "a boolean",
            Self::Integer(_) | Self::Float(_) => "a number",
            Self::Text(_) => "a text",
            Self::List(_) => "a list",
            Self::Object(_) => "an object",
            Self::Hole(_) => "something that only Azure knows",
        }
    }

    /// Whether both are the same, wherever they stand.
    pub fn is_same(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::List(own), Self::List(others)) => {
                own.len() == others.len() && own.iter().zip(others).all(|(this, that)| this.value.is_same(&that.value))
            }
            (Self::Object(own), Self::Object(others)) => {
                let is_there = |(name, this): &(String, Json)| {
                    others.iter().any(|(other, that)| other == name && this.value.is_same(&that.value))
                };
                own.len() == others.len() && own.iter().all(is_there)
            }
            #[expect(
                clippy::cast_precision_loss,
                clippy::float_cmp,
                reason = "a number with a fraction is no exact one"
            )]
            (Self::Integer(integer), Self::Float(float)) | (Self::Float(float), Self::Integer(integer)) => {
                *float == *integer as f64
            }
            _ => self == other,
        }
    }
}

impl From<String> for Value {
    fn from(text: String) -> Self {
        Self::Text(text)
    }
}

impl From<&str> for Value {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

impl From<i64> for Value {
    fn from(integer: i64) -> Self {
        Self::Integer(integer)
    }
}

impl From<bool> for Value {
    fn from(boolean: bool) -> Self {
        Self::Boolean(boolean)
    }
}

impl From<Vec<Json>> for Value {
    fn from(items: Vec<Json>) -> Self {
        Self::List(items)
    }
}

//! JSON as it was written.
//!
//! A value of our own rather than `serde_json::Value`, because that one keeps the last of two members with one name and
//! says nothing, and here a second `hours` is a mistake someone wants to hear of.

use std::borrow::Cow;
use std::collections::HashSet;
use std::fmt;

use punctual_model::Violation;
use punctual_model::limits::FINDINGS_MAX;
use serde::de::{DeserializeSeed, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde::ser::{Serialize, Serializer};

use super::object::below;
use super::relaxed;
use crate::limits::NESTING_MAX;

/// So few names are compared with each other faster than they are put into a set.
const FEW_MEMBERS: usize = 16;

/// The name of a member: that of one who writes to us, or one that we write ourselves and need not copy.
pub type MemberName = Cow<'static, str>;

/// A value of JSON.
#[derive(Clone, Debug, PartialEq)]
pub enum Json {
    /// `null`.
    Null,
    /// `true` or `false`.
    Boolean(bool),
    /// A number.
    Number(Number),
    /// A text.
    Text(String),
    /// A list.
    List(Vec<Json>),
    /// An object, its members in their order.
    Object(Vec<(MemberName, Json)>),
}

/// A number, as exact as it has to be to say what is wrong with it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Number {
    /// Written without a fraction and an exponent.
    Integer(i128),
    /// Written otherwise, or too large.
    Float(f64),
}

impl Json {
    /// How long it is, about.
    pub(crate) fn weight(&self) -> usize {
        match self {
            Self::Null | Self::Boolean(_) | Self::Number(_) => 8,
            Self::Text(text) => text.len() + 2,
            Self::List(items) => 2 + items.iter().map(|item| item.weight() + 1).sum::<usize>(),
            Self::Object(members) => {
                2 + members.iter().map(|(name, value)| name.len() + 4 + value.weight()).sum::<usize>()
            }
        }
    }

    /// Reads strict JSON in which no object has two members that are the same but for case.
    pub fn parse(text: &str) -> Result<Self, Vec<Violation>> {
        // Some tools of Windows put a byte order mark in front of everything they write.
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        let mut deserializer = serde_json::Deserializer::from_str(text);
        let parsed = JsonReader { depth: 0 }.deserialize(&mut deserializer);
        let json = parsed.and_then(|json| deserializer.end().map(|()| json)).map_err(|error| vec![syntax(&error)])?;
        let violations = json.duplicates();
        if violations.is_empty() { Ok(json) } else { Err(violations) }
    }

    /// Reads JSON as people write it, with comments and trailing commas; and whether it has any.
    pub fn parse_relaxed(text: &str) -> Result<(Self, bool), Vec<Violation>> {
        let strict = match Self::parse(text) {
            Ok(json) => return Ok((json, false)),
            Err(violations) => violations,
        };
        let without = relaxed::to_strict(text);
        if without == text { Err(strict) } else { Self::parse(&without).map(|json| (json, true)) }
    }

    /// How long the value is as text without blanks.
    pub(crate) fn written_bytes(&self) -> usize {
        serde_json::to_vec(self).expect("a value of JSON can be written").len()
    }

    /// Members that stand twice. Paths are put together on the way up, so that nothing is done where nothing is wrong.
    fn duplicates(&self) -> Vec<Violation> {
        let mut found = Vec::new();
        match self {
            Self::List(items) => {
                for (at, item) in items.iter().enumerate() {
                    found.extend(item.duplicates().into_iter().map(|violation| violation.under(&format!("[{at}]"))));
                }
            }
            Self::Object(members) => {
                let mut names = HashSet::new();
                let are_few = members.len() <= FEW_MEMBERS && members.iter().all(|(name, _)| name.is_ascii());
                for (at, (name, value)) in members.iter().enumerate() {
                    let is_twice = if are_few {
                        members[..at].iter().any(|(earlier, _)| earlier.eq_ignore_ascii_case(name))
                    } else {
                        !names.insert(name.to_lowercase())
                    };
                    if is_twice {
                        let sentence =
                            "this member stands twice, since names that differ only in case are the same: keep one";
                        found.push(Violation::sentence(below("", name), sentence));
                    }
                    found.extend(value.duplicates().into_iter().map(|violation| violation.under(&below("", name))));
                }
            }
            _ => {}
        }
        found.truncate(FINDINGS_MAX);
        found
    }
}

impl Number {
    /// The whole number it is: 1 and 1.0 are the same one. A float that is too large for it is the largest there is.
    pub fn as_integer(self) -> Option<i128> {
        match self {
            Self::Integer(integer) => Some(integer),
            #[expect(clippy::cast_possible_truncation, reason = "no number that large is ever right")]
            Self::Float(float) => (float.fract() == 0.0).then_some(float as i128),
        }
    }
}

fn syntax(error: &serde_json::Error) -> Violation {
    let (line, column) = (error.line(), error.column());
    let text = error.to_string();
    let what = text.strip_suffix(&format!(" at line {line} column {column}")).unwrap_or(&text);
    let sentence = match what.strip_prefix("EOF while parsing ") {
        Some("a value") => format!("the JSON ends where a value should stand (line {line}, column {column})"),
        Some(part) => format!("the JSON ends in the middle of {part} (line {line}, column {column})"),
        None if error.is_data() => format!("{what} (line {line}, column {column})"),
        None => {
            format!("no JSON from line {line}, column {column} on: {what}")
        }
    };
    Violation::sentence("", sentence)
}

/// As JSON text, its members in their order.
impl Serialize for Json {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Null => serializer.serialize_unit(),
            Self::Boolean(boolean) => serializer.serialize_bool(*boolean),
            Self::Number(Number::Integer(integer)) => serializer.serialize_i128(*integer),
            Self::Number(Number::Float(float)) => serializer.serialize_f64(*float),
            Self::Text(text) => serializer.serialize_str(text),
            Self::List(items) => serializer.collect_seq(items),
            Self::Object(members) => serializer.collect_map(members.iter().map(|(name, value)| (name, value))),
        }
    }
}

/// What an error repeats of a value: a list or an object is only counted.
impl fmt::Display for Json {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Null => f.write_str("null"),
            Self::Boolean(boolean) => write!(f, "{boolean}"),
            Self::Number(number) => write!(f, "{number}"),
            Self::Text(text) => write!(f, "{text:?}"),
            Self::List(items) => write!(f, "a list of {}", items.len()),
            Self::Object(_) => f.write_str("an object"),
        }
    }
}

impl fmt::Display for Number {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Integer(integer) => write!(f, "{integer}"),
            Self::Float(float) => write!(f, "{float:?}"),
        }
    }
}

/// Reads one value that is inside of `depth` others.
#[derive(Clone, Copy)]
struct JsonReader {
    depth: usize,
}

impl JsonReader {
    fn inside<E: Error>(self) -> Result<Self, E> {
        if self.depth < NESTING_MAX {
            Ok(Self { depth: self.depth + 1 })
        } else {
            Err(E::custom(format_args!("more than {NESTING_MAX} levels of nesting")))
        }
    }
}

impl<'de> DeserializeSeed<'de> for JsonReader {
    type Value = Json;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Json, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for JsonReader {
    type Value = Json;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JSON")
    }

    fn visit_unit<E: Error>(self) -> Result<Json, E> {
        Ok(Json::Null)
    }

    fn visit_bool<E: Error>(self, value: bool) -> Result<Json, E> {
        Ok(Json::Boolean(value))
    }

    fn visit_u64<E: Error>(self, value: u64) -> Result<Json, E> {
        Ok(Json::Number(Number::Integer(value.into())))
    }

    fn visit_i64<E: Error>(self, value: i64) -> Result<Json, E> {
        Ok(Json::Number(Number::Integer(value.into())))
    }

    fn visit_f64<E: Error>(self, value: f64) -> Result<Json, E> {
        Ok(Json::Number(Number::Float(value)))
    }

    fn visit_str<E: Error>(self, value: &str) -> Result<Json, E> {
        Ok(Json::Text(value.to_owned()))
    }

    fn visit_string<E: Error>(self, value: String) -> Result<Json, E> {
        Ok(Json::Text(value))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Json, A::Error> {
        let inside = self.inside()?;
        let mut items = Vec::new();
        while let Some(item) = list.next_element_seed(inside)? {
            items.push(item);
        }
        Ok(Json::List(items))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut object: A) -> Result<Json, A::Error> {
        let inside = self.inside()?;
        let mut members = Vec::new();
        while let Some(name) = object.next_key::<String>()? {
            members.push((name.into(), object.next_value_seed(inside)?));
        }
        Ok(Json::Object(members))
    }
}

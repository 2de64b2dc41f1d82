//! An object, written member by member.

use super::super::json::{Json, MemberName, Number};

/// The members of an object that are there.
#[derive(Default)]
pub(crate) struct Members(Vec<(MemberName, Json)>);

impl Members {
    pub(crate) fn new() -> Self {
        Self::default()
    }

    /// Adds a member.
    pub(crate) fn add(mut self, name: &'static str, value: impl Into<Json>) -> Self {
        self.0.push((name.into(), value.into()));
        self
    }

    /// Adds a member, if it has a value.
    pub(crate) fn add_some(self, name: &'static str, value: Option<impl Into<Json>>) -> Self {
        match value {
            Some(value) => self.add(name, value),
            None => self,
        }
    }

    /// Adds the members of another object behind these.
    pub(crate) fn append(mut self, mut other: Self) -> Self {
        self.0.append(&mut other.0);
        self
    }

    /// The object, even if it is empty.
    pub(crate) fn into_json(self) -> Json {
        Json::Object(self.0)
    }

    /// The object, unless it is empty.
    pub(crate) fn if_any(self) -> Option<Json> {
        (!self.0.is_empty()).then_some(Json::Object(self.0))
    }
}

/// A list, unless it is empty.
pub(crate) fn list<T>(items: &[T], write: impl Fn(&T) -> Json) -> Option<Json> {
    (!items.is_empty()).then(|| Json::List(items.iter().map(write).collect()))
}

/// An object whose members the user named.
pub(crate) fn texts<'a>(pairs: impl IntoIterator<Item = (&'a String, &'a String)>) -> Option<Json> {
    let members: Vec<_> = pairs.into_iter().map(|(name, value)| (name.clone().into(), value.as_str().into())).collect();
    (!members.is_empty()).then_some(Json::Object(members))
}

impl From<&str> for Json {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

impl From<&String> for Json {
    fn from(text: &String) -> Self {
        Self::Text(text.clone())
    }
}

impl From<String> for Json {
    fn from(text: String) -> Self {
        Self::Text(text)
    }
}

impl From<bool> for Json {
    fn from(boolean: bool) -> Self {
        Self::Boolean(boolean)
    }
}

impl From<i64> for Json {
    fn from(number: i64) -> Self {
        Self::Number(Number::Integer(number.into()))
    }
}

impl From<u64> for Json {
    fn from(number: u64) -> Self {
        Self::Number(Number::Integer(number.into()))
    }
}

impl From<u32> for Json {
    fn from(number: u32) -> Self {
        u64::from(number).into()
    }
}

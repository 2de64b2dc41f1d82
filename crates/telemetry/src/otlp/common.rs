//! Messages that all signals have.

use prost::{Message, Oneof};

/// A value of any kind.
#[derive(Clone, PartialEq, Message)]
pub struct AnyValue {
    /// The value.
    #[prost(oneof = "AnyValueKind", tags = "1, 2, 3, 4")]
    pub value: Option<AnyValueKind>,
}

/// The kinds of values that are sent.
#[derive(Clone, PartialEq, Oneof)]
pub enum AnyValueKind {
    /// A text.
    #[prost(string, tag = "1")]
    Text(String),
    /// True or false.
    #[prost(bool, tag = "2")]
    Truth(bool),
    /// A whole number.
    #[prost(int64, tag = "3")]
    Whole(i64),
    /// A fraction.
    #[prost(double, tag = "4")]
    Fraction(f64),
}

/// An attribute.
#[derive(Clone, PartialEq, Message)]
pub struct KeyValue {
    /// Its name.
    #[prost(string, tag = "1")]
    pub key: String,
    /// Its value.
    #[prost(message, optional, tag = "2")]
    pub value: Option<AnyValue>,
}

/// Who sends.
#[derive(Clone, PartialEq, Message)]
pub struct Resource {
    /// What is known of the sender.
    #[prost(message, repeated, tag = "1")]
    pub attributes: Vec<KeyValue>,
}

/// Which part of the sender has recorded something.
#[derive(Clone, PartialEq, Message)]
pub struct InstrumentationScope {
    /// The name of the part.
    #[prost(string, tag = "1")]
    pub name: String,
    /// Its version.
    #[prost(string, tag = "2")]
    pub version: String,
}

impl InstrumentationScope {
    /// This crate.
    pub(crate) fn own() -> Self {
        Self { name: "punctual".to_owned(), version: env!("CARGO_PKG_VERSION").to_owned() }
    }
}

impl Resource {
    pub(crate) fn new(attributes: &[(String, String)]) -> Self {
        Self { attributes: attributes.iter().map(|(name, text)| KeyValue::text(name, text)).collect() }
    }
}

impl KeyValue {
    pub(crate) fn text(key: &str, text: &str) -> Self {
        Self::of(key, AnyValueKind::Text(text.to_owned()))
    }

    pub(crate) fn whole(key: &str, number: impl Into<i64>) -> Self {
        Self::of(key, AnyValueKind::Whole(number.into()))
    }

    pub(crate) fn of(key: &str, value: AnyValueKind) -> Self {
        Self { key: key.to_owned(), value: Some(value.into()) }
    }
}

impl From<AnyValueKind> for AnyValue {
    fn from(value: AnyValueKind) -> Self {
        Self { value: Some(value) }
    }
}

//! The values in JSON, however deep, without a copy of it.

use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};

use super::needles::Needles;
use crate::limits;

/// The least number that is as long as a value has to be.
const LEAST_VALUE: u64 = 10_000_000;
const _: () = assert!(LEAST_VALUE.ilog10() as usize + 1 == limits::MASKED_VALUE_BYTES_MIN);

/// Takes each string and number as a value that may be secret. Names of members, `null`, `true` and `false` are none.
pub(super) struct Values<'n, 'a>(pub(super) &'n mut Needles<'a>);

impl<'de> DeserializeSeed<'de> for Values<'_, 'de> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, json: D) -> Result<(), D::Error> {
        json.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Values<'_, 'de> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JSON")
    }

    fn visit_borrowed_str<E>(self, text: &'de str) -> Result<(), E> {
        self.0.value(text);
        Ok(())
    }

    fn visit_str<E>(self, text: &str) -> Result<(), E> {
        self.0.value(text.to_owned());
        Ok(())
    }

    fn visit_u64<E>(self, number: u64) -> Result<(), E> {
        // Most numbers have too few digits for a value: they need not be written.
        if number >= LEAST_VALUE {
            self.0.value(number.to_string());
        }
        Ok(())
    }

    fn visit_i64<E>(self, number: i64) -> Result<(), E> {
        self.0.value(number.to_string());
        Ok(())
    }

    fn visit_f64<E>(self, number: f64) -> Result<(), E> {
        // As it is written in JSON: with a point, or an exponent.
        self.0.value(serde_json::Value::from(number).to_string());
        Ok(())
    }

    fn visit_bool<E>(self, _: bool) -> Result<(), E> {
        Ok(())
    }

    fn visit_unit<E>(self) -> Result<(), E> {
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<(), A::Error> {
        while items.next_element_seed(Values(self.0))?.is_some() {}
        Ok(())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<(), A::Error> {
        while members.next_key::<IgnoredAny>()?.is_some() {
            members.next_value_seed(Values(self.0))?;
        }
        Ok(())
    }
}

//! How much work one evaluation may do.

use std::cell::Cell;

use punctual_model::Violation;

use crate::json::{Json, Value};
use crate::limits::{DEPTH_MAX, WORK_MAX};
use crate::place::Place;

/// What is left of the work that is allowed, and how many calls are inside each other.
#[derive(Debug)]
pub(crate) struct Budget {
    left: Cell<usize>,
    depth: Cell<usize>,
}

impl Budget {
    pub(crate) fn new() -> Self {
        Self { left: Cell::new(WORK_MAX), depth: Cell::new(0) }
    }

    /// Takes the work of making `units` values; nothing is left after the first time it does not suffice.
    pub(crate) fn spend(&self, units: usize, place: &Place<'_>) -> Result<(), Violation> {
        let left = self.left.get();
        self.left.set(left.saturating_sub(units));
        if units < left {
            return Ok(());
        }
        Err(place.sentence("the template makes too much of too little: its values repeat each other too often"))
    }

    /// Takes the work of making this value.
    pub(crate) fn spend_for(&self, value: &Value, place: &Place<'_>) -> Result<(), Violation> {
        self.spend(weight(value), place)
    }

    /// Does `work` one level deeper.
    pub(crate) fn deeper<T>(
        &self,
        place: &Place<'_>,
        work: impl FnOnce() -> Result<T, Violation>,
    ) -> Result<T, Violation> {
        let depth = self.depth.get();
        if depth >= DEPTH_MAX {
            return Err(place.sentence(format!("more than {DEPTH_MAX} calls are inside each other")));
        }
        self.depth.set(depth + 1);
        let done = work();
        self.depth.set(depth);
        done
    }
}

/// How many values it is made of, where sixteen characters count as one.
pub(crate) fn weight(value: &Value) -> usize {
    match value {
        Value::Text(text) => 1 + text.len() / 16,
        Value::List(items) => 1 + items.iter().map(|item| weight(&item.value)).sum::<usize>(),
        Value::Object(members) => {
            let member = |(name, json): &(String, Json)| 1 + name.len() / 16 + weight(&json.value);
            1 + members.iter().map(member).sum::<usize>()
        }
        Value::Null | Value::Boolean(_) | Value::Integer(_) | Value::Float(_) | Value::Hole(_) => 1,
    }
}

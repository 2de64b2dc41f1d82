//! What a store remembers beside its rows: which numbers were given, and two instants.

use std::collections::BTreeMap;

/// Tables whose rows are numbered, with the column. No number is given twice, also after its row is gone.
pub(crate) const NUMBERED: [(&str, &str); 9] = [
    ("collection", "id"),
    ("change", "id"),
    ("work", "id"),
    ("alert", "id"),
    ("signal", "id"),
    ("incident", "id"),
    ("delivery", "id"),
    ("assignment", "id"),
    ("pause", "number"),
];

/// Instants in `meta`, which both databases call the same: when old things were last removed, and until when history was dropped.
pub(crate) const INSTANTS: [&str; 2] = ["removed at", "history dropped until"];

/// Numbers and instants, as one store has them and the other takes them over.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Numbers {
    /// The last number that was given in each table.
    pub(crate) given: BTreeMap<&'static str, i64>,
    /// The last batch of history.
    pub(crate) last_batch: i64,
    pub(crate) instants: BTreeMap<&'static str, i64>,
}

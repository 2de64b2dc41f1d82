//! Values as PostgreSQL takes them.

use std::borrow::Cow;

use punctual_model::time::Timestamp;

/// Text as a column takes it: no text of PostgreSQL holds the character 0, which targets may answer with. It becomes the mark of what
/// could not be written, as it would in a terminal.
pub(super) fn plain(text: &str) -> Cow<'_, str> {
    if text.contains('\0') { Cow::Owned(text.replace('\0', "\u{FFFD}")) } else { Cow::Borrowed(text) }
}

/// A small number as a column takes it.
pub(super) fn number(number: impl Into<i64>) -> i64 {
    number.into()
}

/// A count as a column takes it.
pub(super) fn large(count: u64) -> i64 {
    i64::try_from(count).unwrap_or(i64::MAX)
}

/// An instant as a column takes it, where there is one.
pub(super) fn ticks(at: Option<Timestamp>) -> Option<i64> {
    at.map(Timestamp::ticks)
}

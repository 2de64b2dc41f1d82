//! Placeholders in actions: `{{job.name}}` in a path, a query, a header value, a body or a message stands for what is known
//! when an attempt is made.
//!
//! Where a call goes is never filled in: lane, egress and the origin of credentials are fixed when the job is saved. Every
//! value is a function of the occurrence and its attempt, not of the clock, so that a resend is byte for byte the same.
//!
//! ```text
//!   template.rs: text, placeholder, text …   escape.rs: by where it stands   fill.rs: a whole target
//!   check.rs: what is wrong with a job that has them, when it is saved        values.rs: what they stand for
//! ```

mod check;
mod escape;
mod fill;
mod json;
mod template;
mod values;

pub use self::fill::{Filling, GAP};
pub use self::json::is_json;
pub use self::values::Values;

/// What can be filled in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names of the API")]
pub enum Placeholder {
    JobName,
    JobCollection,
    OccurrenceNominal,
    OccurrenceTag,
    Attempt,
    FailureMessage,
    FailureCode,
    Link,
}

impl Placeholder {
    /// All of them.
    pub const ALL: [Self; 8] = [
        Self::JobName,
        Self::JobCollection,
        Self::OccurrenceNominal,
        Self::OccurrenceTag,
        Self::Attempt,
        Self::FailureMessage,
        Self::FailureCode,
        Self::Link,
    ];

    /// The name between the braces.
    pub const fn name(self) -> &'static str {
        match self {
            Self::JobName => "job.name",
            Self::JobCollection => "job.collection",
            Self::OccurrenceNominal => "occurrence.nominal",
            Self::OccurrenceTag => "occurrence.tag",
            Self::Attempt => "attempt",
            Self::FailureMessage => "failure.message",
            Self::FailureCode => "failure.code",
            Self::Link => "link",
        }
    }

    /// Whether the value is about a failure, which only an error action knows.
    pub const fn is_of_failure(self) -> bool {
        matches!(self, Self::FailureMessage | Self::FailureCode)
    }

    /// Whether the value is a number, which JSON has without quotes.
    const fn is_number(self) -> bool {
        matches!(self, Self::Attempt | Self::FailureCode)
    }
}

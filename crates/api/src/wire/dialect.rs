//! How answers are written, for clients that disagree about it.
//!
//! The original service and its descriptions differ in small things, and each of its clients was made after one of them.
//! Which client reads what was tried with the clients themselves; this file is the only one that knows.
//!
//! | client | durations | enums | monthly occurrence | certificate |
//! |---|---|---|---|---|
//! | .NET, PowerShell, Node, curl: `recorded` | as they came in | as recorded: `enabled`, `week` | `occurrence` | `certificateExpiration` |
//! | Python 7 | ISO | as recorded | `Occurrence` | both |
//! | Python 1 and 2 | `hh:mm:ss` for one job, ISO in lists | as recorded | `Occurrence` | both |
//! | Rust: `openapi` | ISO | as described: `Enabled`, `Week` | `Occurrence` | `certificateExpirationDate` |
//! | everyone on `/v1`: `plain` | ISO | lower camel case | `occurrence` | `certificateExpiration` |
//!
//! `plain` is our own. It inherits no oddity of the original: resources are flat, every job and every record has a status
//! in our own words, and warnings stand in the body, too.

use punctual_model::history::StatusKind;
use punctual_model::time::Span;

use crate::status::Outcome;

/// How answers are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Dialect {
    shape: Shape,
    durations: Durations,
    enums: Enums,
    /// The name of the member that says which Friday of the month.
    pub(super) occurrence: &'static str,
    /// The names of the member that says until when a certificate is valid.
    pub(super) certificate_expiration: &'static [&'static str],
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Shape {
    /// `id`, `type`, `name`, and the rest under `properties`.
    Enveloped,
    /// All members side by side.
    Flat,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Durations {
    AsWritten,
    Iso,
    TimeSpanAlone,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Enums {
    Recorded,
    Described,
    LowerCamel,
}

/// Whether an answer holds one resource or a list of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names say it")]
pub enum Extent {
    One,
    List,
}

impl Dialect {
    /// As the original service answered.
    pub const RECORDED: Self = Self {
        shape: Shape::Enveloped,
        durations: Durations::AsWritten,
        enums: Enums::Recorded,
        occurrence: "occurrence",
        certificate_expiration: &["certificateExpiration"],
    };

    /// As its OpenAPI description says.
    pub const OPENAPI: Self = Self {
        shape: Shape::Enveloped,
        durations: Durations::Iso,
        enums: Enums::Described,
        occurrence: "Occurrence",
        certificate_expiration: &["certificateExpirationDate"],
    };

    /// Our own, in which `/v1` answers.
    pub const PLAIN: Self =
        Self { shape: Shape::Flat, durations: Durations::Iso, enums: Enums::LowerCamel, ..Self::RECORDED };

    const PYTHON_7: Self = Self {
        durations: Durations::Iso,
        occurrence: "Occurrence",
        certificate_expiration: &["certificateExpiration", "certificateExpirationDate"],
        ..Self::RECORDED
    };

    const PYTHON_2: Self = Self { durations: Durations::TimeSpanAlone, ..Self::PYTHON_7 };

    /// The dialect a client asks for by name.
    pub fn named(name: &str) -> Option<Self> {
        match name.to_ascii_lowercase().as_str() {
            "recorded" => Some(Self::RECORDED),
            "openapi" => Some(Self::OPENAPI),
            "plain" => Some(Self::PLAIN),
            _ => None,
        }
    }

    /// The dialect that the client with this `User-Agent` is known to read.
    pub fn of_client(user_agent: &str) -> Option<Self> {
        let known = [
            ("azsdk-python-mgmt-scheduler/", Self::PYTHON_7),
            ("azure-mgmt-scheduler/1.", Self::PYTHON_2),
            ("azure-mgmt-scheduler/2.", Self::PYTHON_2),
            ("azsdk-rust-", Self::OPENAPI),
        ];
        known.into_iter().find(|(product, _)| user_agent.contains(product)).map(|(_, dialect)| dialect)
    }

    /// A duration in an answer of that extent.
    pub(super) fn duration(self, span: &Span, extent: Extent) -> String {
        match (self.durations, extent) {
            (Durations::AsWritten, _) => span.as_written().to_owned(),
            (Durations::TimeSpanAlone, Extent::One) => span.to_time_span(),
            (Durations::Iso, _) | (Durations::TimeSpanAlone, Extent::List) => span.to_iso(),
        }
    }

    /// Whether the members of a resource stand side by side, without an envelope, and warnings beside them.
    pub(crate) fn is_flat(self) -> bool {
        self.shape == Shape::Flat
    }

    /// A value that the service answered in lower case: states, frequencies, weekdays, kinds of retry.
    pub(super) fn lower_case(self, name: &str) -> String {
        match self.enums {
            Enums::Recorded => name.to_ascii_lowercase(),
            Enums::Described => name.to_owned(),
            Enums::LowerCamel => lower_camel(name),
        }
    }

    /// A value that the service answered with its first letter in lower case: those of Service Bus.
    pub(super) fn lower_first(self, name: &str) -> String {
        match self.enums {
            // `AMQP` is all capitals and stays so.
            Enums::Recorded if is_acronym(name) => name.to_owned(),
            Enums::Described => name.to_owned(),
            Enums::Recorded | Enums::LowerCamel => lower_camel(name),
        }
    }

    /// A value that the service answered as it is described: kinds of actions and credentials, plans, states of collections.
    pub(super) fn as_described(self, name: &str) -> String {
        match self.enums {
            Enums::Recorded | Enums::Described => name.to_owned(),
            Enums::LowerCamel => lower_camel(name),
        }
    }

    /// How an attempt went that is or is not followed by another one. The service said nothing where it went well, although
    /// its description has a word for it.
    pub(super) fn execution_status(self, kind: StatusKind, is_followed: bool) -> Option<String> {
        match (self.enums, kind) {
            (Enums::Recorded, StatusKind::Completed) => None,
            (Enums::LowerCamel, _) => Some(Outcome::of_attempt(kind, is_followed).name().to_owned()),
            _ => Some(self.lower_case(kind.name())),
        }
    }

    /// Whether a value may be written that the original's description does not list.
    pub(super) fn takes_extensions(self) -> bool {
        self.enums != Enums::Described
    }
}

/// `StorageQueue` as `storageQueue`, and `AMQP` as `amqp`.
fn lower_camel(name: &str) -> String {
    if is_acronym(name) {
        return name.to_ascii_lowercase();
    }
    let (first, rest) = name.split_at(1);
    first.to_ascii_lowercase() + rest
}

fn is_acronym(name: &str) -> bool {
    name.bytes().all(|byte| byte.is_ascii_uppercase())
}

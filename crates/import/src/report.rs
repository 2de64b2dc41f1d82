//! What an import would do, and how well each item of the source fits.

use punctual_arm::{HolePart, Json};
use punctual_model::time::Timestamp;

/// What an import would do.
#[derive(Clone, Debug, Default)]
pub struct Report {
    /// Collections that the source names itself.
    pub collections: Vec<Collection>,
    /// The jobs that would be made.
    pub jobs: Vec<Job>,
    /// What becomes of each item of the source, in its order.
    pub findings: Vec<Finding>,
    /// What somebody has to fill in.
    pub holes: Vec<HolePart>,
    /// What whoever imports should know about the file as a whole.
    pub notes: Vec<String>,
}

/// A collection that the source names.
#[derive(Clone, Debug)]
pub struct Collection {
    /// Its name.
    pub name: String,
    /// What PUT takes.
    pub body: Json,
}

/// A job that would be made.
#[derive(Clone, Debug)]
pub struct Job {
    /// The name of its collection.
    pub collection: String,
    /// Its name.
    pub name: String,
    /// What PUT takes, without a state.
    pub body: Json,
    /// Whether it may be enabled: it was in its origin, and nothing is missing.
    pub can_be_enabled: bool,
    /// Its next runs, if it is enabled.
    pub next: Vec<Timestamp>,
    /// When it runs, in words.
    pub description: String,
}

/// What becomes of an item of the source.
#[derive(Clone, Debug)]
pub struct Finding {
    /// The line of the file in which the item begins.
    pub line: u32,
    /// What the item is called in its source.
    pub item: String,
    /// How well it fits.
    pub verdict: Verdict,
    /// The job that is made of it: `collection/job`.
    pub job: Option<String>,
    /// How, why, and what must be done.
    pub remarks: Vec<String>,
}

/// How well an item fits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Verdict {
    /// It does the same here.
    Exactly,
    /// It does nearly the same; the remarks say how it differs.
    Nearly,
    /// Something must be done by hand before it does the same.
    ByHand,
    /// Nothing is made of it; the remarks say why.
    Not,
}

impl Verdict {
    /// Each of them.
    pub const ALL: [Self; 4] = [Self::Exactly, Self::Nearly, Self::ByHand, Self::Not];

    /// Its word.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Exactly => "exactly",
            Self::Nearly => "nearly",
            Self::ByHand => "by hand",
            Self::Not => "not",
        }
    }
}

impl Report {
    /// How many items have that verdict.
    pub fn count(&self, verdict: Verdict) -> usize {
        self.findings.iter().filter(|finding| finding.verdict == verdict).count()
    }
}

//! What people are told, in sentences.

use super::condition::Trouble;
use crate::failure::Failure;
use crate::time::Timestamp;
use crate::{Name, plural};

/// A message of an alert, before it gets its form.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Message {
    /// What it is about.
    pub kind: MessageKind,
    /// The alert that tells it.
    pub alert: Name,
    /// The incident: the same in all messages about it, and in no other.
    pub incident: String,
    /// What the jobs are in.
    pub trouble: Trouble,
    /// What the jobs call; empty where that does not matter.
    pub target: String,
    /// Why the last attempt failed, if it is about failures.
    pub failure: Option<Failure>,
    /// What is known of a trouble that is no failure, such as "started 3 minutes late".
    pub detail: String,
    /// The first jobs that are in trouble; of a recovery, those that have not run since.
    pub jobs: Vec<TroubledJob>,
    /// How many jobs are in trouble; of a recovery, how many have not run since.
    pub troubled: u64,
    /// How many jobs are well again.
    pub well: u64,
    /// The first jobs that are well again.
    pub well_jobs: Vec<String>,
    /// When it began.
    pub since: Timestamp,
    /// When the message was written.
    pub at: Timestamp,
    /// What the target answered last, without secrets; empty if it did not.
    pub excerpt: String,
    /// Where more can be seen.
    pub link: Option<String>,
}

/// What a message is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MessageKind {
    /// An incident opened.
    Opened,
    /// An incident lasts.
    Reminder,
    /// An incident is over.
    Recovered,
    /// Someone wanted to see whether messages arrive.
    Test,
}

impl MessageKind {
    /// All kinds.
    pub const ALL: [Self; 4] = [Self::Opened, Self::Reminder, Self::Recovered, Self::Test];

    /// Its name in the API.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Opened => "opened",
            Self::Reminder => "reminder",
            Self::Recovered => "recovered",
            Self::Test => "test",
        }
    }
}

/// A job that is in trouble.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TroubledJob {
    /// Its path: `{subscription}/{group}/{collection}/{job}`.
    pub path: String,
    /// Since when.
    pub since: Timestamp,
    /// How many attempts have failed, if it is about failures.
    pub attempts: u64,
    /// When its attempt is made again, if it is.
    pub retry_at: Option<Timestamp>,
}

impl TroubledJob {
    /// The name of its collection and its own: how people speak of it, and how commands take it.
    pub fn short_name(&self) -> &str {
        short_name(&self.path)
    }

    /// The job in a line.
    fn line(&self, kind: MessageKind) -> String {
        let name = self.short_name();
        let retry = self.retry_at.map(|at| format!(", next attempt at {}", to_the_second(at))).unwrap_or_default();
        let since = to_the_second(self.since);
        match (kind, self.attempts) {
            (MessageKind::Recovered, _) => format!("{name}: has not run yet"),
            (_, 0) => format!("{name}: since {since}"),
            (_, attempts) => format!("{name}: {} since {since}{retry}", plural(attempts, "failed attempt")),
        }
    }
}

/// An instant without fractions of a second: nobody reads them in a message.
fn to_the_second(at: Timestamp) -> Timestamp {
    Timestamp::from_seconds(at.seconds()).unwrap_or(at)
}

/// The last two names of a path.
fn short_name(path: &str) -> &str {
    let start = path.rmatch_indices('/').nth(1).map_or(0, |(at, _)| at + 1);
    &path[start..]
}

impl Message {
    /// The message in one line.
    pub fn headline(&self) -> String {
        match self.kind {
            MessageKind::Test => format!("Test of the alert {}: messages arrive.", self.alert),
            MessageKind::Opened => self.trouble_line(),
            MessageKind::Reminder => format!("Reminder: {}", self.trouble_line()),
            MessageKind::Recovered => self.recovery_line(),
        }
    }

    /// Who is in trouble: a job, or how many.
    fn subject(&self) -> String {
        match (&*self.jobs, self.troubled) {
            ([job, ..], 0 | 1) => job.short_name().to_owned(),
            (_, number) => plural(number, "job"),
        }
    }

    fn trouble_line(&self) -> String {
        let (subject, many) = (self.subject(), self.troubled > 1);
        let verb = |one: &str, more: &str| if many { more.to_owned() } else { one.to_owned() };
        let at_target = if self.target.is_empty() { String::new() } else { format!(" at {}", self.target) };
        let since = if many { format!(" Since {}.", to_the_second(self.since)) } else { String::new() };
        let detail = &self.detail;
        match self.trouble {
            Trouble::Failing => format!("{subject} {}{at_target}: {}{since}", verb("fails", "fail"), self.reason()),
            Trouble::GivenUp => format!("{subject} gave up{at_target}: {}{since}", self.reason()),
            Trouble::Ended => format!("{subject} ended with a failure{at_target}: {}", self.reason()),
            Trouble::Operator => detail.clone(),
            Trouble::Late | Trouble::Slow | Trouble::Silent | Trouble::Stale | Trouble::Expiring => {
                format!("{subject} {detail}{since}")
            }
        }
    }

    fn recovery_line(&self) -> String {
        let at_target = if self.target.is_empty() { String::new() } else { format!(" at {}", self.target) };
        let well = match (&*self.well_jobs, self.well) {
            ([job, ..], 1) => format!("{} is well again", short_name(job)),
            (_, 0) => "it is over".to_owned(),
            (_, number) => format!("{} are well again", plural(number, "job")),
        };
        let waiting = match (&*self.jobs, self.troubled) {
            (_, 0) => String::new(),
            ([job, ..], 1) => format!(" {} has not run yet.", job.short_name()),
            (_, number) => format!(" {} have not run yet.", plural(number, "job")),
        };
        format!("Recovered: {well}{at_target}.{waiting}")
    }

    /// Why the last attempt failed, in a sentence.
    pub fn reason(&self) -> String {
        self.failure.as_ref().map_or_else(|| self.detail.clone(), Failure::sentence)
    }

    /// What else is known, a line each.
    pub fn details(&self) -> Vec<String> {
        let mut lines: Vec<String> = self.jobs.iter().map(|job| job.line(self.kind)).collect();
        let named = self.jobs.len() as u64;
        if self.troubled > named {
            lines.push(format!("and {} more", self.troubled - named));
        }
        if self.kind != MessageKind::Test {
            lines.push(format!("since {}", to_the_second(self.since)));
        }
        lines
    }

    /// The command that runs again what failed, if it is about failures.
    pub fn command(&self) -> Option<String> {
        let is_about_failures = self.trouble.is_failure() || self.trouble == Trouble::Ended;
        let job = self.jobs.first().filter(|_| is_about_failures && self.kind != MessageKind::Recovered)?;
        Some(format!("punctual rerun {} --since {}", job.short_name(), to_the_second(self.since)))
    }
}

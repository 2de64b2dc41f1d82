//! What people are told, in sentences.

use super::condition::Trouble;
use super::rerun_command::rerun_command;
use super::scope::AlertScope;
use crate::failure::Failure;
use crate::time::Timestamp;
use crate::{Name, limits, plural};

/// A message of an alert, before it gets its form.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Message {
    /// What it is about.
    pub kind: MessageKind,
    /// The alert that tells it.
    pub alert: Name,
    /// Which jobs the alert watches.
    pub scope: AlertScope,
    /// The incident: the same in all messages about it, and in no other.
    pub incident: String,
    /// What the jobs are in.
    pub trouble: Trouble,
    /// What the jobs call; empty where that does not matter.
    pub target: String,
    /// What makes the incident one of its own, the same in all its messages: for failures, their class.
    pub cause: String,
    /// Whether the incident is over.
    pub is_over: bool,
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
    pub well_jobs: Vec<TroubledJob>,
    /// How many jobs were disabled, deleted or have ended.
    pub gone: u64,
    /// The first jobs that were disabled or have ended.
    pub gone_jobs: Vec<TroubledJob>,
    /// When the first attempt started that failed; for other troubles, when the first of them was noticed.
    pub since: Timestamp,
    /// When the last of them was over; when the message was written, if that is not known.
    pub until: Timestamp,
    /// When the message was written.
    pub at: Timestamp,
    /// What the target answered last, without secrets; empty if it did not.
    pub excerpt: String,
    /// Where a program finds the incident.
    pub link: Option<String>,
    /// The group, `{subscription}/{group}`, whose collections people and commands name without it.
    pub home: String,
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

/// A job that is or was in trouble.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TroubledJob {
    /// Its path: `{subscription}/{group}/{collection}/{job}`.
    pub path: String,
    /// Since when: the start of the first attempt that failed; for other troubles, when the trouble was noticed.
    pub since: Timestamp,
    /// How many attempts have failed, if it is about failures.
    pub attempts: u64,
    /// When its attempt is made again, if it is.
    pub retry_at: Option<Timestamp>,
}

impl TroubledJob {
    /// How people and commands name the job: without the group if that is `home`, else by its whole path.
    pub fn name_in(&self, home: &str) -> &str {
        name_in(&self.path, home)
    }

    /// The job in a line.
    fn line(&self, home: &str) -> String {
        let name = self.name_in(home);
        let retry = self.retry_at.map(|at| format!(", next attempt at {}", to_the_second(at))).unwrap_or_default();
        let since = to_the_second(self.since);
        match self.attempts {
            0 => format!("{name}: noticed at {since}"),
            attempts => format!("{name}: {} since {since}{retry}", plural(attempts, "failed attempt")),
        }
    }
}

/// An instant without fractions of a second: nobody reads them in a message.
pub(super) fn to_the_second(at: Timestamp) -> Timestamp {
    Timestamp::from_seconds(at.seconds()).unwrap_or(at)
}

/// A path without its group, if that is `home`.
pub(super) fn name_in<'a>(path: &'a str, home: &str) -> &'a str {
    let rest = path.match_indices('/').nth(1).map(|(at, _)| path.split_at(at));
    let rest = rest.filter(|(group, _)| group.to_lowercase() == home.to_lowercase());
    rest.map_or(path, |(_, rest)| &rest[1..])
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

    /// Whether the message tells for the first time what is over already.
    fn is_late_news(&self) -> bool {
        self.is_about_all() && !self.trouble.is_event()
    }

    /// Whether all jobs are meant that were in trouble, and not only those that are.
    fn is_about_all(&self) -> bool {
        let is_over = self.is_over || self.troubled == 0;
        is_over && self.kind == MessageKind::Opened
    }

    /// The jobs that the message is about, as many as are named.
    pub fn named_jobs(&self) -> impl Iterator<Item = &TroubledJob> {
        let (well, gone) = if self.is_about_all() { (&*self.well_jobs, &*self.gone_jobs) } else { (&[][..], &[][..]) };
        self.jobs.iter().chain(well).chain(gone).take(limits::MESSAGE_JOBS_MAX)
    }

    /// How many jobs the message is about.
    pub fn job_count(&self) -> u64 {
        if self.trouble == Trouble::Operator {
            // The server itself is in trouble.
            0
        } else if self.is_about_all() {
            self.troubled + self.well + self.gone
        } else {
            self.troubled
        }
    }

    /// Who is or was in trouble: a job, or how many.
    fn subject(&self) -> String {
        match (self.named_jobs().next(), self.job_count()) {
            (Some(job), 0 | 1) => job.name_in(&self.home).to_owned(),
            (_, number) => plural(number, "job"),
        }
    }

    fn at_target(&self) -> String {
        match &*self.target {
            // There are so many incidents that this one is of all other targets.
            "" if self.is_about_failures() && self.troubled + self.well + self.gone > 1 => {
                " at other targets".to_owned()
            }
            "" => String::new(),
            target => format!(" at {target}"),
        }
    }

    fn trouble_line(&self) -> String {
        let (subject, many) = (self.subject(), self.job_count() > 1);
        let (at_target, reason) = (self.at_target(), self.reason());
        // Elsewhere the lines about jobs say it.
        let says_since = many && !self.is_late_news();
        let since = if says_since { format!(" Since {}.", to_the_second(self.since)) } else { String::new() };
        match self.trouble {
            Trouble::Failing => {
                let fails = if self.is_late_news() { "failed" } else { verb(many, "fails", "fail") };
                format!("{subject} {fails}{at_target}: {reason}{since}")
            }
            Trouble::GivenUp => format!("{subject} gave up{at_target}: {reason}{since}"),
            Trouble::Ended => format!("{subject} ended with a failure{at_target}: {reason}"),
            Trouble::Operator => self.detail.clone(),
            Trouble::Late | Trouble::Slow | Trouble::Silent | Trouble::Stale | Trouble::Expiring => {
                self.line_by_clock(&subject, many)
            }
        }
    }

    /// A trouble of which each job has its own detail: of many jobs, what they have in common, and that of the first.
    fn line_by_clock(&self, subject: &str, many: bool) -> String {
        let detail = if self.is_late_news() { self.past_detail() } else { self.detail.clone() };
        if !many {
            return format!("{subject} {detail}");
        }
        let common = match (self.trouble, self.is_late_news()) {
            (Trouble::Late, _) => "started late",
            (Trouble::Slow, false) => "run for long",
            (Trouble::Slow, true) => "ran for long",
            (Trouble::Silent, _) => "were silent",
            (Trouble::Expiring, false) => "have certificates or signatures that end soon",
            (Trouble::Expiring, true) => "had certificates or signatures that ended soon",
            (_, false) => "have not succeeded for too long",
            (_, true) => "had not succeeded for too long",
        };
        match self.named_jobs().next() {
            Some(first) => format!("{subject} {common}. {} {detail}", first.name_in(&self.home)),
            None => format!("{subject} {common}."),
        }
    }

    /// The detail, which is in the present, of what is over. How long a run took that was slow is not known any more: only that it
    /// was longer.
    fn past_detail(&self) -> String {
        let detail = &self.detail;
        match detail.strip_prefix("has run for ") {
            Some(rest) => format!("ran for more than {rest}"),
            None => detail.strip_prefix("has ").map_or_else(|| detail.clone(), |rest| format!("had {rest}")),
        }
    }

    /// Whether the message closes what happened and cannot recover, at a receiver that would keep it open.
    fn closes_event(&self) -> bool {
        self.kind == MessageKind::Recovered && self.trouble.is_event() && self.troubled > 0
    }

    /// Whether the message closes what lasts, at a receiver that the alert has left: nobody is well.
    fn is_parting(&self) -> bool {
        self.kind == MessageKind::Recovered && !self.is_over && self.troubled + self.well + self.gone == 0
    }

    fn recovery_line(&self) -> String {
        if self.closes_event() {
            return format!("Closed: {}", self.trouble_line());
        }
        if self.is_parting() {
            return format!("Closed: {}", self.detail);
        }
        let well = match (&*self.well_jobs, self.well) {
            ([job, ..], 1) => format!("{} is well again", job.name_in(&self.home)),
            // Its jobs were disabled, deleted or have ended: nobody has recovered.
            (_, 0) if self.troubled == 0 => return format!("Over: no job is in trouble{} any more.", self.at_target()),
            (_, 0) => "it is over".to_owned(),
            (_, number) => format!("{} {} well again", plural(number, "job"), verb(number > 1, "is", "are")),
        };
        let waiting = match (&*self.jobs, self.troubled) {
            (_, 0) => String::new(),
            ([job, ..], 1) => format!(" {} has not run yet.", job.name_in(&self.home)),
            (_, number) => format!(" {} have not run yet.", plural(number, "job")),
        };
        format!("Recovered: {well}{}.{waiting}", self.at_target())
    }

    /// Why the last attempt failed, in a sentence.
    pub fn reason(&self) -> String {
        self.failure.as_ref().map_or_else(|| self.detail.clone(), Failure::sentence)
    }

    /// The class of the failures that the incident is about: the same in all its messages.
    pub fn class(&self) -> Option<&str> {
        Some(&*self.cause).filter(|cause| self.is_about_failures() && !cause.is_empty())
    }

    /// What else is known, a line each.
    pub fn details(&self) -> Vec<String> {
        let is_recovered = self.kind == MessageKind::Recovered && !self.closes_event() && !self.is_parting();
        let line = |job: &TroubledJob| {
            if is_recovered { format!("{}: has not run yet", job.name_in(&self.home)) } else { job.line(&self.home) }
        };
        let mut lines: Vec<String> = self.named_jobs().map(line).collect();
        let named = lines.len() as u64;
        if self.job_count() > named && named > 0 {
            lines.push(format!("and {} more", self.job_count() - named));
        }
        if is_recovered {
            lines.extend(self.what_was_wrong());
        }
        if is_recovered || self.is_late_news() {
            lines.push(format!("It lasted from {} to {}.", to_the_second(self.since), to_the_second(self.until)));
        }
        lines
    }

    /// What was wrong, for who reads that it is over: it may be the first they hear of it.
    fn what_was_wrong(&self) -> Option<String> {
        let detail = match &self.failure {
            Some(failure) => failure.sentence(),
            None if self.detail.is_empty() || self.trouble == Trouble::Operator => self.detail.clone(),
            None => format!("{} {}", self.well_jobs.first()?.name_in(&self.home), self.past_detail()),
        };
        (!detail.is_empty()).then(|| format!("What was wrong: {detail}"))
    }

    /// The command that runs again what failed, if the message is about failures.
    pub fn command(&self) -> Option<String> {
        let is_wanted = self.is_about_failures() && matches!(self.kind, MessageKind::Opened | MessageKind::Reminder);
        if is_wanted { rerun_command(self) } else { None }
    }

    fn is_about_failures(&self) -> bool {
        self.trouble.is_failure() || self.trouble == Trouble::Ended
    }
}

const fn verb(many: bool, one: &'static str, more: &'static str) -> &'static str {
    if many { more } else { one }
}

//! Who is told of what: alerts, and the incidents that they open.
//!
//! ```text
//!   a job gets into trouble ──▶ joins an incident ──5 s──▶ told: it opened ──▶ reminders, if wanted
//!                                  │  ▲                                              │
//!                             leaves  others at the same target join silently        ▼
//!                                  └──────────────────────────────▶ over ──▶ told: it recovered
//! ```
//!
//! An alert watches the jobs of its scope for [`Trouble`]s. Jobs that are in the same trouble at the same target, for the same
//! class of failure, are one incident: who is told wants to know about the target once, not about each of its jobs.

mod by_clock;
mod condition;
mod delivery;
mod incident;
mod message;
mod quiet;
mod rerun_command;
mod scope;
mod standing;

pub use self::by_clock::{DOWN, Finding, Look, Watched};
pub use self::condition::{Conditions, Slow, Trouble};
pub use self::delivery::{NOT_ALL_TOLD, delivery_job, delivery_uid, incident_key};
pub use self::incident::{Incident, Members, Step, Tell};
pub use self::message::{Message, MessageKind, TroubledJob};
pub use self::quiet::QuietHours;
pub use self::scope::AlertScope;
pub use self::standing::{FailingStanding, Standing};

use crate::time::{Span, TICKS_PER_DAY, TICKS_PER_MINUTE, Timestamp};
use crate::{Violation, limits};

/// Which troubles of which jobs are told, and how often.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Alert {
    /// The jobs it watches.
    pub scope: AlertScope,
    /// Which troubles it tells of.
    pub conditions: Conditions,
    /// How often it tells again of an incident that lasts; never where none is given.
    pub reminder: Option<Span>,
    /// When it tells nothing.
    pub quiet_hours: Option<QuietHours>,
    /// The form of its messages.
    pub form: Form,
}

impl Alert {
    /// What is wrong with the alert. Paths are relative to it.
    pub fn check(&self) -> Vec<Violation> {
        let mut violations = self.conditions.check();
        if self.conditions.operator && self.scope != AlertScope::SERVER {
            let sentence = "operator is about the server itself: leave it out, or give the scope /";
            violations.push(Violation::sentence("when.operator", sentence));
        }
        let is_wrong = |span: &&Span| !(limits::REMINDER_TICKS_MIN..=30 * TICKS_PER_DAY).contains(&span.ticks());
        let reminder = self.reminder.as_ref().filter(is_wrong);
        violations.extend(reminder.map(|span| Violation::new("reminder", span, "5 minutes to 30 days")));
        violations
    }

    /// Until when nothing is told because of quiet hours; none where now is not in them.
    pub fn quiet_until(&self, now: Timestamp) -> Option<Timestamp> {
        self.quiet_hours.as_ref().and_then(|quiet| quiet.end_after(now))
    }
}

/// In which form messages are sent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Form {
    /// JSON of our own.
    #[default]
    Json,
    /// An incoming webhook of Slack, and of what reads the same: Mattermost, Rocket.Chat.
    Slack,
    /// A workflow of Microsoft Teams: an Adaptive Card.
    Teams,
    /// The Events API v2 of `PagerDuty`.
    PagerDuty,
    /// The API v2 of Prometheus Alertmanager.
    Alertmanager,
}

impl Form {
    /// All forms.
    pub const ALL: [Self; 5] = [Self::Json, Self::Slack, Self::Teams, Self::PagerDuty, Self::Alertmanager];

    /// How often the receiver has to hear that an incident lasts, lest it takes the incident for over.
    pub const fn keep_alive_ticks(self) -> Option<i64> {
        match self {
            Self::Alertmanager => Some(TICKS_PER_MINUTE),
            Self::Json | Self::Slack | Self::Teams | Self::PagerDuty => None,
        }
    }

    /// Whether the receiver keeps incidents of its own, which end only if it is told so.
    pub const fn keeps_incidents(self) -> bool {
        matches!(self, Self::PagerDuty | Self::Alertmanager)
    }

    /// Whether the receiver keeps an incident until it is told the end, however long it hears nothing.
    pub const fn waits_for_end(self) -> bool {
        self.keeps_incidents() && self.keep_alive_ticks().is_none()
    }

    /// Its name in the API.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Json => "json",
            Self::Slack => "slack",
            Self::Teams => "teams",
            Self::PagerDuty => "pagerDuty",
            Self::Alertmanager => "alertmanager",
        }
    }
}

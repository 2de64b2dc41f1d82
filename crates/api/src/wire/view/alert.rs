//! An alert, its messages, and incidents. They are ours, so that they are written in one way.

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use punctual_model::Name;
use punctual_model::action::{Action, Target};
use punctual_model::alert::{Alert, Conditions, QuietHours, Slow, Trouble, TroubledJob};
use punctual_model::labels::Labels;
use punctual_model::options::Options;
use punctual_model::time::{Span, Timestamp};
use punctual_store::{AlertEntry, DeliveryEntry, IncidentEntry, IncidentFacts, JobKey, Mute, Stamp};

use super::members::Members;
use super::{Writer, action, history, options};
use crate::wire::dialect::Extent;
use crate::wire::json::Json;

/// What has to be encoded of a name in a path.
const ENCODED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'_').remove(b'.').remove(b'~');

/// Writes an alert. Who may not write it does not see what its action sends, or to which path.
pub(crate) fn write_alert(entry: &AlertEntry, extent: Extent, may_write: bool, now: Timestamp) -> Json {
    let writer = Writer::for_reader_of_alert(extent, may_write);
    let AlertEntry { name, alert, action, mute, stamp, .. } = entry;
    definition(Members::new().add("name", name.as_str()), alert, action, &writer)
        .add_some("muted", muted(mute.as_ref(), now))
        .add("changed", changed(stamp))
        .into_json()
}

/// Writes what an alert was after a change.
pub(super) fn write_version(alert: &Alert, action: &Action, muted_until: Option<Timestamp>, writer: &Writer) -> Json {
    definition(Members::new(), alert, action, writer)
        .add_some("mutedUntil", muted_until.map(|until| until.to_string()))
        .into_json()
}

/// Writes what an alert is.
pub(crate) fn write_alert_definition(alert: &Alert, action: &Action, writer: &Writer) -> Json {
    definition(Members::new(), alert, action, writer).into_json()
}

/// What an alert watches and what it does to tell.
fn definition(members: Members, alert: &Alert, action: &Action, writer: &Writer) -> Members {
    // An e-mail has one form only.
    let form = Some(alert.form.name()).filter(|_| !matches!(action.target, Target::Email(_)));
    members
        .add("scope", alert.scope.to_string())
        .add("when", conditions(&alert.conditions))
        .add("action", action::write(action, writer))
        .add_some("format", form)
        .add_some("reminder", alert.reminder.as_ref().map(Span::to_iso))
        .add_some("quietHours", alert.quiet_hours.as_ref().map(quiet_hours))
        .add_some("options", options::options(&Options::default(), action.sign.as_ref(), &Labels::default(), writer))
}

/// Writes a message of an alert, with where it can be asked for again.
pub(crate) fn write_message(message: &DeliveryEntry, alert: &Name, public_url: &str) -> Json {
    let outcome = message.outcome.as_ref();
    let state = outcome.map_or("sending", |outcome| if outcome.failure.is_some() { "failed" } else { "arrived" });
    let retry_at = message.next_attempt_at.filter(|_| message.failed_attempts > 0);
    Members::new()
        .add("id", message.id.0)
        .add("kind", message.kind.name())
        .add("headline", &message.headline)
        .add("at", message.at.to_string())
        .add_some("incident", message.incident.map(|incident| incident.0))
        .add("state", state)
        .add_some("endedAt", outcome.map(|outcome| outcome.at.to_string()))
        .add_some("reason", outcome.and_then(|outcome| outcome.failure.as_ref()).or(message.note.as_ref()))
        .add_some("failedAttempts", Some(message.failed_attempts).filter(|attempts| *attempts > 0))
        .add_some("nextAttemptAt", retry_at.map(|at| at.to_string()))
        .add("link", message_link(message, alert, public_url))
        .into_json()
}

/// Where a message can be asked for.
pub(crate) fn message_link(message: &DeliveryEntry, alert: &Name, public_url: &str) -> String {
    let alert = utf8_percent_encode(alert.as_str(), ENCODED);
    format!("{public_url}/v1/alerts/{alert}/messages/{}", message.id.0)
}

/// Writes an incident.
pub(crate) fn write_incident(
    entry: &IncidentEntry,
    (alert, headline): (&Name, &str),
    facts: &IncidentFacts,
    now: Timestamp,
) -> Json {
    let IncidentEntry { id, target, incident, mute, closed_at, .. } = entry;
    let text = |at: Timestamp| at.to_string();
    Members::new()
        .add("id", id.0)
        .add("alert", alert.as_str())
        .add("condition", incident.trouble.name())
        .add("state", if closed_at.is_some() { "closed" } else { "open" })
        .add("headline", headline)
        .add("target", target)
        .add_some("failure", facts.failure.as_ref().map(history::failure))
        .add("openedAt", text(incident.opened_at))
        .add_some("toldAt", incident.told_at.map(text))
        .add_some("lastToldAt", incident.last_told_at.map(text))
        .add_some("closedAt", closed_at.map(text))
        .add("troubledCount", if incident.trouble == Trouble::Operator { 0 } else { incident.members.troubled })
        .add("wellCount", incident.members.well)
        .add("jobs", Json::List(facts.jobs.iter().map(troubled_job).collect()))
        .add_some("muted", muted(mute.as_ref(), now))
        .into_json()
}

/// The conditions as `when` takes them, with every parameter.
fn conditions(conditions: &Conditions) -> Json {
    let one = |name: &'static str, member: &'static str, value: Json| {
        let parameters = Members::new().add(member, value).into_json();
        Some(Members::new().add(name, parameters).into_json())
    };
    let span = |span: &Option<Span>| span.as_ref().map(|span| Json::Text(span.to_iso()));
    let trouble = |trouble: Trouble| {
        let name = trouble.name();
        match trouble {
            Trouble::Failing => conditions.failing.and_then(|attempts| one(name, "attempts", attempts.into())),
            Trouble::Late => span(&conditions.late).and_then(|after| one(name, "after", after)),
            Trouble::Silent => span(&conditions.silent).and_then(|after| one(name, "after", after)),
            Trouble::Stale => span(&conditions.stale).and_then(|after| one(name, "after", after)),
            Trouble::Expiring => span(&conditions.expiring).and_then(|within| one(name, "within", within)),
            Trouble::Slow => match &conditions.slow {
                Some(Slow::Longer(longer)) => one(name, "after", longer.to_iso().into()),
                Some(Slow::Times(times)) => one(name, "times", (*times).into()),
                None => None,
            },
            Trouble::GivenUp | Trouble::Ended | Trouble::Operator => conditions.has(trouble).then(|| name.into()),
        }
    };
    let recovered = conditions.recovered.then(|| Json::from("recovered"));
    Json::List(Trouble::ALL.into_iter().filter_map(trouble).chain(recovered).collect())
}

fn quiet_hours(hours: &QuietHours) -> Json {
    Members::new().add("from", hours.from()).add("to", hours.until()).add("timeZone", hours.zone().name()).into_json()
}

/// Until when nothing is told, if that is to come.
fn muted(mute: Option<&Mute>, now: Timestamp) -> Option<Json> {
    let mute = mute.filter(|mute| mute.until > now)?;
    Some(Members::new().add("until", mute.until.to_string()).add("by", &mute.by).into_json())
}

fn changed(stamp: &Stamp) -> Json {
    Members::new().add("at", stamp.at.to_string()).add("by", &stamp.who).into_json()
}

fn troubled_job(job: &TroubledJob) -> Json {
    let key = JobKey::of_path(&job.path);
    let name = key.as_ref().map_or(&*job.path, |key| key.job.as_str());
    Members::new()
        .add("job", name)
        .add_some("collection", key.as_ref().map(|key| key.collection.collection.as_str()))
        .add("since", job.since.to_string())
        .add("attempts", job.attempts)
        .add_some("retryTime", job.retry_at.map(|at| at.to_string()))
        .into_json()
}

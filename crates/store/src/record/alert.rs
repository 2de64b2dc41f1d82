//! What an alert watches.

use punctual_model::Name;
use punctual_model::access::Scope;
use punctual_model::alert::{Alert, AlertScope, Conditions, Form, QuietHours, Slow};
use punctual_model::time::{Span, Zone};
use serde::{Deserialize, Serialize};

use super::schedule::{named, read_span};
use super::{Needs, Unreadable, parse, rewrite, text};

/// Writes an alert, without its action.
pub fn write_alert(alert: &Alert) -> String {
    let span = |span: &Option<Span>| span.as_ref().map(|span| span.as_written().to_owned());
    let conditions = &alert.conditions;
    let (slow_after, slow_times) = match &conditions.slow {
        Some(Slow::Longer(span)) => (Some(span.as_written().to_owned()), None),
        Some(Slow::Times(times)) => (None, Some(*times)),
        None => (None, None),
    };
    let quiet_hours = alert.quiet_hours.as_ref();
    text(&AlertRow {
        scope: alert.scope.scope.to_string(),
        job: alert.scope.job.as_ref().map(|job| job.as_str().to_owned()),
        failing: conditions.failing,
        recovered: conditions.recovered,
        given_up: conditions.given_up,
        ended: conditions.ended,
        late: span(&conditions.late),
        slow_after,
        slow_times,
        silent: span(&conditions.silent),
        stale: span(&conditions.stale),
        expiring: span(&conditions.expiring),
        operator: conditions.operator,
        reminder: span(&alert.reminder),
        quiet_hours: quiet_hours.map(|quiet| (quiet.from(), quiet.until(), quiet.zone().name().to_owned())),
        form: alert.form.name().to_owned(),
        _needs: Needs,
    })
}

/// Reads an alert.
pub fn read_alert(text: &str) -> Result<Alert, Unreadable> {
    let row: AlertRow = parse(text)?;
    let longer = read_span(row.slow_after)?.map(Slow::Longer);
    let quiet_hours = row.quiet_hours.map(|(from, until, zone)| {
        let zone = Zone::find(&zone).map_err(Unreadable::new)?;
        Ok::<_, Unreadable>(QuietHours::new(&from, &until, zone)?)
    });
    let alert = Alert {
        scope: AlertScope {
            scope: Scope::parse(&row.scope).map_err(Unreadable::new)?,
            job: row.job.map(|job| Name::parse(&job).map_err(Unreadable::new)).transpose()?,
        },
        conditions: Conditions {
            failing: row.failing,
            recovered: row.recovered,
            given_up: row.given_up,
            ended: row.ended,
            late: read_span(row.late)?,
            slow: longer.or(row.slow_times.map(Slow::Times)),
            silent: read_span(row.silent)?,
            stale: read_span(row.stale)?,
            expiring: read_span(row.expiring)?,
            operator: row.operator,
        },
        reminder: read_span(row.reminder)?,
        quiet_hours: quiet_hours.transpose()?,
        form: named(&row.form, &Form::ALL, Form::name)?,
    };
    let violations = alert.check();
    if violations.is_empty() { Ok(alert) } else { Err(violations.into()) }
}

/// Writes an alert in the place of one that was there, and keeps what this version does not know of it.
pub fn rewrite_alert(old: &str, alert: &Alert) -> Result<String, Unreadable> {
    rewrite(old, write_alert(alert), read_alert, write_alert)
}

#[derive(Serialize, Deserialize)]
#[expect(clippy::struct_excessive_bools, reason = "each is a word that the user did or did not write")]
struct AlertRow {
    #[serde(rename = "needs", default, skip_serializing)]
    _needs: Needs,
    scope: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    job: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    failing: Option<u32>,
    #[serde(default)]
    recovered: bool,
    #[serde(default)]
    given_up: bool,
    #[serde(default)]
    ended: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    late: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    slow_after: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    slow_times: Option<u32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    silent: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    stale: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    expiring: Option<String>,
    #[serde(default)]
    operator: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    reminder: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    quiet_hours: Option<(String, String, String)>,
    form: String,
}

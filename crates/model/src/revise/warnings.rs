//! What the user should know about an edit that is made.

use crate::Warning;
use crate::job::Definition;
use crate::options::Options;
use crate::progress::Rules;
use crate::recurrence::{Frequency, Recurrence, Rule, Timetable};
use crate::time::{TICKS_PER_SECOND, Timestamp};

/// An end that leaves no occurrence.
pub(super) fn of_end(definition: &Definition, timetable: &Timetable, now: Timestamp) -> Option<Warning> {
    let end = definition.recurrence.as_ref().and_then(Recurrence::end)?;
    let text = format!("no occurrence is left up to {end}; the job has ended");
    timetable.first(now).is_none().then(|| Warning::new("recurrence.endTime", text))
}

/// Retries that go on when the next occurrence is due already.
pub(super) fn of_retries(rules: &Rules<'_>, now: Timestamp) -> Option<Warning> {
    let first = rules.timetable.first(now)?;
    let ticks = rules.retries.delays_ticks();
    let number = rules.timetable.count(first.saturating_add(1)..first.saturating_add(ticks + 1));
    let text = format!(
        "retrying takes up to {} seconds; an occurrence that fails each time keeps {number} from running",
        ticks / TICKS_PER_SECOND
    );
    (number > 0).then(|| Warning::new("action.retryPolicy", text))
}

/// What a definition that replaces another one leaves out although the clients of the original API cannot know it.
pub(super) fn of_dropped(
    old: &Definition,
    new: &Definition,
    [old_timetable, new_timetable]: [&Timetable; 2],
    now: Timestamp,
) -> Option<Warning> {
    let kept = extensions(new);
    let dropped: Vec<_> = extensions(old).into_iter().filter(|extension| !kept.contains(extension)).collect();
    let written = |next: Option<Timestamp>| next.map_or("never".to_owned(), |next| next.to_string());
    let (was, is) = (old_timetable.next(now), new_timetable.next(now));
    let moved =
        if was == is { String::new() } else { format!("; the next run was {}, is {}", written(was), written(is)) };
    (!dropped.is_empty())
        .then(|| Warning::new(dropped.join(", "), format!("dropped, since the new definition has none{moved}")))
}

/// The members of a definition that the original API does not have.
fn extensions(definition: &Definition) -> Vec<&'static str> {
    let mut members = Vec::new();
    if let Some(recurrence) = &definition.recurrence {
        members.extend(recurrence.time_zone().map(|_| "recurrence.timeZone"));
        match recurrence.rule() {
            Rule::Cron(_) => members.push("recurrence.cron"),
            Rule::Every(every) => {
                members.extend((every.frequency() == Frequency::Year).then_some("recurrence.frequency Year"));
                let has_months = every.schedule().is_some_and(|schedule| !schedule.months().is_empty());
                members.extend(has_months.then_some("recurrence.schedule.months"));
            }
        }
    }
    members.extend((definition.options != Options::default()).then_some("options"));
    members
}

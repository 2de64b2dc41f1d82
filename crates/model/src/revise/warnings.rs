//! What the user should know about an edit that is made.

use super::{EditContext, certificates};
use crate::Warning;
use crate::action::{Action, SasToken, Target};
use crate::job::Definition;
use crate::options::Overlap;
use crate::placeholder::Filling;
use crate::progress::Progress;
use crate::recurrence::{Frequency, Recurrence, Rule};
use crate::retry::{RetryKind, RetryPolicy};
use crate::terms::Terms;
use crate::time::{TICKS_PER_SECOND, Timestamp};

/// What is odd about a new definition.
pub(super) fn of_create(definition: &Definition, terms: &Terms<'_>, now: Timestamp) -> Vec<Warning> {
    let times = of_end(terms, definition, now).into_iter().chain(of_rule(definition));
    let times = times.chain(of_retries(terms, now).filter(|_| definition.action.retry.is_some()));
    let texts = of_sign(definition).into_iter().chain(of_placeholders(definition));
    times.chain(texts).chain(of_credentials(&definition.action, now)).collect()
}

/// Warns of certificates and signatures that expire soon or have expired.
fn of_credentials(action: &Action, now: Timestamp) -> impl Iterator<Item = Warning> {
    certificates::warnings(action, now).chain(of_signatures(action, now))
}

/// Warns of an end that leaves no occurrence.
fn of_end(terms: &Terms<'_>, definition: &Definition, now: Timestamp) -> Option<Warning> {
    let end = definition.recurrence.as_ref().and_then(Recurrence::end)?;
    let text = format!("no occurrence is left up to {end}");
    terms.timetable.first(now).is_none().then(|| Warning::new("recurrence.endTime", text))
}

/// Warns of a rule that means something else than it looks like.
fn of_rule(definition: &Definition) -> Vec<Warning> {
    let oddities = definition.recurrence.as_ref().map(Recurrence::oddities).unwrap_or_default();
    oddities.into_iter().map(|odd| Warning::new(format!("recurrence.{}", odd.path), odd.text)).collect()
}

/// Warns of retries that go on when the next occurrence is due already.
fn of_retries(terms: &Terms<'_>, now: Timestamp) -> Option<Warning> {
    let first = terms.timetable.first(now).filter(|_| terms.options.overlap() == Overlap::Skip)?;
    let ticks = terms.retries.delays_ticks();
    let number = terms.timetable.count(first.saturating_add(1)..first.saturating_add(ticks + 1));
    let text = format!(
        "retrying takes up to {} seconds; an occurrence that fails each time keeps {number} from running",
        ticks / TICKS_PER_SECOND
    );
    (number > 0).then(|| Warning::new("action.retryPolicy", text))
}

/// Warns of shared access signatures that the storage service will refuse, by what they say themselves.
fn of_signatures(action: &Action, now: Timestamp) -> Vec<Warning> {
    let warnings = action.targets().filter_map(|(path, target)| match target {
        Target::StorageQueue(queue) => {
            let flaws = SasToken::new(&queue.sas_token).flaws(now);
            let text = format!("the service will refuse it: {}", flaws.join("; "));
            (!flaws.is_empty()).then(|| Warning::new(format!("{path}.queueMessage.sasToken"), text))
        }
        Target::Http(_) | Target::ServiceBus(_) | Target::Email(_) => None,
    });
    warnings.collect()
}

/// What is odd about a definition that replaces another one, and was not odd before. Certificates and signatures expire by
/// themselves, so they are looked at each time.
pub(super) fn of_edit(
    old: &Definition,
    new: &Definition,
    [old_terms, new_terms]: [&Terms<'_>; 2],
    progress: &Progress,
    context: &EditContext,
) -> Vec<Warning> {
    let now = context.now;
    let has_new_retries = old_terms.timetable != new_terms.timetable || old.action.retry != new.action.retry;
    // The default policy is nobody's choice: its limits matter to those whose job has failed.
    let matters = if new.action.retry.is_some() { has_new_retries } else { context.failures > 0 };
    let dropped = of_dropped(old, new, old_terms.timetable.next(now), progress.next_nominal(new_terms, now));
    let retries = of_retries(new_terms, now).filter(|_| matters);
    let sign = of_sign(new).filter(|_| of_sign(old).is_none());
    let is_new_rule = old.recurrence != new.recurrence;
    let rule = if is_new_rule { of_rule(new) } else { Vec::new() };
    let times = of_end(new_terms, new, now).into_iter().chain(rule).chain(retries);
    let placeholders = of_placeholders(new).filter(|_| of_placeholders(old).is_none());
    times.chain(sign).chain(placeholders).chain(of_credentials(&new.action, now)).chain(dropped).collect()
}

/// Warns of signing where nothing is signed.
fn of_sign(definition: &Definition) -> Option<Warning> {
    let action = &definition.action;
    let calls_http = action.targets().any(|(_, target)| matches!(target, Target::Http(_)));
    let text = "only HTTP calls are signed, and this job makes none";
    (action.sign.is_some() && !calls_http).then(|| Warning::new("options.sign", text))
}

/// Warns of placeholders that nobody has switched on.
fn of_placeholders(definition: &Definition) -> Option<Warning> {
    let has_some = |(_, target): (&str, &Target)| Filling::Gaps.fill(target) != *target;
    let is_undecided = definition.options.parts().placeholders.is_none();
    let text =
        "the action has placeholders, which are sent as they are written; set this to true to have them filled in";
    (is_undecided && definition.action.targets().any(has_some)).then(|| Warning::new("options.placeholders", text))
}

/// Warns of members that an edit dropped and that clients of the original API cannot know.
fn of_dropped(old: &Definition, new: &Definition, was: Option<Timestamp>, is: Option<Timestamp>) -> Option<Warning> {
    let kept = extensions(new);
    let dropped: Vec<_> = extensions(old).into_iter().filter(|extension| !kept.contains(extension)).collect();
    let written = |next: Option<Timestamp>| next.map_or("never".to_owned(), |next| next.to_string());
    let moved =
        if was == is { String::new() } else { format!("; the next run was {}, is {}", written(was), written(is)) };
    let text = format!("dropped, since the new definition has none{moved}");
    (!dropped.is_empty()).then(|| Warning::new(dropped.join(", "), text))
}

/// The members of a definition that the original API does not have.
fn extensions(definition: &Definition) -> Vec<String> {
    let mut members = Vec::new();
    if let Some(recurrence) = &definition.recurrence {
        members.extend(recurrence.time_zone().map(|_| "recurrence.timeZone".to_owned()));
        match recurrence.rule() {
            Rule::Cron(_) => members.push("recurrence.cron".to_owned()),
            Rule::Every(every) => {
                members
                    .extend((every.frequency() == Frequency::Year).then_some("recurrence.frequency Year".to_owned()));
                let has_months = every.schedule().is_some_and(|schedule| !schedule.months().is_empty());
                members.extend(has_months.then_some("recurrence.schedule.months".to_owned()));
            }
        }
    }
    let action = &definition.action;
    members.extend(of_action("action", &action.target, action.retry.as_ref()));
    if let Some(error) = &action.error {
        members.extend(of_action("action.errorAction", &error.target, error.retry.as_ref()));
    }
    let options = definition.options.parts();
    let named = [
        ("options.timeout", options.timeout.is_some()),
        ("options.jitter", options.jitter.is_some()),
        ("options.overlap", options.overlap.is_some()),
        ("options.catchUp", options.catch_up.is_some()),
        ("options.catchUpMax", options.catch_up_max.is_some()),
        ("options.catchUpSpacing", options.catch_up_spacing.is_some()),
        ("options.success", options.success.is_some()),
        ("options.placeholders", options.placeholders.is_some()),
        ("options.sign", action.sign.is_some()),
    ];
    members.extend(named.into_iter().filter_map(|(member, is_named)| is_named.then_some(member.to_owned())));
    members
}

fn of_action(path: &str, target: &Target, retry: Option<&RetryPolicy>) -> Vec<String> {
    let queue = if let Target::StorageQueue(queue) = target { Some(queue) } else { None };
    let is_exponential = retry.is_some_and(|policy| policy.kind() == RetryKind::Exponential);
    let named = [
        ("retryPolicy.retryType Exponential", is_exponential),
        ("queueMessage.format", queue.is_some_and(|queue| queue.format.is_some())),
        ("queueMessage.timeToLive", queue.is_some_and(|queue| queue.time_to_live.is_some())),
        ("queueMessage.visibilityDelay", queue.is_some_and(|queue| queue.visibility_delay.is_some())),
    ];
    named.into_iter().filter(|(_, is_named)| *is_named).map(|(member, _)| format!("{path}.{member}")).collect()
}

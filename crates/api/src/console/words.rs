//! What a job does and when, why it failed, and what helps, in plain sentences.

use maud::{Markup, html};
use punctual_model::action::{Action, Entity, MASK, Target, mask_address};
use punctual_model::collection::Sku;
use punctual_model::failure::{Failure, FailureClass, status_phrase};
use punctual_model::history::{NotRun, Reason};
use punctual_model::job::Definition;
use punctual_model::recurrence::{Anchor, Timetable};
use punctual_model::retry::{Retries, retry_interval_ticks_default};

use super::numbers::{counted, span};

/// When a job runs: "At 02:30 every day, Europe/Prague".
pub(super) fn schedule(definition: &Definition, anchor: Anchor) -> String {
    let recurrence = definition.recurrence.as_ref();
    let described = Timetable::new(recurrence, anchor).map(|timetable| timetable.describe(recurrence));
    match described {
        Ok(text) => without_anchor(&text),
        Err(_) => "Never".to_owned(),
    }
}

/// The words without the instant that a series is counted from: it matters to who looks closely only.
pub(super) fn without_anchor(text: &str) -> String {
    let Some((before, after)) = text.split_once(", counted from ") else { return text.to_owned() };
    match after.split_once(", ") {
        Some((_, rest)) => format!("{before}, {rest}"),
        None => before.to_owned(),
    }
}

/// What is called, for who may see all of its address or not.
fn address(uri: &str, may_write: bool) -> String {
    if may_write { uri.to_owned() } else { mask_address(uri, MASK) }
}

/// What a job does, in a few words: "POST billing.acme.example/ledger/close", "Queue acmeprod/dunning".
pub(super) fn target(target: &Target, may_write: bool) -> String {
    match target {
        Target::Http(http) => {
            let uri = address(http.uri.as_str(), may_write);
            let short = uri.split_once("://").map_or(&*uri, |(_, rest)| rest);
            let short = short.split(['?', '#']).next().unwrap_or(short);
            format!("{} {short}", http.method)
        }
        Target::StorageQueue(queue) => format!("Queue {}/{}", queue.account, queue.queue),
        Target::ServiceBus(bus) => match &bus.entity {
            Entity::Queue(name) => format!("Service Bus queue {}/{name}", bus.namespace),
            Entity::Topic(name) => format!("Service Bus topic {}/{name}", bus.namespace),
        },
        Target::Email(_) => "E-mail".to_owned(),
    }
}

/// What an action does, as the rest of a sentence that begins with "it".
fn does(target: &Target, may_write: bool) -> Markup {
    html! {
        @match target {
            Target::Http(http) => {
                "sends " b { (http.method) } " to " code { (address(http.uri.as_str(), may_write)) }
            }
            Target::StorageQueue(queue) => {
                "puts a message on queue " code { (queue.account) "/" (queue.queue) }
            }
            Target::ServiceBus(bus) => {
                @match &bus.entity {
                    Entity::Queue(name) => { "sends a message to Service Bus queue " code { (bus.namespace) "/" (name) } }
                    Entity::Topic(name) => { "sends a message to Service Bus topic " code { (bus.namespace) "/" (name) } }
                }
            }
            Target::Email(_) => "sends an e-mail"
        }
    }
}

/// The whole definition in sentences.
pub(super) fn definition(definition: &Definition, anchor: Anchor, sku: Option<Sku>, may_write: bool) -> Markup {
    let action = &definition.action;
    html! {
        p.define {
            b { (schedule(definition, anchor)) } ", it " (does(&action.target, may_write)) ". "
            (retries(action, sku))
            @if let Some(error) = &action.error {
                " After the last failure it " (does(&error.target, may_write)) "."
            }
        }
    }
}

fn retries(action: &Action, sku: Option<Sku>) -> String {
    let retries = Retries::new(action.retry.as_ref(), retry_interval_ticks_default(sku));
    if retries.count == 0 {
        return "If that fails it is not tried again.".to_owned();
    }
    let delays: Vec<_> = (0..retries.count.min(4)).map(|attempt| span(retries.delay_ticks(attempt))).collect();
    let times = counted(retries.count.into(), "time", "times");
    let is_even = delays.iter().all(|delay| *delay == delays[0]);
    if is_even {
        return format!("If that fails it is tried {times} more, {} apart.", delays[0]);
    }
    let more = if retries.count > 4 { " and so on" } else { "" };
    format!("If that fails it is tried {times} more, after {}{more}.", delays.join(", "))
}

/// Why something failed, with what matters in bold.
pub(super) fn reason(failure: &Failure) -> Markup {
    match (failure.class, failure.code) {
        (FailureClass::Status, Some(code)) if failure.detail.is_empty() => {
            html! { (failure.host) " answered " b { (status_phrase(code)) } }
        }
        (FailureClass::Name, None) => html! { "There is " b { "no host named " (failure.host) } },
        (FailureClass::Connection, None) => html! { (failure.host) " " b { "takes no connections" } },
        (FailureClass::Timeout, None) => html! { b { "No answer in time" } " from " (failure.host) },
        _ => html! { (failure.sentence().trim_end_matches('.')) },
    }
}

/// The same in three or four words, for a row of a table.
pub(super) fn short_reason(failure: &Failure) -> String {
    match (failure.class, failure.code) {
        (FailureClass::SuccessRule, _) => "text missing".to_owned(),
        (_, Some(code)) => code.to_string(),
        (FailureClass::Name, None) => "no such host".to_owned(),
        (FailureClass::Connection, None) => "no connection".to_owned(),
        (FailureClass::Timeout, None) => "no answer".to_owned(),
        (FailureClass::Trust, None) => "certificate".to_owned(),
        (FailureClass::Policy, None) => "not allowed".to_owned(),
        (FailureClass::Proxy, None) => "proxy".to_owned(),
        (FailureClass::Credential, None) => "credentials".to_owned(),
        (FailureClass::Protocol | FailureClass::Target | FailureClass::Status, None) => "failed".to_owned(),
    }
}

/// What most likely helps, if an edit does: what the button says, and the field it leads to.
pub(super) const fn remedy(failure: &Failure) -> Option<(&'static str, &'static str)> {
    match (failure.class, failure.code) {
        (FailureClass::Status, Some(401 | 403)) | (FailureClass::Credential, _) => {
            Some(("Edit credentials", "action.request.authentication.type"))
        }
        (FailureClass::Status, Some(404 | 405 | 410))
        | (FailureClass::Name | FailureClass::Policy | FailureClass::Protocol, _) => {
            Some(("Edit address", "action.request.uri"))
        }
        (FailureClass::Timeout, _) => Some(("Raise time limit", "options.timeout")),
        (FailureClass::SuccessRule, _) => Some(("Edit success rule", "options.success.contains")),
        (FailureClass::Target, _) => Some(("Edit queue", "action.type")),
        _ => None,
    }
}

/// Why times were not run: "because an earlier one was still running".
pub(super) const fn because(reason: Reason) -> &'static str {
    match reason {
        Reason::Overlap => "an earlier one was still running or waiting for a retry",
        Reason::Missed => "nothing could start them in their time",
        Reason::Disabled => "the job or its collection was disabled",
        Reason::Paused => "everything was paused",
        Reason::Shadow => "the job is a shadow, which only records what it would call",
    }
}

/// "Not run: everything was paused", for one or many.
pub(super) fn not_run(range: &NotRun) -> String {
    let number = if range.number == 1 { String::new() } else { format!("{} ", counted(range.number, "run", "runs")) };
    format!("{number}not run: {}", because(range.reason))
}

//! Alerts: what is open, whether everyone who should know was told, who is told of what, and what was sent.

use maud::{Markup, html};
use punctual_model::action::{EmailAddress, Target};
use punctual_model::alert::{Conditions, Slow};
use punctual_model::time::{Span, TICKS_PER_DAY};
use punctual_store::{AlertEntry, DeliveryEntry, DeliveryPage};

use super::access::scope_words;
use crate::api::Api;
use crate::console::frame::{Page, Tab, token};
use crate::console::glyph::Glyph;
use crate::console::numbers::{counted, span};
use crate::console::people::People;
use crate::console::reply::Reply;
use crate::console::visitor::Visitor;
use crate::fault::Fault;
use crate::operations::{self, IncidentFilter, ListedIncident};

/// Incidents and messages that are shown.
const SHOWN: usize = 30;

/// What the page is drawn of.
struct Read {
    alerts: Vec<AlertEntry>,
    open: Vec<ListedIncident>,
    closed: Vec<ListedIncident>,
    messages: Vec<DeliveryEntry>,
    people: People,
}

/// Draws the page.
pub(in crate::console) async fn show(api: &Api, visitor: &Visitor) -> Result<Reply, Fault> {
    let (operations, caller) = (&api.operations, &visitor.caller);
    let alerts = operations::list_alerts(operations, caller).await?;
    let incidents = |is_open| IncidentFilter { alert: None, is_open: Some(is_open) };
    let (open, _) = operations::list_incidents(operations, caller, &incidents(true), None, SHOWN).await?;
    let (closed, _) = operations::list_incidents(operations, caller, &incidents(false), None, 10).await?;
    let sent = operations.alerts.deliveries(DeliveryPage { alert: None, before: None, limit: 200 }).await?;
    let is_seen = |message: &DeliveryEntry| alerts.iter().any(|alert| alert.id == message.alert);
    let messages = sent.into_iter().filter(is_seen).take(SHOWN).collect();
    let read = Read { people: People::read(api, visitor).await?, alerts, open, closed, messages };
    let content = html! {
        div.head { div { h1 { (heading(visitor, &read)) } } }
        div.two {
            div {
                @if read.alerts.is_empty() { (none(visitor)) } @else {
                    (open_incidents(api, visitor, &read))
                    (list(visitor, &read))
                    (sent_messages(visitor, &read))
                }
            }
            aside { (beside(api, visitor, &read)) }
        }
    };
    let page = Page { is_lead: true, ..Page::new("Alerts", Tab::Alerts, content) };
    Ok(Reply::page(page.show(visitor)))
}

fn heading(visitor: &Visitor, read: &Read) -> String {
    if read.alerts.is_empty() {
        return "Nobody is told if a job fails.".to_owned();
    }
    let now = visitor.caller.now;
    // What is on its way and has failed already has not got through either.
    let is_lost = |it: &&DeliveryEntry| match &it.outcome {
        Some(outcome) => outcome.failure.is_some() && now.since(it.at) < TICKS_PER_DAY,
        None => it.failed_attempts > 0,
    };
    let lost = read.messages.iter().filter(is_lost).count() as u64;
    let open = read.open.len() as u64;
    match (open, lost) {
        (0, 0) => match read.closed.first().and_then(|it| it.entry.closed_at) {
            Some(at) => format!(
                "Nothing is wrong that an alert watches. The last incident closed {}.",
                visitor.times().short(at)
            ),
            None => "Nothing is wrong that an alert watches.".to_owned(),
        },
        (_, 0) => format!("{} open. Everyone who should know was told.", counted(open, "incident is", "incidents are")),
        (_, lost) => format!(
            "{} open. {} not got through.",
            counted(open, "incident is", "incidents are"),
            counted(lost, "message has", "messages have")
        ),
    }
}

fn none(visitor: &Visitor) -> Markup {
    html! {
        section.first {
            div.sec { h2 { "Make the first alert" } }
            p { "An alert watches a job, a collection or the whole server, and tells a webhook, Slack, Teams, PagerDuty, Alertmanager, a queue or an e-mail address." }
            @if visitor.may_write_something() {
                pre { "punctual alert set oncall --when failing,recovered --post https://hooks.example/…" }
                p.dim.s { "Or PUT /v1/alerts/{name}; the " a href="/openapi.json" { "description of the API" } " has every condition." }
            }
        }
    }
}

fn open_incidents(api: &Api, visitor: &Visitor, read: &Read) -> Markup {
    let times = visitor.times();
    html! {
        section.first aria-labelledby="open" {
            div.sec { h2 #open { "Open" } span.dim { "one for each target and kind of failure" } }
            ul.inbox #incidents data-live {
                @for it in &read.open {
                    @let incident = &it.entry.incident;
                    li data-row {
                        (Glyph::Failed.named("open"))
                        div {
                            p.why { (it.headline(&api.settings.defaults)) }
                            p.who { b { (it.alert) } " · " (incident.trouble.name()) " · " (counted(incident.members.troubled, "job", "jobs")) @if incident.members.well > 0 { ", " (incident.members.well) " well again" } }
                            p.s.dim {
                                "Open for " (span(times.now.since(incident.opened_at))) ", since " (times.show(incident.opened_at)) ". "
                                @match incident.told_at { Some(at) => { "Told at " (times.show(at)) @if let Some(last) = incident.last_told_at.filter(|last| *last > at) { ", last at " (times.show(last)) } "." } None => "Not told yet." }
                                @if let Some(mute) = &it.entry.mute { span.warn { " Muted by " (read.people.name(visitor, &mute.by)) " until " (times.short(mute.until)) "." } }
                            }
                        }
                        div.do { @if may_write(visitor, read, &it.alert) { (mutes(visitor, &format!("incident {}", it.entry.id.0), it.entry.mute.is_some())) } }
                    }
                }
                @if read.open.is_empty() { li { (Glyph::Ran.plain()) p.dim { "No incident is open." } } }
            }
        }
    }
}

fn may_write(visitor: &Visitor, read: &Read, alert: &punctual_model::Name) -> bool {
    read.alerts.iter().any(|entry| entry.name == *alert && operations::may_write(&visitor.caller, entry))
}

/// Forms that mute something, or let it speak again.
fn mutes(visitor: &Visitor, what: &str, is_muted: bool) -> Markup {
    let button = |value: &str, label: &str| {
        html! {
            form method="post" action="/alerts" { (token(visitor)) input type="hidden" name="what" value=(what); button.sm name="do" value=(value) { (label) } }
        }
    };
    html! { @if is_muted { (button("unmute", "Unmute")) } @else { (button("hour", "Mute for an hour")) (button("day", "Mute for a day")) } }
}

fn list(visitor: &Visitor, read: &Read) -> Markup {
    html! {
        section aria-labelledby="alerts" {
            div.sec { h2 #alerts { "Alerts" } span.dim { (read.alerts.len()) } }
            table.cards {
                thead { tr { th { "Alert" } th { "When" } th { "Whom" } th { "Last message" } th.r { span.vh { "Try" } } } }
                tbody { @for entry in &read.alerts { (alert_row(visitor, read, entry)) } }
            }
        }
    }
}

fn alert_row(visitor: &Visitor, read: &Read, entry: &AlertEntry) -> Markup {
    let times = visitor.times();
    let last = read.messages.iter().find(|message| message.alert == entry.id);
    let scope = &entry.alert.scope;
    html! {
        tr data-row {
            th scope="row" { b { (entry.name) } br; span.dim.s { @if let Some(job) = &scope.job { "job " (job) " in " } (scope_words(&scope.scope)) } }
            td.full { (conditions(&entry.alert.conditions)) }
            td { (whom(entry)) }
            td {
                @if let Some(mute) = entry.mute.as_ref().filter(|mute| mute.until > times.now) {
                    span.warn { "muted by " (read.people.name(visitor, &mute.by)) " until " (times.short(mute.until)) }
                } @else if let Some(message) = last { (times.show(message.at)) " " (message.kind.name()) @if message.outcome.as_ref().is_some_and(|it| it.failure.is_some()) { span.bad { " failed" } } }
                @else { span.dim { "none yet" } }
            }
            td.r {
                @if operations::may_write(&visitor.caller, entry) {
                    form method="post" action="/alerts" { (token(visitor)) input type="hidden" name="what" value={ "alert " (entry.name) }; button.sm name="do" value="test" aria-label={ "Send a test of " (entry.name) } { "Send a test" } }
                }
            }
        }
    }
}

/// When an alert tells, in words.
fn conditions(conditions: &Conditions) -> String {
    let length = |span: &Span| crate::console::numbers::span(span.ticks());
    let mut words = Vec::new();
    words.extend(
        conditions
            .failing
            .map(|n| if n == 1 { "an attempt fails".to_owned() } else { format!("{n} attempts fail in a row") }),
    );
    words.extend(conditions.recovered.then(|| "recovers".to_owned()));
    words.extend(conditions.given_up.then(|| "a run is given up".to_owned()));
    words.extend(conditions.ended.then(|| "a job ends".to_owned()));
    words.extend(conditions.late.as_ref().map(|it| format!("starts {} late", length(it))));
    words.extend(conditions.slow.as_ref().map(|it| match it {
        Slow::Longer(it) => format!("takes longer than {}", length(it)),
        Slow::Times(n) => format!("takes {n} times as long as usual"),
    }));
    words.extend(conditions.silent.as_ref().map(|it| format!("silent for {}", length(it))));
    words.extend(conditions.stale.as_ref().map(|it| format!("no success for {}", length(it))));
    words.extend(conditions.expiring.as_ref().map(|it| format!("something expires within {}", length(it))));
    words.extend(conditions.operator.then(|| "the server itself is in trouble".to_owned()));
    words.join(", ")
}

fn whom(entry: &AlertEntry) -> String {
    match &entry.action.target {
        Target::Email(email) => format!("e-mail to {}", email.to.first().map(EmailAddress::as_str).unwrap_or_default()),
        target => format!("{}, {}", entry.alert.form.name(), target.label()),
    }
}

fn sent_messages(visitor: &Visitor, read: &Read) -> Markup {
    let times = visitor.times();
    let name =
        |message: &DeliveryEntry| read.alerts.iter().find(|it| it.id == message.alert).map(|it| it.name.to_string());
    html! {
        section aria-labelledby="messages" {
            div.sec { h2 #messages { "Messages" } span.dim { "newest first" } }
            table.cards #sent data-live {
                thead { tr { th { "Sent" } th { "What" } th { "To" } th { "What came of it" } } }
                tbody {
                    @for message in &read.messages {
                        tr {
                            td { (times.show(message.at)) }
                            td.full { (message.headline) }
                            td.dim { (name(message).unwrap_or_default()) }
                            td {
                                @match &message.outcome {
                                    None => { (Glyph::Waiting.plain()) " on its way" @if message.failed_attempts > 0 { ", " (counted(message.failed_attempts.into(), "attempt", "attempts")) " failed" } }
                                    Some(outcome) => @match &outcome.failure {
                                        None => { (Glyph::Ran.plain()) " arrived after " (span(outcome.at.since(message.at))) }
                                        Some(failure) => { (Glyph::Failed.plain()) " " span.bad { (failure) } }
                                    }
                                }
                            }
                        }
                    }
                }
            }
            @if read.messages.is_empty() { p.dim.empty { "None was sent yet. Send a test to see whether one arrives." } }
        }
    }
}

fn beside(api: &Api, visitor: &Visitor, read: &Read) -> Markup {
    let times = visitor.times();
    html! {
        section aria-labelledby="closed" {
            div.sec { h2 #closed { "Closed lately" } }
            ul.due.log {
                @for it in &read.closed {
                    @let closed = it.entry.closed_at.unwrap_or(times.now);
                    li { (times.show(closed)) span { (it.headline(&api.settings.defaults)) } span.dim.s { (span(closed.since(it.entry.incident.opened_at))) } }
                }
                @if read.closed.is_empty() { li { span {} span.dim { "None." } span {} } }
            }
        }
    }
}

//! The form: what it does, when, if it fails, limits.

use maud::{Markup, html};

use super::Editor;
use super::fields::{ACTIONS, CREDENTIALS};
use crate::console::draft::get;

const WEEKDAYS: [&str; 7] = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"];

/// The name and the collection of a new job.
pub(super) fn naming(editor: &Editor<'_>) -> Markup {
    let chosen = editor.draft.collection.as_ref();
    let complaint = editor.complaint("name");
    html! {
        fieldset {
            legend { "Name" }
            div.f {
                label for="name" { "Job" }
                input #name name="name" value=(editor.draft.name) placeholder="nightly-report" aria-invalid=[complaint.map(|_| "true")];
                p.err data-err="name" { @if let Some(complaint) = complaint { (complaint.problem) } }
            }
            div.f {
                label for="collection" { "Collection" }
                select #collection name="collection" {
                    @for key in &editor.collections {
                        option value={ (key.subscription) "/" (key.group) "/" (key.collection) } selected[chosen == Some(key)] { (key.collection) }
                    }
                }
            }
        }
    }
}

pub(super) fn all(editor: &Editor<'_>) -> Markup {
    html! { (what(editor)) (when(editor)) (fails(editor)) (limits(editor)) }
}

/// A field of one line.
struct Field<'a> {
    path: &'a str,
    label: &'a str,
    hint: &'a str,
    placeholder: &'a str,
}

impl Field<'_> {
    fn draw(&self, editor: &Editor<'_>, control: &Markup) -> Markup {
        let complaint = editor.complaint(self.path);
        html! {
            div.f {
                label for=(self.path) { (self.label) }
                (control)
                p.err data-err=(self.path) { @if let Some(complaint) = complaint { (complaint.problem) } }
                @if !self.hint.is_empty() { p.hint { (self.hint) } }
            }
        }
    }

    fn line(&self, editor: &Editor<'_>) -> Markup {
        let invalid = editor.complaint(self.path).map(|_| "true");
        let is_short =
            ["interval", "count", "retryCount", "retryInterval", "retryIntervalMax", "timeout", "jitter", "method"]
                .contains(&self.path.rsplit('.').next().unwrap_or_default());
        let control = html! { input.short[is_short] id=(self.path) name=(self.path) value=(editor.draft.text(self.path)) placeholder=(self.placeholder) aria-invalid=[invalid]; };
        self.draw(editor, &control)
    }

    fn area(&self, editor: &Editor<'_>, rows: u8) -> Markup {
        let invalid = editor.complaint(self.path).map(|_| "true");
        let control = html! { textarea id=(self.path) name=(self.path) rows=(rows) placeholder=(self.placeholder) spellcheck="false" aria-invalid=[invalid] { (editor.draft.text(self.path)) } };
        self.draw(editor, &control)
    }

    fn secret(&self, editor: &Editor<'_>, is_set: bool) -> Markup {
        let placeholder = if is_set { "set; it is kept unless you type another" } else { self.placeholder };
        let control = html! { input id=(self.path) name=(self.path) type="password" autocomplete="new-password" placeholder=(placeholder); };
        self.draw(editor, &control)
    }

    fn choice(&self, editor: &Editor<'_>, options: &[(&str, &str)]) -> Markup {
        let value = editor.draft.text(self.path);
        let control = html! {
            select id=(self.path) name=(self.path) { @for (name, label) in options { option value=(name) selected[value.eq_ignore_ascii_case(name)] { (label) } } }
        };
        self.draw(editor, &control)
    }
}

const fn field<'a>(path: &'a str, label: &'a str, placeholder: &'a str, hint: &'a str) -> Field<'a> {
    Field { path, label, hint, placeholder }
}

/// Buttons of which one is chosen.
fn radios(name: &str, label: &str, chosen: &str, options: &[(&str, &str)]) -> Markup {
    html! {
        div.f role="radiogroup" aria-label=(label) {
            span.lab { (label) }
            div { span.seg { @for (value, text) in options { label { input type="radio" name=(name) value=(value) checked[*value == chosen]; (text) } } } }
        }
    }
}

fn what(editor: &Editor<'_>) -> Markup {
    let kinds = ACTIONS.map(|(name, _, label)| (name, label));
    html! {
        fieldset {
            legend { "What it does" }
            (radios("kind", "Kind", editor.draft.action(), &kinds))
            div.only-http { (http(editor)) }
            div.only-queue { (queue(editor)) }
            div.only-busQueue { (bus(editor, "action.serviceBusQueueMessage", "queueName", "Queue")) }
            div.only-busTopic { (bus(editor, "action.serviceBusTopicMessage", "topicPath", "Topic")) }
        }
    }
}

fn http(editor: &Editor<'_>) -> Markup {
    let kept = editor.key.is_some() && !editor.draft.credentials().is_empty();
    let place = |name: &str| format!("action.request.authentication.{name}");
    let line = |name: &str, label: &str, placeholder: &str| field(&place(name), label, placeholder, "").line(editor);
    let secret = |name: &str, label: &str| field(&place(name), label, "", "").secret(editor, kept);
    html! {
        (field("action.request.uri", "Address", "https://example.com/path", "").line(editor))
        (field("action.request.method", "Method", "GET, or POST if there is a body", "").line(editor))
        (field("action.request.headers", "Headers", "content-type: application/json", "One a line. Readers of the collection see the names, not the values.").area(editor, 2))
        (field("action.request.body", "Body", "", "").area(editor, 4))
        (radios("credentials", "Credentials", editor.draft.credentials(), &CREDENTIALS))
        div.only-basic { (line("username", "User", "")) (secret("password", "Password")) }
        div.only-oauth { (line("tenant", "Tenant", "contoso.onmicrosoft.com")) (line("audience", "Audience", "https://management.core.windows.net/")) (line("clientId", "Client id", "")) (secret("secret", "Secret")) }
        div.only-certificate {
            (certificate(editor))
            (field(&place("pfx"), "Certificate", "", "A PFX file in base64; it is kept unless you paste another. Its password goes with it in the JSON view.").area(editor, 2))
        }
    }
}

/// What is known of the certificate that is stored.
fn certificate(editor: &Editor<'_>) -> Markup {
    let text = |name: &str| editor.draft.text(&format!("action.request.authentication.{name}"));
    let subject = text("certificateSubjectName");
    if subject.is_empty() {
        return html! {};
    }
    html! { div.f { span.lab { "Now" } p { (subject) ", ends " (text("certificateExpiration")) } } }
}

fn queue(editor: &Editor<'_>) -> Markup {
    let is_set = editor.key.is_some() && get(&editor.draft.json, "action.queueMessage").is_some();
    html! {
        (field("action.queueMessage.storageAccount", "Account", "acmeprod", "").line(editor))
        (field("action.queueMessage.queueName", "Queue", "orders", "").line(editor))
        (field("action.queueMessage.sasToken", "Signature", "?sv=…&sig=…", "A shared access signature that may add messages.").secret(editor, is_set))
        (field("action.queueMessage.message", "Message", "", "").area(editor, 4))
    }
}

fn bus(editor: &Editor<'_>, place: &str, entity: &str, label: &str) -> Markup {
    let is_set = editor.key.is_some() && get(&editor.draft.json, place).is_some();
    let path = |name: &str| format!("{place}.{name}");
    html! {
        (field(&path("namespace"), "Namespace", "acme", "").line(editor))
        (field(&path(entity), label, "", "").line(editor))
        (field(&path("message"), "Message", "", "").area(editor, 4))
        (field(&path("authentication.sasKeyName"), "Key name", "RootManageSharedAccessKey", "").line(editor))
        (field(&path("authentication.sasKey"), "Key", "", "").secret(editor, is_set))
        (field(&path("customMessageProperties"), "Own properties", "tenant: acme", "One a line. The broker’s properties are in the JSON view.").area(editor, 2))
    }
}

fn when(editor: &Editor<'_>) -> Markup {
    let frequencies = [
        ("minute", "minutes"),
        ("hour", "hours"),
        ("day", "days"),
        ("week", "weeks"),
        ("month", "months"),
        ("year", "years"),
    ];
    let chosen = editor.draft.text("recurrence.schedule.weekDays").to_lowercase();
    html! {
        fieldset {
            legend { "When" }
            (radios("when", "Repeats", editor.draft.when(), &[("once", "Once"), ("every", "Every…"), ("cron", "Cron")]))
            div.only-every {
                (field("recurrence.interval", "Every", "1", "").line(editor))
                (field("recurrence.frequency", "Unit", "", "").choice(editor, &frequencies))
                (field("recurrence.schedule.hours", "At hours", "9, 17", "With commas between them; empty: counted from the start.").line(editor))
                (field("recurrence.schedule.minutes", "At minutes", "0, 30", "").line(editor))
                div.f {
                    span.lab #recurrence.schedule.weekDays { "On weekdays" }
                    div.days {
                        input type="hidden" name="recurrence.schedule.weekDays" value="";
                        @for day in WEEKDAYS { label { input type="checkbox" name="recurrence.schedule.weekDays" value=(day) checked[chosen.split(", ").any(|it| it == day)]; (&day[..3]) } }
                    }
                    p.err data-err="recurrence.schedule.weekDays" { @if let Some(complaint) = editor.complaint("recurrence.schedule.weekDays") { (complaint.problem) } }
                }
                (field("recurrence.schedule.monthDays", "On days of the month", "1, 15, -1", "Of monthly jobs; -1 is the last day.").line(editor))
            }
            div.only-cron { (field("recurrence.cron", "Expression", "30 2 * * 1-5", "Minute, hour, day, month, weekday.").line(editor)) }
            (field("startTime", "Starts", "2026-11-15T02:30:00Z", "Empty: when it is saved.").line(editor))
            div.not-once {
                (field("recurrence.timeZone", "Time zone", "Europe/Prague", "Empty: UTC.").line(editor))
                (field("recurrence.count", "Ends after", "", "So many runs; empty: never.").line(editor))
                (field("recurrence.endTime", "Ends at", "", "").line(editor))
            }
        }
    }
}

fn fails(editor: &Editor<'_>) -> Markup {
    let kinds = [("", "4 times, 30 s apart"), ("fixed", "fixed"), ("exponential", "exponential"), ("none", "never")];
    let error = get(&editor.draft.json, "action.errorAction").is_some();
    html! {
        fieldset {
            legend { "If it fails" }
            (field("action.retryPolicy.retryType", "Tried again", "", "").choice(editor, &kinds))
            (field("action.retryPolicy.retryCount", "Times", "4", "").line(editor))
            (field("action.retryPolicy.retryInterval", "Apart", "PT30S", "").line(editor))
            (field("action.retryPolicy.retryIntervalMax", "At most apart", "", "Of exponential retries.").line(editor))
            div.f { span.lab { "After the last" } p { @if error { "An error action is set; it is kept. " } @else { "Nothing. " } span.dim { "Error actions are edited in the JSON view (action.errorAction)." } } }
        }
    }
}

fn limits(editor: &Editor<'_>) -> Markup {
    let overlaps = [
        ("", "skip (default)"),
        ("skip", "skip: the next one is left out"),
        ("queue", "queue: it waits"),
        ("allow", "allow: both run"),
    ];
    let catch_ups = [
        ("", "latest (default)"),
        ("none", "none"),
        ("latest", "latest: the last missed one runs"),
        ("all", "all: every missed one runs"),
    ];
    html! {
        fieldset {
            legend { "Limits" }
            (field("options.timeout", "Time limit", "PT60S", "").line(editor))
            (field("options.overlap", "Still running", "", "").choice(editor, &overlaps))
            (field("options.catchUp", "After a downtime", "", "").choice(editor, &catch_ups))
            (field("options.jitter", "Spread", "PT2M", "Each start is moved by a random time up to this.").line(editor))
            (field("options.success.status", "Success is", "200-299", "Status codes with commas between them.").line(editor))
            (field("options.success.bodyContains", "and contains", "", "A text that the answer must hold.").line(editor))
        }
    }
}

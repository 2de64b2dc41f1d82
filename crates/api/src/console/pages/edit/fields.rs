//! The fields of the form. Each is called by the path of its member in the JSON of a job, so that what the form says and what
//! the API complains about meet in one name.

use punctual_store::CollectionKey;

use crate::console::draft::{get, set};
use crate::console::form::Form;
use crate::wire::Json;

/// How a field is written.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Text,
    Integer,
    /// Words with commas between them.
    Words,
    /// Whole numbers with commas between them.
    Integers,
    /// `name: value`, one a line.
    Pairs,
}

/// All fields but those that choose what others there are.
pub(super) const FIELDS: [(&str, Kind); 49] = [
    ("action.request.method", Kind::Text),
    ("action.request.uri", Kind::Text),
    ("action.request.headers", Kind::Pairs),
    ("action.request.body", Kind::Text),
    ("action.request.authentication.username", Kind::Text),
    ("action.request.authentication.password", Kind::Text),
    ("action.request.authentication.pfx", Kind::Text),
    ("action.request.authentication.tenant", Kind::Text),
    ("action.request.authentication.audience", Kind::Text),
    ("action.request.authentication.clientId", Kind::Text),
    ("action.request.authentication.secret", Kind::Text),
    ("action.queueMessage.storageAccount", Kind::Text),
    ("action.queueMessage.queueName", Kind::Text),
    ("action.queueMessage.sasToken", Kind::Text),
    ("action.queueMessage.message", Kind::Text),
    ("action.serviceBusQueueMessage.namespace", Kind::Text),
    ("action.serviceBusQueueMessage.queueName", Kind::Text),
    ("action.serviceBusQueueMessage.message", Kind::Text),
    ("action.serviceBusQueueMessage.authentication.sasKeyName", Kind::Text),
    ("action.serviceBusQueueMessage.authentication.sasKey", Kind::Text),
    ("action.serviceBusQueueMessage.customMessageProperties", Kind::Pairs),
    ("action.serviceBusTopicMessage.namespace", Kind::Text),
    ("action.serviceBusTopicMessage.topicPath", Kind::Text),
    ("action.serviceBusTopicMessage.message", Kind::Text),
    ("action.serviceBusTopicMessage.authentication.sasKeyName", Kind::Text),
    ("action.serviceBusTopicMessage.authentication.sasKey", Kind::Text),
    ("action.serviceBusTopicMessage.customMessageProperties", Kind::Pairs),
    ("action.retryPolicy.retryType", Kind::Text),
    ("action.retryPolicy.retryInterval", Kind::Text),
    ("action.retryPolicy.retryIntervalMax", Kind::Text),
    ("action.retryPolicy.retryCount", Kind::Integer),
    ("startTime", Kind::Text),
    ("recurrence.frequency", Kind::Text),
    ("recurrence.interval", Kind::Integer),
    ("recurrence.schedule.hours", Kind::Integers),
    ("recurrence.schedule.minutes", Kind::Integers),
    ("recurrence.schedule.weekDays", Kind::Words),
    ("recurrence.schedule.monthDays", Kind::Integers),
    ("recurrence.cron", Kind::Text),
    ("recurrence.timeZone", Kind::Text),
    ("recurrence.count", Kind::Integer),
    ("recurrence.endTime", Kind::Text),
    ("options.timeout", Kind::Text),
    ("options.overlap", Kind::Text),
    ("options.catchUp", Kind::Text),
    ("options.catchUpMax", Kind::Integer),
    ("options.jitter", Kind::Text),
    ("options.success.status", Kind::Words),
    ("options.success.bodyContains", Kind::Text),
];

/// The kinds of action: what a form calls them, the member that holds their message, and what people call them.
pub(super) const ACTIONS: [(&str, &str, &str); 4] = [
    ("http", "request", "HTTP call"),
    ("queue", "queueMessage", "Storage queue"),
    ("busQueue", "serviceBusQueueMessage", "Service Bus queue"),
    ("busTopic", "serviceBusTopicMessage", "Service Bus topic"),
];

/// Kinds of credentials, as the API and as people call them.
pub(super) const CREDENTIALS: [(&str, &str); 4] =
    [("", "None"), ("basic", "Basic"), ("clientCertificate", "Client certificate"), ("activeDirectoryOAuth", "OAuth")];

/// A job that is being written.
pub(super) struct Draft {
    pub(super) json: Json,
    /// The collection and the name, where the job is new.
    pub(super) collection: Option<CollectionKey>,
    pub(super) name: String,
}

impl Draft {
    /// The kind of action that the draft has.
    pub(super) fn action(&self) -> &'static str {
        let has = |member: &str| get(&self.json, &format!("action.{member}")).is_some();
        ACTIONS.into_iter().find(|(_, member, _)| has(member)).map_or("http", |(name, ..)| name)
    }

    /// When it runs: once, by a rule, or by a cron expression.
    pub(super) fn when(&self) -> &'static str {
        match get(&self.json, "recurrence") {
            None => "once",
            Some(rule) if get(rule, "cron").is_some() => "cron",
            Some(_) => "every",
        }
    }

    /// The kind of credentials, as the API calls it.
    pub(super) fn credentials(&self) -> &'static str {
        let kind = self.text("action.request.authentication.type");
        CREDENTIALS.into_iter().find(|(name, _)| name.eq_ignore_ascii_case(&kind)).map_or("", |(name, _)| name)
    }

    /// What a field shows.
    pub(super) fn text(&self, path: &str) -> String {
        get(&self.json, path).map(shown).unwrap_or_default()
    }

    /// Takes over what a form says. What the form has no field for stays as it is.
    pub(super) fn apply(&mut self, form: &Form) {
        let before = self.action();
        for (path, kind) in FIELDS {
            let Some(text) = form.all(path).next() else { continue };
            let joined: Vec<&str> = form.all(path).filter(|text| !text.is_empty()).collect();
            let value = if kind == Kind::Words { read(kind, &joined.join(",")) } else { read(kind, text) };
            set(&mut self.json, path, value);
        }
        if let Some(chosen) = form.get("kind") {
            for (name, member, _) in ACTIONS.into_iter().filter(|(name, ..)| *name != chosen) {
                let _ = name;
                set(&mut self.json, &format!("action.{member}"), None);
            }
            if chosen != before {
                set(&mut self.json, "action.type", None);
            }
        }
        self.apply_credentials(form);
        self.apply_timing(form);
    }

    fn apply_credentials(&mut self, form: &Form) {
        const PLACE: &str = "action.request.authentication";
        let chosen = form.all("credentials").next();
        let members: &[&str] = match chosen {
            Some("basic") => &["username", "password"],
            Some("activeDirectoryOAuth") => &["tenant", "audience", "clientId", "secret"],
            Some("clientCertificate") => {
                &["pfx", "password", "certificateThumbprint", "certificateExpiration", "certificateSubjectName"]
            }
            Some(_) => return set(&mut self.json, PLACE, None),
            None => return,
        };
        if let Some(Json::Object(known)) = get(&self.json, PLACE).cloned() {
            for (name, _) in known.iter().filter(|(name, _)| !members.contains(&&**name)) {
                set(&mut self.json, &format!("{PLACE}.{name}"), None);
            }
        }
        if let Some(chosen) = chosen {
            set(&mut self.json, &format!("{PLACE}.type"), Some(Json::Text(chosen.to_owned())));
        }
    }

    fn apply_timing(&mut self, form: &Form) {
        let gone: &[&str] = match form.get("when") {
            Some("once") => &["recurrence"],
            Some("every") => &["recurrence.cron", "recurrence.cronDialect"],
            Some("cron") => &["recurrence.frequency", "recurrence.interval", "recurrence.schedule"],
            _ => &[],
        };
        for path in gone {
            set(&mut self.json, path, None);
        }
    }
}

/// What a field says; nothing if it is empty.
fn read(kind: Kind, text: &str) -> Option<Json> {
    let trimmed = text.trim();
    if trimmed.is_empty() {
        return None;
    }
    // What is no number is complained about where it is read, in the words of the API.
    let number = |text: &str| match Json::parse(text.trim()) {
        Ok(number @ Json::Number(_)) => number,
        _ => Json::Text(text.trim().to_owned()),
    };
    let parts = || trimmed.split(',').map(str::trim).filter(|part| !part.is_empty());
    Some(match kind {
        Kind::Text => Json::Text(if text.contains('\n') { text.to_owned() } else { trimmed.to_owned() }),
        Kind::Integer => number(trimmed),
        Kind::Words => Json::List(parts().map(|part| Json::Text(part.to_owned())).collect()),
        Kind::Integers => Json::List(parts().map(number).collect()),
        Kind::Pairs => {
            let lines = trimmed.lines().filter(|line| !line.trim().is_empty());
            let pair = |line: &str| {
                let (name, value) = line.split_once(':').unwrap_or((line, ""));
                (name.trim().to_owned().into(), Json::Text(value.trim().to_owned()))
            };
            Json::Object(lines.map(pair).collect())
        }
    })
}

fn shown(json: &Json) -> String {
    match json {
        Json::Text(text) => text.clone(),
        Json::List(items) => items.iter().map(shown).collect::<Vec<_>>().join(", "),
        Json::Object(members) => {
            members.iter().map(|(name, value)| format!("{name}: {}", shown(value))).collect::<Vec<_>>().join("\n")
        }
        Json::Null => String::new(),
        other => other.to_string(),
    }
}

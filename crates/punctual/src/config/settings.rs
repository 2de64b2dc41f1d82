//! Every setting by its key, with its value and where that comes from, before anyone has asked what it means.
//!
//! The keys that exist are those of the defaults, in their order. A later layer replaces values and adds no key.

use std::fmt;

use punctual_model::Violation;
use toml::Value;

use super::nearest::nearest;

/// What an error or a listing shows in place of a secret.
const HIDDEN: &str = "(set)";

/// Keys whose values are never shown. The addresses of a database and of a proxy may hold a password, who knows the
/// address of a heartbeat can send one, and collectors take keys in headers.
const SECRET_KEYS: [&str; 6] =
    ["secrets.key", "store.url", "outbound.proxy", "email.password", "heartbeat.url", "telemetry.headers"];

/// The list of tables that hold secrets, and the members of them that are none.
const SECRET_TABLES: &str = "service_bus.keys";
const PUBLIC_MEMBERS: [&str; 3] = ["].namespace", "].name", "].scopes"];

/// All settings, each with the value of the last layer that has one.
#[derive(Debug)]
pub(crate) struct Settings {
    settings: Vec<Setting>,
}

/// One setting.
pub(crate) struct Setting {
    /// The dotted path: `server.tls.certificate`.
    pub(crate) key: String,
    pub(super) value: Value,
    /// The layer it comes from.
    pub(crate) origin: Origin,
}

/// Which layer a value comes from, and where it stands there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Origin {
    /// `config.default.toml`, in the binary.
    Default,
    /// The user's file.
    File { name: String, line: usize },
    /// A variable of the environment, by name.
    Environment(String),
    /// A flag of the command line.
    Flag(&'static str),
}

impl Settings {
    /// The built-in settings, by which all later ones are measured.
    pub(super) fn new(defaults: impl Iterator<Item = (String, Value)>) -> Self {
        let setting = |(key, value)| Setting { key, value, origin: Origin::Default };
        Self { settings: defaults.map(setting).collect() }
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &Setting> {
        self.settings.iter()
    }

    pub(super) fn get(&self, key: &str) -> Option<&Setting> {
        self.iter().find(|setting| setting.key == key)
    }

    /// Whether `key` names a table of settings: `server.tls`.
    pub(super) fn is_section(&self, key: &str) -> bool {
        self.iter().any(|setting| setting.key.strip_prefix(key).is_some_and(|rest| rest.starts_with('.')))
    }

    /// Lays a value over the one that is there; a key that does not exist is a violation.
    pub(super) fn put(&mut self, key: &str, value: Value, origin: Origin) -> Result<(), Violation> {
        match self.settings.iter_mut().find(|setting| setting.key == key) {
            Some(setting) => {
                setting.value = value;
                setting.origin = origin;
                Ok(())
            }
            None => Err(self.unknown(key, &origin)),
        }
    }

    /// Puts `settings` in the place of the one named `key`.
    pub(super) fn replace(&mut self, key: &str, settings: Self) {
        if let Some(at) = self.settings.iter().position(|setting| setting.key == key) {
            self.settings.splice(at..=at, settings.settings);
        }
    }

    /// A key that does not exist. Its value is not repeated: it may be a secret under a misspelt name.
    fn unknown(&self, key: &str, origin: &Origin) -> Violation {
        let is_below = |list: &&Setting| key.strip_prefix(&list.key).is_some_and(|rest| rest.starts_with('.'));
        let list = self.iter().filter(|setting| setting.value.is_array()).find(is_below);
        let expected = match (list, nearest(key, self.iter().flat_map(Setting::names))) {
            (Some(list), _) => format!("a list: [[{}]] for each of its tables", list.key),
            (None, Some(known)) => format!("{known}, which is the nearest"),
            (None, None) => "a key that `punctual check-config` lists".to_owned(),
        };
        Violation::new(origin.place(key), "an unknown key", expected)
    }
}

impl Setting {
    /// The value as an error may repeat it.
    pub(super) fn given(&self) -> String {
        self.shown(&self.value)
    }

    /// The value, or a part of it, as the file would have it; a secret is not shown.
    pub(super) fn shown(&self, value: &Value) -> String {
        if self.hides(value) { HIDDEN.to_owned() } else { to_text(value) }
    }

    /// The value as a listing may show it.
    pub(crate) fn value_shown(&self) -> Value {
        if self.hides(&self.value) { Value::String(HIDDEN.to_owned()) } else { self.value.clone() }
    }

    /// The line of a listing: `server.listen = ":7878"`.
    pub(crate) fn line(&self) -> String {
        format!("{} = {}", self.key, to_text(&self.value_shown()))
    }

    /// Its sections and its key: `server`, `server.tls`, `server.tls.key`.
    fn names(&self) -> impl Iterator<Item = &str> {
        let sections = self.key.match_indices('.').map(|(at, _)| &self.key[..at]);
        sections.chain([self.key.as_str()])
    }

    /// Whether showing the value would show a secret: by its key, or as part of an address.
    fn hides(&self, value: &Value) -> bool {
        let text = to_text(value);
        let is_empty = value.as_str().is_some_and(str::is_empty) || value.as_array().is_some_and(Vec::is_empty);
        let has_password = text.contains("://") && text.contains('@');
        has_password || (self.is_secret() && !is_empty)
    }

    fn is_secret(&self) -> bool {
        let is_public = |member: &str| PUBLIC_MEMBERS.iter().any(|public| member.ends_with(public));
        let member = self.key.strip_prefix(SECRET_TABLES);
        SECRET_KEYS.contains(&self.key.as_str()) || member.is_some_and(|member| !is_public(member))
    }
}

impl fmt::Debug for Setting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.line())
    }
}

impl Origin {
    /// The name of the layer.
    pub(crate) fn layer(&self) -> &'static str {
        match self {
            Self::Default => "default",
            Self::File { .. } => "file",
            Self::Environment(_) => "environment",
            Self::Flag(_) => "flag",
        }
    }

    /// Where the value stands in its layer; the defaults are all in one place.
    pub(crate) fn source(&self) -> Option<String> {
        match self {
            Self::Default => None,
            Self::File { name, line } => Some(format!("{name} line {line}")),
            Self::Environment(variable) => Some(variable.clone()),
            Self::Flag(flag) => Some((*flag).to_owned()),
        }
    }

    /// The key with where its value stands, as an error begins.
    pub(super) fn place(&self, key: &str) -> String {
        match self.source() {
            Some(source) => format!("{key} ({source})"),
            None => key.to_owned(),
        }
    }
}

/// A value on one line. `Debug` of a text escapes what a terminal would obey.
fn to_text(value: &Value) -> String {
    match value {
        Value::String(text) => format!("{text:?}"),
        Value::Array(items) => format!("[{}]", items.iter().map(to_text).collect::<Vec<_>>().join(", ")),
        Value::Table(members) => {
            let members: Vec<_> =
                members.iter().map(|(name, value)| format!("{name:?} = {}", to_text(value))).collect();
            format!("{{ {} }}", members.join(", "))
        }
        other => other.to_string(),
    }
}

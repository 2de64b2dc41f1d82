//! A call over HTTP, as a command line or another scheduler means it.

use punctual_arm::{Json, Value};
use punctual_model::action::Address;

use crate::draft::Draft;
use crate::fill::has_hole;
use crate::gather::Gather;
use crate::limits::NAME_CHARS_MAX;

/// Members of a query and headers that are mostly secrets.
const SECRET_NAMES: [&str; 11] =
    ["token", "key", "apikey", "api_key", "secret", "password", "passwd", "pwd", "sig", "code", "access_token"];

/// A call. Texts may have characters that stand for something missing.
#[derive(Clone, Debug, Default)]
pub(crate) struct Call {
    pub(crate) uri: String,
    pub(crate) method: Option<String>,
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) body: Option<String>,
    /// User and password.
    pub(crate) basic: Option<(String, String)>,
    /// In milliseconds.
    pub(crate) timeout_ms: Option<u64>,
    pub(crate) retry: Option<Retry>,
}

/// How a call is tried again.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Retry {
    pub(crate) kind: &'static str,
    pub(crate) count: i64,
    pub(crate) seconds: i64,
    pub(crate) seconds_max: Option<i64>,
}

impl Retry {
    /// No retries at all.
    pub(crate) const NONE: Self = Self { kind: "none", count: 0, seconds: 0, seconds_max: None };

    fn json(&self, line: u32) -> Json {
        let text = |text: String| Some(Json::new(line, text));
        if self.kind == "none" {
            return Json::object(line, [("retryType", text("none".to_owned()))]);
        }
        Json::object(
            line,
            [
                ("retryType", text(self.kind.to_owned())),
                ("retryCount", Some(Json::new(line, self.count.clamp(0, 20)))),
                ("retryInterval", text(format!("PT{}S", self.seconds.max(15)))),
                (
                    "retryIntervalMax",
                    self.seconds_max.and_then(|most| text(format!("PT{}S", most.max(self.seconds).max(15)))),
                ),
            ],
        )
    }
}

impl Call {
    /// The value of a header, by its name in any case.
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(known, _)| known.eq_ignore_ascii_case(name)).map(|(_, value)| value.as_str())
    }

    /// Adds a header. Of two with one name one is made, as HTTP allows it.
    pub(crate) fn add_header(&mut self, name: &str, value: &str) {
        match self.headers.iter_mut().find(|(known, _)| known.eq_ignore_ascii_case(name)) {
            Some((known, text)) => {
                let between = if known.eq_ignore_ascii_case("cookie") { "; " } else { ", " };
                text.push_str(between);
                text.push_str(value);
            }
            None => self.headers.push((name.to_owned(), value.to_owned())),
        }
    }

    /// Puts the call into a job, with what is to be said about it.
    pub(crate) fn put_into(&self, draft: &mut Draft, gather: &Gather<'_>) {
        let line = draft.line;
        let json = |text: &str| gather.fills.json(line, text);
        let headers = self.headers.iter().map(|(name, value)| (name.clone(), json(value))).collect::<Vec<_>>();
        let basic = self.basic.as_ref().map(|(user, password)| {
            Json::object(
                line,
                [("type", Some(json("Basic"))), ("username", Some(json(user))), ("password", Some(json(password)))],
            )
        });
        let request = Json::object(
            line,
            [
                ("uri", Some(json(&self.uri))),
                ("method", self.method.as_deref().map(json)),
                ("headers", (!headers.is_empty()).then(|| Json::new(line, Value::Object(headers)))),
                ("body", self.body.as_deref().map(json)),
                ("authentication", basic),
            ],
        );
        let retry = self.retry.as_ref().map(|retry| retry.json(line));
        draft.set("action", Json::object(line, [("request", Some(request)), ("retryPolicy", retry)]));
        if let Some(ms) = self.timeout_ms {
            let ms = ms.clamp(1_000, 30 * 60_000);
            let text =
                if ms % 1000 == 0 { format!("PT{}S", ms / 1000) } else { format!("PT{}.{:03}S", ms / 1000, ms % 1000) };
            draft.set_in("options", "timeout", text);
        }
        self.remark(draft);
    }

    fn remark(&self, draft: &mut Draft) {
        let Ok(address) = Address::parse(&self.uri) else { return };
        let query = address.query().unwrap_or_default();
        let is_secret = |pair: &&str| {
            let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
            !value.is_empty() && SECRET_NAMES.contains(&name.to_ascii_lowercase().as_str())
        };
        if let Some(pair) = query.split('&').find(is_secret) {
            let name = pair.split('=').next().unwrap_or_default();
            draft.note(format!(
                "a secret in the address ({name}=…) ends up in the logs of every proxy; in a header it does not"
            ));
        }
        let host = address.host();
        if matches!(host, "localhost" | "127.0.0.1" | "::1") {
            draft.by_hand(format!(
                "{host} is the machine of the server here: give the address by which that machine is reached, or allow it (egress)"
            ));
        } else if [".svc", ".cluster.local"].iter().any(|ending| host.ends_with(ending))
            || (!host.contains('.') && !host.contains(':'))
        {
            draft.by_hand(format!(
                "{host} is a name that only its own network knows: the server must be able to reach it"
            ));
        }
    }

    /// A name for the job, after the address.
    pub(crate) fn job_name(&self) -> Option<String> {
        if has_hole(&self.uri) && Address::parse(&self.uri).is_ok_and(|address| has_hole(address.host())) {
            return None;
        }
        let address = Address::parse(&self.uri).ok()?;
        let text = format!("{}{}", address.host(), address.path());
        let mut name = String::new();
        for c in text.chars() {
            if c.is_ascii_alphanumeric() {
                name.push(c.to_ascii_lowercase());
            } else if !name.ends_with('-') {
                name.push('-');
            }
        }
        let name: String = name.trim_matches('-').chars().take(NAME_CHARS_MAX).collect();
        let name = name.trim_matches('-').to_owned();
        (!name.is_empty()).then_some(name)
    }
}

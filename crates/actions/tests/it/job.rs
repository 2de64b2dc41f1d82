//! Jobs for tests, and what came of them.

use std::sync::Arc;
use std::time::Duration;

use punctual_actions::egress::Egress;
use punctual_actions::{Actions, Call, Executor, Outcome, Settings};
use punctual_model::action::{
    Action, Address, Authentication, ErrorAction, HttpAction, HttpType, Secret, Signing, StorageQueueAction, Target,
};
use punctual_model::job::Definition;
use punctual_model::occurrence::{OccurrenceId, Phase};
use punctual_model::options::{Options, OptionsParts, StatusRange, Success};
use punctual_model::settle::Verdict;
use punctual_model::time::{Span, Timestamp};

/// A job with one HTTP call.
#[derive(Clone)]
pub(crate) struct Job {
    action: HttpAction,
    options: OptionsParts,
    sign: Option<Signing>,
    is_resent: bool,
}

impl Job {
    pub(crate) fn get(uri: impl Into<String>) -> Self {
        Self::new("GET", uri)
    }

    pub(crate) fn new(method: &str, uri: impl Into<String>) -> Self {
        let action = HttpAction {
            kind: HttpType::Http,
            uri: Address::parse(&uri.into()).expect("an address"),
            method: method.to_owned(),
            headers: Vec::new(),
            body: None,
            authentication: None,
        };
        Self { action, options: OptionsParts::default(), sign: None, is_resent: false }
    }

    pub(crate) fn header(mut self, name: &str, value: &str) -> Self {
        self.action.headers.push((name.to_owned(), value.to_owned()));
        self
    }

    pub(crate) fn body(mut self, body: &str) -> Self {
        self.action.body = Some(body.to_owned());
        self
    }

    pub(crate) fn basic(self, username: &str, password: &str) -> Self {
        let (username, password) = (username.to_owned(), Secret::new(password));
        self.authenticated(Authentication::Basic { username, password })
    }

    pub(crate) fn authenticated(mut self, authentication: Authentication) -> Self {
        self.action.authentication = Some(authentication);
        self
    }

    /// With a certificate in a PFX file, in base64.
    pub(crate) fn certificate(self, pfx: &str) -> Self {
        let (pfx, password) = (Secret::new(pfx), Secret::new("pfx-password"));
        self.authenticated(Authentication::ClientCertificate { pfx, password, thumbprint: None, info: None })
    }

    /// With a token for this audience.
    pub(crate) fn token(self, audience: &str) -> Self {
        let [tenant, audience, client_id] = ["contoso.com", audience, "client"].map(str::to_owned);
        self.authenticated(Authentication::OAuth { tenant, audience, client_id, secret: Secret::new("client-secret") })
    }

    pub(crate) fn signed(mut self, key: &str) -> Self {
        self.sign = Some(Signing { key: Secret::new(key) });
        self
    }

    pub(crate) fn timeout(mut self, seconds: u32) -> Self {
        self.options.timeout = Some(Span::from_seconds(seconds));
        self
    }

    pub(crate) fn success(mut self, status: &[&str], body_contains: Option<&str>) -> Self {
        let status = status.iter().map(|text| StatusRange::parse(text).unwrap()).collect();
        self.options.success = Some(Success { status, body_contains: body_contains.map(str::to_owned) });
        self
    }

    /// With placeholders in its texts.
    pub(crate) fn filled(mut self) -> Self {
        self.options.placeholders = Some(true);
        self
    }

    pub(crate) fn resent(mut self) -> Self {
        self.is_resent = true;
        self
    }

    pub(crate) fn call(self) -> Call {
        let action = Action { target: Target::Http(self.action), retry: None, error: None, sign: self.sign };
        let options = Options::new(self.options).unwrap();
        call(Definition { start: None, action, recurrence: None, options }, self.is_resent)
    }

    /// The call as the error action of a job that does something else.
    pub(crate) fn error_call(self) -> Call {
        let call = self.call();
        let mut definition = Definition::clone(&call.definition);
        let queue = StorageQueueAction {
            account: "account".to_owned(),
            queue: "queue".to_owned(),
            sas_token: Secret::new("sas"),
            message: "message".to_owned(),
            format: None,
            time_to_live: None,
            visibility_delay: None,
        };
        let target = std::mem::replace(&mut definition.action.target, Target::StorageQueue(queue));
        definition.action.error = Some(ErrorAction { target, retry: None });
        Call { definition: Arc::new(definition), phase: Phase::Error, ..call }
    }

    /// Makes the call, and gives what came of it.
    pub(crate) async fn run(self, actions: &Actions) -> Outcome {
        actions.execute(self.call()).await
    }

    /// Makes the call with actions that may call this machine, and gives the outcome in one text.
    pub(crate) async fn tell(self) -> String {
        tell(&self.run(&actions()).await)
    }
}

pub(crate) fn call(definition: Definition, is_resent: bool) -> Call {
    Call {
        definition: Arc::new(definition),
        phase: Phase::Main,
        job_path: "s/g/c/täglich".into(),
        occurrence: OccurrenceId::from_bytes([0xab; 16]),
        attempt_id: *b"0123456789abcdef",
        attempt: 1,
        failure: None,
        nominal: Timestamp::from_seconds(1_800_000_000).unwrap(),
        started: Timestamp::from_seconds(1_800_000_001).unwrap(),
        is_resent,
        trace: None,
    }
}

/// Settings that allow to call this machine.
pub(crate) fn settings() -> Settings {
    Settings { egress: Egress { is_loopback_allowed: true, ..Egress::default() }, ..Settings::default() }
}

pub(crate) fn actions() -> Actions {
    Actions::new(settings()).unwrap()
}

/// Lets so many seconds pass at once.
pub(crate) async fn pass(seconds: u32) {
    tokio::time::pause();
    for _ in 0..seconds {
        tokio::time::advance(Duration::from_secs(1)).await;
    }
    tokio::time::resume();
}

/// The outcome in one text. Ports are different each time and left out.
pub(crate) fn tell(outcome: &Outcome) -> String {
    let verdict = match outcome.verdict {
        Verdict::Succeeded => "succeeded".to_owned(),
        Verdict::CannotSucceed => "failed for good".to_owned(),
        Verdict::Failed { retry_after_ticks: None } => "failed".to_owned(),
        Verdict::Failed { retry_after_ticks: Some(ticks) } => format!("failed, retry after {} s", ticks / 10_000_000),
    };
    let message = outcome.message.replace("\r\n", "␍␊");
    format!("{verdict}, trouble {:?}\n{}", outcome.trouble, without_ports(&message))
}

pub(crate) fn without_ports(text: &str) -> String {
    let mut parts = text.split("127.0.0.1:");
    let mut told = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        told.push_str("127.0.0.1:PORT");
        told.push_str(part.trim_start_matches(|c: char| c.is_ascii_digit()));
    }
    told
}

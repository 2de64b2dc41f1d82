//! The question for a token, and its answer.

use std::time::Duration;

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use punctual_model::action::{Authentication, Secret};
use serde_json::Value;
use tokio::time::timeout;

use super::Authority;
use crate::credential::Credential;
use crate::failure::Failure;
use crate::http::{Answer, Client, Mask, Message, Stage, status};
use crate::limits;

/// What a token is asked for with.
#[derive(Clone, Debug)]
pub(crate) struct Grant {
    /// By which the token is known.
    pub(crate) credential: Credential,
    tenant: String,
    audience: String,
    client_id: String,
    secret: Secret,
}

/// What is escaped in the values of a form.
const NOT_IN_FORMS: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');

/// An audience that ends like this is a scope.
const SCOPE: &str = "/.default";

impl Grant {
    /// The grant of an action that authenticates by OAuth; none for other actions.
    pub(crate) fn of(authentication: &Authentication) -> Option<Self> {
        let Authentication::OAuth { tenant, audience, client_id, secret } = authentication else { return None };
        Some(Self {
            credential: Credential::of(authentication)?,
            tenant: tenant.clone(),
            audience: audience.clone(),
            client_id: client_id.clone(),
            secret: secret.clone(),
        })
    }

    /// Asks for a token; gives it, and for how many seconds it may be used.
    pub(super) async fn ask(&self, authority: &Authority, client: &Client) -> Result<(Secret, u32), Failure> {
        let is_scope = self.audience.ends_with(SCOPE);
        let no_address = || Failure::Credentials("No token: the tenant is no part of an address.".to_owned());
        let address = authority.address(&self.tenant, is_scope).ok_or_else(no_address)?;
        let failed = |reason: String| {
            let reason = reason.trim_end_matches('.');
            Failure::Credentials(format!("No token from '{}': {reason}.", address.host))
        };
        let mut question = Question { body: self.form(is_scope, authority.is_directory()) };
        let stage = Stage::default();
        let limit = Duration::from_secs(limits::TOKEN_REQUEST_SECONDS_MAX);
        let answer = timeout(limit, client.send(&mut question, &address, None, &stage)).await;
        let answer = answer.map_err(|_| failed(stage.sentence(limit)))?;
        let answer = answer.map_err(|failure| failed(failure.to_string()))?;
        token(&answer).map_err(|reason| failed(Mask::of(&[self.secret.expose()], &[]).text(&reason)))
    }

    /// The body of the question. Entra knows `scope` or `resource`; others know one of them, or `audience`, and have to pass
    /// over what they do not know.
    fn form(&self, is_scope: bool, is_directory: bool) -> String {
        let audience = (if is_scope { "scope" } else { "resource" }, &*self.audience);
        let mut pairs = vec![
            ("grant_type", "client_credentials"),
            ("client_id", &*self.client_id),
            ("client_secret", self.secret.expose()),
            audience,
        ];
        if !is_directory && !is_scope {
            pairs.push(("audience", &self.audience));
        }
        let encoded = |text| utf8_percent_encode(text, NOT_IN_FORMS);
        let pairs: Vec<_> = pairs.into_iter().map(|(name, value)| format!("{name}={}", encoded(value))).collect();
        pairs.join("&")
    }
}

struct Question {
    body: String,
}

impl Message for Question {
    fn method(&self) -> &'static str {
        "POST"
    }

    fn body(&self) -> &str {
        &self.body
    }

    fn each_header(&self, put: &mut dyn FnMut(&str, &str)) {
        put("Accept", "application/json");
        put("Content-Type", "application/x-www-form-urlencoded");
        put("Content-Length", &self.body.len().to_string());
    }

    fn mark_resent(&mut self) {}

    /// To have asked twice does no harm.
    fn is_idempotent(&self) -> bool {
        true
    }
}

/// The token in an answer and for how many seconds it may be used, or why there is none.
fn token(answer: &Answer) -> Result<(Secret, u32), String> {
    let json: Option<Value> = serde_json::from_slice(&answer.body.kept).ok();
    if !(200..=299).contains(&answer.head.status) {
        return Err(refusal(answer.head.status, json.as_ref()));
    }
    let json = json.ok_or("its answer is not JSON, or too long")?;
    let token = json["access_token"].as_str().ok_or("its answer has no access_token")?;
    if token.is_empty() || !token.bytes().all(|byte| byte.is_ascii_graphic()) {
        return Err("its answer has an access_token that no header can hold".to_owned());
    }
    if json["token_type"].as_str().is_some_and(|kind| !kind.eq_ignore_ascii_case("bearer")) {
        return Err("its answer has a token of another type than Bearer".to_owned());
    }
    // The older endpoint of Entra writes the number as a text.
    let expires_in = &json["expires_in"];
    let seconds = expires_in.as_u64().or_else(|| expires_in.as_str()?.parse().ok());
    let seconds = seconds.map_or(limits::TOKEN_SECONDS_DEFAULT, |seconds| u32::try_from(seconds).unwrap_or(u32::MAX));
    let seconds = seconds.min(limits::TOKEN_SECONDS_MAX);
    // A token that is valid for seconds only is used for most of them.
    Ok((Secret::new(token), seconds - limits::TOKEN_MARGIN_SECONDS.min(seconds / 10)))
}

/// `'Unauthorized', invalid_client: AADSTS7000215: Invalid client secret provided…`
fn refusal(status: u16, json: Option<&Value>) -> String {
    let member = |name: &str| json.and_then(|json| json[name].as_str()).map(plain);
    let parts = [member("error"), member("error_description")].into_iter().flatten().collect::<Vec<_>>().join(": ");
    let comma = if parts.is_empty() { "" } else { ", " };
    format!("'{}'{comma}{parts}", status::name(status))
}

/// What somebody else wrote, on one line and not too long.
fn plain(text: &str) -> String {
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    text.chars().filter(|c| !c.is_control()).take(limits::TOKEN_EXPLANATION_CHARS_MAX).collect()
}

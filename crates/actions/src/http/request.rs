//! The request that an attempt makes: the job's own parts as they were given, and ours.

use std::borrow::Cow;
use std::fmt::Write as _;
use std::sync::Arc;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use percent_encoding::{CONTROLS, utf8_percent_encode};
use punctual_model::action::{Authentication, HttpAction, Secret};

use super::message::Message;
use super::sign;
use crate::certificates::Certificate;
use crate::executor::{Call, push_hex};
use crate::failure::Failure;
use crate::oauth::Token;

/// What is sent, whatever the protocol.
pub(crate) struct Request<'a> {
    pub(crate) call: &'a Call,
    pub(crate) action: &'a HttpAction,
    /// `user:password` in the address of the job.
    pub(crate) credentials: Option<&'a Secret>,
    /// What is shown on its connection.
    pub(crate) certificate: Option<Arc<Certificate>>,
    /// The tokens it was given: the last is the one it shows, those before were refused.
    pub(crate) tokens: Vec<Token>,
    /// Whether a redirect led to another origin, which gets nothing of the job but its method.
    pub(crate) is_astray: bool,
    /// Whether the target may have got this before.
    pub(crate) is_resent: bool,
}

pub(crate) const USER_AGENT: &str = concat!("punctual/", env!("CARGO_PKG_VERSION"));

impl Message for Request<'_> {
    /// Methods of the standard are sent in capitals, as most servers insist on; others as they were written.
    fn method(&self) -> &str {
        const STANDARD: [&str; 8] = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE"];
        let known = STANDARD.into_iter().find(|method| method.eq_ignore_ascii_case(&self.action.method));
        known.unwrap_or(&self.action.method)
    }

    fn body(&self) -> &str {
        self.given_body().unwrap_or_default()
    }

    /// The headers: first those of the job as they were given, then ours.
    fn each_header(&self, put: &mut dyn FnMut(&str, &str)) {
        let own: &[(String, String)] = if self.is_astray { &[] } else { &self.action.headers };
        let has = |wanted: &str| own.iter().any(|(name, _)| name.eq_ignore_ascii_case(wanted));
        let authorization = self.authorization(has("authorization"));
        for (name, value) in own {
            // Two of them would be a riddle; the credentials of the action are the ones somebody can edit.
            if authorization.is_none() || !name.eq_ignore_ascii_case("authorization") {
                put(name, value);
            }
        }
        if let Some(authorization) = &authorization {
            put("Authorization", authorization);
        }
        if !has("user-agent") {
            put("User-Agent", USER_AGENT);
        }
        match self.given_body() {
            Some(body) => {
                if !body.is_empty() && !has("content-type") {
                    put("Content-Type", self.call.content_type(body));
                }
                put("Content-Length", &body.len().to_string());
            }
            // Some servers wait for a body after these methods unless they are told that there is none.
            None if matches!(self.method(), "POST" | "PUT" | "PATCH") => put("Content-Length", "0"),
            None => {}
        }
        self.each_of_ours(put);
    }

    fn mark_resent(&mut self) {
        self.is_resent = true;
    }

    fn certificate(&self) -> Option<&Certificate> {
        self.certificate.as_deref().filter(|_| !self.is_astray)
    }
}

impl<'a> Request<'a> {
    /// The request of an action, without what has to be asked for.
    pub(crate) fn new(call: &'a Call, action: &'a HttpAction, credentials: Option<&'a Secret>) -> Self {
        let is_resent = call.is_resent;
        Self { call, action, credentials, certificate: None, tokens: Vec::new(), is_astray: false, is_resent }
    }

    /// How much there is that may be secret.
    pub(crate) fn bytes(&self) -> usize {
        let HttpAction { uri, headers, body, .. } = self.action;
        let headers: usize = headers.iter().map(|(name, value)| name.len() + value.len()).sum();
        uri.as_str().len() + headers + body.as_ref().map_or(0, String::len)
    }

    /// Says what a failure to send it may have to do with its certificate.
    pub(crate) fn explain(&self, failure: Failure) -> Failure {
        match self.certificate() {
            Some(certificate) => certificate.explain(failure, self.call.started),
            None => failure,
        }
    }

    /// What a reader of a failure should know: a target need not say why it does not like a certificate.
    pub(crate) fn remark(&self) -> Option<String> {
        let fault = self.certificate()?.fault(self.call.started)?;
        Some(format!(" (the client certificate {fault})"))
    }

    /// Whether redirects are followed.
    pub(crate) fn is_read(&self) -> bool {
        matches!(self.method(), "GET" | "HEAD")
    }

    fn given_body(&self) -> Option<&str> {
        self.action.body.as_deref().filter(|_| !self.is_astray)
    }

    /// By these a target knows the job, the occurrence and the attempt.
    fn each_of_ours(&self, put: &mut dyn FnMut(&str, &str)) {
        let mut text = String::with_capacity(64);
        push_hex(&mut text, &self.call.occurrence.bytes());
        put("x-ms-execution-tag", &text);
        put("x-ms-client-request-id", &self.call.attempt_uuid());
        put("x-ms-scheduler-jobid", &job_id(&self.call.job_path));
        text.clear();
        let _ = write!(text, "{}", self.call.nominal);
        put("x-ms-scheduler-expected-execution-time", &text);
        text.clear();
        // Derived, not rolled: a resend belongs to the same trace. Where nothing is traced, the target decides for itself.
        text.push_str("00-");
        push_hex(&mut text, &self.call.occurrence.bytes());
        text.push('-');
        push_hex(&mut text, &self.call.attempt_id[..8]);
        let is_sampled = self.call.trace.as_ref().is_none_or(|trace| trace.is_sampled());
        text.push_str(if is_sampled { "-01" } else { "-00" });
        put("traceparent", &text);
        if self.is_resent {
            put("x-punctual-resent", "true");
        }
        if let Some(signing) = self.call.definition.action.sign.as_ref().filter(|_| !self.is_astray) {
            sign::put_headers(self.call, signing, self.body(), put);
        }
    }

    /// The credentials of the action; without them those in its address, unless the job has a header of its own.
    fn authorization(&self, has_own: bool) -> Option<String> {
        if self.is_astray {
            return None;
        }
        let in_address = || self.credentials.filter(|_| !has_own).map(|text| basic(text.expose()));
        match &self.action.authentication {
            Some(Authentication::Basic { username, password }) => {
                Some(basic(&format!("{username}:{}", password.expose())))
            }
            Some(Authentication::OAuth { .. }) => self.tokens.last().map(|token| format!("Bearer {}", token.expose())),
            Some(Authentication::ClientCertificate { .. }) | None => in_address(),
        }
    }
}

fn basic(user_and_password: &str) -> String {
    format!("Basic {}", STANDARD.encode(user_and_password))
}

/// The name of a job, as the original had it, in a header: names may hold letters that headers may not.
fn job_id(path: &str) -> Cow<'_, str> {
    let name = path.rsplit_once('/').map_or(path, |(_, name)| name);
    utf8_percent_encode(name, CONTROLS).into()
}

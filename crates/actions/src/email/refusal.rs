//! What a mail server says that is no yes.

use std::error::Error as _;
use std::io;

use lettre::transport::smtp::Error;
use punctual_model::failure::FailureClass;

use crate::failure::Failure;
use crate::http::Mask;
use crate::{limits, tls};

/// Why a message was not taken.
pub(super) enum Problem {
    /// The server did not answer, or not as a mail server does.
    Failed(Failure),
    /// The server said no.
    Refused(Refusal),
}

/// A no of the server.
pub(super) struct Refusal {
    /// What it is about: `the login`, `the address ops@example.com`.
    pub(super) what: String,
    /// The number of the answer: 400 to 499 may change by itself, 500 to 599 will not.
    pub(super) code: u16,
    /// What the server says beside the number.
    pub(super) text: String,
    /// Whether the server asks for credentials, or refuses those that it got.
    pub(super) is_login: bool,
}

/// Answers about credentials, whatever they answer: login needed, mechanism too weak, wrong password, TLS needed.
const LOGIN_CODES: [u16; 4] = [530, 534, 535, 538];

impl Refusal {
    /// What kind of failure it is.
    pub(super) fn class(&self) -> FailureClass {
        match self.code {
            ..500 => FailureClass::Status,
            _ if self.is_login || LOGIN_CODES.contains(&self.code) => FailureClass::Credential,
            _ => FailureClass::Target,
        }
    }

    /// Whether the same message will be refused again. Credentials are mended in the settings, and the message still goes out.
    pub(super) fn is_final(&self) -> bool {
        self.class() == FailureClass::Target
    }

    /// What the server refused, and how.
    pub(super) fn sentence(&self, host: &str, mask: &Mask<'_>) -> String {
        let text: String = mask.text(&self.text).chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
        let text: String = text.trim().chars().take(limits::SMTP_ANSWER_CHARS_MAX).collect();
        format!("'{host}' refused {}: {} {}.", self.what, self.code, text.trim_end_matches('.'))
    }
}

impl From<Failure> for Problem {
    fn from(failure: Failure) -> Self {
        Self::Failed(failure)
    }
}

impl Problem {
    /// What lettre says about a command, which was about `what`.
    pub(super) fn of(error: &Error, host: &str, what: &str) -> Self {
        let said = || error.source().map(ToString::to_string).unwrap_or_default();
        if let Some(code) = error.status() {
            return Self::Refused(Refusal { what: what.to_owned(), code: code.into(), text: said(), is_login: false });
        }
        match error.source().and_then(|source| source.downcast_ref::<io::Error>()) {
            Some(broken) => Self::Failed(tls::refusal(broken).unwrap_or_else(|| {
                Failure::Closed(format!("'{host}' ended the connection before it took the message ({broken}).").into())
            })),
            None if said() == ENDED => closed(host).into(),
            None => not_smtp(host).into(),
        }
    }

    /// The same problem, which is about credentials.
    pub(super) fn about_login(self) -> Self {
        match self {
            Self::Refused(refusal) => Self::Refused(Refusal { is_login: true, ..refusal }),
            failed @ Self::Failed(_) => failed,
        }
    }
}

/// How lettre says that a connection ended where an answer should have come.
const ENDED: &str = "incomplete response";

pub(super) fn closed(host: &str) -> Failure {
    Failure::Closed(format!("'{host}' ended the connection before it took the message.").into())
}

pub(super) fn not_smtp(host: &str) -> Failure {
    Failure::NotHttp(
        format!("'{host}' does not answer as a mail server does: are server, port and tls in [email] right?").into(),
    )
}

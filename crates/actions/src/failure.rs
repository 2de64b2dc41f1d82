//! Why an attempt got no answer that counts, in words for who reads the history.

use std::borrow::Cow;
use std::fmt;
use std::net::SocketAddr;

use punctual_model::failure::FailureClass;
use punctual_model::settle::Verdict;

use crate::egress::Rule;
use crate::executor::HostTrouble;
use crate::http::Mask;
use crate::limits;

/// Why there is no answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Failure {
    /// The address of the job, or of a redirect, cannot be called.
    Address(Cow<'static, str>),
    /// A name has no addresses.
    NameNotFound { name: String, reason: String },
    /// Nobody said in time whether it has any.
    LookUpTimedOut { name: String },
    /// Too many other names are being looked up.
    LookUpsBusy { name: String },
    /// The policy forbids the address.
    Forbidden {
        address: SocketAddr,
        rule: Rule,
        /// Whether the job names the address itself, and not a host name whose addresses can change.
        is_written: bool,
    },
    /// The address does not take connections.
    Connect { address: SocketAddr, reason: Cow<'static, str> },
    /// The proxy does not let us through.
    Proxy(String),
    /// The certificate is not to be trusted.
    Trust(String),
    /// TLS cannot be agreed upon.
    Tls(String),
    /// The connection ended where an answer should have come.
    Closed(Cow<'static, str>),
    /// The answer is not HTTP as it should be.
    NotHttp(Cow<'static, str>),
    /// The attempt took too long.
    TimedOut(String),
    /// The credentials of the job are not to be had: no token, no usable certificate.
    Credentials(String),
    /// The target sends us elsewhere, and we do not go.
    Redirect(Cow<'static, str>),
}

impl Failure {
    /// How an attempt ends with it: is there a point in another attempt?
    pub(crate) fn verdict(&self) -> Verdict {
        match self {
            Self::Forbidden { is_written: true, .. } => Verdict::CannotSucceed,
            _ => Verdict::Failed { retry_after_ticks: None },
        }
    }

    /// The same failure at a place to which the target has redirected: the next time it may redirect elsewhere.
    pub(crate) fn after_redirect(self) -> Self {
        match self {
            Self::Forbidden { address, rule, .. } => Self::Forbidden { address, rule, is_written: false },
            other => other,
        }
    }

    /// The failure without secrets. Its words may be the target's: what it answered, or where it has redirected to.
    pub(crate) fn masked(self, mask: &Mask<'_>) -> Self {
        let text = |text: String| mask.text(&text);
        match self {
            Self::NameNotFound { name, reason } => Self::NameNotFound { name: text(name), reason },
            Self::LookUpTimedOut { name } => Self::LookUpTimedOut { name: text(name) },
            Self::LookUpsBusy { name } => Self::LookUpsBusy { name: text(name) },
            Self::Proxy(said) => Self::Proxy(text(said)),
            Self::Trust(said) => Self::Trust(text(said)),
            Self::Tls(said) => Self::Tls(text(said)),
            Self::NotHttp(said) => Self::NotHttp(mask.text(&said).into()),
            Self::Redirect(said) => Self::Redirect(mask.text(&said).into()),
            other @ (Self::Address(_)
            | Self::Forbidden { .. }
            | Self::Connect { .. }
            | Self::Closed(_)
            | Self::TimedOut(_)
            | Self::Credentials(_)) => other,
        }
    }

    /// What kind of failure it is.
    pub(crate) const fn class(&self) -> FailureClass {
        match self {
            Self::NameNotFound { .. } | Self::LookUpTimedOut { .. } | Self::LookUpsBusy { .. } => FailureClass::Name,
            Self::Forbidden { .. } => FailureClass::Policy,
            Self::Connect { .. } | Self::Closed(_) => FailureClass::Connection,
            Self::Proxy(_) => FailureClass::Proxy,
            Self::Trust(_) | Self::Tls(_) => FailureClass::Trust,
            Self::TimedOut(_) => FailureClass::Timeout,
            Self::Credentials(_) => FailureClass::Credential,
            Self::Address(_) | Self::NotHttp(_) | Self::Redirect(_) => FailureClass::Protocol,
        }
    }

    /// What it says about the host.
    pub(crate) fn trouble(&self) -> HostTrouble {
        match self {
            Self::NameNotFound { .. }
            | Self::LookUpTimedOut { .. }
            | Self::Connect { .. }
            | Self::Closed(_)
            | Self::TimedOut(_) => HostTrouble::Unreachable,
            Self::Address(_)
            | Self::LookUpsBusy { .. }
            | Self::Forbidden { .. }
            | Self::Proxy(_)
            | Self::Trust(_)
            | Self::Tls(_)
            | Self::Credentials(_)
            | Self::NotHttp(_)
            | Self::Redirect(_) => HostTrouble::None,
        }
    }

    /// What went wrong, in words for people.
    pub(crate) fn sentence(&self) -> Cow<'_, str> {
        let unresolved = |name: &str, reason: &dyn fmt::Display| {
            format!("The remote name could not be resolved: '{name}' ({reason}).").into()
        };
        match self {
            Self::Address(text) | Self::Closed(text) | Self::NotHttp(text) | Self::Redirect(text) => text.clone(),
            Self::Proxy(text)
            | Self::Trust(text)
            | Self::Tls(text)
            | Self::TimedOut(text)
            | Self::Credentials(text) => Cow::Borrowed(text),
            Self::NameNotFound { name, reason } => unresolved(name, reason),
            Self::LookUpTimedOut { name } => {
                unresolved(name, &format!("no name server answered in {} s", limits::LOOK_UP_SECONDS_MAX))
            }
            Self::LookUpsBusy { name } => unresolved(name, &"too many other names wait for an answer"),
            Self::Forbidden { address, rule, .. } => {
                format!("The address {} is refused by policy: {rule}.", address.ip().to_canonical()).into()
            }
            Self::Connect { address, reason } => {
                format!("Unable to connect to the remote server: {address} {reason}.").into()
            }
        }
    }

    /// The word for programs: those of .NET's `WebExceptionStatus`, as the original wrote them, and two of our own.
    fn word(&self) -> &'static str {
        match self {
            Self::Address(_) | Self::NotHttp(_) => "ServerProtocolViolation",
            Self::NameNotFound { .. } | Self::LookUpTimedOut { .. } | Self::LookUpsBusy { .. } => {
                "NameResolutionFailure"
            }
            Self::Forbidden { .. } => "RequestProhibitedByPolicy",
            Self::Connect { .. } => "ConnectFailure",
            Self::Proxy(_) => "RequestProhibitedByProxy",
            Self::Trust(_) => "TrustFailure",
            Self::Tls(_) => "SecureChannelFailure",
            Self::Closed(_) => "ConnectionClosed",
            Self::TimedOut(_) => "Timeout",
            Self::Credentials(_) => "AuthenticationFailure",
            Self::Redirect(_) => "ProtocolError",
        }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.word(), self.sentence())
    }
}

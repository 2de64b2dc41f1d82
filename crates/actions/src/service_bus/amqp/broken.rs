//! What did not work, and what is to be done about it.
//!
//! A connection that was kept may have ended without our knowing. The first to find out is a message, and that it is not
//! sent is not its fault: it gets another try on a new link or connection, within the same attempt.

use std::io;

use fe2o3_amqp::connection::{ConnectionStopReason, OpenError};
use fe2o3_amqp::link::{
    LinkStateError, ReceiverAttachError, RecvError, SendError, SenderAttachError, SessionStopReason,
};
use fe2o3_amqp::session::BeginError;
use fe2o3_amqp::types::definitions;
use fe2o3_amqp::types::sasl::SaslCode;

use super::refused::{Refused, condition, quote};
use crate::failure::Failure;
use crate::limits;
use crate::service_bus::broker::{Broker, Login};

/// What did not work.
#[derive(Clone, Debug)]
pub(crate) struct Broken {
    /// Why, for the history, if it is not tried again.
    pub(crate) refused: Refused,
    /// What cannot be used any more.
    pub(crate) ends: Ends,
    /// Whether another try in the same attempt makes sense.
    pub(crate) again: Again,
}

/// What cannot be used any more.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ends {
    Nothing,
    Link,
    Connection,
}

/// Whether another try makes sense.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Again {
    /// The broker has answered.
    Never,
    /// Nothing of the message was written.
    Unsent,
    /// The broker may have got the message.
    Resent,
}

/// When it did not work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum When {
    /// While the link was made: what the broker says is about this link.
    Attaching,
    /// Before the message was written: what the broker says is about times past.
    Before,
    /// While it was waited for what becomes of the message: what the broker says may be about it.
    After,
}

/// Reasons that are not about a message: the broker is restarted, nobody used the link, its token has expired.
const PASSING: [&str; 3] = ["amqp:connection:forced", "amqp:link:detach-forced", "amqp:unauthorized-access"];

impl Broken {
    /// The broker has answered, and everything goes on.
    pub(crate) fn answered(refused: Refused) -> Self {
        Self { refused, ends: Ends::Nothing, again: Again::Never }
    }

    /// The broker does not answer.
    pub(crate) fn silent(what: &str) -> Self {
        let seconds = limits::AMQP_ANSWER_SECONDS_MAX;
        let refused = Failure::TimedOut(format!("The broker did not answer within {seconds} s when {what}.")).into();
        Self { refused, ends: Ends::Connection, again: Again::Unsent }
    }

    /// The broker does not answer on a new connection.
    pub(crate) fn unopened() -> Self {
        Self { again: Again::Never, ..Self::silent("the connection was opened") }
    }

    /// A session has ended since it was last used, most likely with its connection.
    pub(crate) fn over() -> Self {
        Self::ended(Ends::Connection, When::Before, None, "")
    }

    /// A connection was not opened.
    pub(crate) fn opening(error: &OpenError, broker: &Broker) -> Self {
        Self { refused: not_opened(error, broker), ends: Ends::Connection, again: Again::Never }
    }

    /// A session was not begun.
    pub(crate) fn beginning(error: BeginError, address: &str) -> Self {
        match error {
            BeginError::ConnectionStopped(reason) => Self::stopped(&reason.into(), When::Attaching, address),
            BeginError::RemoteEndedWithError(error) => Self::ended(Ends::Link, When::Attaching, Some(&error), address),
            BeginError::RemoteEnded => Self::ended(Ends::Link, When::Attaching, None, address),
            BeginError::LocalChannelMaxReached => Self::answered(Refused::new(
                "QuotaExceeded The broker does not take so many queues and topics on one connection.",
            )),
            BeginError::IllegalState | BeginError::ConnectionNotOpened => {
                Self::ended(Ends::Connection, When::Attaching, None, address)
            }
        }
    }

    /// A link to send on was not attached.
    pub(crate) fn attaching(error: SenderAttachError, address: &str) -> Self {
        match error {
            SenderAttachError::SessionStopped(reason) => Self::stopped(&reason, When::Attaching, address),
            SenderAttachError::RemoteClosedWithError(error) => {
                Self::ended(Ends::Link, When::Attaching, Some(&error), address)
            }
            SenderAttachError::IncomingTargetIsNone => {
                let text = format!("EntityNotFound The broker does not take messages for '{address}'.");
                Self { refused: Refused::new(text), ends: Ends::Link, again: Again::Never }
            }
            other => Self::violated(&other.to_string()),
        }
    }

    /// A link to receive on was not attached.
    pub(crate) fn attaching_replies(error: ReceiverAttachError, address: &str) -> Self {
        match error {
            ReceiverAttachError::SessionStopped(reason) => Self::stopped(&reason, When::Attaching, address),
            ReceiverAttachError::RemoteClosedWithError(error) => {
                Self::ended(Ends::Link, When::Attaching, Some(&error), address)
            }
            other => Self::violated(&other.to_string()),
        }
    }

    /// A message was not sent, or it is not known what became of it.
    pub(crate) fn sending(error: SendError, when: When, address: &str) -> Self {
        match error {
            SendError::LinkStateError(error) => Self::link(error, when, address),
            SendError::Detached(error) => Self::link(error.into(), when, address),
            SendError::MessageSizeExceeded(size) => Self::answered(Refused::new(format!(
                "MessageTooLarge The message has {} bytes with its properties; the broker takes {} for '{address}'.",
                size.size, size.max_size
            ))),
            SendError::MessageEncodeError => {
                Self::answered(Refused::new("MessageRefused The message cannot be written in AMQP."))
            }
            SendError::NonTerminalDeliveryState | SendError::IllegalDeliveryState => Self::answered(Refused::new(
                "ServerProtocolViolation The broker settled the message without saying what became of it.",
            )),
        }
    }

    /// An answer was not received.
    pub(crate) fn receiving(error: RecvError, address: &str) -> Self {
        match error {
            RecvError::LinkStateError(error) => Self::link(error, When::Before, address),
            other => Self::violated(&other.to_string()),
        }
    }

    fn link(error: LinkStateError, when: When, address: &str) -> Self {
        match error {
            LinkStateError::SessionStopped(reason) => Self::stopped(&reason, when, address),
            LinkStateError::RemoteDetachedWithError(error) | LinkStateError::RemoteClosedWithError(error) => {
                Self::ended(Ends::Link, when, Some(&error), address)
            }
            LinkStateError::RemoteDetached
            | LinkStateError::RemoteClosed
            | LinkStateError::IllegalState
            | LinkStateError::ExpectImmediateDetach => Self::ended(Ends::Link, when, None, address),
        }
    }

    fn stopped(reason: &SessionStopReason, when: When, address: &str) -> Self {
        match reason {
            SessionStopReason::ConnectionStopped(ConnectionStopReason::RemoteClosedWithError(error)) => {
                Self::ended(Ends::Connection, when, Some(error), address)
            }
            SessionStopReason::ConnectionStopped(_) => Self::ended(Ends::Connection, when, None, address),
            SessionStopReason::RemoteEndedWithError(error) => Self::ended(Ends::Link, when, Some(error), address),
            SessionStopReason::Ended | SessionStopReason::EndedWithError(_) | SessionStopReason::RemoteEnded => {
                Self::ended(Ends::Link, when, None, address)
            }
        }
    }

    /// A link or the whole connection has ended, with or without a reason.
    fn ended(ends: Ends, when: When, error: Option<&definitions::Error>, address: &str) -> Self {
        let is_passing = error.is_none_or(|error| PASSING.contains(&condition(error).as_str()));
        let again = match when {
            When::Before => Again::Unsent,
            When::After if is_passing => Again::Resent,
            When::Attaching if is_passing && ends == Ends::Connection => Again::Unsent,
            When::Attaching | When::After => Again::Never,
        };
        let refused = match error {
            Some(error) => Refused::told(error, address),
            None if ends == Ends::Connection => {
                Failure::Closed("The connection to the broker broke before it confirmed the message.".into()).into()
            }
            None => Failure::Closed(format!("The broker detached the link to '{address}'.").into()).into(),
        };
        Self { refused, ends, again }
    }

    fn violated(how: &str) -> Self {
        let sentence = format!("ServerProtocolViolation The broker does not keep to AMQP 1.0 ({}).", quote(how));
        Self { refused: Refused::new(sentence), ends: Ends::Link, again: Again::Never }
    }
}

fn not_opened(error: &OpenError, broker: &Broker) -> Refused {
    match error {
        OpenError::SaslError { code: SaslCode::Auth, .. } => Refused::new(match &broker.login {
            Login::Plain { user, .. } => {
                format!("UnauthorizedAccess The broker does not take the user '{user}' with this password.")
            }
            Login::Cbs { .. } | Login::Anonymous => {
                "UnauthorizedAccess The broker does not let in anyone without a user and a password.".to_owned()
            }
        }),
        OpenError::SaslError { code, .. } => {
            Failure::Closed(format!("The broker could not check our login (SASL outcome {code:?}).").into()).into()
        }
        OpenError::RemoteClosedWithError(error) => Refused::told(error, &broker.host),
        OpenError::NotImplemented(Some(what)) if what.ends_with("is not supported") => {
            let mechanism = match &broker.login {
                Login::Plain { .. } => "PLAIN",
                Login::Cbs { .. } | Login::Anonymous => "ANONYMOUS",
            };
            Refused::new(format!("UnauthorizedAccess The broker offers no login by SASL {mechanism}."))
        }
        OpenError::NotImplemented(what) => Refused::new(format!(
            "ServerProtocolViolation The broker does not speak AMQP 1.0 as we do ({}).",
            quote(what.as_deref().unwrap_or("it asks for something else"))
        )),
        OpenError::Io(error) | OpenError::TransportError(fe2o3_amqp::transport::Error::Io(error)) if is_end(error) => {
            Failure::Closed("The broker closed the connection before AMQP was agreed upon.".into()).into()
        }
        OpenError::RemoteClosed => {
            Failure::Closed("The broker closed the connection as soon as it was open.".into()).into()
        }
        _ => Refused::new(format!(
            "ServerProtocolViolation '{}' does not speak AMQP 1.0 on port {}.",
            broker.host, broker.port
        )),
    }
}

/// Whether a connection ended, rather than saying something strange.
fn is_end(error: &io::Error) -> bool {
    use io::ErrorKind::{BrokenPipe, ConnectionAborted, ConnectionReset, UnexpectedEof};
    matches!(error.kind(), UnexpectedEof | ConnectionReset | BrokenPipe | ConnectionAborted)
}

impl From<Failure> for Broken {
    /// There is no connection at all; another try at once would end the same way.
    fn from(failure: Failure) -> Self {
        Self { refused: failure.into(), ends: Ends::Connection, again: Again::Never }
    }
}

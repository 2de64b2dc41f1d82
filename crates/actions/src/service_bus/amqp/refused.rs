//! Why a message was not sent, in words for who reads the history.

use fe2o3_amqp::types::definitions::{self, ErrorCondition};
use fe2o3_amqp::types::messaging::Outcome;
use fe2o3_amqp::types::primitives::Symbol;

use punctual_model::failure::FailureClass;

use crate::executor::HostTrouble;
use crate::failure::Failure;
use crate::limits;

/// Why a message was not sent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Refused {
    /// What kind of failure it is.
    pub(crate) class: FailureClass,
    /// A word for programs and a sentence for people. What the broker wrote is in it: the secrets of the job are not yet
    /// looked for.
    pub(crate) sentence: String,
    /// What it says about the broker.
    pub(crate) trouble: HostTrouble,
    /// How long the broker wants to be left alone.
    pub(crate) retry_after_ticks: Option<i64>,
}

impl Refused {
    /// A refusal that says nothing about the strength of the broker.
    pub(crate) fn new(sentence: impl Into<String>) -> Self {
        let class = FailureClass::Target;
        Self { class, sentence: sentence.into(), trouble: HostTrouble::None, retry_after_ticks: None }
    }

    /// What became of a message that the broker has settled.
    pub(crate) fn check(outcome: Outcome, address: &str) -> Result<(), Self> {
        match outcome {
            Outcome::Accepted(_) => Ok(()),
            Outcome::Rejected(rejected) => Err(match rejected.error {
                Some(error) => Self::told(&error, address),
                None => Self::new("MessageRejected The broker rejected the message and gave no reason."),
            }),
            Outcome::Released(_) => {
                Err(Self::new("MessageReleased The broker gave the message back: it does not take it now."))
            }
            Outcome::Modified(_) => {
                Err(Self::new("MessageModified The broker gave the message back: it could not deliver it."))
            }
        }
    }

    /// What the broker told us, in our words and in its own.
    pub(crate) fn told(error: &definitions::Error, address: &str) -> Self {
        let condition = condition(error);
        let (word, sentence, trouble) = match condition.as_str() {
            "amqp:unauthorized-access" => {
                ("UnauthorizedAccess", format!("The broker does not let us send to '{address}'"), HostTrouble::None)
            }
            "amqp:not-found" => {
                ("EntityNotFound", format!("The broker has no queue or topic '{address}'"), HostTrouble::None)
            }
            "amqp:resource-deleted" => {
                ("EntityNotFound", format!("The queue or topic '{address}' was deleted"), HostTrouble::None)
            }
            "com.microsoft:entity-disabled" => {
                ("EntityDisabled", format!("The queue or topic '{address}' is disabled"), HostTrouble::None)
            }
            "amqp:resource-limit-exceeded" => {
                ("QuotaExceeded", format!("The queue or topic '{address}' is full"), HostTrouble::None)
            }
            "amqp:link:message-size-exceeded" => {
                ("MessageTooLarge", "The message is larger than the broker takes".to_owned(), HostTrouble::None)
            }
            "com.microsoft:server-busy" => {
                ("ServerBusy", "The broker asks to be left alone for a while".to_owned(), HostTrouble::AskedToWait)
            }
            "com.microsoft:timeout" => {
                ("Timeout", "The broker did not store the message in time".to_owned(), HostTrouble::Unreachable)
            }
            "amqp:connection:forced" | "amqp:link:detach-forced" => {
                ("ConnectionClosed", "The broker closed the connection".to_owned(), HostTrouble::Unreachable)
            }
            _ => ("MessageRefused", "The broker refused the message".to_owned(), HostTrouble::None),
        };
        let description = comment(error.description.as_deref());
        let class = match word {
            "UnauthorizedAccess" => FailureClass::Credential,
            "Timeout" => FailureClass::Timeout,
            "ConnectionClosed" => FailureClass::Connection,
            _ => FailureClass::Target,
        };
        Self {
            class,
            sentence: format!("{word} {sentence} ({}{description}).", quote(&condition)),
            trouble,
            retry_after_ticks: (trouble == HostTrouble::AskedToWait).then_some(limits::AMQP_BUSY_TICKS),
        }
    }
}

impl From<Failure> for Refused {
    fn from(failure: Failure) -> Self {
        let (class, trouble) = (failure.class(), failure.trouble());
        Self { class, sentence: failure.to_string(), trouble, retry_after_ticks: None }
    }
}

/// The name of what went wrong.
pub(super) fn condition(error: &definitions::Error) -> String {
    let symbol = match &error.condition {
        ErrorCondition::AmqpError(error) => Symbol::from(error),
        ErrorCondition::ConnectionError(error) => Symbol::from(error),
        ErrorCondition::SessionError(error) => Symbol::from(error),
        ErrorCondition::LinkError(error) => Symbol::from(error),
        ErrorCondition::Custom(symbol) => symbol.clone(),
    };
    symbol.into_inner()
}

/// What a broker wrote beside a condition or a status.
pub(super) fn comment(text: Option<&str>) -> String {
    let text = quote(text.unwrap_or_default());
    if text.is_empty() { text } else { format!(": {text}") }
}

/// What a broker wrote, as it can be shown: on one line, not too long, and without the signature of a token.
pub(super) fn quote(text: &str) -> String {
    let text: String = text.chars().take(limits::AMQP_DESCRIPTION_CHARS_MAX).collect();
    let words = text.split(|c: char| c.is_whitespace() || c.is_control()).filter(|word| !word.is_empty());
    let shown: Vec<String> = words.map(without_signature).collect();
    shown.join(" ").trim_end_matches('.').to_owned()
}

fn without_signature(word: &str) -> String {
    let mut parts = word.split("sig=");
    let mut shown = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        shown.push_str("sig=***");
        shown.push_str(part.find('&').map_or("", |end| &part[end..]));
    }
    shown
}

//! The e-mail action: one message of an alert, handed to the mail server of the operator.
//!
//! ```text
//!   connect ──▶ (STARTTLS) ──▶ EHLO ──▶ AUTH ──▶ MAIL, RCPT for each reader ──▶ DATA ──▶ 250: the server has it
//!   starttls.rs                └─────────────────── lettre, in delivery.rs ──────────┘
//! ```
//!
//! TLS is agreed upon here and not by lettre: so one set of authorities holds for all calls, and nothing that was sent in
//! clear before TLS is taken for an answer under it.

mod conversation;
mod delivery;
mod message;
mod refusal;
mod server;
mod starttls;

pub use self::server::{Login, MailServer, Security, Sender};

use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use punctual_model::action::EmailAction;
use punctual_model::alert::NOT_ALL_TOLD;
use punctual_model::failure::{Failure as FailureReason, FailureClass};
use tokio::time::timeout;

use self::delivery::Accepted;
use self::refusal::Problem;
use crate::connect::Connector;
use crate::executor::{Call, HostTrouble, Outcome};
use crate::http::{Mask, Stage};
use crate::limits;
use crate::post::AttemptReport;

/// What an attempt is told, and who writes an alert, while there is no mail server.
pub(crate) const NO_SERVER: &str = "This server sends no e-mail: the setting email.server names no mail server.";

/// Sends e-mail.
pub(crate) struct Email {
    server: Option<Arc<MailServer>>,
    connector: Connector,
}

impl Email {
    /// The connector must not know egress rules: the operator chose the address of the mail server.
    pub(crate) fn new(server: Option<MailServer>, connector: Connector) -> Self {
        Self { server: server.map(Arc::new), connector }
    }

    /// Makes one attempt, within the time that the job allows.
    pub(crate) async fn execute(&self, call: &Call, action: &EmailAction) -> Outcome {
        let hopeless = |class, text: &str| {
            Outcome::hopeless(format!("{} Action - {text}", call.kind()), FailureReason::new(class, "", text))
        };
        let Some(server) = &self.server else { return hopeless(FailureClass::Policy, NO_SERVER) };
        let Some(message) = &action.message else {
            return hopeless(FailureClass::Protocol, "There is nothing to tell: only alerts send e-mail.");
        };
        let bytes = match message::write(&server.from, &action.to, message, call.is_resent) {
            Ok(bytes) => bytes,
            Err(text) => return hopeless(FailureClass::Protocol, &format!("The message cannot be written: {text}.")),
        };
        let report = AttemptReport { kind: call.kind(), host: server.host.clone() };
        let (stage, limit) = (Stage::default(), call.time_limit());
        let delivered = stage.limit(limit, pin!(self.deliver(server, &action.to, &bytes, &stage))).await;
        match delivered {
            Some(Ok(accepted)) => Outcome::succeeded(taken(&report, accepted, &mask(server))),
            Some(Err(Problem::Failed(failure))) => report.failed(&failure),
            Some(Err(Problem::Refused(refusal))) => {
                let sentence = refusal.sentence(&server.host, &mask(server));
                let text = format!("{} Action - {sentence}", call.kind());
                let reason = FailureReason::new(refusal.class(), &server.host, &sentence);
                if refusal.is_final() {
                    Outcome::hopeless(text, reason)
                } else {
                    Outcome::refused(text, reason, None, HostTrouble::None)
                }
            }
            None => report.failed(&stage.failure(limit)),
        }
    }
}

/// What history says of a message that the server has taken.
fn taken(report: &AttemptReport, mut accepted: Accepted, mask: &Mask<'_>) -> String {
    let AttemptReport { kind, host } = report;
    let mut text = format!("{kind} Action - Response from host '{host}': '{}'", mask.text(&accepted.answer));
    for refusal in &accepted.refused {
        text.push(' ');
        text.push_str(NOT_ALL_TOLD);
        text.push_str(&refusal.sentence(host, mask));
    }
    // The server has the message, whatever it says to our farewell.
    let farewell = async move { accepted.connection.quit().await };
    tokio::spawn(timeout(Duration::from_secs(limits::SMTP_QUIT_SECONDS_MAX), farewell));
    text
}

/// What a mail server may repeat and nobody shall read.
fn mask(server: &MailServer) -> Mask<'static> {
    let password = server.login.as_ref().map_or("", |login| login.password.expose());
    Mask::of(&[password], &[])
}

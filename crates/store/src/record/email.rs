//! An e-mail, and whom it is for.

use punctual_model::action::{EmailAction, EmailAddress, EmailMessage, check_recipients};
use punctual_model::alert::MessageKind;
use serde::{Deserialize, Serialize};

use super::Unreadable;
use super::schedule::{named, timestamp};

#[derive(Serialize, Deserialize)]
pub(super) struct EmailRow {
    to: Vec<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    message: Option<MessageRow>,
}

#[derive(Serialize, Deserialize)]
struct MessageRow {
    subject: String,
    text: String,
    alert: String,
    incident: String,
    kind: String,
    at: i64,
}

impl EmailRow {
    pub(super) fn write(email: &EmailAction) -> Self {
        let message = email.message.as_ref().map(|message| MessageRow {
            subject: message.subject.clone(),
            text: message.text.clone(),
            alert: message.alert.clone(),
            incident: message.incident.clone(),
            kind: message.kind.name().to_owned(),
            at: message.at.ticks(),
        });
        Self { to: email.to.iter().map(ToString::to_string).collect(), message }
    }

    pub(super) fn read(self) -> Result<EmailAction, Unreadable> {
        check_recipients(self.to.len()).map_err(Unreadable::new)?;
        let to = self.to.iter().map(|address| EmailAddress::parse(address).map_err(Unreadable::new));
        let message = self.message.map(|message| {
            Ok::<_, Unreadable>(EmailMessage {
                subject: message.subject,
                text: message.text,
                alert: message.alert,
                incident: message.incident,
                kind: named(&message.kind, &MessageKind::ALL, MessageKind::name)?,
                at: timestamp(message.at)?,
            })
        });
        Ok(EmailAction { to: to.collect::<Result<_, _>>()?, message: message.transpose()? })
    }
}

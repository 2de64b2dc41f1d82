//! An e-mail as its bytes.

use std::time::{Duration, SystemTime};

use lettre::Message;
use lettre::message::header::{HeaderName, HeaderValue};
use lettre::message::{Mailbox, SinglePart};
use punctual_model::action::{EmailAddress, EmailMessage};
use punctual_model::alert::MessageKind;
use punctual_model::time::TICKS_PER_SECOND;

use super::server::Sender;

/// Headers beside the usual ones. The first keeps programs from answering that somebody is on holiday.
const AUTO_SUBMITTED: HeaderName = HeaderName::new_from_ascii_str("Auto-Submitted");
const ALERT: HeaderName = HeaderName::new_from_ascii_str("X-Punctual-Alert");
const RESENT: HeaderName = HeaderName::new_from_ascii_str("X-Punctual-Resent");

/// The bytes of a message: the same each time that it is sent, but for the mark of a message that may have been sent before.
/// By its id, mail programs know a message that comes twice.
pub(super) fn write(
    from: &Sender,
    to: &[EmailAddress],
    message: &EmailMessage,
    is_resent: bool,
) -> Result<Vec<u8>, String> {
    let domain = from.address.domain();
    let thread = format!("<{}@{domain}>", word(&message.incident));
    let name = (!from.name.is_empty()).then(|| from.name.clone());
    let mut builder = Message::builder()
        .from(Mailbox::new(name, address(&from.address)?))
        .subject(message.subject.as_str())
        .date(date(message))
        .raw_header(HeaderValue::new(AUTO_SUBMITTED, "auto-generated".to_owned()))
        .raw_header(HeaderValue::new(ALERT, message.alert.clone()));
    builder = match message.kind {
        MessageKind::Opened | MessageKind::Test => builder.message_id(Some(thread)),
        MessageKind::Reminder | MessageKind::Recovered => {
            let id = format!("<{}.{}@{domain}>", word(&message.incident), message.at.ticks());
            builder.message_id(Some(id)).in_reply_to(thread.clone()).references(thread)
        }
    };
    if is_resent {
        builder = builder.raw_header(HeaderValue::new(RESENT, "true".to_owned()));
    }
    for reader in to {
        builder = builder.to(Mailbox::new(None, address(reader)?));
    }
    let written = builder.singlepart(SinglePart::plain(message.text.clone()));
    Ok(written.map_err(|error| error.to_string())?.formatted())
}

/// An address as lettre has it.
pub(super) fn address(address: &EmailAddress) -> Result<lettre::Address, String> {
    address.as_str().parse().map_err(|error| format!("'{address}' is no address that e-mail can be sent to ({error})"))
}

/// When the message was written, to the second.
fn date(message: &EmailMessage) -> SystemTime {
    let seconds = u64::try_from(message.at.ticks() / TICKS_PER_SECOND).unwrap_or_default();
    SystemTime::UNIX_EPOCH + Duration::from_secs(seconds)
}

/// A text that can stand in a message id.
fn word(text: &str) -> String {
    text.chars().map(|c| if c.is_ascii_alphanumeric() || matches!(c, '-' | '.' | '_') { c } else { '_' }).collect()
}

#[cfg(test)]
mod tests {
    use insta::assert_snapshot;
    use punctual_model::time::Timestamp;

    use super::*;

    fn message(kind: MessageKind) -> EmailMessage {
        EmailMessage {
            subject: "ops/nightly fails at api.example.com: 503.".to_owned(),
            text: "One line.\nAnother: für alle.\n.\n".to_owned(),
            alert: "on-call".to_owned(),
            incident: "0a1b-7".to_owned(),
            kind,
            at: Timestamp::from_seconds(1_800_000_000).unwrap(),
        }
    }

    fn written(message: &EmailMessage, is_resent: bool) -> String {
        let from = Sender::parse("Punctual <punctual@Example.com>").unwrap();
        let to = ["ops@example.com", "b@example.org"].map(|address| EmailAddress::parse(address).unwrap());
        String::from_utf8(write(&from, &to, message, is_resent).unwrap()).unwrap()
    }

    #[test]
    fn the_first_message_of_an_incident_is_known_by_the_incident() {
        assert_snapshot!(written(&message(MessageKind::Opened), false), @"
        From: Punctual <punctual@Example.com>
        Subject: ops/nightly fails at api.example.com: 503.
        Date: Fri, 15 Jan 2027 08:00:00 +0000
        Auto-Submitted: auto-generated
        X-Punctual-Alert: on-call
        Message-ID: <0a1b-7@example.com>
        To: ops@example.com, b@example.org
        MIME-Version: 1.0
        Content-Type: text/plain; charset=utf-8
        Content-Transfer-Encoding: quoted-printable

        One line.
        Another: f=C3=BCr alle.
        .
        ");
    }

    #[test]
    fn later_messages_belong_to_the_first() {
        let text = written(&message(MessageKind::Recovered), true);
        let headers: Vec<&str> =
            text.lines().filter(|line| line.contains("0a1b-7") || line.contains("Resent")).collect();
        assert_snapshot!(headers.join("\n"), @"
        Message-ID: <0a1b-7.18000000000000000@example.com>
        In-Reply-To: <0a1b-7@example.com>
        References: <0a1b-7@example.com>
        X-Punctual-Resent: true
        ");
    }

    #[test]
    fn a_job_whose_name_looks_like_headers_adds_none() {
        let hostile = "x\r\nBcc: evil@example.com\r\n\r\nbody\u{2028}".to_owned();
        let message = EmailMessage {
            subject: hostile.clone(),
            alert: hostile.clone(),
            incident: hostile,
            ..message(MessageKind::Reminder)
        };
        let text = written(&message, false);
        let (headers, _) = text.split_once("\r\n\r\n").unwrap();
        let names: Vec<&str> = headers
            .split("\r\n")
            .filter(|line| !line.starts_with([' ', '\t']))
            .map(|line| line.split_once(':').map_or(line, |(name, _)| name))
            .collect();
        assert_snapshot!(names.join(" "), @"From Subject Date Auto-Submitted X-Punctual-Alert Message-ID In-Reply-To References To MIME-Version Content-Type Content-Transfer-Encoding");
        assert!(!headers.to_ascii_lowercase().contains("\nbcc"), "{headers}");
        assert!(text.is_ascii());
    }
}

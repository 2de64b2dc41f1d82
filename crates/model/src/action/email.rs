//! A message by e-mail: how alerts tell people.

use std::fmt;

use crate::alert::MessageKind;
use crate::time::Timestamp;
use crate::{Expected, limits};

/// An e-mail. Only alerts send e-mail: by which server and from whom, the operator decides.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EmailAction {
    /// Who gets the message; at least one.
    pub to: Vec<EmailAddress>,
    /// What is told; none in the action of an alert, which has nothing to tell yet.
    pub message: Option<EmailMessage>,
}

/// What an e-mail says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EmailMessage {
    /// The subject, on one line.
    pub subject: String,
    /// The text.
    pub text: String,
    /// The name of the alert that tells it.
    pub alert: String,
    /// The incident, by which the messages about it belong together.
    pub incident: String,
    /// What the message is about. The first message of an incident is known by the incident alone.
    pub kind: MessageKind,
    /// When the message was written. A message that is sent again is the same message.
    pub at: Timestamp,
}

/// Where e-mail goes: `ops@example.com`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EmailAddress {
    text: String,
    at: usize,
}

impl EmailAddress {
    /// Reads an address without a display name, in ASCII: many servers take no other.
    pub fn parse(text: &str) -> Result<Self, Expected> {
        let expected = || Expected::new("an e-mail address such as ops@example.com");
        let at = text.rfind('@').ok_or_else(expected)?;
        let (local, domain) = (&text[..at], &text[at + 1..]);
        let is_right = text.len() <= limits::EMAIL_ADDRESS_CHARS_MAX && is_local(local) && is_domain(domain);
        if is_right { Ok(Self { text: text.to_owned(), at }) } else { Err(expected()) }
    }

    /// As it was written.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// What stands behind the `@`, in lower case.
    pub fn domain(&self) -> String {
        self.text[self.at + 1..].to_ascii_lowercase()
    }
}

impl fmt::Display for EmailAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

/// Checks the number of addresses that one alert tells.
pub fn check_recipients(count: usize) -> Result<(), Expected> {
    if (1..=limits::EMAIL_RECIPIENTS_MAX).contains(&count) {
        Ok(())
    } else {
        Err(Expected::new(format!("1 to {} e-mail addresses", limits::EMAIL_RECIPIENTS_MAX)))
    }
}

/// Words of RFC 5322 with dots between them. The quoted form is in use nowhere.
fn is_local(text: &str) -> bool {
    let is_right = |byte: u8| byte.is_ascii_alphanumeric() || b"!#$%&'*+-/=?^_`{|}~".contains(&byte);
    text.len() <= limits::EMAIL_LOCAL_CHARS_MAX
        && text.split('.').all(|word| !word.is_empty() && word.bytes().all(is_right))
}

fn is_domain(text: &str) -> bool {
    let is_right = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-';
    let is_label = |label: &str| {
        (1..=63).contains(&label.len())
            && label.bytes().all(is_right)
            && !label.starts_with('-')
            && !label.ends_with('-')
    };
    text.split('.').all(is_label)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses() {
        for right in ["ops@example.com", "a.b+c@x", "O'Neil@EXAMPLE.co.uk", "root@localhost"] {
            assert_eq!(EmailAddress::parse(right).map(|address| address.to_string()).as_deref(), Ok(right));
        }
        let long = format!("{}@example.com", "a".repeat(65));
        for wrong in [
            "",
            "ops",
            "@example.com",
            "ops@",
            "ops@example..com",
            "ops@-x.com",
            "a b@example.com",
            "Ops <ops@example.com>",
            "ops@example.com\r\nBcc: x@y",
            "ops\n@example.com",
            "\"a b\"@example.com",
            "a..b@example.com",
            "a@b@example.com",
            "ops@[127.0.0.1]",
            "ö@example.com",
            "ops@example.com, x@y",
            &long,
        ] {
            assert!(EmailAddress::parse(wrong).is_err(), "{wrong}");
        }
        assert_eq!(
            EmailAddress::parse("ops@Example.COM").map(|address| address.domain()).as_deref(),
            Ok("example.com")
        );
    }
}

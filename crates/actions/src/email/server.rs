//! The mail server of the operator.

use punctual_model::Expected;
use punctual_model::action::{EmailAddress, Secret};

/// Through which server e-mail goes, and from whom.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MailServer {
    /// A name, or an IP address without brackets.
    pub host: String,
    /// Its port.
    pub port: u16,
    /// How the connection is secured.
    pub security: Security,
    /// Who logs in; nobody where none is given.
    pub login: Option<Login>,
    /// From whom messages come.
    pub from: Sender,
}

/// How the connection to a mail server is secured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Security {
    /// The connection begins in clear, and nothing is sent before TLS is agreed upon.
    StartTls,
    /// TLS from the first byte.
    Tls,
    /// Not at all.
    Clear,
}

impl Security {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::StartTls, Self::Tls, Self::Clear];

    /// Its name in the settings.
    pub const fn name(self) -> &'static str {
        match self {
            Self::StartTls => "starttls",
            Self::Tls => "tls",
            Self::Clear => "none",
        }
    }

    /// The port where the settings name none: submission with STARTTLS, submission over TLS, relay.
    pub const fn default_port(self) -> u16 {
        match self {
            Self::StartTls => 587,
            Self::Tls => 465,
            Self::Clear => 25,
        }
    }
}

/// User and password at the mail server.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names say it")]
pub struct Login {
    pub user: String,
    pub password: Secret,
}

/// From whom messages come.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sender {
    /// The name that is shown; empty for none.
    pub name: String,
    /// The address.
    pub address: EmailAddress,
}

impl Sender {
    /// Reads `punctual@example.com` or `Punctual <punctual@example.com>`.
    pub fn parse(text: &str) -> Result<Self, Expected> {
        let expected = || Expected::new("an address such as punctual@example.com or Punctual <punctual@example.com>");
        let (name, address) = match text.strip_suffix('>').and_then(|text| text.split_once('<')) {
            Some((name, address)) => (name.trim(), address),
            None => ("", text.trim()),
        };
        let name = name.strip_prefix('"').and_then(|name| name.strip_suffix('"')).unwrap_or(name);
        let is_right = !name.chars().any(|c| c.is_control() || matches!(c, '<' | '>' | '"' | '@'));
        let address = EmailAddress::parse(address).ok().filter(|_| is_right).ok_or_else(expected)?;
        Ok(Self { name: name.to_owned(), address })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn senders() {
        let read = |text| Sender::parse(text).map(|sender| format!("{}|{}", sender.name, sender.address)).ok();
        assert_eq!(read("a@example.com").as_deref(), Some("|a@example.com"));
        assert_eq!(read("Job Täter <a@example.com>").as_deref(), Some("Job Täter|a@example.com"));
        assert_eq!(read("\"Jobs, Inc.\" <a@example.com>").as_deref(), Some("Jobs, Inc.|a@example.com"));
        for wrong in ["", "a", "<>", "A <a>", "A\r\nB <a@example.com>", "a@b <c@d> <e@f>", "A a@example.com"] {
            assert_eq!(read(wrong), None, "{wrong}");
        }
    }
}

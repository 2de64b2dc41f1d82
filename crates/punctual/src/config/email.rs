//! `[email]`: through whom alerts send e-mail.

use std::path::PathBuf;

use punctual_actions::email::{Login, MailServer, Security, Sender};
use punctual_model::Expected;
use punctual_model::action::{Secret, literal_ip};

use super::reader::{SettingsReader, optional};

/// Through whom e-mail goes.
#[derive(Debug)]
pub(crate) struct Email {
    /// The mail server, with an empty password where a file holds it; none where no e-mail is sent.
    pub(crate) server: Option<MailServer>,
    /// The file with the password of the login.
    pub(crate) password_file: Option<PathBuf>,
}

/// The settings as they were written.
struct Written {
    security: Security,
    user: Option<String>,
    password: Option<Secret>,
    password_file: Option<PathBuf>,
    from: Option<Sender>,
}

impl Email {
    pub(super) fn read(reader: &SettingsReader<'_>) -> Option<Self> {
        let server = reader.parsed("email.server", optional(parse_server));
        let security = reader.parsed("email.tls", parse_security);
        let user = reader.parsed("email.user", optional(parse_line));
        let password = reader.parsed("email.password", optional(|text| parse_line(text).map(Secret::new)));
        let password_file = reader.parsed("email.password_file", optional(|text| Ok(PathBuf::from(text))));
        let from = reader.parsed("email.from", optional(Sender::parse));
        let (server, security) = (server?, security?);
        let written =
            Written { security, user: user?, password: password?, password_file: password_file?, from: from? };
        let Some((host, port)) = server else { return Some(Self { server: None, password_file: None }) };
        written.check(reader, &host);
        let Written { user, password, password_file, from, .. } = written;
        let login = user.map(|user| Login { user, password: password.unwrap_or_else(|| Secret::new("")) });
        let port = port.unwrap_or(security.default_port());
        let server = MailServer { host, port, security, login, from: from? };
        Some(Self { server: Some(server), password_file })
    }
}

impl Written {
    /// Refuses what does not go together.
    fn check(&self, reader: &SettingsReader<'_>, host: &str) {
        let has_password = self.password.is_some() || self.password_file.is_some();
        if self.from.is_none() {
            reader.refuse("email.from", "an address such as punctual@example.com, from which messages come");
        }
        if self.user.is_some() && !has_password {
            reader.refuse("email.user", "email.password or email.password_file beside it, or nothing");
        }
        if self.user.is_none() && has_password {
            reader.refuse("email.user", "the user whose password is set");
        }
        if self.password.is_some() && self.password_file.is_some() {
            reader.refuse("email.password_file", "nothing, since email.password is set, too");
        }
        if self.security == Security::Clear && self.user.is_some() && !is_local(host) {
            let expected = "\"starttls\" or \"tls\": a password goes in clear to this machine only";
            reader.refuse("email.tls", expected);
        }
    }
}

/// A host, and the port if one is given.
fn parse_server(text: &str) -> Result<(String, Option<u16>), Expected> {
    let expected = || Expected::new("a mail server such as smtp.example.com or smtp.example.com:587");
    let (host, port) = match text.strip_prefix('[').map(|text| text.split_once(']')) {
        Some(bracketed) => {
            let (host, rest) = bracketed.ok_or_else(expected)?;
            let host = literal_ip(host).map(|_| host).ok_or_else(expected)?;
            let port = if rest.is_empty() { None } else { Some(rest.strip_prefix(':').ok_or_else(expected)?) };
            (host, port)
        }
        None => text.split_once(':').map_or((text, None), |(host, port)| (host, Some(port))),
    };
    let is_right = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.' | b':');
    let port = port.map(|port| port.parse().ok().filter(|port| *port > 0).ok_or_else(expected)).transpose()?;
    if host.is_empty() || !host.bytes().all(is_right) {
        return Err(expected());
    }
    Ok((host.to_ascii_lowercase(), port))
}

fn parse_security(text: &str) -> Result<Security, Expected> {
    let known = Security::ALL.into_iter().find(|security| security.name() == text);
    known.ok_or_else(|| Expected::new("\"starttls\", \"tls\" or \"none\""))
}

fn parse_line(text: &str) -> Result<String, Expected> {
    let is_line = !text.chars().any(char::is_control);
    is_line.then(|| text.to_owned()).ok_or_else(|| Expected::new("a text on one line"))
}

fn is_local(host: &str) -> bool {
    host == "localhost" || literal_ip(host).is_some_and(|ip| ip.is_loopback())
}

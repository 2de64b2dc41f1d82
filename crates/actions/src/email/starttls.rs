//! STARTTLS: from a connection in clear to one under TLS, or to none.

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;

use super::refusal::{Problem, Refusal, closed, not_smtp};
use crate::failure::Failure;
use crate::stream::Stream;
use crate::{limits, tls};

/// Agrees on TLS with a mail server. Returns the connection with the greeting that the server gave before.
pub(super) async fn start_tls(
    stream: TcpStream,
    host: &str,
    hello: &str,
    tls: &TlsConnector,
) -> Result<(Stream, Vec<u8>), Problem> {
    let mut clear = Clear { stream, host, unread: Vec::new() };
    let greeting = clear.answer("the connection").await?;
    let offered = clear.ask(&format!("EHLO {hello}\r\n"), "the connection").await?;
    if !offers_starttls(&offered) {
        let text = "offers no STARTTLS. With email.tls = \"tls\" TLS begins at once, mostly on port 465.";
        return Err(Failure::Tls(format!("'{host}' {text}")).into());
    }
    clear.ask("STARTTLS\r\n", "STARTTLS").await?;
    if !clear.unread.is_empty() {
        // Somebody between us and the server may have added it, to have it taken for an answer under TLS.
        return Err(Failure::Tls(format!("'{host}' sent something in clear after STARTTLS.")).into());
    }
    let stream = tls::agree(tls, host, clear.stream).await?;
    Ok((Stream::Tls(Box::new(stream)), greeting))
}

/// A connection in clear.
struct Clear<'a> {
    stream: TcpStream,
    host: &'a str,
    /// What was received beyond the last answer.
    unread: Vec<u8>,
}

impl Clear<'_> {
    async fn ask(&mut self, command: &str, what: &str) -> Result<Vec<u8>, Problem> {
        self.stream.write_all(command.as_bytes()).await.map_err(|_| closed(self.host))?;
        self.answer(what).await
    }

    /// A whole answer of the server, if it is a yes.
    async fn answer(&mut self, what: &str) -> Result<Vec<u8>, Problem> {
        loop {
            if let Some(end) = end_of_answer(&self.unread) {
                let rest = self.unread.split_off(end);
                let answer = std::mem::replace(&mut self.unread, rest);
                return self.judge(answer, what);
            }
            if self.unread.len() > limits::SMTP_ANSWERS_BYTES_MAX {
                return Err(not_smtp(self.host).into());
            }
            let read = self.stream.read_buf(&mut self.unread).await.map_err(|_| closed(self.host))?;
            if read == 0 {
                return Err(closed(self.host).into());
            }
        }
    }

    fn judge(&self, answer: Vec<u8>, what: &str) -> Result<Vec<u8>, Problem> {
        let text = String::from_utf8_lossy(&answer);
        let code = text.get(..3).filter(|code| code.bytes().all(|byte| byte.is_ascii_digit()));
        match code.and_then(|code| code.parse::<u16>().ok()) {
            Some(200..=299) => Ok(answer),
            Some(code @ 400..=599) => {
                let lines: Vec<&str> = text.lines().map(|line| line.get(4..).unwrap_or_default()).collect();
                Err(Problem::Refused(Refusal { what: what.to_owned(), code, text: lines.join(" "), is_login: false }))
            }
            _ => Err(not_smtp(self.host).into()),
        }
    }
}

/// Where an answer ends that may have several lines: all but the last have a hyphen behind the number.
fn end_of_answer(bytes: &[u8]) -> Option<usize> {
    let mut start = 0;
    while let Some(length) = bytes[start..].iter().position(|byte| *byte == b'\n') {
        let line = &bytes[start..start + length];
        start += length + 1;
        if line.get(3) != Some(&b'-') {
            return Some(start);
        }
    }
    None
}

fn offers_starttls(answer: &[u8]) -> bool {
    let text = String::from_utf8_lossy(answer);
    text.lines().skip(1).any(|line| line.get(4..).is_some_and(|word| word.trim().eq_ignore_ascii_case("STARTTLS")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_end_with_a_line_without_a_hyphen() {
        assert_eq!(end_of_answer(b"220 hello\r\n"), Some(11));
        assert_eq!(end_of_answer(b"250-a\r\n250 b\r\nrest"), Some(14));
        assert_eq!(end_of_answer(b"250-a\r\n250 b"), None);
        assert_eq!(end_of_answer(b""), None);
        assert_eq!(end_of_answer(b"x\n"), Some(2));
    }

    #[test]
    fn starttls_is_offered_in_any_case_and_not_in_the_greeting() {
        assert!(offers_starttls(b"250-mail\r\n250-SIZE 1\r\n250 starttls\r\n"));
        assert!(!offers_starttls(b"250 STARTTLS\r\n"));
        assert!(!offers_starttls(b"250-mail\r\n250 AUTH PLAIN\r\n"));
    }
}

//! A client of HTTP/1.1 that fits on a page and keeps its connection.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::TcpStream;

use serde_json::Value;

pub(crate) struct Client {
    port: u16,
    token: String,
    connection: Option<BufReader<TcpStream>>,
}

/// What the server said.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) body: Value,
}

impl Client {
    pub(crate) fn new(port: u16, token: String) -> Self {
        Self { port, token, connection: None }
    }

    /// Asks; an error means that nobody knows whether it was done.
    pub(crate) fn call(&mut self, method: &str, path: &str, body: &str) -> io::Result<Answer> {
        let Self { port, token, connection } = self;
        let mut stream = match connection.take() {
            Some(stream) => stream,
            None => BufReader::new(TcpStream::connect(("127.0.0.1", *port))?),
        };
        let length = body.len();
        let request = format!(
            "{method} {path} HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer {token}\r\n\
             content-length: {length}\r\n\r\n{body}"
        );
        stream.get_mut().write_all(request.as_bytes())?;
        let answer = read(&mut stream)?;
        self.connection = Some(stream);
        Ok(answer)
    }
}

fn read(stream: &mut BufReader<TcpStream>) -> io::Result<Answer> {
    let broken = || io::Error::from(io::ErrorKind::UnexpectedEof);
    let mut line = String::new();
    stream.read_line(&mut line)?;
    let status = line.split(' ').nth(1).and_then(|status| status.parse().ok()).ok_or_else(broken)?;
    let mut length = 0;
    loop {
        line.clear();
        if stream.read_line(&mut line)? == 0 {
            return Err(broken());
        }
        let Some((name, value)) = line.trim_end().split_once(": ") else { break };
        if name.eq_ignore_ascii_case("content-length") {
            length = value.parse().map_err(|_| broken())?;
        }
    }
    let mut body = vec![0; length];
    stream.read_exact(&mut body)?;
    let body = if body.is_empty() { Value::Null } else { serde_json::from_slice(&body)? };
    Ok(Answer { status, body })
}

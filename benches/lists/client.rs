//! A client that asks one thing after the other, and looks at the clock.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::Instant;

use serde_json::Value;

/// A connection of one caller.
pub(crate) struct Client {
    stream: TcpStream,
    token: String,
}

/// An answer, and after how long it was there.
pub(crate) struct Answer {
    pub(crate) milliseconds: f64,
    pub(crate) body: Vec<u8>,
}

impl Answer {
    pub(crate) fn json(&self) -> Value {
        serde_json::from_slice(&self.body).expect("an answer in JSON")
    }

    /// The path of the next page, if there is one.
    pub(crate) fn next_path(&self) -> Option<String> {
        let answer = self.json();
        let link = answer["nextLink"].as_str()?;
        Some(link[link.find("/v1/").expect("a path of ours")..].to_owned())
    }
}

impl Client {
    pub(crate) fn new(port: u16, token: &str) -> Self {
        let stream = TcpStream::connect(("127.0.0.1", port)).expect("a server that listens");
        stream.set_nodelay(true).expect("a connection");
        Self { stream, token: token.to_owned() }
    }

    /// Sends a request and reads its answer, which must be a good one.
    pub(crate) fn call(&mut self, method: &str, path: &str, body: &str) -> Answer {
        let (token, length) = (&self.token, body.len());
        let request = format!(
            "{method} {path} HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer {token}\r\n\
             content-length: {length}\r\n\r\n{body}"
        );
        let started = Instant::now();
        self.stream.write_all(request.as_bytes()).expect("a server that listens");
        let body = self.read(path);
        Answer { milliseconds: started.elapsed().as_secs_f64() * 1000.0, body }
    }

    fn read(&mut self, path: &str) -> Vec<u8> {
        let (mut answer, mut chunk) = (Vec::new(), vec![0; 64 << 10]);
        loop {
            let read = self.stream.read(&mut chunk).expect("an answer");
            assert!(read > 0, "the server has hung up");
            answer.extend_from_slice(&chunk[..read]);
            let Some(head) = answer.windows(4).position(|bytes| bytes == b"\r\n\r\n") else { continue };
            let text = String::from_utf8_lossy(&answer[..head]).to_lowercase();
            let length = text.lines().find_map(|line| line.strip_prefix("content-length: ")?.parse::<usize>().ok());
            let length = length.expect("an answer with a length");
            if answer.len() >= head + 4 + length {
                let body = answer.split_off(head + 4);
                assert!(answer.starts_with(b"HTTP/1.1 20"), "{path}: {}", String::from_utf8_lossy(&body));
                return body;
            }
        }
    }
}

//! A target of jobs that answers with what it is told, one status after the other, and keeps what it was sent.

use std::io::{BufRead, BufReader, Write};
use std::net::TcpListener;
use std::sync::{Arc, Mutex};
use std::thread;

pub(crate) struct Receiver {
    pub(crate) port: u16,
    heads: Arc<Mutex<Vec<String>>>,
}

impl Receiver {
    /// Answers with these, and with the last of them from then on.
    pub(crate) fn start(statuses: &'static [u16]) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let heads = Arc::new(Mutex::new(Vec::new()));
        let kept = Arc::clone(&heads);
        // It ends with the process.
        thread::spawn(move || {
            for stream in listener.incoming() {
                let mut stream = BufReader::new(stream.unwrap());
                let mut head = String::new();
                while !head.ends_with("\r\n\r\n") && stream.read_line(&mut head).unwrap_or(0) > 0 {}
                let number = {
                    let mut heads = kept.lock().unwrap();
                    heads.push(head);
                    heads.len() - 1
                };
                let status = statuses[number.min(statuses.len() - 1)];
                let answer = format!("HTTP/1.1 {status} X\r\ncontent-length: 0\r\nconnection: close\r\n\r\n");
                let _ = stream.get_mut().write_all(answer.as_bytes());
            }
        });
        Self { port, heads }
    }

    /// The values of a header, of one request after the other; empty where it was not sent.
    pub(crate) fn header(&self, name: &str) -> Vec<String> {
        let value = |head: &String| {
            let mut lines = head.lines().filter_map(|line| line.split_once(": "));
            lines.find(|(known, _)| known.eq_ignore_ascii_case(name)).map(|(_, value)| value.to_owned())
        };
        self.heads.lock().unwrap().iter().map(|head| value(head).unwrap_or_default()).collect()
    }
}

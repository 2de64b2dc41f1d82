//! A target of jobs that answers with what it is told, one status after the other, and keeps what it was sent.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Condvar, Mutex};
use std::thread;

/// A target that runs until the test is over.
pub(crate) struct Receiver {
    pub(crate) port: u16,
    heard: Arc<Heard>,
}

/// The heads and bodies of the requests that arrived.
#[derive(Default)]
struct Heard {
    heads: Mutex<Vec<String>>,
    bodies: Mutex<Vec<String>>,
    arrived: Condvar,
}

impl Receiver {
    /// Answers with these, and with the last of them from then on.
    pub(crate) fn start(statuses: &'static [u16]) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let heard = Arc::<Heard>::default();
        let kept = Arc::clone(&heard);
        // It ends with the process.
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let kept = Arc::clone(&kept);
                // A caller may die in the middle of a call.
                thread::spawn(move || _ = answer_all(stream, statuses, &kept));
            }
        });
        Self { port, heard }
    }

    /// Waits until so many requests have arrived in all.
    pub(crate) fn wait_for(&self, number: usize) {
        let heads = self.heard.heads.lock().unwrap();
        drop(self.heard.arrived.wait_while(heads, |heads| heads.len() < number).unwrap());
    }

    /// How many requests have arrived.
    pub(crate) fn number(&self) -> usize {
        self.heard.heads.lock().unwrap().len()
    }

    /// The body of one request, as JSON.
    pub(crate) fn json(&self, number: usize) -> serde_json::Value {
        serde_json::from_str(&self.heard.bodies.lock().unwrap()[number]).unwrap()
    }

    /// The values of a header, of one request after the other; empty where it was not sent.
    pub(crate) fn header(&self, name: &str) -> Vec<String> {
        let heads = self.heard.heads.lock().unwrap();
        heads.iter().map(|head| value(head, name).unwrap_or_default().to_owned()).collect()
    }
}

/// The value of a header in the head of a request.
fn value<'a>(head: &'a str, name: &str) -> Option<&'a str> {
    let mut lines = head.lines().filter_map(|line| line.split_once(": "));
    lines.find(|(known, _)| known.eq_ignore_ascii_case(name)).map(|(_, value)| value)
}

fn answer_all(stream: TcpStream, statuses: &[u16], heard: &Heard) -> io::Result<()> {
    stream.set_nodelay(true)?;
    let mut stream = BufReader::new(stream);
    loop {
        let mut request = String::new();
        while !request.ends_with("\r\n\r\n") {
            if stream.read_line(&mut request)? == 0 {
                return Ok(());
            }
        }
        let length = value(&request, "content-length").map_or(0, |length| length.parse().unwrap());
        let mut body = vec![0; length];
        stream.read_exact(&mut body)?;
        let number = {
            let mut heads = heard.heads.lock().unwrap();
            heads.push(request);
            heard.bodies.lock().unwrap().push(String::from_utf8_lossy(&body).into_owned());
            heads.len() - 1
        };
        heard.arrived.notify_all();
        let status = statuses[number.min(statuses.len() - 1)];
        write!(stream.get_mut(), "HTTP/1.1 {status} X\r\ncontent-length: 2\r\n\r\nok")?;
    }
}

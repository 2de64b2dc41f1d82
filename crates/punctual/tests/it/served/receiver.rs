//! A target of our own: it answers every call, and remembers what it was told.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Condvar, Mutex};
use std::thread;

/// A call as it arrived.
#[derive(Clone, Debug, Default)]
pub(crate) struct Call {
    pub(crate) path: String,
    pub(crate) execution_tag: String,
    pub(crate) request_id: String,
    pub(crate) is_resent: bool,
}

/// A target that runs until the test is over.
pub(crate) struct Receiver {
    pub(crate) port: u16,
    calls: Arc<(Mutex<Vec<Call>>, Condvar)>,
}

impl Receiver {
    pub(crate) fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let calls = Arc::<(Mutex<Vec<Call>>, Condvar)>::default();
        let heard = Arc::clone(&calls);
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let heard = Arc::clone(&heard);
                // A caller that dies in the middle of a call is what this is for.
                thread::spawn(move || _ = answer_all(stream, &heard));
            }
        });
        Self { port, calls }
    }

    /// Waits until so many calls have arrived in all.
    pub(crate) fn wait_for(&self, number: usize) {
        let (calls, arrived) = &*self.calls;
        drop(arrived.wait_while(calls.lock().unwrap(), |calls| calls.len() < number).unwrap());
    }

    /// All that arrived.
    pub(crate) fn calls(&self) -> Vec<Call> {
        self.calls.0.lock().unwrap().clone()
    }
}

/// Answers with 200, unless the path asks for another status: `/status/503`.
fn answer_all(stream: TcpStream, heard: &(Mutex<Vec<Call>>, Condvar)) -> io::Result<()> {
    stream.set_nodelay(true)?;
    let mut stream = BufReader::new(stream);
    while let Some(call) = read(&mut stream)? {
        let status = call.path.strip_prefix("/status/").unwrap_or("200").to_owned();
        heard.0.lock().unwrap().push(call);
        heard.1.notify_all();
        write!(stream.get_mut(), "HTTP/1.1 {status} Said\r\ncontent-length: 2\r\n\r\nok")?;
    }
    Ok(())
}

fn read(stream: &mut BufReader<TcpStream>) -> io::Result<Option<Call>> {
    let mut line = String::new();
    if stream.read_line(&mut line)? == 0 {
        return Ok(None);
    }
    let mut call = Call { path: line.split(' ').nth(1).unwrap_or_default().to_owned(), ..Call::default() };
    let mut length = 0;
    loop {
        line.clear();
        if stream.read_line(&mut line)? == 0 {
            return Ok(None);
        }
        let Some((name, value)) = line.trim_end().split_once(": ") else { break };
        match name.to_ascii_lowercase().as_str() {
            "content-length" => length = value.parse().unwrap_or(0),
            "x-ms-execution-tag" => value.clone_into(&mut call.execution_tag),
            "x-ms-client-request-id" => value.clone_into(&mut call.request_id),
            "x-punctual-resent" => call.is_resent = value == "true",
            _ => {}
        }
    }
    stream.read_exact(&mut vec![0; length])?;
    Ok(Some(call))
}

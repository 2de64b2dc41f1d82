//! Clients of the API, while jobs run.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use punctual_benches::{Answers, Histogram, Punctual, job_name, request, scatter};

/// Some clients, each with a connection and a thread of its own.
pub(crate) struct Visitors {
    is_over: Arc<AtomicBool>,
    times: Arc<Histogram>,
    threads: Vec<JoinHandle<()>>,
}

/// What they do.
#[derive(Clone, Copy)]
pub(crate) enum Errand {
    /// They read a job so often each.
    Read(Duration),
    /// They edit jobs as fast as they can.
    Edit,
}

impl Visitors {
    /// So many clients come for the first so many jobs.
    pub(crate) fn come(server: &Punctual, count: usize, jobs: usize, errand: Errand) -> Self {
        let (is_over, times) = (Arc::new(AtomicBool::new(false)), Arc::new(Histogram::new()));
        let thread = |visitor: usize| {
            let (is_over, times) = (Arc::clone(&is_over), Arc::clone(&times));
            let (port, token) = (server.port(), server.token().to_owned());
            std::thread::spawn(move || {
                let mut connection = Connection::open(port);
                for round in 0.. {
                    let number = scatter(round * count + visitor) % jobs;
                    let request = errand.request(number, round, &token);
                    let started = Instant::now();
                    connection.call(&request);
                    times.add(u64::try_from(started.elapsed().as_micros()).unwrap_or(u64::MAX));
                    if let Errand::Read(pause) = errand {
                        std::thread::sleep(pause);
                    }
                    if is_over.load(Ordering::Relaxed) {
                        break;
                    }
                }
            })
        };
        let threads = (0..count).map(thread).collect();
        Self { is_over, times, threads }
    }

    /// Sends them home, and says how long they waited for their answers.
    pub(crate) fn leave(self) -> Arc<Histogram> {
        self.is_over.store(true, Ordering::Relaxed);
        for thread in self.threads {
            thread.join().expect("every request is answered well");
        }
        self.times
    }
}

impl Errand {
    fn request(self, number: usize, round: usize, token: &str) -> String {
        let (method, body) = match self {
            Self::Read(_) => ("GET", String::new()),
            Self::Edit => ("PUT", edited(number, round)),
        };
        request(method, &job_name(number), token, &body)
    }
}

/// Another definition in every round.
fn edited(number: usize, round: usize) -> String {
    format!(
        r#"{{"properties":{{"startTime":"2099-01-01T00:00:00Z","action":{{"type":"Http","request":{{"uri":"http://127.0.0.1:9/","method":"POST","body":"{number} {round}"}}}},"recurrence":{{"frequency":"Day","interval":1}}}}}}"#
    )
}

struct Connection {
    stream: TcpStream,
    answers: Answers,
}

impl Connection {
    fn open(port: u16) -> Self {
        let stream = TcpStream::connect(("127.0.0.1", port)).expect("a connection");
        stream.set_nodelay(true).expect("a connection");
        Self { stream, answers: Answers::default() }
    }

    /// Sends a request and reads its answer, which must be a good one.
    fn call(&mut self, request: &str) {
        self.stream.write_all(request.as_bytes()).expect("a server that listens");
        loop {
            let read = self.stream.read(self.answers.space()).expect("an answer");
            if self.answers.are_complete(read) {
                return;
            }
        }
    }
}

//! Clients that do nothing but ask and wait, so that the server has the machine.

use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use punctual_benches::{Answers, request, scatter};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::runtime::Runtime;

/// How long each kind of request is measured.
const MEASURED: Duration = Duration::from_secs(5);

/// Some clients.
pub(crate) struct Load {
    runtime: Runtime,
    clients: usize,
    requests: Arc<Requests>,
}

/// What was done.
pub(crate) struct Done {
    pub(crate) requests: usize,
    pub(crate) per_second: f64,
}

struct Requests {
    port: u16,
    token: String,
}

impl Load {
    pub(crate) fn new(port: u16, clients: usize, token: &str) -> Self {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a thread");
        Self { runtime, clients, requests: Arc::new(Requests { port, token: token.to_owned() }) }
    }

    /// Creates these jobs.
    pub(crate) fn fill(&mut self, jobs: Range<usize>) {
        self.run(jobs.start, Some(jobs.end), None, Requests::create);
    }

    /// Creates jobs from this number on, for a while.
    pub(crate) fn creates(&mut self, from: usize) -> Done {
        self.run(from, None, Some(MEASURED), Requests::create)
    }

    /// Reads one of this many jobs after the other, each as likely, for a while.
    pub(crate) fn reads(&mut self, jobs: usize) -> Done {
        self.run(0, None, Some(MEASURED), move |requests, number| requests.read(scatter(number) % jobs))
    }

    fn run(
        &self,
        from: usize,
        until: Option<usize>,
        time: Option<Duration>,
        request: impl Fn(&Requests, usize) -> String + Clone + Send + 'static,
    ) -> Done {
        let next = Arc::new(AtomicUsize::new(from));
        let started = Instant::now();
        let deadline = time.map(|time| started + time);
        self.runtime.block_on(async {
            let clients = (0..self.clients).map(|_| {
                let (requests, next, request) = (Arc::clone(&self.requests), Arc::clone(&next), request.clone());
                tokio::spawn(async move {
                    let mut connection = Connection::open(requests.port).await;
                    loop {
                        let number = next.fetch_add(1, Ordering::Relaxed);
                        let is_over = deadline.is_some_and(|deadline| Instant::now() >= deadline);
                        if is_over || until.is_some_and(|until| number >= until) {
                            break;
                        }
                        connection.call(&request(&requests, number)).await;
                    }
                })
            });
            for client in clients.collect::<Vec<_>>() {
                client.await.expect("every request is answered well");
            }
        });
        let requests = next.load(Ordering::Relaxed) - from - self.clients;
        #[expect(clippy::cast_precision_loss, reason = "there are not so many")]
        let per_second = requests as f64 / started.elapsed().as_secs_f64();
        Done { requests, per_second }
    }
}

impl Requests {
    fn create(&self, number: usize) -> String {
        let body = format!(
            r#"{{"properties":{{"startTime":"2030-01-01T{:02}:{:02}:00Z","action":{{"type":"Https","request":{{"uri":"https://example.com/jobs/{number}","method":"POST","headers":{{"content-type":"application/json"}},"body":"{{\"number\":{number}}}"}},"retryPolicy":{{"retryType":"Fixed","retryInterval":"PT30S","retryCount":3}}}},"recurrence":{{"frequency":"Day","interval":1}}}}}}"#,
            scatter(number) % 24,
            scatter(number) / 24 % 60,
        );
        self.request("PUT", number, &body)
    }

    fn read(&self, number: usize) -> String {
        self.request("GET", number, "")
    }

    /// Names come in no order, as those of users do.
    fn request(&self, method: &str, number: usize, body: &str) -> String {
        let name = format!("{:08x}-job-{number}", scatter(number) & 0xffff_ffff);
        request(method, &name, &self.token, body)
    }
}

struct Connection {
    stream: TcpStream,
    answers: Answers,
}

impl Connection {
    async fn open(port: u16) -> Self {
        let stream = TcpStream::connect(("127.0.0.1", port)).await.expect("a connection");
        stream.set_nodelay(true).expect("a connection");
        Self { stream, answers: Answers::default() }
    }

    /// Sends a request and reads its answer, which must be a good one.
    async fn call(&mut self, request: &str) {
        self.stream.write_all(request.as_bytes()).await.expect("a server that listens");
        loop {
            let read = self.stream.read(self.answers.space()).await.expect("an answer");
            if self.answers.are_complete(read) {
                return;
            }
        }
    }
}

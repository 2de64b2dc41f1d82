//! A collector of telemetry that keeps what it was sent.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::thread;

use prost::Message;
use punctual_telemetry::otlp::{
    AnyValueKind, ExportLogs, ExportMetrics, ExportTraces, KeyValue, LogRecord, Metric, Resource, Span,
};

/// A collector that runs until the test is over.
pub(crate) struct Collector {
    pub(crate) port: u16,
    received: Arc<Mutex<Vec<Received>>>,
}

/// A request to the collector.
#[derive(Clone, Debug)]
pub(crate) struct Received {
    pub(crate) head: String,
    body: Vec<u8>,
}

impl Collector {
    pub(crate) fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let received = Arc::<Mutex<Vec<Received>>>::default();
        let kept = Arc::clone(&received);
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let kept = Arc::clone(&kept);
                thread::spawn(move || _ = take(stream, &kept));
            }
        });
        Self { port, received }
    }

    /// The requests to a path, in the order in which they came.
    pub(crate) fn requests(&self, path: &str) -> Vec<Received> {
        let start = format!("POST {path} ");
        self.received.lock().unwrap().iter().filter(|request| request.head.starts_with(&start)).cloned().collect()
    }

    /// All spans.
    pub(crate) fn spans(&self) -> Vec<Span> {
        let exports = self.requests("/v1/traces").into_iter().map(|request| ExportTraces::decode(&*request.body));
        let resources = exports.flat_map(|export| export.unwrap().resource_spans);
        resources.flat_map(|resource| resource.scope_spans).flat_map(|scope| scope.spans).collect()
    }

    /// The metrics that were sent last, and who sent them.
    pub(crate) fn metrics(&self) -> (Resource, Vec<Metric>) {
        let last = self.requests("/v1/metrics").pop().expect("metrics");
        let resource = ExportMetrics::decode(&*last.body).unwrap().resource_metrics.remove(0);
        (resource.resource.unwrap(), resource.scope_metrics.into_iter().flat_map(|scope| scope.metrics).collect())
    }

    /// All lines of the log.
    pub(crate) fn lines(&self) -> Vec<LogRecord> {
        let exports = self.requests("/v1/logs").into_iter().map(|request| ExportLogs::decode(&*request.body));
        let resources = exports.flat_map(|export| export.unwrap().resource_logs);
        resources.flat_map(|resource| resource.scope_logs).flat_map(|scope| scope.log_records).collect()
    }
}

/// The value of an attribute as text; empty if it is not there.
pub(crate) fn attribute(attributes: &[KeyValue], key: &str) -> String {
    let value = attributes.iter().find(|attribute| attribute.key == key).and_then(|found| found.value.clone()?.value);
    match value {
        Some(AnyValueKind::Text(text)) => text,
        Some(AnyValueKind::Whole(number)) => number.to_string(),
        Some(AnyValueKind::Truth(_) | AnyValueKind::Fraction(_)) | None => String::new(),
    }
}

fn take(stream: TcpStream, received: &Mutex<Vec<Received>>) -> io::Result<()> {
    let mut stream = BufReader::new(stream);
    let mut head = String::new();
    while !head.ends_with("\r\n\r\n") {
        if stream.read_line(&mut head)? == 0 {
            return Ok(());
        }
    }
    let length = head.lines().find_map(|line| line.strip_prefix("Content-Length: ")?.parse().ok());
    let mut body = vec![0; length.unwrap_or_default()];
    stream.read_exact(&mut body)?;
    received.lock().unwrap().push(Received { head, body });
    write!(stream.get_mut(), "HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n")
}

//! The target of all jobs: this program once more, in a process of its own.
//!
//! It answers as cheaply as can be, and notes how many calls came and how late each was. On other ports it speaks TLS, answers
//! at length or after a while, or takes connections and never says a word.

mod certificate;
mod request;
mod serve;
mod tally;

use std::io::{BufRead, BufReader, Write};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use serde_json::Value;

pub use serve::serve;

/// What this program is told to be the receiver with.
pub const ARGUMENT: &str = "receiver";

/// How long the port that is slow takes to answer.
pub const SLOW: Duration = Duration::from_millis(50);

/// Ports that hang, each of them a host of its own for whoever calls.
pub const HANGING: usize = 200;

/// The receiver's process.
pub struct Receiver {
    child: Child,
    control: BufReader<TcpStream>,
    /// A port that answers at once.
    pub port: u16,
    /// The same over TLS.
    pub tls_port: u16,
    /// A port on which answers have 16,000 characters; calls to it are not noted.
    pub wordy_port: u16,
    /// A port on which answers come after [`SLOW`]; calls to it are noted as well.
    pub slow_port: u16,
    /// Ports on which no answer ever comes.
    pub hanging_ports: Vec<u16>,
    /// A port that is taken and on which nobody listens.
    pub refusing_port: u16,
    /// Who signed its certificate.
    pub authority_pem: String,
}

/// What came since it was last cleared.
#[derive(Clone, Copy, Debug)]
pub struct Arrivals {
    /// All calls.
    pub calls: f64,
    /// Calls that said they may have come before.
    pub resent: f64,
    /// Calls that came before their time.
    pub early: f64,
    /// Connections on which they came.
    pub connections: f64,
    /// How late half of them were at most.
    pub p50_ms: f64,
    /// How late all but one in a hundred were at most.
    pub p99_ms: f64,
    /// How late the latest was.
    pub worst_ms: f64,
}

impl Receiver {
    /// Starts it.
    pub fn start() -> Self {
        let program = std::env::current_exe().expect("this program");
        let mut command = Command::new(program);
        // It ends when its input does: it outlives nobody.
        let mut child =
            command.arg(ARGUMENT).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("this program once more");
        let mut line = String::new();
        BufReader::new(child.stdout.take().expect("its output")).read_line(&mut line).expect("its ports");
        let said: Value = serde_json::from_str(&line).expect("JSON");
        let port = |value: &Value| value.as_u64().and_then(|port| u16::try_from(port).ok()).expect("a port");
        let control = TcpStream::connect(("127.0.0.1", port(&said["control"]))).expect("the control port");
        Self {
            child,
            control: BufReader::new(control),
            port: port(&said["plain"]),
            tls_port: port(&said["tls"]),
            wordy_port: port(&said["wordy"]),
            slow_port: port(&said["slow"]),
            hanging_ports: said["hanging"].as_array().expect("a list").iter().map(port).collect(),
            refusing_port: port(&said["refusing"]),
            authority_pem: said["authority"].as_str().expect("a certificate").to_owned(),
        }
    }

    /// Forgets what came.
    pub fn clear(&mut self) {
        self.ask("clear");
    }

    /// What came.
    pub fn arrivals(&mut self) -> Arrivals {
        let said = self.ask("arrivals");
        let number = |key: &str| said[key].as_f64().expect("a number");
        Arrivals {
            calls: number("calls"),
            resent: number("resent"),
            early: number("early"),
            connections: number("connections"),
            p50_ms: number("p50_ms"),
            p99_ms: number("p99_ms"),
            worst_ms: number("worst_ms"),
        }
    }

    fn ask(&mut self, question: &str) -> Value {
        writeln!(self.control.get_mut(), "{question}").expect("a receiver that listens");
        let mut line = String::new();
        self.control.read_line(&mut line).expect("a receiver that answers");
        serde_json::from_str(&line).expect("JSON")
    }
}

impl Drop for Receiver {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

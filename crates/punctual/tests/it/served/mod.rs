//! The real server, started as a user starts it.

mod alerts;
mod cli;
mod cluster;
mod code;
mod code_round_trip;
mod collections;
mod collector;
mod contexts;
mod crash;
mod edits;
mod events;
mod failures;
mod fires;
mod http;
mod identity_provider;
mod import;
mod jobs;
mod metrics;
mod pause;
mod placeholders;
mod receiver;
mod secrecy;
mod shutdown;
mod telemetry;

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread;

use self::http::Client;

/// A server that runs until it is dropped.
pub(crate) struct Served {
    child: Child,
    pub(crate) port: u16,
    pub(crate) token: String,
    /// The lines it says first.
    pub(crate) greeting: Vec<String>,
}

impl Served {
    /// Starts a server on a port that is free, and waits until it listens.
    pub(crate) fn start(data: &Path) -> Self {
        Self::start_with(data, &[])
    }

    /// The same with more flags.
    pub(crate) fn start_with(data: &Path, flags: &[&str]) -> Self {
        Self::start_on(data, 0, flags)
    }

    /// The same on a port, or on any if that is 0.
    pub(crate) fn start_on(data: &Path, port: u16, flags: &[&str]) -> Self {
        let mut child = crate::binary()
            .args(["serve", "--listen", &format!("127.0.0.1:{port}"), "--data"])
            .arg(data)
            .args(flags)
            .env("PUNCTUAL_LOG__ACCESS", "false")
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut lines = BufReader::new(child.stderr.take().unwrap()).lines();
        let mut greeting = Vec::new();
        for line in lines.by_ref().map(Result::unwrap) {
            let is_last = line.contains("try: curl");
            greeting.push(line);
            if is_last {
                break;
            }
        }
        let listens = greeting.iter().find(|line| line.contains(" listens on "));
        let port = listens.and_then(|line| line.rsplit(':').next()?.parse().ok());
        let port = port.unwrap_or_else(|| panic!("it does not say where it listens: {greeting:?}"));
        // Whatever else it says must not fill the pipe.
        thread::spawn(move || lines.for_each(drop));
        let token = std::fs::read_to_string(data.join("owner.token")).unwrap().trim().to_owned();
        Self { child, port, token, greeting }
    }

    pub(crate) fn client(&self) -> Client {
        Client::new(self.port, self.token.clone())
    }

    /// As `kill -9` does: it can finish nothing.
    pub(crate) fn kill(mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }

    /// Tells it to stop, and gives its exit status.
    pub(crate) fn stop(mut self) -> Option<i32> {
        let id = self.child.id().to_string();
        assert!(Command::new("kill").args(["-TERM", &id]).status().unwrap().success());
        self.child.wait().unwrap().code()
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

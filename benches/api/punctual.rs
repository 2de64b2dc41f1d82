//! The real server, as it is released.

use std::io::{BufRead, BufReader};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Instant;

pub(crate) struct Punctual {
    child: Child,
    port: u16,
    token: String,
    data: PathBuf,
}

impl Punctual {
    /// Builds the server and starts it on a port that is free.
    pub(crate) fn start(data: &Path) -> Self {
        let built = Command::new(env!("CARGO")).args(["build", "--release", "--locked", "-p", "punctual"]).status();
        assert!(built.expect("cargo").success(), "the server is built");
        Self::run(data)
    }

    fn run(data: &Path) -> Self {
        let workspace = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the workspace");
        let target = std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| workspace.join("target"), PathBuf::from);
        let mut child = Command::new(target.join("release/punctual"))
            .args(["serve", "--listen", "127.0.0.1:0", "--data"])
            .arg(data)
            .env("PUNCTUAL_LOG__ACCESS", "false")
            .stderr(Stdio::piped())
            .spawn()
            .expect("the server");
        let mut lines = BufReader::new(child.stderr.take().expect("what it says")).lines();
        let mut said = lines.by_ref().map_while(Result::ok);
        let greeting = said.find(|line| line.contains(" listens on ")).expect("a greeting");
        let port = greeting.rsplit(':').next().and_then(|port| port.parse().ok()).expect("a port in the greeting");
        std::thread::spawn(move || lines.map_while(Result::ok).for_each(|line| eprintln!("{line}")));
        let token = std::fs::read_to_string(data.join("owner.token")).expect("the owner token").trim().to_owned();
        Self { child, port, token, data: data.to_owned() }
    }

    pub(crate) const fn port(&self) -> u16 {
        self.port
    }

    pub(crate) fn token(&self) -> &str {
        &self.token
    }

    /// Kills it, starts it again, and says after how many milliseconds it could be reached.
    pub(crate) fn restart(&mut self) -> f64 {
        let _ = self.child.kill();
        let _ = self.child.wait();
        let started = Instant::now();
        let data = self.data.clone();
        *self = Self::run(&data);
        TcpStream::connect(("127.0.0.1", self.port)).expect("a server that listens");
        started.elapsed().as_secs_f64() * 1000.0
    }

    /// What it holds in memory.
    pub(crate) fn memory_mb(&self) -> f64 {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.child.id())).expect("a process");
        let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).expect("its memory");
        let kilobytes: f64 = line.trim().trim_end_matches(" kB").parse().expect("a number");
        kilobytes / 1024.0
    }
}

impl Drop for Punctual {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

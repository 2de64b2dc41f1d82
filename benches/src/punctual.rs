//! The real server, as it is released.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Instant;

/// A server that runs until this is dropped.
pub struct Punctual {
    child: Child,
    port: u16,
    token: String,
    data: PathBuf,
    settings: Vec<(String, String)>,
}

/// In which `/proc` counts the time of a process; the same on every Linux.
const TICKS_PER_SECOND: f64 = 100.0;

/// How the other lines of its greeting begin, which are for people.
const GREETING: [&str; 3] = ["its data is in ", "the owner token ", "try: "];

impl Punctual {
    /// Builds the server, so that the one that is started is this one.
    pub fn build() {
        let built =
            Command::new(env!("CARGO")).args(["build", "--profile", "dist", "--locked", "-p", "punctual"]).status();
        assert!(built.expect("cargo").success(), "the server is built");
    }

    /// Starts it on a port that is free, with settings as they are written in the environment.
    pub fn start(data: &Path, settings: &[(String, String)]) -> Self {
        let workspace = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the workspace");
        let target = std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| workspace.join("target"), PathBuf::from);
        let mut child = Command::new(target.join("dist/punctual"))
            .args(["serve", "--listen", "127.0.0.1:0", "--data"])
            .arg(data)
            .env("PUNCTUAL_LOG__ACCESS", "false")
            .envs(settings.iter().cloned())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the server");
        let mut lines = BufReader::new(child.stderr.take().expect("what it says")).lines();
        // What it has to warn of comes before its greeting.
        let is_greeting = |line: &String| line.starts_with("punctual ") && line.contains(" listens on ");
        let said = lines.by_ref().map_while(Result::ok);
        let mut greeting = said.inspect(|line| _ = (!is_greeting(line)).then(|| eprintln!("{line}")));
        let greeting = greeting.find(is_greeting).expect("a greeting");
        let port = greeting.rsplit(':').next().and_then(|port| port.parse().ok()).expect("a port in the greeting");
        let is_news = |line: &String| !GREETING.iter().any(|start| line.starts_with(start));
        let news = lines.map_while(Result::ok).filter(is_news);
        std::thread::spawn(move || news.for_each(|line| eprintln!("{line}")));
        // A second node of a cluster has none: the first one made it.
        let token = std::fs::read_to_string(data.join("owner.token")).unwrap_or_default().trim().to_owned();
        Self { child, port, token, data: data.to_owned(), settings: settings.to_vec() }
    }

    /// What its API answers, head and body.
    pub fn ask(&self, method: &str, path: &str, body: &str) -> String {
        let mut stream = TcpStream::connect(("127.0.0.1", self.port)).expect("a server");
        let request = format!(
            "{method} {path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {}\r\nConnection: close\r\n\
             Content-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}",
            self.token,
            body.len()
        );
        stream.write_all(request.as_bytes()).expect("a server that reads");
        let mut answer = String::new();
        stream.read_to_string(&mut answer).expect("an answer");
        answer
    }

    /// Where its API is.
    pub const fn port(&self) -> u16 {
        self.port
    }

    /// What opens it; empty if it is not the first node of a cluster.
    pub fn token(&self) -> &str {
        &self.token
    }

    /// Ends this program if the server has ended: whatever is measured after that means nothing.
    pub fn check(&mut self) {
        let ended = self.child.try_wait().expect("a process");
        assert!(ended.is_none(), "the server has ended by itself: {ended:?}");
    }

    /// Kills it, starts it again, and says after how many milliseconds it could be reached.
    pub fn restart(&mut self) -> f64 {
        let _ = self.child.kill();
        let _ = self.child.wait();
        let started = Instant::now();
        *self = Self::start(&self.data.clone(), &self.settings.clone());
        TcpStream::connect(("127.0.0.1", self.port)).expect("a server that listens");
        started.elapsed().as_secs_f64() * 1000.0
    }

    /// What it holds in memory.
    pub fn memory_mb(&self) -> f64 {
        self.status_mb("VmRSS:")
    }

    /// The most it ever held in memory.
    pub fn peak_memory_mb(&self) -> f64 {
        self.status_mb("VmHWM:")
    }

    /// For how many seconds it has kept a core busy.
    pub fn cpu_seconds(&self) -> f64 {
        let text = std::fs::read_to_string(format!("/proc/{}/stat", self.child.id())).expect("a process");
        // The name of the program may hold blanks and is in brackets; after it the times are the 12th and 13th.
        let (_, fields) = text.rsplit_once(')').expect("a name in brackets");
        let times = fields.split_whitespace().skip(11).take(2);
        times.map(|ticks| ticks.parse::<f64>().expect("a number")).sum::<f64>() / TICKS_PER_SECOND
    }

    fn status_mb(&self, key: &str) -> f64 {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.child.id())).expect("a process");
        let line = status.lines().find_map(|line| line.strip_prefix(key)).expect("its memory");
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

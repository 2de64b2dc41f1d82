//! The Redis that BullMQ is measured on: one of our own.

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use tempfile::TempDir;

/// A server that ends with this.
pub(crate) struct Redis {
    process: Child,
    pub(crate) port: u16,
    _directory: TempDir,
}

impl Redis {
    /// Starts one that has every command on disk before it answers, as PostgreSQL has every commit.
    pub(crate) fn start() -> Self {
        let directory = tempfile::tempdir().expect("a directory");
        let free = TcpListener::bind("127.0.0.1:0").expect("a port");
        let port = free.local_addr().expect("an address").port();
        drop(free);
        let mut command = Command::new("redis-server");
        command.args(["--port", &port.to_string(), "--bind", "127.0.0.1", "--dir"]).arg(directory.path());
        command.args(["--appendonly", "yes", "--appendfsync", "always", "--save", ""]).stdout(Stdio::null());
        let Ok(process) = command.spawn() else {
            eprintln!("Redis is not installed, which BullMQ needs; on Debian: apt-get install redis-server");
            std::process::exit(2)
        };
        let redis = Self { process, port, _directory: directory };
        while !redis.answers() {
            std::thread::sleep(Duration::from_millis(20));
        }
        redis
    }

    fn answers(&self) -> bool {
        let Ok(mut stream) = TcpStream::connect(("127.0.0.1", self.port)) else { return false };
        let mut answer = [0; 5];
        stream.write_all(b"PING\r\n").is_ok() && stream.read_exact(&mut answer).is_ok() && answer == *b"+PONG"
    }
}

impl Drop for Redis {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

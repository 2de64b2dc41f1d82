//! The PostgreSQL that everything is measured on: one of our own, in a directory that is gone when it ends.

use std::io::{BufRead, BufReader};
use std::net::TcpListener;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;

use tokio::runtime::Runtime;
use tokio_postgres::types::ToSql;
use tokio_postgres::{Client, NoTls, Row};

/// Makes a server in a directory of its own, says when it is ready, and ends it when its input ends: whichever way this program ends.
const SCRIPT: &str = r#"
    set -e
    programs=$1
    shift
    directory=$(mktemp -d "${TMPDIR:-/tmp}/punctual-bench.XXXXXX")
    trap 'rm -rf "$directory"' EXIT
    trap : INT TERM
    "$programs/initdb" -D "$directory/data" -A trust -U postgres -E UTF8 >/dev/null
    "$programs/pg_ctl" -D "$directory/data" -l "$directory/log" -w start -o "-c unix_socket_directories=$directory $*" >/dev/null
    echo "$directory"
    cat >/dev/null || true
    "$programs/pg_ctl" -D "$directory/data" -m immediate stop >/dev/null
"#;

/// The same for all who are measured. Every commit is on disk before it is answered. Checkpoints are so rare that none falls into the turn
/// of one and not of another.
const SETTINGS: [&str; 8] = [
    "listen_addresses=127.0.0.1",
    "fsync=on",
    "synchronous_commit=on",
    "shared_buffers=512MB",
    "max_wal_size=8GB",
    "checkpoint_timeout=1h",
    "max_connections=200",
    "shared_preload_libraries=pg_stat_statements",
];

/// A server that ends with this.
pub(crate) struct Database {
    process: Child,
    port: u16,
    runtime: Arc<Runtime>,
}

impl Database {
    pub(crate) fn start() -> Self {
        let Some(programs) = programs() else {
            eprintln!("PostgreSQL is not installed; on Debian: apt-get install postgresql");
            std::process::exit(2)
        };
        // Nobody else takes a port at once that was just given back.
        let free = TcpListener::bind("127.0.0.1:0").expect("a port");
        let port = free.local_addr().expect("an address").port();
        drop(free);
        // PostgreSQL refuses to run as root.
        let is_root = Command::new("id").arg("-u").output().is_ok_and(|id| id.stdout == b"0\n");
        let mut command = Command::new(if is_root { "runuser" } else { "sh" });
        if is_root {
            command.args(["-u", "postgres", "--", "sh"]);
        }
        command.args(["-c", SCRIPT, "server"]).arg(programs).arg(format!("-c port={port}")).current_dir("/");
        command.args(SETTINGS.map(|setting| format!("-c {setting}")));
        let mut process = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("a shell");
        let mut directory = String::new();
        BufReader::new(process.stdout.take().expect("its output")).read_line(&mut directory).expect("its directory");
        assert!(!directory.trim().is_empty(), "PostgreSQL did not start");
        let threads = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build();
        Self { process, port, runtime: Arc::new(threads.expect("a thread")) }
    }

    /// Makes a database on it.
    pub(crate) fn create(&self, name: &str) {
        self.session("postgres").run(&format!("create database {name}"));
        self.session(name).run("create extension pg_stat_statements");
    }

    /// Where a database on it is.
    pub(crate) fn url(&self, name: &str) -> String {
        format!("postgres://postgres@127.0.0.1:{}/{name}", self.port)
    }

    /// A connection to a database on it.
    pub(crate) fn session(&self, name: &str) -> Session {
        let (client, connection) =
            self.runtime.block_on(tokio_postgres::connect(&self.url(name), NoTls)).expect("a connection");
        self.runtime.spawn(connection);
        Session { client, runtime: Arc::clone(&self.runtime) }
    }
}

impl Drop for Database {
    fn drop(&mut self) {
        drop(self.process.stdin.take());
        let _ = self.process.wait();
    }
}

/// A connection of the benchmark's own. Its functions wait.
pub(crate) struct Session {
    client: Client,
    runtime: Arc<Runtime>,
}

impl Session {
    pub(crate) fn run(&self, sql: &str) {
        self.wait(self.client.batch_execute(sql)).expect(sql);
    }

    pub(crate) fn rows(&self, sql: &str, values: &[&(dyn ToSql + Sync)]) -> Vec<Row> {
        self.wait(self.client.query(sql, values)).expect(sql)
    }

    /// The one number that is asked for.
    pub(crate) fn number(&self, sql: &str, values: &[&(dyn ToSql + Sync)]) -> i64 {
        self.wait(self.client.query_one(sql, values)).expect(sql).get(0)
    }

    /// For statements that are sent one behind the other without waiting.
    pub(crate) const fn client(&self) -> &Client {
        &self.client
    }

    pub(crate) fn wait<T>(&self, future: impl Future<Output = T>) -> T {
        self.runtime.block_on(future)
    }
}

/// Where the newest version of the server's programs is installed.
fn programs() -> Option<PathBuf> {
    let versions = std::fs::read_dir("/usr/lib/postgresql").into_iter().flatten().flatten();
    let of_system = versions.map(|version| version.path().join("bin"));
    let of_path = std::env::var_os("PATH").map(|path| std::env::split_paths(&path).collect::<Vec<_>>());
    let has_server = |programs: &PathBuf| programs.join("initdb").is_file() && programs.join("pg_ctl").is_file();
    of_system.filter(has_server).max().or_else(|| of_path.into_iter().flatten().find(has_server))
}

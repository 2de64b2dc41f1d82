//! The server that the tests use: one that is named, or one of their own.

use std::io::{BufRead, BufReader, Write};
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::OnceLock;

/// Makes a server in a directory of its own, says where that is, and ends it when nobody listens any more: the test process holds the
/// other end of the standard input, whichever way it ends. What comes behind are settings of the server.
const SCRIPT: &str = r#"
    set -e
    umask 077
    programs=$1
    shift
    directory=$(mktemp -d "${TMPDIR:-/tmp}/punctual-postgres.XXXXXX")
    trap 'rm -rf "$directory"' EXIT
    trap : INT TERM
    chmod 755 "$directory"
    "$programs/initdb" -D "$directory/data" -A trust -U postgres -E UTF8 --no-sync >/dev/null
    if [ -n "${SERVER_KEY-}" ]; then
        printf %s "$SERVER_CERTIFICATE" >"$directory/data/server.crt"
        printf %s "$SERVER_KEY" >"$directory/data/server.key"
        printf %s "$SERVER_AUTHORITY" >"$directory/data/authority.crt"
        printf '%s\n' 'local all all trust' 'hostssl all certified all cert' 'hostssl all all all trust' \
            >"$directory/data/pg_hba.conf"
    fi
    "$programs/pg_ctl" -D "$directory/data" -l "$directory/log" -w start \
        -o "-c unix_socket_directories=$directory -c fsync=off -c max_connections=400 $*" >/dev/null
    echo "$directory"
    cat >/dev/null || true
    "$programs/pg_ctl" -D "$directory/data" -m immediate stop >/dev/null
"#;

/// A certificate with its key and its authority, in PEM.
pub(crate) struct Certificate {
    pub(crate) shown: String,
    pub(crate) key: String,
    pub(crate) authority: String,
}

/// The address of the database for tests; none if there is no server, which is said once.
pub(crate) fn url() -> Option<&'static str> {
    static URL: OnceLock<Option<String>> = OnceLock::new();
    URL.get_or_init(find).as_deref()
}

fn find() -> Option<String> {
    if let Ok(url) = std::env::var("PUNCTUAL_TEST_POSTGRES") {
        return Some(url);
    }
    let Some(programs) = programs() else {
        let is_required = std::env::var("PUNCTUAL_TEST_POSTGRES_REQUIRED").is_ok_and(|required| required == "1");
        assert!(!is_required, "PostgreSQL is not installed, and PUNCTUAL_TEST_POSTGRES names no database");
        // Not by `eprintln!`, which a test that passes does not show.
        let line = "PostgreSQL was not tried: it is not installed, and PUNCTUAL_TEST_POSTGRES names no database\n";
        std::io::stderr().write_all(line.as_bytes()).unwrap();
        return None;
    };
    Some(start(&programs))
}

/// Where the newest version of the server's programs is installed.
pub(crate) fn programs() -> Option<PathBuf> {
    let versions = std::fs::read_dir("/usr/lib/postgresql").into_iter().flatten().flatten();
    let of_system = versions.map(|version| version.path().join("bin"));
    let of_path = std::env::var_os("PATH").map(|path| std::env::split_paths(&path).collect::<Vec<_>>());
    let has_server = |programs: &PathBuf| programs.join("initdb").is_file() && programs.join("pg_ctl").is_file();
    of_system.filter(has_server).max().or_else(|| of_path.into_iter().flatten().find(has_server))
}

fn start(programs: &Path) -> String {
    static SERVER: OnceLock<Server> = OnceLock::new();
    let server = Server::start(programs, &["-c listen_addresses="], None);
    let url = format!("postgres://postgres@{}/postgres", server.directory.replace('/', "%2F"));
    assert!(SERVER.set(server).is_ok(), "a second server");
    url
}

/// Starts a server that encrypts. Returns with it the directory of its socket, and its port.
pub(crate) fn start_encrypted(programs: &Path, certificate: &Certificate) -> (Server, String, u16) {
    // Nobody else takes a port at once that was just given back.
    let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let settings = [
        &format!("-c port={port}"),
        "-c listen_addresses=127.0.0.1 -c ssl=on",
        "-c ssl_cert_file=server.crt -c ssl_key_file=server.key -c ssl_ca_file=authority.crt",
    ];
    let server = Server::start(programs, &settings, Some(certificate));
    let directory = server.directory.clone();
    (server, directory, port)
}

/// A server that ends with this.
pub(crate) struct Server {
    directory: String,
    _process: Child,
}

impl Server {
    fn start(programs: &Path, settings: &[&str], certificate: Option<&Certificate>) -> Self {
        // PostgreSQL refuses to run as root.
        let is_root = Command::new("id").arg("-u").output().is_ok_and(|id| id.stdout == b"0\n");
        let mut command = Command::new(if is_root { "runuser" } else { "sh" });
        if is_root {
            command.args(["-u", "postgres", "--", "sh"]);
        }
        command.args(["-c", SCRIPT, "server"]).arg(programs).args(settings).current_dir("/");
        if let Some(Certificate { shown, key, authority }) = certificate {
            command.env("SERVER_CERTIFICATE", shown).env("SERVER_KEY", key).env("SERVER_AUTHORITY", authority);
        }
        let mut process = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let mut directory = String::new();
        BufReader::new(process.stdout.take().unwrap()).read_line(&mut directory).unwrap();
        let directory = directory.trim().to_owned();
        assert!(!directory.is_empty(), "the server did not start");
        Self { directory, _process: process }
    }
}

//! Metrics and heartbeats of the real server.

use std::fs;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::path::PathBuf;

use tempfile::TempDir;

use super::Served;
use super::receiver::Receiver;

const TOKEN: &str = "0123456789abcdef";

/// A server with these settings.
fn serve(data: &TempDir, settings: &str) -> Served {
    serve_with(data, settings, &[])
}

fn serve_with(data: &TempDir, settings: &str, flags: &[&str]) -> Served {
    let file: PathBuf = data.path().join("settings.toml");
    fs::write(&file, settings).unwrap();
    let flags = [&["--config", file.to_str().unwrap()], flags].concat();
    Served::start_with(&data.path().join("data"), &flags)
}

/// The port at which metrics are served.
fn metrics_port(served: &Served) -> u16 {
    let line = served.greeting.iter().find_map(|line| line.split_once("metrics are at http://127.0.0.1:"));
    line.unwrap().1.strip_suffix("/metrics").unwrap().parse().unwrap()
}

/// Asks with some headers, and gives the whole answer.
pub(super) fn ask(port: u16, path: &str, headers: &str) -> String {
    let mut stream = TcpStream::connect(("127.0.0.1", port)).unwrap();
    write!(stream, "GET {path} HTTP/1.1\r\nconnection: close\r\n{headers}\r\n").unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    answer
}

fn put_job(served: &Served, name: &str, port: u16) {
    let body = format!(r#"{{"action": {{"request": {{"uri": "http://127.0.0.1:{port}/"}}}}}}"#);
    let answer = served.client().call("PUT", &format!("/v1/jobs/{name}"), &body).unwrap();
    assert_eq!(answer.status, 201, "{:?}", answer.body);
}

#[test]
fn an_address_of_its_own_on_this_machine_needs_no_token() {
    let (data, target) = (TempDir::new().unwrap(), Receiver::start(&[200]));
    let served = serve(&data, "[metrics]\nlisten = \"127.0.0.1:0\"");
    let port = metrics_port(&served);
    put_job(&served, "a", target.port);
    target.wait_for(1);
    let answer = ask(port, "/metrics", "host: localhost\r\n");
    assert!(answer.starts_with("HTTP/1.1 200 "), "{answer}");
    let subscription = "00000000-0000-0000-0000-000000000000";
    let fires =
        format!("punctual_fires_total{{subscription=\"{subscription}\",group=\"default\",collection=\"default\"}} 1\n");
    assert!(answer.contains(&fires), "{answer}");
    let open = ask(port, "/metrics", "host: localhost\r\naccept: application/openmetrics-text\r\n");
    assert!(open.trim_end().ends_with("# EOF"), "{open}");
    for (path, headers, status) in [
        ("/metrics", "host: evil.example\r\n", "403"),
        ("/metrics", "host: localhost\r\norigin: http://evil.example\r\n", "403"),
        ("/v1/jobs", "host: localhost\r\n", "404"),
    ] {
        let answer = ask(port, path, headers);
        assert!(answer.starts_with(&format!("HTTP/1.1 {status} ")), "{path} {headers}: {answer}");
    }
    // A job must not read them either.
    put_job(&served, "b", port);
    let history = loop {
        let history = served.client().call("GET", "/v1/jobs/b/history", "").unwrap().body.to_string();
        if history.contains("startTime") {
            break history;
        }
    };
    assert!(history.contains("policy") || history.contains("may not be called"), "{history}");
}

#[test]
fn messages_of_alerts_are_no_jobs_of_a_collection() {
    let (data, hook) = (TempDir::new().unwrap(), Receiver::start(&[200]));
    let served = serve(&data, "[metrics]\nlisten = \"127.0.0.1:0\"");
    let body = format!(
        r#"{{"when": ["failing"], "action": {{"request": {{"uri": "http://127.0.0.1:{}/", "method": "POST"}}}}}}"#,
        hook.port
    );
    assert_eq!(served.client().call("PUT", "/v1/alerts/ops", &body).unwrap().status, 201);
    served.client().call("POST", "/v1/alerts/ops/test", "").unwrap();
    hook.wait_for(1);
    let answer = ask(metrics_port(&served), "/metrics", "host: localhost\r\n");
    assert!(answer.contains("punctual_lateness_seconds_count 1\n"), "{answer}");
    assert!(!answer.contains("collection=\"alerts\""), "{answer}");
    let runs = answer.lines().filter(|line| line.starts_with("punctual_fires_total") && !line.ends_with(" 0"));
    assert_eq!(runs.count(), 0, "{answer}");
}

#[test]
fn with_a_token_nobody_else_reads_them() {
    let data = TempDir::new().unwrap();
    let file = data.path().join("token");
    fs::write(&file, format!("{TOKEN}\n")).unwrap();
    let settings = format!("[metrics]\nlisten = \"127.0.0.1:0\"\ntoken_file = {:?}", file.to_str().unwrap());
    let served = serve(&data, &settings);
    let port = metrics_port(&served);
    for (authorization, status) in [
        (format!("Bearer {TOKEN}"), "200"),
        (format!("Bearer {}", served.token), "401"),
        ("Bearer x".to_owned(), "401"),
        (String::new(), "401"),
    ] {
        let answer = ask(port, "/metrics", &format!("host: scheduler.example\r\nauthorization: {authorization}\r\n"));
        assert!(answer.starts_with(&format!("HTTP/1.1 {status} ")), "{authorization}: {answer}");
    }
    // The API knows nothing of that token.
    let api = ask(served.port, "/metrics", &format!("host: localhost\r\nauthorization: Bearer {TOKEN}\r\n"));
    assert!(api.starts_with("HTTP/1.1 401 "), "{api}");
    let api = ask(served.port, "/metrics", &format!("host: localhost\r\nauthorization: Bearer {}\r\n", served.token));
    assert!(api.starts_with("HTTP/1.1 200 "), "{api}");
}

#[test]
fn a_heartbeat_is_sent_also_while_the_server_is_paused() {
    let (data, monitor) = (TempDir::new().unwrap(), Receiver::start(&[200]));
    let settings = format!("[heartbeat]\nurl = \"http://127.0.0.1:{}/ping/secret\"", monitor.port);
    let served = serve_with(&data, &settings, &["--paused"]);
    monitor.wait_for(1);
    assert_eq!(served.stop(), Some(0));
}

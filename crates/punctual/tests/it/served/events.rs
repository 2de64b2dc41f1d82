//! What happens in a running server, told as it happens; and what failed, run once more.

use std::io::{BufRead, BufReader, Write};
use std::net::TcpStream;
use std::process::Stdio;

use serde_json::Value;

use super::Served;
use super::receiver::Receiver;

/// Someone who watches.
struct Watcher(BufReader<TcpStream>);

impl Watcher {
    fn start(served: &Served, path: &str) -> Self {
        let mut stream = TcpStream::connect(("127.0.0.1", served.port)).unwrap();
        let request =
            format!("GET {path} HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer {}\r\n\r\n", served.token);
        stream.write_all(request.as_bytes()).unwrap();
        let mut watcher = Self(BufReader::new(stream));
        // The first comment says that whatever happens from now on is told.
        while watcher.line().unwrap() != ":" {}
        watcher
    }

    fn line(&mut self) -> Option<String> {
        let mut line = String::new();
        let read = self.0.read_line(&mut line).unwrap();
        (read > 0).then(|| line.trim_end().to_owned())
    }

    /// The next event.
    fn next(&mut self) -> Option<Value> {
        loop {
            if let Some(data) = self.line()?.strip_prefix("data: ") {
                return Some(serde_json::from_str(data).unwrap());
            }
        }
    }
}

fn create(served: &Served, receiver: &Receiver) {
    let action = format!(
        r#"{{"request": {{"uri": "http://127.0.0.1:{}"}}, "retryPolicy": {{"retryType": "None"}}}}"#,
        receiver.port
    );
    let job = format!(r#"{{"action": {action}}}"#);
    let made = served.client().call("PUT", "/v1/jobs/once", &job).unwrap();
    assert_eq!(made.status, 201, "{made:?}");
}

#[test]
fn a_job_that_failed_is_seen_and_run_again() {
    let data = tempfile::tempdir().unwrap();
    let served = Served::start(data.path());
    let receiver = Receiver::start(&[500, 200]);
    let mut watcher = Watcher::start(&served, "/v1/events");
    create(&served, &receiver);
    let mut told: Vec<Value> = (0..3).map(|_| watcher.next().unwrap()).collect();
    // Whoever writes the job and whoever runs it tell of it at their own pace.
    told.sort_by_key(|event| event["type"] != "edited");
    let kinds: Vec<_> = told.iter().map(|event| event["type"].as_str().unwrap()).collect();
    assert_eq!(kinds, ["edited", "started", "failed"]);
    assert!(told.iter().all(|event| event["job"] == "once" && event["collection"] == "default"), "{told:?}");
    assert_eq!(told[2]["resent"], Value::Null);

    let history = served.client().call("GET", "/v1/jobs/once/history", "").unwrap().body;
    let record = &history["value"][0];
    assert_eq!(record["executionTag"], told[2]["executionTag"]);
    let id = record["name"].as_str().unwrap();
    let rerun = served.client().call("POST", &format!("/v1/jobs/once/history/{id}/rerun"), "").unwrap();
    assert_eq!((rerun.status, &rerun.body["executionTag"]), (200, &record["executionTag"]), "{rerun:?}");
    for kind in ["started", "succeeded"] {
        let event = watcher.next().unwrap();
        assert_eq!((event["type"].as_str(), event["resent"].as_bool()), (Some(kind), Some(true)), "{event}");
        assert_eq!(event["expectedExecutionTime"], told[2]["expectedExecutionTime"]);
    }
    let tags = receiver.header("x-ms-execution-tag");
    assert_eq!((tags.len(), &tags[0]), (2, &tags[1]));
    assert_eq!(receiver.header("x-punctual-resent"), ["", "true"]);
    let job = served.client().call("GET", "/v1/jobs/once", "").unwrap().body;
    assert_eq!(job["status"]["executionCount"], 2);
    assert_eq!(job["state"], "faulted", "it ended as it ended");
    assert_eq!(job["status"]["outcome"], "succeeded", "but its last attempt succeeded");
    let left = served.client().call("POST", "/v1/rerun", r#"{"since": "2020-01-01"}"#).unwrap().body;
    assert_eq!(left["rerun"], 0, "it was completed since");
}

#[test]
fn a_stream_ends_when_the_server_stops() {
    let data = tempfile::tempdir().unwrap();
    let served = Served::start(data.path());
    let mut watcher = Watcher::start(&served, "/v1/events?events=failed");
    assert_eq!(served.stop(), Some(0));
    assert_eq!(watcher.next(), None);
}

#[test]
fn the_command_prints_a_line_per_event() {
    let data = tempfile::tempdir().unwrap();
    let served = Served::start(data.path());
    let receiver = Receiver::start(&[200]);
    create(&served, &receiver);
    let mut child = crate::binary()
        .args(["events", "--after", "0-0", "--only", "edited,succeeded"])
        .args(["--url", &format!("http://127.0.0.1:{}", served.port)])
        .env("PUNCTUAL_TOKEN", &served.token)
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let mut told: Vec<_> = lines.take(3).map(|line| line.unwrap()).collect();
    child.kill().unwrap();
    child.wait().unwrap();
    assert!(told.remove(0).ends_with("  edited  default  created"));
    told.sort_by_key(|line| !line.contains("edited"));
    assert!(
        told[0].ends_with("  edited  default/once  created") && told[1].ends_with("  succeeded  default/once"),
        "{told:?}"
    );
}

#[test]
fn the_command_goes_on_after_a_restart_and_prints_nothing_twice() {
    let data = tempfile::tempdir().unwrap();
    let served = Served::start(data.path());
    let receiver = Receiver::start(&[200]);
    let port = served.port;
    let mut child = crate::binary()
        .args(["events", "--after", "0-0", "--only", "edited,succeeded", "--output", "json"])
        .args(["--url", &format!("http://127.0.0.1:{port}")])
        .env("PUNCTUAL_TOKEN", &served.token)
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let mut lines = lines.map(|line| serde_json::from_str::<Value>(&line.unwrap()).unwrap());
    let mut told = vec![lines.next().unwrap()];
    assert_eq!(served.stop(), Some(0));
    let served = Served::start_on(data.path(), port, &[]);
    create(&served, &receiver);
    told.extend(lines.by_ref().take(2));
    child.kill().unwrap();
    child.wait().unwrap();
    let mut told: Vec<_> = told.iter().map(|event| format!("{} {}", event["type"], event["job"])).collect();
    told.sort();
    assert_eq!(told, [r#""edited" "once""#, r#""edited" null"#, r#""succeeded" "once""#]);
}

#[test]
fn an_audit_finds_everything_explained() {
    let data = tempfile::tempdir().unwrap();
    let served = Served::start(data.path());
    let receiver = Receiver::start(&[200]);
    let mut watcher = Watcher::start(&served, "/v1/events?events=succeeded");
    create(&served, &receiver);
    let time = watcher.next().unwrap()["time"].as_str().unwrap().to_owned();
    let (day, _) = time.split_once('T').unwrap();
    let audit = crate::binary()
        .args(["audit", "--from", day, "--output", "json"])
        .args(["--url", &format!("http://127.0.0.1:{}", served.port)])
        .env("PUNCTUAL_TOKEN", &served.token)
        .output()
        .unwrap();
    let said: Value = serde_json::from_slice(&audit.stdout).unwrap_or_else(|_| panic!("{audit:?}"));
    assert_eq!((audit.status.code(), &said["nominal"], &said["run"]), (Some(0), &1.into(), &1.into()), "{said}");
}

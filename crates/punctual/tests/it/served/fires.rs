//! `kill -9` under two thousand fires a second: nothing is lost, and what is sent twice is marked.

use std::collections::{BTreeMap, HashMap};
use std::thread;
use std::time::{SystemTime, UNIX_EPOCH};

use serde_json::Value;

use super::Served;
use super::http::Client;
use super::receiver::Receiver;

/// Each is due every second.
const JOBS: usize = 2000;

/// Clients that make and check the jobs.
const CLIENTS: usize = 8;

fn now_seconds() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_secs()
}

/// The instant as the API writes it.
fn instant(seconds: u64) -> String {
    let seconds = i64::try_from(seconds).unwrap();
    punctual_model::time::Timestamp::from_seconds(seconds).unwrap().to_string()
}

fn body(port: u16, from: u64, until: u64) -> String {
    format!(
        r#"{{"properties": {{"action": {{"request": {{"uri": "http://127.0.0.1:{port}/"}},
            "retryPolicy": {{"retryType": "Fixed", "retryInterval": "PT15S", "retryCount": 4}}}},
            "startTime": "{}", "recurrence": {{"cron": "* * * * * *", "endTime": "{}"}}}}}}"#,
        instant(from),
        instant(until)
    )
}

/// Does something with each job, by several clients.
fn for_each_job(served: &Served, visit: impl Fn(&mut Client, String) + Sync) {
    thread::scope(|scope| {
        for who in 0..CLIENTS {
            let (mut client, visit) = (served.client(), &visit);
            scope.spawn(move || {
                for job in (who..JOBS).step_by(CLIENTS) {
                    visit(&mut client, format!("/v1/jobs/every-second-{job}"));
                }
            });
        }
    });
}

/// All records of a job.
fn history(client: &mut Client, job: &str) -> Vec<Value> {
    let mut path = format!("{job}/history");
    let mut records = Vec::new();
    loop {
        let mut answer = client.call("GET", &path, "").unwrap().body;
        records.append(answer["value"].as_array_mut().unwrap());
        let Some(next) = answer["nextLink"].as_str() else { return records };
        path = next.split_once("//").and_then(|(_, rest)| rest.find('/').map(|at| rest[at..].to_owned())).unwrap();
    }
}

/// Every second from the first to the last is in exactly one record.
fn check_history(records: &[Value], from: u64, until: u64) {
    let seconds: HashMap<String, u64> = (from..=until).map(|second| (instant(second), second)).collect();
    let second = |value: &Value| *value.as_str().and_then(|text| seconds.get(text)).expect("a second that was due");
    let mut told: BTreeMap<u64, usize> = BTreeMap::new();
    for record in records {
        let (first, last) = match record.get("notRun") {
            Some(range) => (second(&range["first"]), second(&range["last"])),
            None => (second(&record["expectedExecutionTime"]), second(&record["expectedExecutionTime"])),
        };
        if record["status"] == "failed" {
            // It was sent three times, and the server never lived to hear the answer. It is tried again later.
            let message = record["message"].as_str().unwrap();
            assert!(message.starts_with("Not sent again: 3 times"), "{record}");
            continue;
        }
        (first..=last).for_each(|second| *told.entry(second).or_default() += 1);
    }
    let wrong: Vec<_> = (from..=until).filter(|second| told.get(second) != Some(&1)).collect();
    assert!(wrong.is_empty(), "not told once: {wrong:?} of {from} to {until}\n{records:#?}");
}

/// Of all calls with the same attempt at most one is not marked. Says how many calls there were, and how many of them
/// again.
fn check_calls(receiver: &Receiver) -> (usize, usize) {
    let header = |name| receiver.header(name).into_iter();
    let marks = header("x-punctual-resent").zip(header("x-ms-execution-tag"));
    let mut by_attempt: HashMap<String, (usize, String)> = HashMap::new();
    let mut calls = 0;
    for (attempt, (mark, occurrence)) in header("x-ms-client-request-id").zip(marks) {
        calls += 1;
        let (unmarked, tag) = by_attempt.entry(attempt).or_insert((0, occurrence.clone()));
        *unmarked += usize::from(mark != "true");
        assert!(*unmarked <= 1, "sent twice without a mark: {occurrence}");
        assert_eq!(*tag, occurrence, "the same attempt of two occurrences");
    }
    (calls, calls - by_attempt.len())
}

/// The audit finds every second of every job, and nothing that it cannot explain.
fn check_audit(served: &Served, from: u64, until: u64) {
    let audit = crate::binary()
        .args(["audit", "--from", &instant(from), "--to", &instant(until + 1), "--output", "json"])
        .env("PUNCTUAL_URL", format!("http://127.0.0.1:{}", served.port))
        .env("PUNCTUAL_TOKEN", &served.token)
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&audit.stdout);
    assert!(audit.status.success(), "{said}\n{}", String::from_utf8_lossy(&audit.stderr));
    let report: Value = serde_json::from_str(&said).unwrap();
    assert_eq!(report["nominal"], JOBS as u64 * (until - from + 1), "{said}");
}

#[test]
fn no_run_is_lost_by_kill_9() {
    let rounds = if std::env::var_os("PUNCTUAL_TEST_LONG").is_some() { 50 } else { 10 };
    let data = tempfile::tempdir().unwrap();
    let receiver = Receiver::start(&[200]);
    let mut served = Served::start(data.path());
    // By then all of them are made, also on a slow machine.
    let from = now_seconds() + 12;
    let until = from + rounds + 5;
    let job = body(receiver.port, from, until);
    for_each_job(&served, |client, path| {
        let answer = client.call("PUT", &path, &job).unwrap();
        assert_eq!(answer.status, 201, "{}", answer.body);
    });
    for round in 0..usize::try_from(rounds).unwrap() {
        // At another point of the second each time.
        receiver.wait_for(receiver.number() + JOBS / 2 + round * 137 % JOBS);
        served.kill();
        served = Served::start(data.path());
    }
    while now_seconds() <= until {
        receiver.wait_for(receiver.number());
        thread::yield_now();
    }
    for_each_job(&served, |client, path| {
        while client.call("GET", &path, "").unwrap().body["state"] != "completed" {
            thread::yield_now();
        }
        check_history(&history(client, &path), from, until);
    });
    check_audit(&served, from, until);
    let (calls, again) = check_calls(&receiver);
    println!("{rounds} kills; {calls} calls of {JOBS} jobs in {} seconds, {again} of them again", until - from + 1);
}

//! `kill -9` in the middle of 64 clients that write: what was acknowledged is there, and nothing is half there.
//!
//! Each client has jobs of its own and knows, for each of them, what it was last told. Only the one write that was not
//! answered may or may not have happened.

use std::collections::HashMap;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use super::Served;
use super::http::Client;

const CLIENTS: usize = 64;
const JOBS_PER_CLIENT: usize = 8;

/// What a job says, as a client knows it: nothing if it is deleted.
type Content = Option<u64>;

/// What one client knows of its jobs.
#[derive(Default)]
struct Ledger {
    acknowledged: HashMap<usize, Content>,
    /// The one write that was not answered.
    unanswered: Option<(usize, Content)>,
    writes: u64,
}

impl Ledger {
    /// Writes until the server is gone.
    fn write(&mut self, who: usize, client: &mut Client, acknowledged: &AtomicUsize) {
        loop {
            self.writes += 1;
            let job = usize::try_from(self.writes).unwrap() * 7 % JOBS_PER_CLIENT;
            let is_there = self.acknowledged.get(&job).copied().flatten().is_some();
            let content = if is_there && self.writes.is_multiple_of(5) { None } else { Some(self.writes) };
            let answer = match content {
                None => client.call("DELETE", &path(who, job), ""),
                Some(version) => client.call("PUT", &path(who, job), &body(version)),
            };
            let Ok(answer) = answer else {
                self.unanswered = Some((job, content));
                return;
            };
            let expected = if content.is_some() && !is_there { 201 } else { 200 };
            assert_eq!(answer.status, expected, "{content:?} {}", answer.body);
            self.acknowledged.insert(job, content);
            acknowledged.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// Compares what is there with what was told.
    fn check(&mut self, who: usize, client: &mut Client) {
        for job in 0..JOBS_PER_CLIENT {
            let answer = client.call("GET", &path(who, job), "").unwrap();
            let found = (answer.status == 200).then(|| version(&answer.body));
            let known = self.acknowledged.get(&job).copied().flatten();
            let maybe = self.unanswered.filter(|(unanswered, _)| *unanswered == job).map(|(_, content)| content);
            assert!(
                found == known || Some(found) == maybe,
                "{}: {found:?}, not {known:?} or {maybe:?}",
                path(who, job)
            );
            self.acknowledged.insert(job, found);
        }
        self.unanswered = None;
    }
}

fn path(who: usize, job: usize) -> String {
    format!("/v1/jobs/client-{who}-job-{job}")
}

/// The version stands in the address and in the interval, which are kept in two columns.
fn body(version: u64) -> String {
    let interval = version % 1000 + 1;
    format!(
        r#"{{"action": {{"request": {{"uri": "https://example.com/{version}"}}}},
            "startTime": "2030-01-01", "recurrence": {{"frequency": "Minute", "interval": {interval}}}}}"#
    )
}

fn version(job: &serde_json::Value) -> u64 {
    let uri = job["action"]["request"]["uri"].as_str().unwrap();
    let version = uri.rsplit('/').next().unwrap().parse().unwrap();
    assert_eq!(job["recurrence"]["interval"], version % 1000 + 1, "half of it is there: {job}");
    version
}

/// Starts the server, which takes writes as soon as it listens.
fn start(data: &Path) -> Served {
    let served = Served::start(data);
    assert_eq!(served.client().call("GET", "/readyz", "").unwrap().status, 200);
    served
}

/// Every client looks at its jobs.
fn check(ledgers: &mut [Ledger], served: &Served) {
    thread::scope(|scope| {
        for (who, ledger) in ledgers.iter_mut().enumerate() {
            scope.spawn(move || ledger.check(who, &mut served.client()));
        }
    });
}

#[test]
fn what_was_acknowledged_survives_kill_9() {
    let rounds = if std::env::var_os("PUNCTUAL_TEST_LONG").is_some() { 100 } else { 10 };
    let data = tempfile::tempdir().unwrap();
    let mut ledgers: Vec<Ledger> = (0..CLIENTS).map(|_| Ledger::default()).collect();
    for round in 0..rounds {
        let served = start(data.path());
        let acknowledged = AtomicUsize::new(0);
        // At another point of the work each time.
        let enough = 300 + round * 137 % 500;
        check(&mut ledgers, &served);
        thread::scope(|scope| {
            for (who, ledger) in ledgers.iter_mut().enumerate() {
                let (mut client, acknowledged) = (served.client(), &acknowledged);
                scope.spawn(move || ledger.write(who, &mut client, acknowledged));
            }
            while acknowledged.load(Ordering::Relaxed) < enough {
                thread::yield_now();
            }
            served.kill();
        });
    }
    let served = start(data.path());
    check(&mut ledgers, &served);
    let listed = served.client().call("GET", "/v1/jobs?$top=500", "").unwrap().body["value"].as_array().unwrap().len();
    let known = ledgers.iter().flat_map(|ledger| ledger.acknowledged.values()).flatten().count();
    assert_eq!(listed, known.min(500), "the list holds what is there");
}

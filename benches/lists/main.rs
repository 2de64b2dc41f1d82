//! What lists over all jobs cost: 100,000 jobs in 100 collections and 1,000,000 records, of which 1 % are failures.
//!
//! `cargo bench -p punctual-benches --bench lists [-- [--check] [--output json]]`
//!
//! The store is filled before the real server starts. One client then asks for each list again and again, as the owner of the
//! server and as a reader of one collection. The goals are for the slowest of a hundred answers: 20 ms, or 60 ms for a search by
//! text, which has to look at the name and the target of each job. On a machine that others use, the processor time of the
//! server for one answer, which is printed beside it, tells more.

mod client;
mod stock;

use std::process::ExitCode;

use punctual_benches::{Goal, Options, Output, Punctual, conclude};
use serde_json::json;

use crate::client::Client;

/// Requests of each kind: the slowest of them is about the slowest of a hundred.
const REQUESTS: usize = 100;

/// Pages between the beginning and the middle of a list of all jobs.
const PAGES_TO_THE_MIDDLE: usize = 100;

/// What a list may take where an index answers, and where each job is looked at.
const INDEX_MS: f64 = 20.0;
const SEARCH_MS: f64 = 60.0;

/// The lists, each with what it may take.
const LISTS: [(&str, f64); 24] = [
    ("/v1/failures", INDEX_MS),
    ("/v1/failures?grouped=job", INDEX_MS),
    ("/v1/failures?grouped=target", INDEX_MS),
    ("/v1/failures?grouped=reason", INDEX_MS),
    ("/v1/failures?target=host-7.example.com", INDEX_MS),
    ("/v1/due?within=1h", INDEX_MS),
    ("/v1/jobs", INDEX_MS),
    ("/v1/jobs?$top=50", INDEX_MS),
    ("/v1/jobs?sort=nextRun", INDEX_MS),
    ("/v1/jobs?sort=failingSince", INDEX_MS),
    ("/v1/jobs?state=enabled", INDEX_MS),
    ("/v1/jobs?state=disabled", INDEX_MS),
    ("/v1/jobs?state=faulted", INDEX_MS),
    ("/v1/jobs?outcome=failed", INDEX_MS),
    ("/v1/jobs?outcome=notRun", INDEX_MS),
    ("/v1/jobs?outcome=failed&sort=failingSince", INDEX_MS),
    ("/v1/jobs?target=host-7.example.com", INDEX_MS),
    ("/v1/jobs?q=job-0000", SEARCH_MS),
    ("/v1/jobs?q=host-7.", SEARCH_MS),
    ("/v1/jobs?q=found-nowhere", SEARCH_MS),
    ("/v1/history", INDEX_MS),
    ("/v1/history?outcome=failed", INDEX_MS),
    ("/v1/history?outcome=notRun", INDEX_MS),
    ("/v1/history?executionTag=00000000000000000000000000000000", INDEX_MS),
];

/// Lists that are asked for in their middle, too.
const IN_THE_MIDDLE: [&str; 2] = ["/v1/jobs", "/v1/jobs?sort=nextRun"];

/// What one list took.
struct Row {
    caller: &'static str,
    list: String,
    middle_ms: f64,
    slowest_ms: f64,
    limit_ms: f64,
    /// The processor time of the server.
    cpu_ms: f64,
    kilobytes: f64,
}

fn main() -> ExitCode {
    let options = Options::of_program();
    Punctual::build();
    let data = tempfile::tempdir().expect("a directory for the data");
    eprintln!("filling");
    stock::fill(data.path());
    let server = Punctual::start(data.path(), &[]);
    let mut owner = Client::new(server.port(), server.token());
    let mut reader = Client::new(server.port(), &reader_token(&mut owner));
    let mut rows = Vec::new();
    for (list, limit_ms) in LISTS {
        rows.push(measure(&server, &mut owner, "owner", list, limit_ms));
        rows.push(measure(&server, &mut reader, "reader", list, limit_ms));
    }
    for list in IN_THE_MIDDLE {
        let middle = walk(&mut owner, list);
        rows.push(Row {
            list: format!("{list}, page {PAGES_TO_THE_MIDDLE}"),
            ..measure(&server, &mut owner, "owner", &middle, INDEX_MS)
        });
    }
    let goals: Vec<Goal> = rows.iter().map(goal).collect();
    print(&rows, &goals, options.output);
    conclude(&goals, options.check)
}

/// The token of a reader of one collection.
fn reader_token(owner: &mut Client) -> String {
    let scope = format!(
        "/subscriptions/{}/resourceGroups/{}/providers/Microsoft.Scheduler/jobCollections/{}",
        stock::SUBSCRIPTION,
        stock::GROUP,
        stock::collection_name(42)
    );
    let body = json!({ "description": "reader", "grants": [{ "role": "reader", "scope": scope }] });
    let answer = owner.call("POST", "/v1/tokens", &body.to_string());
    answer.json()["token"].as_str().expect("a token").to_owned()
}

/// The link to a page in the middle of a list.
fn walk(client: &mut Client, list: &str) -> String {
    let mut path = list.to_owned();
    for _ in 0..PAGES_TO_THE_MIDDLE {
        path = client.call("GET", &path, "").next_path().expect("a list that is longer");
    }
    path
}

fn measure(server: &Punctual, client: &mut Client, caller: &'static str, list: &str, limit_ms: f64) -> Row {
    client.call("GET", list, "");
    let cpu_before = server.cpu_seconds();
    let mut answers: Vec<_> = (0..REQUESTS).map(|_| client.call("GET", list, "")).collect();
    #[expect(clippy::cast_precision_loss, reason = "a hundred is exact")]
    let cpu_ms = (server.cpu_seconds() - cpu_before) * 1000.0 / REQUESTS as f64;
    answers.sort_by(|one, other| one.milliseconds.total_cmp(&other.milliseconds));
    let (middle_ms, slowest_ms) = (answers[REQUESTS / 2].milliseconds, answers[REQUESTS - 1].milliseconds);
    #[expect(clippy::cast_precision_loss, reason = "answers are not so long")]
    let kilobytes = answers[0].body.len() as f64 / 1024.0;
    Row { caller, list: list.to_owned(), middle_ms, slowest_ms, limit_ms, cpu_ms, kilobytes }
}

fn goal(row: &Row) -> Goal {
    Goal::at_most(&format!("{} {}", row.caller, row.list), row.limit_ms, row.slowest_ms, " ms")
}

fn print(rows: &[Row], goals: &[Goal], output: Output) {
    if output == Output::Json {
        println!("{:#}", json!({ "goals": goals.iter().map(Goal::json).collect::<Vec<_>>() }));
        return;
    }
    println!("{:<64} {:>9} {:>9} {:>9} {:>9}", "milliseconds", "median", "p99", "CPU", "KB");
    for Row { caller, list, middle_ms, slowest_ms, cpu_ms, kilobytes, .. } in rows {
        println!(
            "{:<64} {middle_ms:>9.1} {slowest_ms:>9.1} {cpu_ms:>9.1} {kilobytes:>9.0}",
            format!("{caller} {list}")
        );
    }
    println!();
    for goal in goals {
        println!("{}", goal.line());
    }
}

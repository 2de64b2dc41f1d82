//! How fast the server takes and shows jobs, beside what this machine can do at all.
//!
//! `cargo bench -p punctual-benches --bench api [-- [--check] [--output json]]`
//!
//! 64 clients create and read jobs of the real server, with 1,000 and with 1,000,000 jobs in it. Beside it, in the same run
//! and by the same clients, a server that answers the same requests with nothing behind it, and SQLite with nothing in front
//! of it, which commits 64 such jobs at a time: no server on it can take more than the slower of the two.

mod bare;
mod ceiling;
mod client;

use std::process::ExitCode;

use punctual_benches::{Goal, Options, Output, Punctual, conclude};
use serde_json::json;

use crate::client::Load;

/// Clients at once, each with a connection of its own.
const CLIENTS: usize = 64;
/// Jobs that are there when it is measured first and last.
const FEW: usize = 1_000;
const MANY: usize = 1_000_000;

/// What was measured, in requests or records a second.
struct Measured {
    disk: f64,
    bare: f64,
    creates: [f64; 2],
    reads: [f64; 2],
    start_ms: f64,
    memory_mb: f64,
}

fn main() -> ExitCode {
    // The server with nothing behind it is this program once more.
    if std::env::args().nth(1).as_deref() == Some(bare::ARGUMENT) {
        bare::serve();
    }
    let options = Options::of_program();
    let measured = measure();
    let goals = goals(&measured);
    print(&measured, &goals, options.output);
    conclude(&goals, options.check)
}

fn measure() -> Measured {
    let data = tempfile::tempdir().expect("a directory for the data");
    let disk = ceiling::group_commit(data.path(), CLIENTS);
    let bare = {
        let server = bare::Bare::start();
        Load::new(server.port(), CLIENTS, "").creates(0).per_second
    };
    Punctual::build();
    let mut server = Punctual::start(data.path(), &[]);
    let mut load = Load::new(server.port(), CLIENTS, server.token());
    load.fill(0..FEW);
    // Reads first, while there are as many jobs as is said.
    let reads_few = load.reads(FEW).per_second;
    let created = load.creates(FEW);
    eprintln!("filling up to {MANY} jobs");
    load.fill(FEW + created.requests..MANY);
    let reads_many = load.reads(MANY).per_second;
    let creates_many = load.creates(MANY).per_second;
    let start_ms = server.restart();
    let memory_mb = server.memory_mb();
    Measured {
        disk,
        bare,
        creates: [created.per_second, creates_many],
        reads: [reads_few, reads_many],
        start_ms,
        memory_mb,
    }
}

fn goals(measured: &Measured) -> Vec<Goal> {
    let Measured { disk, bare, creates, reads, start_ms, memory_mb } = measured;
    vec![
        Goal::at_least("creates, of the smaller ceiling", 0.5, creates[0] / disk.min(*bare), ""),
        Goal::at_least("reads a second", 20_000.0, reads[0], ""),
        Goal::at_most("reads with few jobs, of those with many", 1.3, reads[0] / reads[1], " times"),
        Goal::at_most("creates with few jobs, of those with many", 2.0, creates[0] / creates[1], " times"),
        Goal::at_most("ready after the start with many jobs", 1000.0, *start_ms, " ms"),
        Goal::at_most("memory after it", 150.0, *memory_mb, " MB"),
    ]
}

fn print(measured: &Measured, goals: &[Goal], output: Output) {
    let Measured { disk, bare, creates, reads, start_ms, memory_mb } = measured;
    if output == Output::Json {
        let report = json!({
            "group_commit_jobs_per_second": disk, "bare_requests_per_second": bare,
            "creates_per_second": creates, "reads_per_second": reads,
            "start_ms": start_ms, "memory_mb": memory_mb,
            "goals": goals.iter().map(Goal::json).collect::<Vec<_>>(),
        });
        println!("{report:#}");
        return;
    }
    println!("a second, {CLIENTS} clients                    {FEW:>10} jobs  {MANY:>10} jobs");
    println!("creates                               {:>15.0} {:>16.0}", creates[0], creates[1]);
    println!("reads                                 {:>15.0} {:>16.0}", reads[0], reads[1]);
    println!("ceiling: group commits, jobs          {disk:>15.0}");
    println!("ceiling: requests to a bare server    {bare:>15.0}\n");
    for goal in goals {
        println!("{}", goal.line());
    }
}

//! How many jobs nodes on PostgreSQL run, how late, and at what cost to the database, beside what this machine can do at all and beside
//! other job queues.
//!
//! `cargo bench -p punctual-benches --bench cluster [-- [--check] [--output json] [--only PART]... [--scale 0.01]]`
//!
//! It needs PostgreSQL, of which it starts one of its own with `synchronous_commit=on`. Other queues need Node, Redis and
//! `npm install --no-package-lock --ignore-scripts --prefix benches/cluster/peers`. The parts, of which all are run unless some are named:
//!
//! | part | what |
//! |---|---|
//! | `limit` | a bare client of hyper calls the receiver, and array statements record each call durably: the limit |
//! | `graphile`, `pgboss`, `bullmq` | 100,000 jobs of that queue, all of them due, call the same receiver |
//! | `punctual` | 100,000 jobs of Punctual, which are all there are, are due at one instant |
//! | `steady` | lateness at 1,000 calls a second |
//! | `nodes` | throughput of 1, 2 and 4 nodes whose target answers after 50 ms |
//! | `bloat` | sizes of tables and indexes over 10 minutes of 1,000 calls a second |
//!
//! The first five take turns, three rounds each, and their medians are compared: a machine that others use is not the same from one
//! minute to the next. The time of Punctual counts from the instant at which its jobs are due, that of a queue from its first call: how
//! often it looks for what is due is not held against it. All count until the last job is settled.
//!
//! With `--statements` it is shown which statements took the time of the database. `--scale` multiplies the numbers of jobs: below 1 to try
//! whether everything works. Goals are for 1.

mod bloat;
mod contest;
mod database;
mod limit;
mod nodes;
mod peer;
mod redis;
mod scaling;
mod statements;
mod steady;

use std::process::ExitCode;

use punctual_benches::{Bench, Options, Punctual, Selection, conclude, receiver};

use crate::contest::Contestants;
use crate::database::Database;
use crate::peer::Peer;

/// A part of the benchmark.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Part {
    Limit,
    Peer(Peer),
    Punctual,
    Steady,
    Nodes,
    Bloat,
}

const PARTS: [(&str, Part); 8] = [
    ("limit", Part::Limit),
    ("graphile", Part::Peer(Peer::GraphileWorker)),
    ("pgboss", Part::Peer(Peer::PgBoss)),
    ("bullmq", Part::Peer(Peer::BullMq)),
    ("punctual", Part::Punctual),
    ("steady", Part::Steady),
    ("nodes", Part::Nodes),
    ("bloat", Part::Bloat),
];

/// Measures a part.
type Measure = fn(&mut Bench, &Database);

fn main() -> ExitCode {
    // The receiver is this program once more.
    if std::env::args().nth(1).as_deref() == Some(receiver::ARGUMENT) {
        receiver::serve();
    }
    let (selection, mut rest) = Selection::take(&PARTS, std::env::args().skip(1));
    let shows_statements = rest.iter().any(|argument| argument == "--statements");
    rest.retain(|argument| argument != "--statements");
    let options = Options::of_arguments(rest.into_iter());
    let contestants = Contestants {
        limit: selection.has(Part::Limit),
        peers: Peer::ALL.into_iter().filter(|peer| selection.has(Part::Peer(*peer))).collect(),
        punctual: selection.has(Part::Punctual),
    };
    contestants.check_installed();
    Punctual::build();
    let mut bench = Bench::new(selection.scale);
    let database = Database::start();
    contestants.measure(&mut bench, &database);
    let others: [(Part, Measure); 3] =
        [(Part::Steady, steady::measure), (Part::Nodes, scaling::measure), (Part::Bloat, bloat::measure)];
    for (_, measure) in others.into_iter().filter(|(part, _)| selection.has(*part)) {
        measure(&mut bench, &database);
    }
    if shows_statements {
        statements::print(&database);
    }
    bench.report.print(options.output);
    conclude(&bench.report.goals, options.check)
}

//! How many jobs the server runs, how late, and at what cost, beside what this machine can do at all.
//!
//! `cargo bench -p punctual-benches --bench fire [-- [--check] [--output json] [--only PART]... [--scale 0.01]]`
//!
//! The parts, of which all are run unless some are named:
//!
//! | part | what |
//! |---|---|
//! | `ceiling` | a bare client of hyper calls the receiver that all jobs call |
//! | `stampede` | 100,000 jobs of 1,000,000 are due at one instant, in the order of their ids; the API is read meanwhile |
//! | `random` | the same, wherever they lie |
//! | `once` | the same as `stampede`, with jobs that run once and end |
//! | `steady` | lateness at 1,000 calls a second: alone, while 64 clients edit jobs, while a day of history is dropped |
//! | `rest` | 1,000,000 jobs of which none is due: memory and processor |
//! | `million` | 1,000,000 jobs due within one second: none lost, and memory |
//! | `tls` | a stampede and lateness over TLS |
//! | `isolation` | lateness at 500 calls a second: alone, and beside targets that hang, that are not found, that refuse, that answer at length |
//! | `telemetry` | a stampede with and without a collector that is told of it |
//!
//! A stampede has three rounds. Before each one the limit is measured on the same machine: the client that also writes down the
//! least that a durable scheduler has to, in commits that many share, with rows that lie in the same way. The goals are for
//! the round in the middle, because a machine that others use is not the same from one minute to the next.
//!
//! `--scale` multiplies the numbers of jobs: below 1 to try whether everything works, above it, up to 10, for more jobs than
//! most have. Goals are for 1.

mod bare;
mod engine;
mod isolation;
mod ledger;
mod part;
mod rest;
mod stampede;
mod steady;
mod telemetry;
mod tls;
mod visitors;

use std::path::Path;
use std::process::ExitCode;

use punctual_benches::{Bench, Options, Punctual, Selection, conclude, receiver};

use crate::part::Part;
use crate::stampede::{Life, Order};

/// Enough calls to take some seconds.
const CEILING_CALLS: usize = 300_000;

/// A part that needs nothing of the others.
type Measure = fn(&mut Bench);

fn main() -> ExitCode {
    let mut arguments = std::env::args().skip(1);
    // The receiver and the engine by itself are this program once more.
    match arguments.next().as_deref() {
        Some(receiver::ARGUMENT) => receiver::serve(),
        Some(engine::ARGUMENT) => engine::run(Path::new(&arguments.next().expect("a data directory"))),
        _ => {}
    }
    let (selection, rest) = Selection::take(&Part::ALL, std::env::args().skip(1));
    let options = Options::of_arguments(rest.into_iter());
    Punctual::build();
    let mut bench = Bench::new(selection.scale);
    if selection.has(Part::Ceiling) {
        let calls = bench.scaled(CEILING_CALLS);
        let ceiling = bare::ceiling(bench.receiver.port, calls);
        bench.report.figure("ceiling: calls a second of a bare client", ceiling, "");
    }
    let stampedes = [
        (Part::Stampede, Order::Contiguous, Life::Daily),
        (Part::Once, Order::Contiguous, Life::Once),
        (Part::Random, Order::Random, Life::Daily),
    ];
    for (_, order, life) in stampedes.into_iter().filter(|(part, ..)| selection.has(*part)) {
        stampede::measure(&mut bench, order, life);
    }
    let others: [(Part, Measure); 7] = [
        (Part::Steady, steady::measure),
        (Part::Rest, rest::measure),
        (Part::Million, stampede::measure_million),
        (Part::Tls, tls::measure),
        (Part::Isolation, isolation::measure),
        (Part::Refusal, isolation::measure_refusal),
        (Part::Telemetry, telemetry::measure),
    ];
    // One case of the isolation is measured by itself only where it is asked for.
    let is_wanted = |part| if part == Part::Refusal { selection.names(part) } else { selection.has(part) };
    for (_, measure) in others.into_iter().filter(|(part, _)| is_wanted(*part)) {
        measure(&mut bench);
    }
    bench.report.print(options.output);
    conclude(&bench.report.goals, options.check)
}

//! Many jobs due at one instant, out of many more that are not.

use std::time::Duration;

use punctual_benches::{Goal, Punctual, scatter};
use punctual_model::time::{TICKS_PER_HOUR, TICKS_PER_SECOND, Timestamp};

use crate::bench::{Bench, check_lead};
use crate::clock;
use crate::ledger::Ledger;
use crate::stock::{Job, Stock};
use crate::visitors::{Errand, Visitors};

/// Jobs that are stored, and how many of them are due.
pub(crate) const STORED: usize = 1_000_000;
pub(crate) const DUE: usize = 100_000;

/// Clients that read meanwhile, as people and programs do that want to know how it goes: not so often that they take the
/// machine from what is measured.
const VISITORS: usize = 8;
const READ_EVERY: Duration = Duration::from_millis(20);

/// After so long what is still open counts as lost.
const PATIENCE: Duration = Duration::from_mins(5);

/// The jobs of a stampede.
pub(crate) struct Stampede {
    pub(crate) stored: usize,
    pub(crate) due: usize,
    pub(crate) order: Order,
    pub(crate) life: Life,
    pub(crate) uri: String,
    /// They come due one after the other in this time, or all at once.
    pub(crate) spread_ticks: i64,
    pub(crate) settings: Vec<(String, String)>,
}

/// Where those that are due lie among the others.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Order {
    /// Beside each other.
    Contiguous,
    /// Anywhere.
    Random,
}

impl Order {
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Contiguous => "in id order",
            Self::Random => "in random order",
        }
    }

    /// The row of the call of a number, of `calls` among `rows`: one of the last ones, which lie beside each other, or one
    /// of each few.
    pub(crate) fn row(self, number: usize, rows: usize, calls: usize) -> usize {
        match self {
            Self::Contiguous => rows.saturating_sub(calls) + number,
            Self::Random => {
                let each = (rows / calls).max(1);
                number * each + scatter(number) % each
            }
        }
    }
}

/// How often the jobs of a stampede are due.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Life {
    /// Every day.
    Daily,
    /// Once; then they end.
    Once,
}

/// What came of it.
pub(crate) struct Outcome {
    pub(crate) seconds: f64,
    pub(crate) fires_per_second: f64,
    /// Time of a core that a fire takes.
    pub(crate) cpu_us_per_fire: f64,
    pub(crate) api_p99_ms: f64,
    pub(crate) peak_memory_mb: f64,
    pub(crate) connections: f64,
    /// Jobs that were not done once and well: too much is as wrong as too little.
    pub(crate) wrong: f64,
}

impl Stampede {
    pub(crate) fn run(self, bench: &mut Bench) -> Outcome {
        let data = tempfile::tempdir().expect("a directory for the data");
        let (due, settings) = (self.due, self.settings.clone());
        let (at, last) = self.fill(data.path());
        let mut server = Punctual::start(data.path(), &settings);
        check_lead(at);
        let ledger = Ledger::open(data.path());
        bench.receiver.clear();
        clock::sleep_until(at);
        let cpu_before = server.cpu_seconds();
        let visitors = Visitors::come(&server, VISITORS, due, Errand::Read(READ_EVERY));
        // Later than the last: what could not start within a minute is opened anew, at the time when that is seen.
        let settled = ledger.wait_settled(&mut server, last.saturating_add(TICKS_PER_HOUR), PATIENCE);
        let api_p99_ms = visitors.leave().percentile_ms(99.0);
        let (arrivals, tally) = (bench.receiver.arrivals(), ledger.tally());
        let cpu_seconds = server.cpu_seconds() - cpu_before;
        let still_open = settled.err().unwrap_or(0);
        let seconds = seconds(settled.unwrap_or_else(|_| clock::now()).since(at));
        #[expect(clippy::cast_precision_loss, reason = "there are not so many")]
        let due = due as f64;
        let differences = [arrivals.calls - due, f64::from(tally.completed) - due, f64::from(tally.occurrences) - due];
        let unwanted = [f64::from(still_open), arrivals.resent, f64::from(tally.twice), f64::from(tally.others)];
        let wrong: f64 = differences.into_iter().map(f64::abs).chain(unwanted).sum();
        if wrong > 0.0 {
            eprintln!("of {due} due: {still_open} open after {seconds} s; {arrivals:?}; {tally:?}");
        }
        Outcome {
            seconds,
            fires_per_second: f64::from(tally.completed) / seconds,
            cpu_us_per_fire: cpu_seconds * 1e6 / f64::from(tally.completed.max(1)),
            api_p99_ms,
            peak_memory_mb: server.peak_memory_mb(),
            connections: arrivals.connections,
            wrong,
        }
    }

    /// Fills the data directory. Says when the first and the last job is due.
    fn fill(self, data: &std::path::Path) -> (Timestamp, Timestamp) {
        let Self { stored, due, order, life, uri, spread_ticks, .. } = self;
        let others = stored - due;
        // Enough of the others come first for it to be known how long the rest takes.
        let first = if order == Order::Contiguous { others } else { others / 10 };
        let mut stock = Stock::open(data, first);
        let rest = stored - first;
        let at = stock.instant_after(rest);
        let spacing =
            move |number: usize| spread_ticks * i64::try_from(number).unwrap_or(0) / i64::try_from(due).unwrap_or(1);
        let each = rest / due;
        stock.fill(rest, move |number| {
            // One of each few, wherever it is.
            let (group, within) = (number / each, number % each);
            if group < due && within == scatter(group) % each {
                let at = at.saturating_add(spacing(group));
                if life == Life::Daily { Job::daily(uri.clone(), at) } else { Job::once(uri.clone(), at) }
            } else {
                Job::far(number)
            }
        });
        (at, at.saturating_add(spread_ticks))
    }
}

#[expect(clippy::cast_precision_loss, reason = "there are not so many")]
fn seconds(ticks: i64) -> f64 {
    ticks as f64 / TICKS_PER_SECOND as f64
}

/// The parts `stampede`, `random` and `once`: how much of what can be done at all is done.
pub(crate) fn measure(bench: &mut Bench, order: Order, life: Life, limit: f64) {
    let (what, goal) = match life {
        Life::Daily => (format!("stampede, {}", order.name()), 0.6),
        Life::Once => ("stampede of jobs that end".to_owned(), 0.55),
    };
    let (stored, due, uri) = (bench.scaled(STORED), bench.scaled(DUE), bench.url());
    let stampede = Stampede { stored, due, order, life, uri, spread_ticks: 0, settings: Vec::new() };
    let outcome = stampede.run(bench);
    bench.report.figure(format!("{what}: fires a second"), outcome.fires_per_second, "");
    bench.report.figure(format!("{what}: processor time a fire"), outcome.cpu_us_per_fire, "us");
    bench.report.figure(format!("{what}: memory at most"), outcome.peak_memory_mb, "MB");
    bench.report.goal(Goal::at_least(&format!("{what}, of the limit"), goal, outcome.fires_per_second / limit, ""));
    bench.report.goal(Goal::at_most(&format!("{what}: lost or doubled"), 0.0, outcome.wrong, ""));
    bench.report.goal(Goal::at_most(&format!("{what}: reads of the API, p99"), 100.0, outcome.api_p99_ms, " ms"));
}

/// The part `million`: more than anyone has planned for.
pub(crate) fn measure_million(bench: &mut Bench) {
    let due = bench.scaled(STORED);
    // A few that are not due, by which it is known how long the others take.
    let (stored, order, uri) = (due + due / 20, Order::Contiguous, bench.url());
    let life = Life::Daily;
    let stampede = Stampede { stored, due, order, life, uri, spread_ticks: TICKS_PER_SECOND, settings: Vec::new() };
    let outcome = stampede.run(bench);
    bench.report.figure("1,000,000 due within a second: took", outcome.seconds, "s");
    bench.report.figure("1,000,000 due within a second: fires a second", outcome.fires_per_second, "");
    bench.report.goal(Goal::at_most("1,000,000 due within a second: lost", 0.0, outcome.wrong, ""));
    bench.report.goal(Goal::at_most("1,000,000 due: memory at most", 300.0, outcome.peak_memory_mb, " MB"));
}

//! Many jobs due at one instant, out of many more that are not.

use std::time::Duration;

use punctual_benches::{Bench, Goal, Job, Punctual, Stock, check_lead, clock, scatter};
use punctual_model::time::{TICKS_PER_HOUR, TICKS_PER_SECOND, Timestamp};

use crate::bare::Limit;
use crate::ledger::Ledger;
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

/// Rounds of a stampede that is compared with the limit, and the time from one to the next: for what is due to run, and for the
/// limit to be measured.
const ROUNDS: usize = 3;
const ROUND_TICKS: i64 = 15 * TICKS_PER_SECOND;

/// The jobs of a stampede.
pub(crate) struct Stampede {
    pub(crate) stored: usize,
    /// How many are due in each round.
    pub(crate) due: usize,
    pub(crate) rounds: usize,
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
    pub(crate) rounds: Vec<Round>,
    pub(crate) peak_memory_mb: f64,
    pub(crate) connections: f64,
    /// Jobs that were not done once and well: too much is as wrong as too little.
    pub(crate) wrong: f64,
}

/// What came of a round.
pub(crate) struct Round {
    /// What could be done at all, right before it; 0 if that was not measured.
    pub(crate) limit: f64,
    pub(crate) seconds: f64,
    pub(crate) fires_per_second: f64,
    /// Time of a core that a fire takes.
    pub(crate) cpu_us_per_fire: f64,
    pub(crate) api_p99_ms: f64,
}

impl Outcome {
    /// The figure of the round in the middle.
    pub(crate) fn median(&self, figure: impl Fn(&Round) -> f64) -> f64 {
        let mut figures: Vec<f64> = self.rounds.iter().map(figure).collect();
        figures.sort_by(f64::total_cmp);
        figures[figures.len() / 2]
    }
}

impl Stampede {
    /// Runs it. The limit, if there is one to compare with, is measured before each round.
    pub(crate) fn run(self, bench: &mut Bench, limit: Option<&Limit>) -> Outcome {
        let data = tempfile::tempdir().expect("a directory for the data");
        let (due, rounds, settings, spread) = (self.due, self.rounds, self.settings.clone(), self.spread_ticks);
        let first = self.fill(data.path());
        let mut server = Punctual::start(data.path(), &settings);
        let ledger = Ledger::open(data.path());
        let mut outcome = Outcome { rounds: Vec::new(), peak_memory_mb: 0.0, connections: 0.0, wrong: 0.0 };
        for round in 0..rounds {
            let at = first.saturating_add(round_ticks(round, due));
            let limit = limit.map_or(0.0, |limit| limit.measure(bench.receiver.port));
            check_lead(at);
            bench.receiver.clear();
            clock::sleep_until(at);
            let cpu_before = server.cpu_seconds();
            let visitors = Visitors::come(&server, VISITORS, due, Errand::Read(READ_EVERY));
            // What could not start within a minute is opened anew, at the time when that is seen.
            let last = at.saturating_add(if round + 1 < rounds { spread } else { spread + TICKS_PER_HOUR });
            let settled = ledger.wait_settled(&mut server, last, PATIENCE);
            let api_p99_ms = visitors.leave().percentile_ms(99.0);
            let cpu_seconds = server.cpu_seconds() - cpu_before;
            let arrivals = bench.receiver.arrivals();
            let still_open = settled.err().unwrap_or(0);
            let seconds = seconds(settled.unwrap_or_else(|_| clock::now()).since(at));
            #[expect(clippy::cast_precision_loss, reason = "there are not so many")]
            let due = due as f64;
            let wrong = (arrivals.calls - due).abs() + f64::from(still_open) + arrivals.resent;
            if wrong > 0.0 {
                eprintln!("of {due} due: {still_open} open after {seconds} s; {arrivals:?}");
            }
            outcome.wrong += wrong;
            outcome.connections = outcome.connections.max(arrivals.connections);
            let (fires_per_second, cpu_us_per_fire) = (due / seconds, cpu_seconds * 1e6 / due);
            outcome.rounds.push(Round { limit, seconds, fires_per_second, cpu_us_per_fire, api_p99_ms });
        }
        let tally = ledger.tally();
        #[expect(clippy::cast_precision_loss, reason = "there are not so many")]
        let due = (due * rounds) as f64;
        let differences = [f64::from(tally.completed) - due, f64::from(tally.occurrences) - due];
        let unwanted = [f64::from(tally.twice), f64::from(tally.others)];
        let wrong: f64 = differences.into_iter().map(f64::abs).chain(unwanted).sum();
        if wrong > 0.0 {
            eprintln!("of {due} due in all: {tally:?}");
        }
        outcome.wrong += wrong;
        outcome.peak_memory_mb = server.peak_memory_mb();
        outcome
    }

    /// Fills the data directory. Says when the first round is due.
    fn fill(self, data: &std::path::Path) -> Timestamp {
        let Self { stored, due, rounds, order, life, uri, spread_ticks, .. } = self;
        let all_due = due * rounds;
        let others = stored - all_due;
        // Enough of the others come first for it to be known how long the rest takes.
        let first = if order == Order::Contiguous { others } else { others / 10 };
        let mut stock = Stock::open(data, first);
        let rest = stored - first;
        let at = stock.instant_after(rest);
        let spacing =
            move |number: usize| spread_ticks * i64::try_from(number).unwrap_or(0) / i64::try_from(due).unwrap_or(1);
        let each = rest / all_due;
        stock.fill(rest, move |number| {
            // One of each few, wherever it is.
            let (group, within) = (number / each, number % each);
            if group < all_due && within == scatter(group) % each {
                // Rounds that lie beside each other, or that take turns.
                let (round, within) = match order {
                    Order::Contiguous => (group / due, group % due),
                    Order::Random => (group % rounds, group / rounds),
                };
                let at = at.saturating_add(round_ticks(round, due) + spacing(within));
                if life == Life::Daily { Job::daily(uri.clone(), at) } else { Job::once(uri.clone(), at) }
            } else {
                Job::far(number)
            }
        });
        at
    }
}

/// How much later than the first a round is. Rounds of more jobs than goals are for take longer.
fn round_ticks(round: usize, due: usize) -> i64 {
    let number = |number: usize| i64::try_from(number).expect("a small number");
    number(round) * ROUND_TICKS * number(due.div_ceil(DUE))
}

#[expect(clippy::cast_precision_loss, reason = "there are not so many")]
fn seconds(ticks: i64) -> f64 {
    ticks as f64 / TICKS_PER_SECOND as f64
}

/// The parts `stampede`, `random` and `once`: how much of what can be done at all is done.
pub(crate) fn measure(bench: &mut Bench, order: Order, life: Life) {
    let (what, goal) = match life {
        Life::Daily => (format!("stampede, {}", order.name()), 0.6),
        Life::Once => ("stampede of jobs that end".to_owned(), 0.55),
    };
    let (stored, due, rounds, uri) = (bench.scaled(STORED), bench.scaled(DUE), ROUNDS, bench.url());
    let limit = Limit::prepare(stored, due, order);
    let stampede = Stampede { stored, due, rounds, order, life, uri, spread_ticks: 0, settings: Vec::new() };
    let outcome = stampede.run(bench, Some(&limit));
    let ratios = outcome.rounds.iter().map(|round| format!("{:.2}", round.fires_per_second / round.limit));
    let ratios = ratios.collect::<Vec<_>>().join(", ");
    let mut figure = |name: &str, value, unit| bench.report.figure(format!("{what}: {name}"), value, unit);
    for (at, round) in (1..).zip(&outcome.rounds) {
        figure(&format!("round {at}, limit, calls a second, durably recorded"), round.limit, "");
        figure(&format!("round {at}, fires a second"), round.fires_per_second, "");
        figure(&format!("round {at}, processor time a fire"), round.cpu_us_per_fire, "us");
    }
    figure("memory at most", outcome.peak_memory_mb, "MB");
    let ratio = outcome.median(|round| round.fires_per_second / round.limit);
    bench.report.goal(Goal::at_least(&format!("{what}, of the limit ({ratios})"), goal, ratio, ""));
    bench.report.goal(Goal::at_most(&format!("{what}: lost or doubled"), 0.0, outcome.wrong, ""));
    let api_p99_ms = outcome.median(|round| round.api_p99_ms);
    bench.report.goal(Goal::at_most(&format!("{what}: reads of the API, p99"), 100.0, api_p99_ms, " ms"));
}

/// The part `million`: more than anyone has planned for.
pub(crate) fn measure_million(bench: &mut Bench) {
    let due = bench.scaled(STORED);
    // A few that are not due, by which it is known how long the others take.
    let (stored, rounds, order, uri) = (due + due / 20, 1, Order::Contiguous, bench.url());
    let (life, spread_ticks, settings) = (Life::Daily, TICKS_PER_SECOND, Vec::new());
    let outcome = Stampede { stored, due, rounds, order, life, uri, spread_ticks, settings }.run(bench, None);
    bench.report.figure("1,000,000 due within a second: took", outcome.median(|round| round.seconds), "s");
    let fires_per_second = outcome.median(|round| round.fires_per_second);
    bench.report.figure("1,000,000 due within a second: fires a second", fires_per_second, "");
    bench.report.goal(Goal::at_most("1,000,000 due within a second: lost", 0.0, outcome.wrong, ""));
    bench.report.goal(Goal::at_most("1,000,000 due: memory at most", 300.0, outcome.peak_memory_mb, " MB"));
}

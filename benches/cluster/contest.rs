//! Many jobs due at one instant: Punctual, other queues and the bare limit, in turns.

use punctual_benches::{Bench, Goal, Job};
use punctual_model::recurrence::Frequency;
use punctual_model::time::{TICKS_PER_MINUTE, TICKS_PER_SECOND, Timestamp};

use crate::database::Database;
use crate::limit::Limit;
use crate::nodes::{Nodes, instant_after};
use crate::peer::Peer;

/// Jobs that are due, which are all there are.
const DUE: usize = 100_000;

const ROUNDS: usize = 3;

/// The jobs of Punctual are due every so many minutes: time for the turns of the others.
const ROUND_MINUTES: i64 = 2;
const ROUND_MINUTES_OF_FEW: i64 = 1;

/// The database of Punctual.
pub(crate) const NAME: &str = "punctual";

/// Who takes part.
pub(crate) struct Contestants {
    pub(crate) limit: bool,
    pub(crate) peers: Vec<Peer>,
    pub(crate) punctual: bool,
}

impl Contestants {
    /// Ends this program if something is missing that one of them needs.
    pub(crate) fn check_installed(&self) {
        self.peers.iter().for_each(|peer| peer.check_installed());
    }

    /// Lets them take turns.
    pub(crate) fn measure(&self, bench: &mut Bench, database: &Database) {
        let due = bench.scaled(DUE);
        let limit = self.limit.then(|| Limit::prepare(database, due));
        self.peers.iter().for_each(|peer| peer.prepare(database));
        let minutes = if self.peers.is_empty() { ROUND_MINUTES_OF_FEW } else { ROUND_MINUTES };
        let mut punctual = self.punctual.then(|| Punctual::start(bench, database, due, minutes));
        let mut of_limit = Rates::default();
        let mut of_peers = vec![Rates::default(); self.peers.len()];
        let mut of_punctual = Rates::default();
        for round in 0..ROUNDS {
            // First, since they are not bound to a time.
            if round > 0 || punctual.is_none() {
                self.measure_peers(bench, database, due, &mut of_peers);
            }
            if let Some(limit) = &limit {
                let rate = limit.measure(bench.receiver.port);
                of_limit.add(bench, "limit", rate);
            }
            if let Some(punctual) = &mut punctual {
                let rate = punctual.take_turn(bench);
                of_punctual.add(bench, "Punctual", rate);
            }
        }
        if punctual.is_some() && self.peers.is_empty() {
            std::thread::sleep(crate::statements::TOLD_AFTER);
        } else if punctual.is_some() {
            self.measure_peers(bench, database, due, &mut of_peers);
        }
        self.compare(bench, &of_limit, &of_peers, &of_punctual);
        if let Some(punctual) = punctual {
            punctual.account(bench);
        }
    }

    fn measure_peers(&self, bench: &mut Bench, database: &Database, due: usize, rates: &mut [Rates]) {
        for (peer, rates) in self.peers.iter().zip(rates) {
            let rate = peer.measure(database, &bench.url(), due);
            rates.add(bench, peer.name(), rate);
        }
    }

    fn compare(&self, bench: &mut Bench, limit: &Rates, peers: &[Rates], punctual: &Rates) {
        let medians = self.peers.iter().zip(peers).map(|(peer, rates)| (peer.name(), rates.median()));
        let all = self.limit.then(|| ("limit", limit.median())).into_iter().chain(medians.clone());
        let all = all.chain(self.punctual.then(|| ("Punctual", punctual.median())));
        for (name, median) in all {
            bench.report.figure(format!("{name}: jobs a second, median"), median, "");
        }
        if !self.punctual {
            return;
        }
        if self.limit {
            let ratio = punctual.median() / limit.median();
            bench.report.goal(Goal::at_least("Punctual, of the limit", 0.4, ratio, ""));
        }
        if let Some((name, best)) = medians.max_by(|one, other| one.1.total_cmp(&other.1)) {
            let goal = Goal::at_least("Punctual, of the best peer", 2.0, punctual.median() / best, " times");
            bench.report.goal(goal.seen_at(name));
        }
    }
}

/// Jobs a second, round by round.
#[derive(Clone, Default)]
struct Rates(Vec<f64>);

impl Rates {
    fn add(&mut self, bench: &mut Bench, name: &str, per_second: f64) {
        self.0.push(per_second);
        bench.report.figure(format!("{name}: round {}, jobs a second", self.0.len()), per_second, "");
    }

    fn median(&self) -> f64 {
        let mut sorted = self.0.clone();
        sorted.sort_by(f64::total_cmp);
        sorted.get(sorted.len() / 2).copied().unwrap_or(0.0)
    }
}

/// A node whose jobs are due in every round.
struct Punctual {
    nodes: Nodes,
    due: usize,
    next: Timestamp,
    minutes: i64,
    commits_before: i64,
    rounds: usize,
    cpu_seconds: f64,
    wal_bytes: i64,
}

impl Punctual {
    fn start(bench: &Bench, database: &Database, due: usize, minutes: i64) -> Self {
        // The limit is measured before the first round.
        let (uri, at) = (bench.url(), instant_after(due).saturating_add(10 * TICKS_PER_SECOND));
        let every = Some((Frequency::Minute, minutes));
        let job = move |_| Job { uri: uri.clone(), start: at, every, timeout_seconds: None, body: None };
        let nodes = Nodes::start(database, NAME, due, job, &[]);
        let commits_before = nodes.commits();
        Self { nodes, due, next: at, minutes, commits_before, rounds: 0, cpu_seconds: 0.0, wal_bytes: 0 }
    }

    /// How many it runs a second.
    fn take_turn(&mut self, bench: &mut Bench) -> f64 {
        let cpu = |nodes: &Nodes| nodes.running[0].cpu_seconds();
        let (before, wal_before) = (cpu(&self.nodes), self.nodes.wal_bytes());
        let seconds = self.nodes.stampede(bench, self.due, self.next);
        self.cpu_seconds += cpu(&self.nodes) - before;
        self.wal_bytes += self.nodes.wal_bytes() - wal_before;
        self.next = self.next.saturating_add(self.minutes * TICKS_PER_MINUTE);
        self.rounds += 1;
        #[expect(clippy::cast_precision_loss, reason = "there are not so many")]
        let due = self.due as f64;
        due / seconds
    }

    /// What it has cost the database. By now every connection has told what it did.
    #[expect(clippy::cast_precision_loss, reason = "there are not so many")]
    fn account(self, bench: &mut Bench) {
        let fires = (self.due * self.rounds) as f64;
        let commits = (self.nodes.commits() - self.commits_before) as f64;
        bench.report.figure("Punctual: processor time a fire", self.cpu_seconds * 1e6 / fires, "us");
        bench.report.figure("Punctual: bytes of WAL a fire", self.wal_bytes as f64 / fires, "");
        bench.report.figure(
            "Punctual: bytes of tables and indexes a job",
            self.nodes.job_bytes() / self.due as f64,
            "",
        );
        bench.report.figure("Punctual: bytes of history a fire", self.nodes.history_bytes() / fires, "");
        bench.report.figure("Punctual: memory at most", self.nodes.running[0].peak_memory_mb(), "MB");
        let (recorded, wrong) = self.nodes.recorded();
        let missing = (recorded as f64 - fires).abs() + wrong as f64;
        bench.report.goal(Goal::at_most("Punctual: not recorded once and well", 0.0, missing, ""));
        bench.report.goal(Goal::at_most("Punctual: commits a fire", 0.05, commits / fires, ""));
    }
}

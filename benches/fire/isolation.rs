//! Healthy jobs beside those of targets that are not.

use std::path::Path;

use punctual_benches::{Bench, Goal, Job, Punctual, Stock, check_lead, clock, paced};
use punctual_model::time::{TICKS_PER_SECOND, Timestamp};

use crate::engine::Process;

/// Healthy calls a second.
const PER_SECOND: usize = 500;

/// Jobs of one host that are due at once, and jobs of each host where many hosts are in trouble.
const OF_ONE_HOST: usize = 300_000;
const OF_EACH_HOST: usize = 50;

/// Names that are never found.
const NAMES: usize = 200;

/// Calls a second of a contributor whose answers are long, and the values in the body of each, all of which are looked for in
/// the answer.
const SEARCHED_PER_SECOND: usize = 50;
const SEARCHED_VALUES: usize = 256;

/// Jobs that are not due, by which it is known how long filling takes.
const OTHERS: usize = 20_000;

/// An attempt of theirs may take so long: several of them end while it is measured.
const TIMEOUT_SECONDS: u32 = 5;

/// The healthy ones begin, then it is measured, then the trouble begins: its beginning is measured, too.
const RUN_IN_TICKS: i64 = TICKS_PER_SECOND;
const TROUBLE_AFTER_TICKS: i64 = 2 * TICKS_PER_SECOND;

/// With as many jobs that fail as that.
const MEMORY_MB_MAX: f64 = 300.0;

/// Below this, nobody minds: the lateness that is promised for more calls than these.
const FLOOR_MS: f64 = 10.0;

/// What is wrong beside the healthy ones.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Trouble {
    None,
    HangingHost,
    HangingHosts,
    HangingNames,
    Refusal,
    LongSearches,
}

/// The part `isolation`.
pub(crate) fn measure(bench: &mut Bench) {
    let troubles =
        [Trouble::HangingHost, Trouble::HangingHosts, Trouble::HangingNames, Trouble::Refusal, Trouble::LongSearches];
    compare(bench, &troubles);
}

/// The part `refusal`.
pub(crate) fn measure_refusal(bench: &mut Bench) {
    compare(bench, &[Trouble::Refusal]);
}

fn compare(bench: &mut Bench, troubles: &[Trouble]) {
    let alone = Trouble::None.measure(bench);
    for trouble in troubles {
        let beside = trouble.measure(bench);
        let ratio = beside.max(FLOOR_MS) / alone.max(FLOOR_MS);
        bench.report.goal(Goal::at_most(&format!("{}: p99, of that alone", trouble.name()), 2.0, ratio, " times"));
    }
}

impl Trouble {
    const fn name(self) -> &'static str {
        match self {
            Self::None => "healthy, alone",
            Self::HangingHost => "beside a host that hangs",
            Self::HangingHosts => "beside 200 hosts that hang",
            Self::HangingNames => "beside names that hang",
            Self::Refusal => "beside a host that refuses",
            Self::LongSearches => "beside long answers that are searched for many secrets",
        }
    }

    /// The p99 of the healthy ones beside it, in milliseconds.
    fn measure(self, bench: &mut Bench) -> f64 {
        let data = tempfile::tempdir().expect("a directory for the data");
        let per_second = bench.scaled(PER_SECOND);
        let at = self.fill(bench, data.path(), per_second);
        let mut server = Server::start(self, data.path());
        if let (Self::Refusal, Server::Whole(server)) = (self, &server) {
            // Somebody wants to hear of it: of 300,000 jobs that fail at once, in one message.
            let told = format!("http://127.0.0.1:{}/told", bench.receiver.wordy_port);
            let alert = format!(
                r#"{{"when": ["failing", "recovered"], "action": {{"request": {{"uri": "{told}", "method": "POST"}}}}}}"#
            );
            let answer = server.ask("PUT", "/v1/alerts/ops", &alert);
            assert!(answer.starts_with("HTTP/1.1 201"), "{answer}");
        }
        check_lead(at);
        clock::sleep_until(at.saturating_add(RUN_IN_TICKS));
        let arrivals = bench.watch();
        server.check();
        bench.note_lateness(self.name(), arrivals, per_second);
        if let (Self::Refusal, Server::Whole(server)) = (self, &server) {
            let messages = server.ask("GET", "/v1/alerts/ops/messages", "").matches("\"kind\"").count();
            let messages = u32::try_from(messages).map_or(f64::INFINITY, f64::from);
            let of = |what: &str| format!("{}: {what}", self.name());
            bench.report.goal(Goal::at_most(&of("messages of the alert"), 1.0, messages, ""));
            bench.report.goal(Goal::at_most(&of("memory at most"), MEMORY_MB_MAX, server.peak_memory_mb(), " MB"));
        }
        arrivals.p99_ms
    }

    /// Says when the healthy ones begin.
    fn fill(self, bench: &Bench, data: &Path, per_second: usize) -> Timestamp {
        let targets = self.targets(bench);
        let troubled = match self {
            Self::None => 0,
            Self::HangingHost | Self::Refusal => bench.scaled(OF_ONE_HOST),
            Self::HangingHosts | Self::HangingNames => targets.len() * OF_EACH_HOST,
            Self::LongSearches => 60 * SEARCHED_PER_SECOND,
        };
        let mut stock = Stock::open(data, bench.scaled(OTHERS));
        let at = stock.instant_after(60 * per_second + troubled);
        // By name where names are in trouble: the healthy one must be found beside them.
        let host = if self == Self::HangingNames { "localhost" } else { "127.0.0.1" };
        let (count, job) = paced(format!("http://{host}:{}/job", bench.receiver.port), at, per_second);
        stock.fill(count, job);
        let start = at.saturating_add(TROUBLE_AFTER_TICKS);
        if self == Self::LongSearches {
            let (count, job) = paced(targets[0].clone(), start, SEARCHED_PER_SECOND);
            stock.fill(count, move |number| Job { body: Some(values()), ..job(number) });
            return at;
        }
        stock.fill(troubled, move |number| {
            let job = Job::daily(targets[number % targets.len()].clone(), start);
            Job { timeout_seconds: Some(TIMEOUT_SECONDS), ..job }
        });
        at
    }

    fn targets(self, bench: &Bench) -> Vec<String> {
        let of_port = |port: &u16| format!("http://127.0.0.1:{port}/job");
        match self {
            Self::None => Vec::new(),
            Self::HangingHost => bench.receiver.hanging_ports.iter().take(1).map(of_port).collect(),
            Self::HangingHosts => bench.receiver.hanging_ports.iter().map(of_port).collect(),
            Self::HangingNames => (0..NAMES).map(|number| format!("http://name-{number}.hang/job")).collect(),
            Self::Refusal => vec![of_port(&bench.receiver.refusing_port)],
            Self::LongSearches => vec![of_port(&bench.receiver.wordy_port)],
        }
    }
}

/// A list of values, each of which the answer could begin with.
fn values() -> String {
    let values: Vec<String> = (0..SEARCHED_VALUES).map(|number| format!("\"aaaaaaaaaaaaaaaa{number:04}\"")).collect();
    format!("[{}]", values.join(","))
}

/// Whoever runs the jobs.
enum Server {
    Whole(Punctual),
    /// The server asks the system for names, which cannot be told to hang; its engine can.
    Engine(Process),
}

impl Server {
    fn start(trouble: Trouble, data: &Path) -> Self {
        match trouble {
            Trouble::HangingNames => Self::Engine(Process::start(data)),
            _ => Self::Whole(Punctual::start(data, &[])),
        }
    }

    fn check(&mut self) {
        match self {
            Self::Whole(server) => server.check(),
            Self::Engine(process) => process.check(),
        }
    }
}

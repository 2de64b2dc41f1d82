//! What it costs to tell a collector of the runs: stampedes with and without, in turns.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use punctual_benches::{Bench, Goal};

use crate::bare::Limit;
use crate::stampede::{DUE, Life, Order, Outcome, Stampede};

/// Stampedes of each kind, of so many rounds each: what is looked for is smaller than what differs from round to round.
const PAIRS: usize = 2;
const ROUNDS: usize = 3;

/// Traces that are sent, of all.
const SAMPLE: &str = "0.01";

/// The part `telemetry`: the share of the limit with and without a collector that is told of one trace in a hundred, of all
/// metrics and of the log.
pub(crate) fn measure(bench: &mut Bench) {
    let collector = Collector::start();
    let endpoint = format!("http://127.0.0.1:{}", collector.port);
    let setting = |name: &str, value: &str| (format!("PUNCTUAL_TELEMETRY__{name}"), value.to_owned());
    let told = vec![setting("ENDPOINT", &endpoint), setting("SAMPLE", SAMPLE)];
    let due = bench.scaled(DUE);
    let limit = Limit::prepare(due * (ROUNDS + 1), due, Order::Contiguous);
    let (mut with, mut without) = (Vec::new(), Vec::new());
    for _ in 0..PAIRS {
        without.push(run(bench, &limit, due, Vec::new()));
        with.push(run(bench, &limit, due, told.clone()));
    }
    let (with, without) = (Share::of(&with), Share::of(&without));
    for (name, share) in [("without", without), ("with", with)] {
        bench.report.figure(format!("telemetry, {name}: of the limit"), share.of_limit, "");
        bench.report.figure(format!("telemetry, {name}: processor time a fire"), share.cpu_us_per_fire, "us");
    }
    bench.report.goal(Goal::at_least("telemetry: requests to the collector", 1.0, collector.requests(), ""));
    let cost = without.of_limit - with.of_limit;
    bench.report.goal(Goal::at_most("telemetry at 1 %: costs, of the limit", 0.03, cost, ""));
}

fn run(bench: &mut Bench, limit: &Limit, due: usize, settings: Vec<(String, String)>) -> Outcome {
    let (stored, order, life, uri) = (due * (ROUNDS + 1), Order::Contiguous, Life::Daily, bench.url());
    Stampede { stored, due, rounds: ROUNDS, order, life, uri, spread_ticks: 0, settings }.run(bench, Some(limit))
}

/// Medians of rounds.
#[derive(Clone, Copy)]
struct Share {
    of_limit: f64,
    cpu_us_per_fire: f64,
}

impl Share {
    fn of(outcomes: &[Outcome]) -> Self {
        let median = |figures: Vec<f64>| {
            let mut figures = figures;
            figures.sort_by(f64::total_cmp);
            figures.get(figures.len() / 2).copied().unwrap_or(0.0)
        };
        let rounds = || outcomes.iter().flat_map(|outcome| &outcome.rounds);
        Self {
            of_limit: median(rounds().map(|round| round.fires_per_second / round.limit).collect()),
            cpu_us_per_fire: median(rounds().map(|round| round.cpu_us_per_fire).collect()),
        }
    }
}

/// Takes whatever is told, and keeps nothing of it.
struct Collector {
    port: u16,
    requests: Arc<AtomicUsize>,
}

impl Collector {
    fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let port = listener.local_addr().expect("an address").port();
        let requests = Arc::new(AtomicUsize::new(0));
        let noted = Arc::clone(&requests);
        std::thread::spawn(move || {
            for stream in listener.incoming().map_while(Result::ok) {
                let noted = Arc::clone(&noted);
                std::thread::spawn(move || take_all(&stream, &noted));
            }
        });
        Self { port, requests }
    }

    #[expect(clippy::cast_precision_loss, reason = "there are not so many")]
    fn requests(&self) -> f64 {
        self.requests.load(Ordering::Relaxed) as f64
    }
}

/// Answers every request on a connection, until the other side has enough.
fn take_all(mut stream: &TcpStream, noted: &AtomicUsize) {
    let mut reader = BufReader::new(stream);
    loop {
        let mut bytes = 0;
        loop {
            let mut line = String::new();
            if reader.read_line(&mut line).unwrap_or(0) == 0 {
                return;
            }
            let line = line.trim().to_ascii_lowercase();
            if line.is_empty() {
                break;
            }
            bytes = line.strip_prefix("content-length:").map_or(bytes, |length| length.trim().parse().unwrap_or(0));
        }
        let is_taken = std::io::copy(&mut reader.by_ref().take(bytes), &mut std::io::sink()).is_ok();
        noted.fetch_add(1, Ordering::Relaxed);
        if !is_taken || stream.write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n").is_err() {
            return;
        }
    }
}

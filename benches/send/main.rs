//! How many messages go to a queue and to a broker, beside what a bare client does on the same connections.
//!
//! `cargo bench -p punctual-benches --bench send [-- [--check] [--output json]]`
//!
//! What is measured is an action by itself, from a job's definition to what its history will say. The services are doubles on
//! a thread of this program that take everything. Both sides take turns, and the best round of each counts.

mod amqp;
mod job;
mod queue;

use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

use punctual_actions::{Actions, Call, Executor};
use punctual_benches::{Goal, Options, Output, conclude};
use punctual_model::settle::Verdict;
use serde_json::json;
use tokio::net::{TcpListener, TcpStream};
use tokio::runtime::Runtime;

/// Messages of one round.
const MESSAGES: usize = 20_000;

/// Enough for one of them to be undisturbed.
const ROUNDS: usize = 7;

/// Messages that are under way at once: as many as the server sends to one host.
const AT_ONCE: usize = 64;

/// Of what a bare client sends.
const SHARE_MIN: f64 = 0.5;

/// Messages a second.
struct Rates {
    what: &'static str,
    bare: f64,
    ours: f64,
}

fn main() -> ExitCode {
    let options = Options::of_program();
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().expect("threads");
    let all = [queue::measure(&runtime), amqp::measure(&runtime)];
    let goals: Vec<Goal> =
        all.iter().map(|rates| Goal::at_least(rates.what, SHARE_MIN, rates.ours / rates.bare, "")).collect();
    match options.output {
        Output::Table => {
            for Rates { what, bare, ours } in &all {
                println!("{what}: a bare client sends {bare:.0} a second, Punctual {ours:.0}");
            }
            println!();
            for goal in &goals {
                println!("{}", goal.line());
            }
        }
        Output::Json => {
            let rates = all.iter().map(|rates| json!({ "what": rates.what, "bare": rates.bare, "ours": rates.ours }));
            let goals: Vec<_> = goals.iter().map(Goal::json).collect();
            println!("{:#}", json!({ "messages_a_second": rates.collect::<Vec<_>>(), "goals": goals }));
        }
    }
    conclude(&goals, options.check)
}

/// Lets both take turns.
fn compare(what: &'static str, mut bare: impl FnMut() -> f64, mut ours: impl FnMut() -> f64) -> Rates {
    let mut rates = Rates { what, bare: 0.0, ours: 0.0 };
    for _ in 0..ROUNDS {
        rates.bare = rates.bare.max(bare());
        rates.ours = rates.ours.max(ours());
    }
    rates
}

/// Has each connection to a new port taken care of, on a thread of its own.
fn serve<F: Future<Output = ()> + Send + 'static>(take_care: fn(TcpStream) -> F) -> u16 {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
    listener.set_nonblocking(true).expect("a listener");
    let port = listener.local_addr().expect("a port").port();
    std::thread::spawn(move || {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a thread");
        runtime.block_on(async {
            let listener = TcpListener::from_std(listener).expect("a listener");
            while let Ok((stream, _)) = listener.accept().await {
                stream.set_nodelay(true).expect("a connection");
                tokio::spawn(take_care(stream));
            }
        });
    });
    port
}

/// Makes the call over and over, so many at once. Each must succeed.
fn execute(runtime: &Runtime, actions: &Arc<Actions>, call: &Call) -> f64 {
    let next = Arc::new(AtomicUsize::new(0));
    let started = Instant::now();
    runtime.block_on(async {
        let tasks = (0..AT_ONCE).map(|_| {
            let (actions, call, next) = (Arc::clone(actions), call.clone(), Arc::clone(&next));
            tokio::spawn(async move {
                while next.fetch_add(1, Ordering::Relaxed) < MESSAGES {
                    let outcome = actions.execute(call.clone()).await;
                    assert_eq!(outcome.verdict, Verdict::Succeeded, "{}", outcome.message);
                }
            })
        });
        for task in tasks.collect::<Vec<_>>() {
            task.await.expect("every message is taken");
        }
    });
    per_second(started)
}

#[expect(clippy::cast_precision_loss, reason = "there are not so many")]
fn per_second(started: Instant) -> f64 {
    MESSAGES as f64 / started.elapsed().as_secs_f64()
}

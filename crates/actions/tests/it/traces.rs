//! What is noted of an attempt that is traced, and what its target is told.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use punctual_actions::{Actions, AttemptTrace, Call, CallTrace, Executor, Settings};
use punctual_model::time::{Clock, Timestamp};

use crate::job::{Job, actions, settings};
use crate::receiver::certificates::Authority;
use crate::receiver::{Receiver, Reply};

/// A clock that shows a tick more each time it is looked at.
#[derive(Default)]
struct Ticking(AtomicI64);

impl Clock for Ticking {
    fn now(&self) -> Timestamp {
        Timestamp::EPOCH.saturating_add(self.0.fetch_add(1, Ordering::Relaxed))
    }
}

async fn traced(actions: &Actions, job: Job, is_sampled: bool) -> AttemptTrace {
    let call = job.call();
    let trace = CallTrace::new(call.occurrence, call.attempt_id, is_sampled, Arc::new(Ticking::default()));
    let trace = Arc::new(trace);
    actions.execute(Call { trace: Some(Arc::clone(&trace)), ..call }).await;
    trace.finish()
}

/// The steps with their beginnings and ends; `?` where a step was not done.
fn tell(trace: &AttemptTrace) -> String {
    let step = |step: &punctual_actions::ConnectStep| {
        let ended = step.ended.map_or_else(|| "?".to_owned(), |ended| ended.ticks().to_string());
        format!("{} {}-{ended}", step.kind.name(), step.started.ticks())
    };
    trace.connecting.iter().map(step).collect::<Vec<_>>().join(", ")
}

#[tokio::test]
async fn a_new_connection_has_its_steps_and_a_kept_one_none() {
    let authority = Authority::new();
    let receiver = Receiver::start_tls(authority.server("localhost"), |_| Reply::with("202 x", &[], b"")).await;
    let actions = Actions::new(Settings { ca_pem: Some(authority.pem()), ..settings() }).unwrap();
    let job = || Job::get(format!("https://localhost:{}/", receiver.address.port()));
    let first = traced(&actions, job(), true).await;
    assert_eq!((tell(&first).as_str(), first.status), ("name 0-1, connect 2-3, tls 4-5", Some(202)));
    let second = traced(&actions, job(), true).await;
    assert_eq!((tell(&second).as_str(), second.status), ("", Some(202)));
}

#[tokio::test]
async fn a_step_that_fails_has_no_end() {
    let authority = Authority::new();
    let receiver = Receiver::start_tls(authority.server("localhost"), |_| Reply::ok("")).await;
    let address = format!("https://localhost:{}/", receiver.address.port());
    let trace = traced(&actions(), Job::get(address), true).await;
    assert_eq!((tell(&trace).as_str(), trace.status), ("name 0-1, connect 2-3, tls 4-?", None));
    let trace = traced(&actions(), Job::get("http://127.0.0.1:1/"), true).await;
    assert_eq!(tell(&trace), "connect 0-?");
}

#[tokio::test]
async fn the_target_is_told_whether_its_trace_is_recorded() {
    let receiver = Receiver::always(Reply::ok("fine")).await;
    for is_sampled in [true, false] {
        traced(&actions(), Job::get(receiver.url("/")), is_sampled).await;
    }
    let sent: Vec<String> =
        receiver.requests().iter().map(|request| request.header("traceparent").unwrap().to_owned()).collect();
    let trace = "00-abababababababababababababababab-3031323334353637";
    assert_eq!(sent, [format!("{trace}-01"), format!("{trace}-00")]);
}

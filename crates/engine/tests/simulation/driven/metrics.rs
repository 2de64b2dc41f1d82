//! What is counted is what happened.

use punctual_metrics::{EngineMetrics, Format};
use punctual_model::history::Reason;
use punctual_model::time::{Clock, TICKS_PER_MINUTE, TICKS_PER_SECOND};

use super::restarts::Server;

#[test]
fn starts_ends_and_what_was_not_run_are_counted_once() {
    let server = Server::new();
    let job = server.create_recurring(1, Some("* * * * *"));
    let path = server.store.tables().definitions(&[job]).remove(0).expect("a definition").path;
    let counted = server.metrics.collections.of_job(&path);
    server.serve(5 * TICKS_PER_MINUTE + TICKS_PER_SECOND, |_| ());
    let calls = u64::from(server.calls());
    assert!(calls >= 5, "{calls} calls");
    assert_eq!((counted.fires.value(), counted.succeeded.value()), (calls, calls));
    assert_eq!((counted.retries.value(), counted.failed.value()), (0, 0));
    let engine = &server.metrics.engine;
    assert_eq!((engine.lateness.count(), engine.attempt_duration.count()), (calls, calls));
    assert!(engine.batch_duration.count() > 0 && engine.settlements.value() >= calls);
    assert!(engine.history_bytes.value() > 0 && engine.history_from_ticks.value() > 0);
    server.pause();
    server.serve(10 * TICKS_PER_MINUTE, |server| assert_eq!(server.metrics.engine.paused.value(), 1));
    server.serve(20 * TICKS_PER_SECOND, Server::resume);
    assert_eq!(engine.paused.value(), 0);
    assert_eq!(engine.due_since_ticks.value(), EngineMetrics::NOTHING_DUE);
    assert_eq!(counted.fires.value(), u64::from(server.calls()));
    let not_run = Reason::ALL.map(|reason| counted.not_run[reason.index()].value());
    let recorded = server.not_run();
    let recorded = Reason::ALL.map(|reason| {
        recorded.iter().filter(|(_, name)| *name == reason.name()).map(|(number, _)| number).sum::<u64>()
    });
    assert_eq!(not_run, recorded);
    assert!(not_run[Reason::Paused.index()] > 5, "{not_run:?}");
    let text = server.metrics.render(Format::Prometheus, server.clock.now());
    assert!(text.contains("punctual_overdue_oldest_seconds 0\n"), "{text}");
}

//! What a pause of the whole server keeps from starting, and what follows when it is over.

use punctual_model::Name;
use punctual_model::history::{NotRun, Status};
use punctual_model::limits;
use punctual_model::options::Overlap;
use punctual_model::time::{Clock, TICKS_PER_DAY, TICKS_PER_HOUR, TICKS_PER_MINUTE, TICKS_PER_SECOND};
use punctual_store::{CollectionId, CollectionKey, NodeId, PauseEntry};

use super::restarts::Server;
use crate::plain::job;
use crate::users::collection_key;

impl Server {
    pub(super) fn pause(&self) {
        let new = PauseEntry::begin("ada".to_owned(), "a drill".to_owned(), self.clock.now());
        self.store.write(|tables| tables.pause(new));
    }

    /// Starts the server paused, so that nobody is told anything either.
    fn pause_at_start(&self) {
        let new = PauseEntry::begin_at_start("serve --paused".to_owned(), String::new(), self.clock.now());
        self.store.write(|tables| tables.pause(new));
    }

    /// Makes a job of the server's own, which runs once, as those do that deliver messages.
    fn create_own(&self, number: u8) {
        let key = CollectionKey { collection: Name::parse("own").expect("a name"), ..collection_key(1) };
        let mut tables = self.store.tables();
        let mut row = tables.collections.values().next().expect("a collection").clone();
        row.key = key.clone();
        tables.collections.insert(CollectionId::SERVER, row);
        drop(tables);
        let mut message = job(1, None, Overlap::Skip);
        message.action.retry = None;
        self.create_in(key, number, message);
    }

    pub(super) fn resume(&self) {
        let now = self.clock.now();
        self.store.write(|tables| tables.resume("ada".to_owned(), now));
    }

    /// What is in the record as not run: how many times, and why.
    pub(super) fn not_run(&self) -> Vec<(u64, &'static str)> {
        let tables = self.store.tables();
        let range = |status: Status| if let Status::Postponed(range) = status { Some(range) } else { None };
        let ranges = tables.history.values().filter_map(|entry| range(entry.record.status));
        ranges.map(|NotRun { number, reason, .. }| (number, reason.name())).collect()
    }
}

#[test]
fn nothing_starts_in_a_pause_and_afterwards_catch_up_decides() {
    let server = Server::new();
    let minutely = server.create_recurring(1, Some("* * * * *"));
    server.serve(90 * TICKS_PER_SECOND, |_| ());
    assert_eq!(server.calls(), 1);
    server.pause();
    let once = server.create(2);
    let rows = server.store.tables().work.values().map(|row| row.revision).collect::<Vec<_>>();
    // A manual run is acknowledged and waits. The process ends in the pause, and the pause goes on.
    server.serve(10 * TICKS_PER_MINUTE, |server| {
        let now = server.clock.now();
        server.store.write(|tables| tables.run_job(minutely, now, limits::MANUAL_RUNS_MAX)).expect("room for a run");
    });
    server.serve(10 * TICKS_PER_MINUTE, |_| ());
    assert_eq!((server.calls(), server.not_run()), (1, vec![]));
    let now = server.store.tables();
    assert_eq!(now.work.values().map(|row| row.revision).take(2).collect::<Vec<_>>(), rows, "no row is touched");
    assert_eq!(now.watermarks.get(&NodeId::ONLY), None, "nothing may have been sent");
    assert!(now.jobs.contains_key(&once));
    drop(now);
    server.serve(20 * TICKS_PER_SECOND, Server::resume);
    // The last occurrence that was missed, the manual run, and the job that runs once.
    assert_eq!(server.calls(), 4);
    assert_eq!(server.not_run(), [(19, "paused")]);
}

#[test]
fn messages_go_out_in_a_pause_and_the_jobs_beside_them_are_not_taken_for_sent() {
    let server = Server::new();
    server.create_recurring(1, Some("*/5 * * * *"));
    server.serve(6 * TICKS_PER_MINUTE, |_| ());
    assert_eq!(server.calls(), 1);
    server.pause();
    server.serve(10 * TICKS_PER_MINUTE, |server| server.create_own(2));
    assert_eq!((server.calls(), server.not_run()), (2, vec![]), "the message alone");
    // A message that was not sent when the process ended goes out when the next one starts, in the same pause.
    server.create_own(3);
    server.serve(TICKS_PER_MINUTE, |_| ());
    assert_eq!(server.calls(), 3);
    // A process that dies leaves its watermark behind.
    let now = server.clock.now();
    server.store.write(|tables| tables.set_watermark(NodeId::ONLY, now));
    server.serve(20 * TICKS_PER_SECOND, Server::resume);
    assert_eq!(server.calls(), 4);
    assert_eq!(server.metrics.engine.resends.value(), 0, "what waited in the pause was never sent");
}

#[test]
fn a_failed_message_is_tried_again_in_a_pause() {
    let mut server = Server::new();
    server.failing = 1;
    server.pause();
    server.create_own(1);
    server.serve(5 * TICKS_PER_MINUTE, |_| ());
    assert_eq!(server.calls(), 2);
}

#[test]
fn a_server_that_starts_paused_tells_nobody_before_it_is_resumed() {
    let server = Server::new();
    server.pause();
    server.pause_at_start();
    server.create_own(1);
    server.serve(10 * TICKS_PER_MINUTE, |_| ());
    assert_eq!(server.calls(), 0);
    server.serve(TICKS_PER_MINUTE, Server::resume);
    assert_eq!(server.calls(), 1);
}

#[test]
fn a_pause_over_midnight_leaves_the_decision_to_its_end() {
    let server = Server::new();
    server.create_recurring(1, Some("0 * * * *"));
    server.serve(TICKS_PER_HOUR, |_| ());
    let before = server.calls();
    server.pause();
    server.serve(2 * TICKS_PER_DAY, |_| ());
    assert_eq!((server.calls(), server.not_run()), (before, vec![]));
    server.serve(TICKS_PER_MINUTE, Server::resume);
    assert_eq!((server.calls(), server.not_run()), (before + 1, vec![(48, "paused")]));
}

#[test]
fn times_of_a_downtime_and_of_the_pause_after_it_are_told_apart() {
    let server = Server::new();
    server.create_recurring(1, Some("0 * * * *"));
    server.serve(30 * TICKS_PER_MINUTE, |_| ());
    server.clock.go_on(5 * TICKS_PER_HOUR);
    server.pause();
    server.serve(5 * TICKS_PER_HOUR, |_| ());
    server.serve(2 * TICKS_PER_MINUTE, Server::resume);
    assert_eq!(server.not_run(), [(5, "missed"), (4, "paused")]);
}

#[test]
fn a_short_pause_makes_jobs_late_and_nothing_else() {
    let server = Server::new();
    server.create_recurring(1, Some("0 * * * *"));
    server.serve(TICKS_PER_HOUR - 10 * TICKS_PER_SECOND, |_| ());
    let before = server.calls();
    server.pause();
    server.serve(30 * TICKS_PER_SECOND, |_| ());
    assert_eq!(server.calls(), before);
    server.serve(10 * TICKS_PER_SECOND, Server::resume);
    assert_eq!((server.calls(), server.not_run()), (before + 1, vec![]));
}

//! How late calls are that come due one after the other.

use std::path::Path;
use std::time::{Duration, Instant};

use punctual_benches::{Bench, Goal, Punctual, Stock, check_lead, clock, paced, receiver::Arrivals};
use punctual_model::time::{Date, TICKS_PER_DAY, TICKS_PER_SECOND, Timestamp};

use crate::visitors::{Errand, Visitors};

/// Calls a second.
const PER_SECOND: usize = 1000;

/// Jobs that are not due, which clients edit.
const OTHERS: usize = 20_000;
const EDITORS: usize = 64;

/// A history that is long over, and of which more is there than is kept: a busy week's.
const OLD_HISTORY_BYTES: usize = 512 << 20;
const HISTORY_MEGABYTES_MAX: &str = "256";
const OLD_DAY: (i32, u8, u8) = (2020, 2, 20);
const OLD_SEGMENT: &str = "2020-02-20.db";

/// The server looks for the first time after a minute how much history there is. The window begins so long after its start.
const DROP_WINDOW_AFTER: Duration = Duration::from_secs(52);
const DROP_WINDOW_AFTER_OF_TRIAL: Duration = Duration::from_secs(58);

/// For calls to begin and connections to be made.
const RUN_IN_TICKS: i64 = TICKS_PER_SECOND;

/// The part `steady`.
pub(crate) fn measure(bench: &mut Bench) {
    let data = tempfile::tempdir().expect("a directory for the data");
    let per_second = bench.scaled(PER_SECOND);
    let others = bench.scaled(OTHERS);
    let mut stock = Stock::open(data.path(), others);
    stock.write_old_history(old_day(), bench.scaled(OLD_HISTORY_BYTES));
    let at = stock.instant_after(60 * per_second);
    let (count, job) = paced(bench.url(), at, per_second);
    stock.fill(count, job);
    drop(stock);
    let megabytes_max = bench.scaled(HISTORY_MEGABYTES_MAX.parse().expect("a number"));
    let started = Instant::now();
    let setting = ("PUNCTUAL_HISTORY__MEGABYTES_MAX".to_owned(), megabytes_max.to_string());
    let mut server = Punctual::start(data.path(), &[setting]);
    check_lead(at);
    clock::sleep_until(at.saturating_add(RUN_IN_TICKS));
    let alone = bench.watch();
    note(bench, "steady", alone, per_second);
    measure_drop(bench, &data.path().join("history").join(OLD_SEGMENT), started, per_second);
    let editors = Visitors::come(&server, EDITORS, others, Errand::Edit);
    let beside_edits = bench.watch();
    let edits = editors.leave();
    #[expect(clippy::cast_precision_loss, reason = "there are not so many")]
    let edits_per_second = edits.len() as f64 / bench.window().as_secs_f64();
    note(bench, "steady, 64 clients edit", beside_edits, per_second);
    bench.report.figure("steady, 64 clients edit: edits a second", edits_per_second, "");
    server.check();
}

/// The window in which a day of history is dropped.
fn measure_drop(bench: &mut Bench, segment: &Path, started: Instant, per_second: usize) {
    let after = if bench.is_trial() { DROP_WINDOW_AFTER_OF_TRIAL } else { DROP_WINDOW_AFTER };
    std::thread::sleep(after.saturating_sub(started.elapsed()));
    assert!(segment.exists(), "the old history is dropped before it is measured");
    let beside_drop = bench.watch();
    let was_dropped = !segment.exists();
    note(bench, "steady, history is dropped", beside_drop, per_second);
    bench.report.goal(Goal::at_least("steady: history was dropped meanwhile", 1.0, f64::from(was_dropped), ""));
}

fn note(bench: &mut Bench, what: &str, arrivals: Arrivals, per_second: usize) {
    bench.note_lateness(what, arrivals, per_second);
    bench.report.goal(Goal::at_most(&format!("{what}: lateness p50"), 2.0, arrivals.p50_ms, " ms"));
    bench.report.goal(Goal::at_most(&format!("{what}: lateness p99"), 10.0, arrivals.p99_ms, " ms"));
}

/// Noon of it.
fn old_day() -> Timestamp {
    let (year, month, day) = OLD_DAY;
    let day = Date::new(year, month, day).expect("a day").day_number();
    Timestamp::EPOCH.saturating_add(i64::from(day) * TICKS_PER_DAY + TICKS_PER_DAY / 2)
}

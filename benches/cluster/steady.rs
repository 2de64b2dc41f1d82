//! How late calls are that come due one after the other.

use punctual_benches::{Bench, Goal, clock, paced};
use punctual_model::time::TICKS_PER_SECOND;

use crate::database::Database;
use crate::nodes::{Nodes, instant_after};

/// Calls a second.
pub(crate) const PER_SECOND: usize = 1000;

/// For calls to begin and connections to be made.
const RUN_IN_TICKS: i64 = 2 * TICKS_PER_SECOND;

/// The part `steady`.
pub(crate) fn measure(bench: &mut Bench, database: &Database) {
    let per_second = bench.scaled(PER_SECOND);
    let mut nodes = start(bench, database, "steady", per_second);
    let commits = nodes.commits();
    let arrivals = bench.watch();
    nodes.check();
    bench.note_lateness("steady", arrivals, per_second);
    bench.report.goal(Goal::at_most("steady: lateness p99", 15.0, arrivals.p99_ms, " ms"));
    // Busy connections tell what they did once a second, which is near enough for a figure.
    #[expect(clippy::cast_precision_loss, reason = "there are not so many")]
    let commits = (nodes.commits() - commits) as f64;
    bench.report.figure("steady: commits a fire", commits / arrivals.calls, "");
}

/// A node that has begun to make so many calls a second.
pub(crate) fn start(bench: &Bench, database: &Database, name: &str, per_second: usize) -> Nodes {
    let at = instant_after(60 * per_second);
    let (count, job) = paced(bench.url(), at, per_second);
    let nodes = Nodes::start(database, name, count, job, &[]);
    punctual_benches::check_lead(at);
    clock::sleep_until(at.saturating_add(RUN_IN_TICKS));
    nodes
}

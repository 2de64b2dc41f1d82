//! What more nodes do for a target that takes its time: they wait for more answers at once.

use punctual_benches::receiver::SLOW;
use punctual_benches::{Bench, Job};

use crate::database::Database;
use crate::nodes::{Nodes, instant_after};

/// Jobs due at one instant.
const DUE: usize = 20_000;

const COUNTS: [usize; 3] = [1, 2, 4];

/// Attempts in flight of one node: so few that nodes wait for answers, not for a processor that all of them share here. The limits of a
/// host and a collection are for all nodes together, and out of the way.
const IN_FLIGHT: usize = 64;
const SETTINGS: [(&str, &str); 3] = [
    ("ENGINE__IN_FLIGHT_MAX", "64"),
    ("ENGINE__IN_FLIGHT_PER_COLLECTION_MAX", "1024"),
    ("ENGINE__IN_FLIGHT_PER_HOST_MAX", "1024"),
];

/// For all but the first node to start and take their shares.
const JOIN_TICKS: i64 = 15 * punctual_model::time::TICKS_PER_SECOND;

/// The part `nodes`.
#[expect(clippy::cast_precision_loss, reason = "there are not so many")]
pub(crate) fn measure(bench: &mut Bench, database: &Database) {
    let due = bench.scaled(DUE);
    let uri = format!("http://127.0.0.1:{}/job", bench.receiver.slow_port);
    let mut of_one = 0.0;
    for count in COUNTS {
        let (uri, at) = (uri.clone(), instant_after(due).saturating_add(JOIN_TICKS));
        let job = move |_| Job::daily(uri.clone(), at);
        let mut nodes = Nodes::start(database, &format!("nodes_{count}"), due, job, &SETTINGS);
        for _ in 1..count {
            nodes.add(&SETTINGS);
        }
        nodes.wait_balanced();
        let per_second = due as f64 / nodes.stampede(bench, due, at);
        if count == 1 {
            of_one = per_second;
        }
        let possible = (IN_FLIGHT * count) as f64 / SLOW.as_secs_f64();
        let mut figure = |what: &str, value| bench.report.figure(format!("{count} nodes, 50 ms: {what}"), value, "");
        figure("jobs a second", per_second);
        figure("of what their attempts in flight allow", per_second / possible);
        figure("times one node", per_second / of_one);
    }
}

//! Many jobs of which none is due.

use std::time::Duration;

use punctual_benches::{Bench, Goal, Punctual, Stock};

use crate::stampede::STORED;

/// For the server to start.
const RUN_IN: Duration = Duration::from_secs(5);

/// The part `rest`.
pub(crate) fn measure(bench: &mut Bench) {
    let data = tempfile::tempdir().expect("a directory for the data");
    let stock = Stock::open(data.path(), bench.scaled(STORED));
    drop(stock);
    let mut server = Punctual::start(data.path(), &[]);
    std::thread::sleep(RUN_IN);
    let before = server.cpu_seconds();
    std::thread::sleep(bench.window());
    let share = (server.cpu_seconds() - before) / bench.window().as_secs_f64();
    server.check();
    bench.report.goal(Goal::at_most("1,000,000 jobs at rest: memory", 300.0, server.memory_mb(), " MB"));
    bench.report.goal(Goal::at_most("1,000,000 jobs at rest: of a core", 1.0, share * 100.0, " %"));
}

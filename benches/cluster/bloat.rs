//! Whether tables and indexes stay as large as they are while the same rows are written again and again.

use std::time::Duration;

use punctual_benches::{Bench, Goal};

use crate::database::Database;
use crate::nodes::Nodes;
use crate::steady;

/// How long calls are made, and how often it is looked.
const MINUTES: u64 = 10;
const MINUTES_OF_TRIAL: u64 = 3;

/// By then tables have the free room that they need between two cleanings.
const SETTLED_AFTER_MINUTES: u64 = 2;

/// All but history and the log of changes, which grow with what happens: bytes of tables, and of indexes.
const SIZES: &str = "select sum(pg_table_size(oid))::bigint, sum(pg_indexes_size(oid))::bigint from pg_class
    where relnamespace = 'punctual'::regnamespace and relkind = 'r' and relname !~ '^(history_2|failures_|change$)'";

/// The part `bloat`.
#[expect(clippy::cast_precision_loss, reason = "sizes are far below 2^53")]
pub(crate) fn measure(bench: &mut Bench, database: &Database) {
    let per_second = bench.scaled(steady::PER_SECOND);
    let mut nodes = steady::start(bench, database, "bloat", per_second);
    let minutes = if bench.is_trial() { MINUTES_OF_TRIAL } else { MINUTES };
    let (mut settled, mut last) = ((0.0, 0.0), (0.0, 0.0));
    for minute in 0..=minutes {
        if minute > 0 {
            std::thread::sleep(Duration::from_mins(1));
        }
        nodes.check();
        last = sizes(&nodes);
        if minute == SETTLED_AFTER_MINUTES {
            settled = last;
        }
        let megabytes = |bytes: f64| bytes / f64::from(1 << 20);
        bench.report.figure(format!("bloat: tables after {minute} min"), megabytes(last.0), "MB");
        bench.report.figure(format!("bloat: indexes after {minute} min"), megabytes(last.1), "MB");
    }
    let (records, _) = nodes.recorded();
    let per_record = nodes.history_bytes() / (records as f64).max(1.0);
    bench.report.figure("bloat: bytes of history a record", per_record, "");
    bench.report.goal(Goal::at_most("bloat: tables at the end, of those settled", 1.1, last.0 / settled.0, " times"));
    bench.report.goal(Goal::at_most("bloat: indexes at the end, of those settled", 1.1, last.1 / settled.1, " times"));
}

#[expect(clippy::cast_precision_loss, reason = "sizes are far below 2^53")]
fn sizes(nodes: &Nodes) -> (f64, f64) {
    let row = nodes.session.rows(SIZES, &[]).remove(0);
    (row.get::<_, i64>(0) as f64, row.get::<_, i64>(1) as f64)
}

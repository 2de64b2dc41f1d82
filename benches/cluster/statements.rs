//! Which statements took the time of the database.

use std::time::Duration;

use crate::contest;
use crate::database::Database;

/// After so long without work a connection has told the statistics what it did.
pub(crate) const TOLD_AFTER: Duration = Duration::from_secs(12);

const SQL: &str = "select calls, total_exec_time, rows, wal_bytes::float8, regexp_replace(query, '\\s+', ' ', 'g')
    from pg_stat_statements join pg_database on pg_database.oid = dbid
    where datname = $1 order by total_exec_time desc limit 25";

/// Characters of a statement that are shown.
const SHOWN_CHARS: usize = 110;

/// Prints those of Punctual's contest, the costliest first.
pub(crate) fn print(database: &Database) {
    eprintln!("\n{:>9} {:>12} {:>10} {:>10}  statement", "calls", "ms in all", "rows", "WAL KB");
    for row in database.session(contest::NAME).rows(SQL, &[&contest::NAME]) {
        let (calls, ms, rows): (i64, f64, i64) = (row.get(0), row.get(1), row.get(2));
        let (wal, text): (f64, String) = (row.get(3), row.get(4));
        let text: String = text.chars().take(SHOWN_CHARS).collect();
        eprintln!("{calls:>9} {ms:>12.1} {rows:>10} {:>10.0}  {text}", wal / 1024.0);
    }
}

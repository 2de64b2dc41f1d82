//! What this machine can do at all: calls with nothing behind them, and calls with the least that has to be written.

use std::sync::mpsc;
use std::time::Instant;

use punctual_benches::call;
use rusqlite::{Connection, params};
use tempfile::TempDir;

use crate::stampede::Order;

/// A record of history with its message.
const RECORD: [u8; 300] = [b'x'; 300];

/// Calls a second, so many in all.
pub(crate) fn ceiling(port: u16, calls: usize) -> f64 {
    let started = Instant::now();
    call(port, calls, |_| {});
    per_second(calls, started)
}

/// Calls of which each is durably recorded: a narrow row of a job is updated and a record is inserted, in the order of their
/// numbers. Whoever commits takes all that waits, so that many share an fsync. No call waits for it.
pub(crate) struct Limit {
    directory: TempDir,
    rows: usize,
    calls: usize,
    order: Order,
}

impl Limit {
    /// Makes a file of so many rows, of which so many are written in each measurement.
    pub(crate) fn prepare(rows: usize, calls: usize, order: Order) -> Self {
        let limit = Self { directory: tempfile::tempdir().expect("a directory"), rows, calls, order };
        let db = limit.open();
        db.execute_batch(
            "create table job (id integer primary key, wake_at integer not null, nominal integer not null,
                 attempt integer not null, revision integer not null, executions integer not null);
             create table record (number integer primary key, job integer not null, message blob not null);
             begin",
        )
        .expect("tables");
        let mut insert = db.prepare("insert into job values (?1, ?2, ?2, 0, 1, 0)").expect("a statement");
        for id in 0..rows {
            insert.execute([id, 1_700_000_000_000]).expect("room on the disk");
        }
        drop(insert);
        db.execute_batch("commit; pragma wal_checkpoint(truncate)").expect("a disk that works");
        limit
    }

    /// Such calls a second.
    pub(crate) fn measure(&self, port: u16) -> f64 {
        let (db, (done, heard)) = (self.open(), mpsc::channel());
        let Self { rows, calls, order, .. } = *self;
        let started = Instant::now();
        let writer = std::thread::spawn(move || record(&db, &heard));
        call(port, calls, move |number| _ = done.send(order.row(number, rows, calls)));
        assert_eq!(writer.join().expect("a writer"), calls, "every call is recorded");
        per_second(calls, started)
    }

    fn open(&self) -> Connection {
        let db = Connection::open(self.directory.path().join("limit.db")).expect("a file");
        db.execute_batch("pragma journal_mode = wal; pragma synchronous = full; pragma cache_size = -32768")
            .expect("a file");
        db
    }
}

/// Writes down all that is heard of, until nobody is left who says anything. Says how much that was.
fn record(db: &Connection, heard: &mpsc::Receiver<usize>) -> usize {
    let sql = "update job set wake_at = wake_at + ?2, nominal = nominal + ?2, revision = revision + 1,
                   executions = executions + 1 where id = ?1";
    let mut update = db.prepare(sql).expect("a statement");
    let mut insert = db.prepare("insert into record (job, message) values (?1, ?2)").expect("a statement");
    let mut written = 0;
    while let Ok(first) = heard.recv() {
        let mut batch: Vec<usize> = std::iter::once(first).chain(heard.try_iter()).collect();
        batch.sort_unstable();
        db.execute_batch("begin immediate").expect("a transaction");
        for id in &batch {
            written += update.execute([*id, 864_000_000_000]).expect("room on the disk");
            insert.execute(params![id, RECORD]).expect("room on the disk");
        }
        db.execute_batch("commit").expect("a disk that works");
    }
    written
}

#[expect(clippy::cast_precision_loss, reason = "there are not so many")]
fn per_second(calls: usize, started: Instant) -> f64 {
    calls as f64 / started.elapsed().as_secs_f64()
}

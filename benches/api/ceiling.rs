//! What the disk can do, with nothing in front of it.

use std::path::Path;
use std::time::{Duration, Instant};

use rusqlite::{Connection, params};

const MEASURED: Duration = Duration::from_secs(5);

/// About as much as the action and the schedule of a job, sealed and written.
const DEFINITION: [u8; 400] = [b'x'; 400];

/// Jobs a second that SQLite takes by itself, if as many as there are clients share each commit and its fsync: every client
/// waits until its own is on disk, so that no more can be under way. The rows are as wide as the server's, and each has to
/// be found by its name and by its time, which come in no order.
pub(crate) fn group_commit(directory: &Path, clients: usize) -> f64 {
    let file = directory.join("ceiling.db");
    let db = Connection::open(&file).expect("a file");
    db.execute_batch(
        "pragma journal_mode = wal; pragma synchronous = full; pragma cache_size = -32768;
         create table job (id integer primary key, name text not null, definition blob not null);
         create unique index job_by_name on job (name);
         create table work (id integer primary key, wake_at integer not null, progress blob not null);
         create index work_due on work (wake_at, id);",
    )
    .expect("tables");
    let mut job = db.prepare("insert into job (name, definition) values (?1, ?2)").expect("a statement");
    let mut work = db.prepare("insert into work (wake_at, progress) values (?1, ?2)").expect("a statement");
    let (mut jobs, started) = (0_u32, Instant::now());
    while started.elapsed() < MEASURED {
        db.execute_batch("begin immediate").expect("a transaction");
        for _ in 0..clients {
            let scattered = u64::from(jobs).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 20;
            job.execute(params![format!("{scattered:011x}-job-{jobs}"), DEFINITION]).expect("room on the disk");
            work.execute(params![scattered, &DEFINITION[..60]]).expect("room on the disk");
            jobs += 1;
        }
        db.execute_batch("commit").expect("a disk that works");
    }
    f64::from(jobs) / started.elapsed().as_secs_f64()
}

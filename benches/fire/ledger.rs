//! What is on disk, read beside the server.

use std::path::{Path, PathBuf};
use std::time::Duration;

use punctual_benches::{Punctual, clock};
use punctual_model::time::Timestamp;
use punctual_store::sqlite::{FILE, HISTORY};
use rusqlite::{Connection, OpenFlags};

/// How often it is looked whether everything is settled: a fraction of what is measured.
const LOOK: Duration = Duration::from_millis(10);

/// The files of a data directory.
pub(crate) struct Ledger {
    data: PathBuf,
    db: Connection,
}

/// What history says.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Tally {
    pub(crate) completed: u32,
    /// Failed or not run.
    pub(crate) others: u32,
    /// Marked as perhaps sent before, or as a second answer.
    pub(crate) twice: u32,
    pub(crate) occurrences: u32,
}

impl Ledger {
    pub(crate) fn open(data: &Path) -> Self {
        Self { data: data.to_owned(), db: read_only(&data.join(FILE)) }
    }

    /// Waits until nothing is open that was to wake by then. Says when that was, or how many are still open after so long.
    pub(crate) fn wait_settled(
        &self,
        server: &mut Punctual,
        due_until: Timestamp,
        patience: Duration,
    ) -> Result<Timestamp, u32> {
        let sql = "select exists (select 1 from work where wake_at <= ?1)";
        let mut is_any_open = self.db.prepare(sql).expect("a statement");
        let started = clock::now();
        loop {
            let is_open: bool = is_any_open.query_row([due_until.ticks()], |row| row.get(0)).expect("an answer");
            let now = clock::now();
            if !is_open {
                return Ok(now);
            }
            server.check();
            if clock::duration(now.since(started)) > patience {
                return Err(self.open_until(due_until));
            }
            std::thread::sleep(LOOK);
        }
    }

    fn open_until(&self, due_until: Timestamp) -> u32 {
        let sql = "select count(*) from work where wake_at <= ?1";
        self.db.query_row(sql, [due_until.ticks()], |row| row.get(0)).expect("a count")
    }

    /// What history says in all.
    pub(crate) fn tally(&self) -> Tally {
        let mut tally = Tally::default();
        for entry in std::fs::read_dir(self.data.join(HISTORY)).expect("history") {
            let path = entry.expect("a file").path();
            if path.extension().is_some_and(|extension| extension == "db") {
                tally = tally.plus(of_segment(&path));
            }
        }
        tally
    }
}

impl Tally {
    const fn plus(self, other: Self) -> Self {
        Self {
            completed: self.completed + other.completed,
            others: self.others + other.others,
            twice: self.twice + other.twice,
            occurrences: self.occurrences + other.occurrences,
        }
    }
}

fn of_segment(path: &Path) -> Tally {
    let sql = "select count(*) filter (where status = 0), count(*) filter (where status <> 0),
                   count(*) filter (where is_resent or is_duplicate), count(distinct occurrence)
               from attempt";
    let read = |row: &rusqlite::Row<'_>| {
        Ok(Tally { completed: row.get(0)?, others: row.get(1)?, twice: row.get(2)?, occurrences: row.get(3)? })
    };
    read_only(path).query_row(sql, (), read).expect("a segment")
}

fn read_only(path: &Path) -> Connection {
    let connection = Connection::open_with_flags(path, OpenFlags::SQLITE_OPEN_READ_ONLY).expect("a file of the server");
    connection.busy_timeout(Duration::from_secs(5)).expect("a connection");
    connection
}

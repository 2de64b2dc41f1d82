//! History in tables of its own, one for each day, or several for a day with much of it.
//!
//! What is too old goes by dropping a table, which takes no time however much is in it, and leaves no dead rows. The tables are plain
//! ones: which there are is in a table, and they are read one after the other, the newest first. Failures that are kept longer
//! than the rest are in a table for each month.

mod append;
mod discard;
mod reader;

use std::collections::BTreeSet;
use std::sync::{Mutex, PoisonError};

use super::db::Db;
use super::error::Fault;
use crate::cells::Cells;
use crate::error::Error;
use crate::history::day::Day;
use crate::history::segment::Segment;

pub(super) use append::append;
pub(super) use discard::{Discarded, begin_part, drop_one};
pub(super) use reader::{bytes, find, first_number, latest, list, numbered, oldest, oldest_failures};

/// The tables that a node knows to be there. Another node may have made or dropped some meanwhile: a table that is missing from this is
/// looked for, and a transaction that meets one that is gone forgets all and begins again.
#[derive(Debug, Default)]
pub(super) struct SegmentCache(Mutex<BTreeSet<Segment>>);

impl SegmentCache {
    /// Forgets all.
    pub(super) fn forget(&self) {
        self.known().clear();
    }

    /// Remembers tables that are there.
    pub(super) fn add(&self, segments: Vec<Segment>) {
        self.known().extend(segments);
    }

    /// The last part of a day that is known.
    fn last_part(&self, day: Day) -> Option<Day> {
        last_part(&self.known(), day)
    }

    fn known(&self) -> std::sync::MutexGuard<'_, BTreeSet<Segment>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The last part of a day.
fn last_part(segments: &BTreeSet<Segment>, of: Day) -> Option<Day> {
    let days = segments.iter().filter_map(|segment| segment.day());
    days.filter(|day| day.is_same_day(of)).max()
}

/// All tables.
pub(super) async fn segments(db: &Db) -> Result<BTreeSet<Segment>, Fault> {
    let rows = db.rows("select name from history_segment", &[]).await?;
    let read = |row: &tokio_postgres::Row| {
        let name = Cells::of(row).next_text()?.to_owned();
        Segment::of_table(&name).ok_or_else(|| Error::corrupt(format!("{name:?} is no table of history")))
    };
    Ok(rows.iter().map(read).collect::<Result<_, Error>>()?)
}

/// The statements that make a table.
///
/// One row is an attempt, or a range of nominal times that were not run: then `nominal` is the first of them. The last two indexes
/// are for those who look for what went wrong among a million lines that did not.
pub(super) fn layout(table: &str) -> String {
    format!(
        "create table {table} (
             number bigint primary key,
             job bigint not null,
             started bigint not null,
             ended bigint not null,
             occurrence bytea not null,
             origin bigint not null,
             manual_number bigint,
             phase bigint not null,
             retry bigint not null,
             repeat bigint not null,
             status bigint not null,
             nominal bigint not null,
             nominal_last bigint,
             nominal_count bigint,
             reason bigint,
             is_resent boolean not null,
             retry_at bigint,
             is_duplicate boolean not null,
             node bigint not null,
             revision bigint not null,
             message text collate \"C\" not null,
             failure_class bigint,
             failure_code bigint,
             failure_host text collate \"C\",
             failure_detail text collate \"C\"
         );
         create index {table}_of_job on {table} (job, started, number);
         create index {table}_trouble_of_job on {table} (job, started, number) where status <> 0 or phase <> 0;
         create index {table}_trouble on {table} (number) where status <> 0 or phase <> 0;
         insert into history_segment (name) values ('{table}')"
    )
}

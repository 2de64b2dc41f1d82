//! Copies a whole store into another one, whichever database each of them is in.
//!
//! ```text
//!   source ──▶ page of rows ──▶ actions opened ──▶ possibly sent rows marked ──▶ actions sealed ──▶ target
//!             (in the order of the keys)          (as a takeover would)        (its own key)
//!
//!   then both are read again, and compared table by table: rows, and a hash of all values with actions opened
//! ```
//!
//! Every number stays as it is, so that history belongs to its jobs, and the target gives the numbers that come next. A target says
//! that it is an unfinished copy, and of what, until it was verified: no server starts on it, and the next copy of the same source goes on behind
//! the last row of each table. `tables` lists what is copied, and each database reads and writes it in its own way
//! (`sqlite/copying.rs`, `postgres/copying.rs`).

mod checksum;
pub(crate) mod numbers;
pub(crate) mod part;
mod place;
mod progress;
pub(crate) mod report;
pub(crate) mod sent;
pub(crate) mod side;
pub(crate) mod table;
pub(crate) mod tables;
pub(crate) mod value;

use aws_lc_rs::digest::{SHA256, digest};
use punctual_model::plural;

use self::checksum::Checksum;
use self::numbers::Numbers;
use self::part::Part;
use self::sent::SentUntil;
use self::side::{Page, Side};
use self::tables::{COLLECTION, TABLES, WORK};
use self::value::Value;
use crate::error::Error;
use crate::seal::hex;

pub use self::place::{Keys, Place};
pub use self::progress::{Progress, Stage};
pub use self::report::{CopiedTable, CopyReport, LeftOut};

/// Who is told how far a copy has come.
pub type Tell<'a> = &'a mut (dyn FnMut(&Progress) + Send);

/// How the name begins that an unfinished copy has in `meta`, before the fingerprint of its source.
pub(crate) const UNFINISHED: &str = "unfinished copy of ";

/// What a server says that is started on an unfinished copy.
pub(crate) fn refuse_unfinished() -> Error {
    Error::refused(
        "this is an unfinished copy: run `punctual copy` again with the same --from and --to, which goes on with it",
    )
}

/// Copies all that is in one store into another, which must be empty, or an unfinished copy of the same store. If both do not have the same
/// afterwards, the report says so, and no server starts on the copy.
pub async fn copy(from: (&Place, Keys), to: (&Place, Keys), tell: Tell<'_>) -> Result<CopyReport, Error> {
    let mut source = from.0.open_source(from.1).await.map_err(of_source)?;
    source.refuse_use().await.map_err(of_source)?;
    table::check(&source.columns().await.map_err(of_source)?).map_err(of_source)?;
    let mut target = to.0.open_target(to.1).await.map_err(of_target)?;
    target.refuse_use().await.map_err(of_target)?;
    table::check(&target.columns().await.map_err(of_target)?).map_err(of_target)?;
    let mut copy = Copying::begin(source, target, tell).await?;
    copy.write_all().await?;
    copy.verify().await?;
    copy.source.refuse_use().await.map_err(of_source)?;
    if copy.report.is_verified() {
        copy.target.finish().await.map_err(of_target)?;
    }
    Ok(copy.report)
}

fn of_source(error: Error) -> Error {
    error.on_behalf_of("the source")
}

fn of_target(error: Error) -> Error {
    error.on_behalf_of("the target")
}

/// A copy that is being made.
struct Copying<'a> {
    source: Box<dyn Side>,
    target: Box<dyn Side>,
    tell: Tell<'a>,
    numbers: Numbers,
    sent: SentUntil,
    /// What is copied, with how many rows it has.
    parts: Vec<(Part, u64)>,
    is_resumed: bool,
    report: CopyReport,
}

impl<'a> Copying<'a> {
    /// Looks at both stores, and notes in the target what it will be.
    async fn begin(mut source: Box<dyn Side>, mut target: Box<dyn Side>, tell: Tell<'a>) -> Result<Self, Error> {
        let numbers = source.numbers().await.map_err(of_source)?;
        let sent = source.sent_until().await.map_err(of_source)?;
        let (segments, left_out) = source.segments().await.map_err(of_source)?;
        for segment in &segments {
            let columns = source.segment_columns(*segment).await.map_err(of_source)?;
            table::check_segment(&columns).map_err(of_source)?;
        }
        let mut parts = Vec::new();
        for part in Part::all(segments) {
            parts.push((part, source.count(part).await.map_err(of_source)?));
        }
        let fingerprint = fingerprint(&*source, &numbers, sent);
        let is_resumed = look_at_target(&mut *target, &fingerprint).await.map_err(of_target)?;
        if !is_resumed {
            target.begin(&fingerprint).await.map_err(of_target)?;
        }
        let mut report = CopyReport {
            from: source.name(),
            to: target.name(),
            resumed_rows: 0,
            copied_rows: 0,
            tables: Vec::new(),
            left_out: Vec::new(),
            left_out_count: 0,
        };
        report.leave_out(left_out);
        if is_resumed {
            let made = target.segments().await.map_err(of_target)?.0;
            for part in Part::all(made) {
                report.resumed_rows += target.count(part).await.map_err(of_target)?;
            }
        }
        Ok(Self { source, target, tell, numbers, sent, parts, is_resumed, report })
    }

    /// Writes what is not there yet.
    async fn write_all(&mut self) -> Result<(), Error> {
        let total = self.parts.iter().map(|(_, rows)| rows).sum();
        for (part, _) in self.parts.clone() {
            if let Part::Segment(segment) = part {
                self.target.make_segment(segment).await.map_err(of_target)?;
            }
            let mut after = if self.is_resumed { self.target.last_key(part).await.map_err(of_target)? } else { None };
            loop {
                let (stage, table, done_before) = (Stage::Copying, part.name(), self.report.resumed_rows);
                let done = done_before + self.report.copied_rows;
                (self.tell)(&Progress { stage, table, done, done_before, total });
                let mut page = self.read(part, after.as_deref(), true).await?;
                let Some(last) = page.last else { break };
                for row in &mut page.rows {
                    value::seal(self.target.keyring(), part.table(), row).map_err(of_target)?;
                }
                let about = |error: Error| of_target(error.on_behalf_of(format!("the table {}", part.name())));
                self.target.write(part, &page.rows).await.map_err(about)?;
                self.report.copied_rows += page.rows.len() as u64;
                after = Some(last);
            }
        }
        self.target.set_numbers(&self.numbers).await.map_err(of_target)
    }

    /// Reads both stores from the beginning to the end, and notes what they have.
    async fn verify(&mut self) -> Result<(), Error> {
        let found = self.target.numbers().await.map_err(of_target)?;
        if found != self.numbers {
            let reason =
                format!("it would go on from other numbers than the source: {found:?} instead of {:?}", self.numbers);
            return Err(of_target(Error::Corrupt(reason)));
        }
        let (mut done, total) = (0, 2 * self.parts.iter().map(|(_, rows)| rows).sum::<u64>());
        for (part, _) in self.parts.clone() {
            let of_source = self.checksum(part, true, &mut done, total).await?;
            let of_target = self.checksum(part, false, &mut done, total).await?;
            self.report.tables.push(CopiedTable {
                name: part.name(),
                rows: (of_source.0, of_target.0),
                checksums: (of_source.1, of_target.1),
            });
        }
        Ok(())
    }

    async fn checksum(
        &mut self,
        part: Part,
        of_source: bool,
        done: &mut u64,
        total: u64,
    ) -> Result<(u64, String), Error> {
        let (mut checksum, mut after) = (Checksum::new(), None);
        loop {
            let (stage, table) = (Stage::Verifying, part.name());
            (self.tell)(&Progress { stage, table, done: *done, done_before: 0, total });
            let page = self.read(part, after.as_deref(), of_source).await?;
            let Some(last) = page.last else { return Ok(checksum.finish()) };
            page.rows.iter().for_each(|row| checksum.add(row));
            *done += page.rows.len() as u64;
            if of_source {
                self.report.leave_out(page.left_out);
            }
            after = Some(last);
        }
    }

    /// Reads rows with their actions opened, and those of the source with their marks.
    async fn read(&mut self, part: Part, after: Option<&[Value]>, of_source: bool) -> Result<Page, Error> {
        let (side, name): (_, fn(Error) -> Error) =
            if of_source { (&mut self.source, self::of_source) } else { (&mut self.target, of_target) };
        let mut page = side.read(part, after).await.map_err(name)?;
        let table = part.table();
        for row in &mut page.rows {
            if let Some(reason) = value::open(side.keyring(), table, row) {
                let key = value::describe_key(&row[..table.key_columns]);
                page.left_out.push(LeftOut { table: part.name(), key, reason, is_kept: true });
            }
            if of_source && table.name == WORK.name {
                self.sent.mark(row);
            }
        }
        Ok(page)
    }
}

/// By what a store is known that is copied: its keys, and how far it has come. A server that has changed something since has given a number.
fn fingerprint(source: &dyn Side, numbers: &Numbers, sent: SentUntil) -> String {
    let keys: Vec<_> = source.keyring().check_values().collect();
    hex(&digest(&SHA256, format!("{keys:?} {numbers:?} {sent:?}").as_bytes()).as_ref()[..16])
}

/// Looks whether a target is an unfinished copy of that source. Refuses one that is something else and not empty.
async fn look_at_target(target: &mut dyn Side, fingerprint: &str) -> Result<bool, Error> {
    match target.unfinished().await? {
        Some(known) if known == fingerprint => return Ok(true),
        Some(_) => {
            return Err(Error::refused(format!(
                "it is an unfinished copy of another store, or of this one as it was before a server used it again. To begin anew, {}",
                target.how_to_empty()
            )));
        }
        None => {}
    }
    let mut found = Vec::new();
    for table in &TABLES {
        // Every store has the collection of the server's own jobs.
        let own = u64::from(table.name == COLLECTION.name);
        let rows = target.count(Part::Table(table)).await?.saturating_sub(own);
        if rows > 0 {
            found.push(plural(rows, "row") + " of " + table.name);
        }
    }
    let segments = target.segments().await?.0.len() as u64;
    if segments > 0 {
        found.push(plural(segments, "segment") + " of history");
    }
    if found.is_empty() {
        return Ok(false);
    }
    let found = found.join(", ");
    Err(Error::refused(format!(
        "it is not empty, and a copy is never mixed with other jobs: it has {found}. Name an empty one"
    )))
}

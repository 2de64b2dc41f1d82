//! A data directory that is copied, or copied to.
//!
//! The lock keeps servers out for as long as it takes, so that all pages are of one moment. History that the main file does not know of is
//! not copied: a crash has left it, and a server would remove it.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File};
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};

use async_trait::async_trait;
use rusqlite::types::{ToSqlOutput, ValueRef};
use rusqlite::{Connection, OptionalExtension, ToSql, TransactionBehavior, params, params_from_iter};

use super::backup::segment_names;
use super::lock::Lock;
use super::segments::{self, Segment, first_number};
use super::{FILE, HISTORY, due, keys, older, pause, writer};
use crate::copy::numbers::{INSTANTS, NUMBERED, Numbers};
use crate::copy::part::Part;
use crate::copy::report::LeftOut;
use crate::copy::sent::SentUntil;
use crate::copy::side::{PAGE_BYTES_MAX, PAGE_ROWS_MAX, Page, Side};
use crate::copy::table::{Kind, Table};
use crate::copy::value::{Row, Value, describe_key};
use crate::copy::{Keys, UNFINISHED};
use crate::error::Error;
use crate::pause::PauseEntry;
use crate::seal::Keyring;

/// After so many pages in the write-ahead log a commit moves them to the file itself: there is no thread that would.
const LOG_PAGES_MAX: i64 = 4096;

/// Refuses an unfinished copy.
pub(super) fn refuse_unfinished(db: &Connection) -> Result<(), Error> {
    if find_unfinished(db)?.is_some() { Err(crate::copy::refuse_unfinished()) } else { Ok(()) }
}

/// The fingerprint of what an unfinished copy is a copy of.
fn find_unfinished(db: &Connection) -> Result<Option<String>, Error> {
    let mut statement =
        db.prepare_cached("select substr(name, length(?1) + 1) from meta where substr(name, 1, length(?1)) = ?1")?;
    Ok(statement.query_row([UNFINISHED], |row| row.get(0)).optional()?)
}

/// A data directory that nobody else uses.
pub(crate) struct SqliteSide {
    directory: PathBuf,
    keyring: Keyring,
    /// Records from this number on are none.
    records_end: i64,
    /// The segment that was used last.
    segment: Option<(Segment, Connection)>,
    db: Connection,
    // Dropped last.
    _lock: Lock,
}

impl SqliteSide {
    /// Opens a data directory that is there.
    pub(crate) fn open_source(directory: &Path, keys: Keys) -> Result<Self, Error> {
        let file = directory.join(FILE);
        if !file.exists() {
            let reason = format!("there is no {}: name the data directory of a server", file.display());
            return Err(Error::refused(reason));
        }
        let mut side = Self::open(directory, keys)?;
        refuse_unfinished(&side.db)?;
        let last_batch = writer::last_batch(&side.db)?;
        older::check(&directory.join(HISTORY), last_batch)?;
        side.records_end = first_number(last_batch.saturating_add(1))?;
        Ok(side)
    }

    /// Opens a data directory, which is made if it is not there.
    pub(crate) fn open_target(directory: &Path, keys: Keys) -> Result<Self, Error> {
        let made = fs::DirBuilder::new().recursive(true).mode(0o700).create(directory.join(HISTORY));
        made.map_err(|error| Error::from(error).in_file(directory))?;
        Self::open(directory, keys)
    }

    fn open(directory: &Path, keys: Keys) -> Result<Self, Error> {
        let (lock, file) = (Lock::take(directory)?, directory.join(FILE));
        let db = super::open_file(&file).map_err(|error| error.in_file(&file))?;
        db.pragma_update(None, "wal_autocheckpoint", LOG_PAGES_MAX)?;
        let has_own = directory.join(keys::FILE).exists();
        let outside = keys.named.or_else(|| keys.configured.filter(|_| !has_own));
        let (keyring, _) = keys::load(directory, outside, &db)?;
        Ok(Self { directory: directory.to_owned(), keyring, records_end: i64::MAX, segment: None, db, _lock: lock })
    }

    fn path(&self, segment: Segment) -> PathBuf {
        self.directory.join(HISTORY).join(segment.file_name())
    }

    /// The connection to where a part is.
    fn connection(&mut self, part: Part) -> Result<&mut Connection, Error> {
        let Part::Segment(segment) = part else { return Ok(&mut self.db) };
        if self.segment.as_ref().is_none_or(|(open, _)| *open != segment) {
            let path = self.path(segment);
            let connection = segments::open_for_writing(&path).map_err(|error| error.in_file(&path))?;
            self.segment = Some((segment, connection));
        }
        let (_, connection) = self.segment.as_mut().ok_or_else(|| Error::unavailable("a segment is not open"))?;
        Ok(connection)
    }

    /// Why a segment cannot be read; nothing of one that was left half made, which holds nothing.
    fn check_segment(&self, segment: Segment) -> Result<bool, Error> {
        let path = self.path(segment);
        segments::open(&path).and_then(|db| segments::is_complete(&db)).map_err(|error| error.in_file(&path))
    }

    fn read_page(&mut self, part: Part, after: Option<&[Value]>) -> Result<Page, Error> {
        let (table, records_end) = (part.table(), self.records_end);
        let db = self.connection(part)?;
        let key = table.key_list();
        let places = vec!["?"; table.key_columns].join(", ");
        let behind = after.map_or_else(|| "true".to_owned(), |_| format!("({key}) > ({places})"));
        let known =
            if matches!(part, Part::Segment(_)) { format!("number < {records_end}") } else { "true".to_owned() };
        let sql = format!(
            "select {} from {} where {behind} and {known} order by {key} limit {PAGE_ROWS_MAX}",
            table.column_list(),
            table.name
        );
        let mut statement = db.prepare_cached(&sql)?;
        let mut rows = statement.query(params_from_iter(after.into_iter().flatten()))?;
        let (mut page, mut bytes) = (Page::default(), 0);
        while bytes < PAGE_BYTES_MAX
            && let Some(row) = rows.next()?
        {
            let key = read_key(table, row)?;
            match read_row(table, row) {
                Ok(values) => {
                    bytes += values.iter().map(Value::bytes).sum::<usize>();
                    page.rows.push(values);
                }
                Err(reason) => {
                    let (table, key) = (part.name(), describe_key(&key));
                    page.left_out.push(LeftOut { table, key, reason, is_kept: false });
                }
            }
            page.last = Some(key);
        }
        Ok(page)
    }

    fn write_rows(&mut self, part: Part, rows: &[Row]) -> Result<(), Error> {
        let table = part.table();
        let places = vec!["?"; table.columns.len()].join(", ");
        let sql = format!("insert into {} ({}) values ({places})", table.name, table.column_list());
        let transaction = self.connection(part)?.transaction_with_behavior(TransactionBehavior::Immediate)?;
        let mut statement = transaction.prepare_cached(&sql)?;
        for row in rows {
            statement.execute(params_from_iter(row))?;
        }
        drop(statement);
        Ok(transaction.commit()?)
    }
}

/// The key of a row. Without it nobody can go on behind the row.
fn read_key(table: &Table, row: &rusqlite::Row<'_>) -> Result<Vec<Value>, Error> {
    let values = table.key().iter().enumerate().map(|(at, (name, kind))| {
        let value = row.get_ref(at)?;
        read_value(*kind, value)
            .map_err(|found| Error::corrupt(format!("a row of {} has {found} for {name}", table.name)))
    });
    values.collect()
}

/// The values of a row, or why no server can have written it.
fn read_row(table: &Table, row: &rusqlite::Row<'_>) -> Result<Row, String> {
    let values = table.columns.iter().enumerate().map(|(at, (name, kind))| {
        let value = row.get_ref(at).map_err(|error| error.to_string())?;
        read_value(*kind, value).map_err(|found| format!("{name} is {found}"))
    });
    values.collect()
}

/// A value of the kind that a column holds, or what it is instead: SQLite takes any.
fn read_value(kind: Kind, value: ValueRef<'_>) -> Result<Value, String> {
    match (kind, value) {
        (_, ValueRef::Null) => Ok(Value::Null),
        (Kind::Integer, ValueRef::Integer(number)) => Ok(Value::Integer(number)),
        (Kind::Small, ValueRef::Integer(number)) if i16::try_from(number).is_ok() => Ok(Value::Integer(number)),
        (Kind::Truth, ValueRef::Integer(number)) => Ok(Value::Integer(i64::from(number != 0))),
        (Kind::Text, ValueRef::Text(text)) => match std::str::from_utf8(text) {
            Ok(text) => Ok(Value::text(text)),
            Err(_) => Err("a text that is not UTF-8".to_owned()),
        },
        (Kind::Bytes | Kind::Sealed, ValueRef::Blob(bytes)) => Ok(Value::Bytes(bytes.to_vec())),
        (_, ValueRef::Integer(number)) => Err(format!("the number {number}")),
        (_, ValueRef::Real(number)) => Err(format!("the number {number}")),
        (_, ValueRef::Text(_)) => Err("a text".to_owned()),
        (_, ValueRef::Blob(_)) => Err("bytes".to_owned()),
    }
}

impl ToSql for Value {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(ToSqlOutput::Borrowed(match self {
            Self::Null => ValueRef::Null,
            Self::Integer(number) => ValueRef::Integer(*number),
            Self::Text(text) => ValueRef::Text(text.as_bytes()),
            Self::Bytes(bytes) | Self::Opened(bytes) | Self::Unopened(bytes) => ValueRef::Blob(bytes),
        }))
    }
}

#[async_trait]
impl Side for SqliteSide {
    fn name(&self) -> String {
        format!("the data directory {}", self.directory.display())
    }

    fn how_to_empty(&self) -> String {
        format!("remove {0}/{FILE}* and {0}/{HISTORY}", self.directory.display())
    }

    fn keyring(&self) -> &Keyring {
        &self.keyring
    }

    async fn refuse_use(&mut self) -> Result<(), Error> {
        // The lock is held.
        Ok(())
    }

    async fn columns(&mut self) -> Result<BTreeMap<String, BTreeSet<String>>, Error> {
        let sql = "select t.name, c.name from sqlite_schema t join pragma_table_info(t.name) c
            where t.type = 'table' and t.name not like 'sqlite\\_stat%' escape '\\'";
        let mut statement = self.db.prepare(sql)?;
        let mut rows = statement.query([])?;
        let mut columns: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
        while let Some(row) = rows.next()? {
            columns.entry(row.get(0)?).or_default().insert(row.get(1)?);
        }
        Ok(columns)
    }

    async fn segments(&mut self) -> Result<(BTreeSet<Segment>, Vec<LeftOut>), Error> {
        let (mut found, mut left_out) = (BTreeSet::new(), Vec::new());
        for name in segment_names(&self.directory.join(HISTORY))? {
            let Some(segment) = Segment::parse(&name) else { continue };
            match self.check_segment(segment) {
                Ok(true) => drop(found.insert(segment)),
                Ok(false) => {}
                Err(error) if error.is_of_one_record() => left_out.push(LeftOut {
                    table: segment.table_name(),
                    key: String::new(),
                    reason: error.to_string(),
                    is_kept: false,
                }),
                Err(error) => return Err(error),
            }
        }
        Ok((found, left_out))
    }

    async fn segment_columns(&mut self, segment: Segment) -> Result<BTreeSet<String>, Error> {
        let db = self.connection(Part::Segment(segment))?;
        let mut statement = db.prepare("select name from pragma_table_info('attempt')")?;
        let names = statement.query_map([], |row| row.get(0))?;
        Ok(names.collect::<Result<_, _>>()?)
    }

    async fn count(&mut self, part: Part) -> Result<u64, Error> {
        let records_end = self.records_end;
        let known =
            if matches!(part, Part::Segment(_)) { format!("number < {records_end}") } else { "true".to_owned() };
        let sql = format!("select count(*) from {} where {known}", part.table().name);
        Ok(self.connection(part)?.query_row(&sql, [], |row| row.get(0))?)
    }

    async fn read(&mut self, part: Part, after: Option<&[Value]>) -> Result<Page, Error> {
        let page = self.read_page(part, after);
        match part {
            Part::Table(_) => page,
            Part::Segment(segment) => page.map_err(|error| error.in_file(&self.path(segment))),
        }
    }

    async fn last_key(&mut self, part: Part) -> Result<Option<Vec<Value>>, Error> {
        let table = part.table();
        let order: Vec<String> = table.key().iter().map(|(name, _)| format!("{name} desc")).collect();
        let sql = format!("select {} from {} order by {} limit 1", table.key_list(), table.name, order.join(", "));
        let mut statement = self.connection(part)?.prepare(&sql)?;
        let mut rows = statement.query([])?;
        rows.next()?.map(|row| read_key(table, row)).transpose()
    }

    async fn numbers(&mut self) -> Result<Numbers, Error> {
        let mut numbers = Numbers { last_batch: writer::last_batch(&self.db)?, ..Numbers::default() };
        for (table, column) in NUMBERED {
            let sql = format!(
                "select max(ifnull((select seq from sqlite_sequence where name = '{table}'), 0),
                     ifnull((select max({column}) from {table}), 0))"
            );
            numbers.given.insert(table, self.db.query_row(&sql, [], |row| row.get(0))?);
        }
        for name in INSTANTS {
            let mut statement = self.db.prepare_cached("select value from meta where name = ?1")?;
            let value: Option<i64> = statement.query_row([name], |row| row.get(0)).optional()?;
            numbers.instants.extend(value.map(|value| (name, value)));
        }
        Ok(numbers)
    }

    async fn sent_until(&mut self) -> Result<SentUntil, Error> {
        let is_paused = PauseEntry::times(&pause::list(&self.db)?).is_paused();
        Ok(SentUntil::of(due::watermarks(&self.db)?, is_paused))
    }

    async fn unfinished(&mut self) -> Result<Option<String>, Error> {
        find_unfinished(&self.db)
    }

    async fn begin(&mut self, fingerprint: &str) -> Result<(), Error> {
        let transaction = self.db.transaction_with_behavior(TransactionBehavior::Immediate)?;
        transaction.execute("insert into meta (name, value) values (?1, 1)", [format!("{UNFINISHED}{fingerprint}")])?;
        transaction.execute("delete from collection", [])?;
        Ok(transaction.commit()?)
    }

    async fn make_segment(&mut self, segment: Segment) -> Result<(), Error> {
        let path = self.path(segment);
        if path.exists() {
            if self.check_segment(segment)? {
                return Ok(());
            }
            segments::remove(&path).map_err(|error| Error::from(error).in_file(&path))?;
        }
        segments::create(&path).map(drop).map_err(|error| error.in_file(&path))
    }

    async fn write(&mut self, part: Part, rows: &[Row]) -> Result<(), Error> {
        self.write_rows(part, rows)
    }

    async fn set_numbers(&mut self, numbers: &Numbers) -> Result<(), Error> {
        let transaction = self.db.transaction_with_behavior(TransactionBehavior::Immediate)?;
        for (table, last) in numbers.given.iter().filter(|(_, last)| **last > 0) {
            transaction.execute("delete from sqlite_sequence where name = ?1", [table])?;
            transaction.execute("insert into sqlite_sequence (name, seq) values (?1, ?2)", params![table, last])?;
        }
        for (name, value) in &numbers.instants {
            transaction.execute("insert or replace into meta (name, value) values (?1, ?2)", params![name, value])?;
        }
        writer::set_last_batch(&transaction, numbers.last_batch)?;
        Ok(transaction.commit()?)
    }

    async fn finish(&mut self) -> Result<(), Error> {
        self.segment = None;
        File::open(self.directory.join(HISTORY))?.sync_all()?;
        File::open(&self.directory)?.sync_all()?;
        self.db.execute("delete from meta where substr(name, 1, length(?1)) = ?1", [UNFINISHED])?;
        self.db.query_row("pragma wal_checkpoint(truncate)", [], |_| Ok(()))?;
        Ok(())
    }
}

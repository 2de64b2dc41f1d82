//! A schema that is copied, or copied to.
//!
//! All of a source is read in one snapshot, which is of one moment whatever others do; nodes that are alive are refused all the same, because
//! they and those of the copy would run the same jobs. A target is held by a row that only one copy can lock.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use async_trait::async_trait;
use tokio_postgres::Row as DatabaseRow;
use tokio_postgres::types::ToSql;

use super::db::{Db, Transaction, Values};
use super::error::Fault;
use super::pool::Pool;
use super::{Postgres, Settings, copied_rows, history, pause};
use crate::cells::{Cells, Fields};
use crate::copy::numbers::{INSTANTS, NUMBERED, Numbers};
use crate::copy::part::Part;
use crate::copy::report::LeftOut;
use crate::copy::sent::SentUntil;
use crate::copy::side::{PAGE_BYTES_MAX, PAGE_ROWS_MAX, Page, Side};
use crate::copy::table::{Kind, Table};
use crate::copy::tables::{TABLES, WORK};
use crate::copy::value::{Row, Value};
use crate::copy::{Keys, UNFINISHED};
use crate::error::Error;
use crate::history::segment::Segment;
use crate::key_source::KeySource;
use crate::pause::PauseEntry;
use crate::seal::Keyring;

/// For transactions that go on for as long as a copy does.
const TAKE_ALL_TIME: &str = "set local statement_timeout = 0; set local idle_in_transaction_session_timeout = 0";

/// Nodes whose last heartbeat is not older than this are alive.
const ALIVE: &str = "30 seconds";

/// Refuses an unfinished copy.
pub(super) async fn refuse_unfinished(pool: &Pool) -> Result<(), Error> {
    match find_unfinished(&pool.connection().await?).await? {
        Some(_) => Err(crate::copy::refuse_unfinished()),
        None => Ok(()),
    }
}

/// The fingerprint of what an unfinished copy is a copy of.
async fn find_unfinished(db: &Db) -> Result<Option<String>, Fault> {
    let row = db.row("select name from meta where starts_with(name, $1)", &[&UNFINISHED]).await?;
    let name: Option<String> = row.map(|row| Cells::of(&row).next()).transpose()?;
    Ok(name.and_then(|name| name.strip_prefix(UNFINISHED).map(str::to_owned)))
}

/// A schema that no node uses.
pub(crate) struct PostgresSide {
    store: Postgres,
    name: String,
    schema: String,
    keyring: Arc<Keyring>,
    /// What is read in. It ends before something is written.
    snapshot: Option<Transaction>,
    /// What keeps other copies out of a target.
    guard: Option<Transaction>,
}

impl PostgresSide {
    /// Opens a store that is there.
    pub(crate) async fn open_source(settings: &Settings, keys: Keys) -> Result<Self, Error> {
        let keyring = choose_keys(keys)?;
        let db = Pool::new(settings)?.connection().await?;
        let sql = "select 1::bigint from pg_tables where schemaname = $1 and tablename = 'job'";
        if !db.exists(sql, &[&settings.schema()]).await? {
            let reason = "there is no store: name the database of a server, and with search_path the schema";
            return Err(Error::refused(format!("{}: {reason}", settings.describe())));
        }
        drop(db);
        let side = Self::open(settings, keyring).await?;
        refuse_unfinished(&side.store.shared.pool).await?;
        Ok(side)
    }

    /// Opens a schema, which is made if it is not there.
    pub(crate) async fn open_target(settings: &Settings, keys: Keys) -> Result<Self, Error> {
        let mut side = Self::open(settings, choose_keys(keys)?).await?;
        let guard = side.store.shared.pool.transaction().await?;
        guard.run(TAKE_ALL_TIME).await?;
        guard.execute("insert into lock_row (name) values ('copy') on conflict do nothing", &[]).await?;
        if guard.rows("select 1::bigint from lock_row where name = 'copy' for update", &[]).await.is_err() {
            return Err(Error::refused("another `punctual copy` is writing to it: wait until that has ended"));
        }
        side.guard = Some(guard);
        Ok(side)
    }

    async fn open(settings: &Settings, keyring: Keyring) -> Result<Self, Error> {
        let store = Postgres::open_any(settings, keyring, KeySource::Outside).await?;
        let keyring = Arc::clone(&*store.shared.keyring().await);
        let (name, schema) = (settings.describe(), settings.schema().to_owned());
        Ok(Self { store, name, schema, keyring, snapshot: None, guard: None })
    }

    fn pool(&self) -> &Pool {
        &self.store.shared.pool
    }

    /// What is read in: a snapshot, in which a statement may take its time.
    async fn reader(&mut self) -> Result<&Db, Error> {
        if self.snapshot.is_none() {
            let snapshot = self.pool().snapshot().await?;
            snapshot.run(TAKE_ALL_TIME).await?;
            self.snapshot = Some(snapshot);
        }
        let snapshot = self.snapshot.as_ref().ok_or_else(|| Error::unavailable("a snapshot is not open"))?;
        Ok(snapshot)
    }

    /// A transaction that writes. What is read next is read behind it.
    async fn writer(&mut self) -> Result<Transaction, Error> {
        if let Some(snapshot) = self.snapshot.take() {
            snapshot.take_back().await;
        }
        let transaction = self.pool().transaction().await?;
        transaction.run("set local statement_timeout = '5min'").await?;
        Ok(transaction)
    }
}

/// The keys of a store whose database keeps none.
fn choose_keys(keys: Keys) -> Result<Keyring, Error> {
    let reason = "PostgreSQL keeps no key: name the key file of its nodes (--from-key, --to-key), or set secrets.key";
    keys.named.or(keys.configured).ok_or_else(|| Error::refused(reason))
}

/// The statement that reads a page of a table after a key, which has so many values.
///
/// Inside, so many rows as a page has are taken by the key; then those are left out before which there are too many bytes.
fn page_sql(part: Part, has_start: bool) -> String {
    let (table, name) = (part.table(), part.name());
    let (key, columns) = (table.key_list(), table.column_list());
    let places: Vec<String> = (1..=table.key_columns).map(|at| format!("${at}")).collect();
    let behind = if has_start { format!("where ({key}) > ({})", places.join(", ")) } else { String::new() };
    let selected: Vec<String> = table.columns.iter().map(|(column, _)| select(table, column)).collect();
    let is_long = |kind: &Kind| matches!(kind, Kind::Text | Kind::Bytes | Kind::Sealed);
    let long = table.columns.iter().filter(|(_, kind)| is_long(kind));
    let lengths: Vec<String> = long.map(|(column, _)| format!("coalesce(octet_length({column}), 0)")).collect();
    let length = if lengths.is_empty() { "0".to_owned() } else { lengths.join(" + ") };
    format!(
        "select {columns} from (
             select *, sum({length}) over (order by {key} rows unbounded preceding) - ({length}) as bytes_before
             from (select {} from {name} {behind} order by {key} limit {PAGE_ROWS_MAX}) as taken
         ) as counted where bytes_before < {PAGE_BYTES_MAX} order by {key}",
        selected.join(", ")
    )
}

/// A column as it is read. What a node has in flight that does not own its shard may have been sent.
fn select(table: &Table, column: &str) -> String {
    if table.name == WORK.name && column == "resends" {
        return "case when claimed_by is null then resends else greatest(resends, 1) end as resends".to_owned();
    }
    column.to_owned()
}

/// A value as a statement takes it.
fn parameter(value: &Value) -> Result<&(dyn ToSql + Sync), Error> {
    match value {
        Value::Integer(number) => Ok(number),
        Value::Text(text) => Ok(text),
        _ => Err(Error::corrupt("the key of a row is neither a number nor a text")),
    }
}

fn read_value(row: &DatabaseRow, at: usize, kind: Kind) -> Result<Value, Error> {
    Ok(match kind {
        Kind::Integer | Kind::Small | Kind::Truth => row.integer(at)?.map_or(Value::Null, Value::Integer),
        Kind::Text => Fields::text(row, at)?.map_or(Value::Null, Value::text),
        Kind::Bytes | Kind::Sealed => row.blob(at)?.map_or(Value::Null, |bytes| Value::Bytes(bytes.to_vec())),
    })
}

fn read_values(row: &DatabaseRow, columns: &[(&str, Kind)]) -> Result<Row, Error> {
    columns.iter().enumerate().map(|(at, (_, kind))| read_value(row, at, *kind)).collect()
}

/// The sequence that numbers the rows of a table; none where it is a counter.
fn sequence(table: &str, column: &str) -> Option<String> {
    match table {
        "change" => None,
        "work" | "signal" => Some(format!("{table}_id")),
        _ => Some(format!("{table}_{column}_seq")),
    }
}

async fn number(db: &Db, sql: &str, values: Values<'_>) -> Result<i64, Fault> {
    let row = db.row(sql, values).await?;
    Ok(row.map(|row| Cells::of(&row).next()).transpose()?.unwrap_or(0))
}

#[async_trait]
impl Side for PostgresSide {
    fn name(&self) -> String {
        self.name.clone()
    }

    fn how_to_empty(&self) -> String {
        format!("run `drop schema {} cascade` in its database", self.schema)
    }

    fn keyring(&self) -> &Keyring {
        &self.keyring
    }

    async fn refuse_use(&mut self) -> Result<(), Error> {
        let db = self.pool().connection().await?;
        let sql = format!(
            "select id, name, extract(epoch from now() - heartbeat)::bigint from node
             where heartbeat > now() - interval '{ALIVE}' order by id limit 1"
        );
        let Some(row) = db.row(&sql, &[]).await? else { return Ok(()) };
        let mut cells = Cells::of(&row);
        let (id, name, age): (i64, String, i64) = (cells.next()?, cells.next()?, cells.next()?);
        Err(Error::refused(format!(
            "node {id} ({name}) uses it: its last heartbeat was {age} seconds ago. Stop all nodes, or wait {ALIVE} if it was killed"
        )))
    }

    async fn columns(&mut self) -> Result<BTreeMap<String, BTreeSet<String>>, Error> {
        let sql = "select table_name::text, column_name::text from information_schema.columns
            where table_schema = current_schema() and table_name not in (select name from history_segment)";
        let mut columns: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
        for row in &self.reader().await?.rows(sql, &[]).await? {
            let mut cells = Cells::of(row);
            columns.entry(cells.next()?).or_default().insert(cells.next()?);
        }
        Ok(columns)
    }

    async fn segments(&mut self) -> Result<(BTreeSet<Segment>, Vec<LeftOut>), Error> {
        Ok((history::segments(self.reader().await?).await?, Vec::new()))
    }

    async fn segment_columns(&mut self, segment: Segment) -> Result<BTreeSet<String>, Error> {
        let sql = "select column_name::text from information_schema.columns
            where table_schema = current_schema() and table_name = $1";
        let rows = self.reader().await?.rows(sql, &[&segment.table_name()]).await?;
        rows.iter().map(|row| Cells::of(row).next()).collect()
    }

    async fn count(&mut self, part: Part) -> Result<u64, Error> {
        let sql = format!("select count(*) from {}", part.name());
        let counted = number(self.reader().await?, &sql, &[]).await?;
        Ok(counted.unsigned_abs())
    }

    async fn read(&mut self, part: Part, after: Option<&[Value]>) -> Result<Page, Error> {
        let table = part.table();
        let values: Vec<&(dyn ToSql + Sync)> = after.into_iter().flatten().map(parameter).collect::<Result<_, _>>()?;
        let rows = self.reader().await?.rows(&page_sql(part, after.is_some()), &values).await?;
        let rows: Vec<Row> = rows.iter().map(|row| read_values(row, table.columns)).collect::<Result<_, Error>>()?;
        let last = rows.last().map(|row| row[..table.key_columns].to_vec());
        Ok(Page { rows, left_out: Vec::new(), last })
    }

    async fn last_key(&mut self, part: Part) -> Result<Option<Vec<Value>>, Error> {
        let table = part.table();
        let order: Vec<String> = table.key().iter().map(|(name, _)| format!("{name} desc")).collect();
        let sql = format!("select {} from {} order by {} limit 1", table.key_list(), part.name(), order.join(", "));
        let row = self.reader().await?.row(&sql, &[]).await?;
        row.map(|row| read_values(&row, table.key())).transpose()
    }

    async fn numbers(&mut self) -> Result<Numbers, Error> {
        let db = self.reader().await?;
        let counter = "select value from counter where name = $1";
        let mut numbers = Numbers { last_batch: number(db, counter, &[&"history"]).await?, ..Numbers::default() };
        for (table, column) in NUMBERED {
            let given = match sequence(table, column) {
                Some(name) => {
                    let sql = "select coalesce(last_value, 0) from pg_sequences
                        where schemaname = current_schema() and sequencename = $1";
                    number(db, sql, &[&name]).await?
                }
                None => number(db, counter, &[&table]).await?,
            };
            let last = number(db, &format!("select coalesce(max({column}), 0) from {table}"), &[]).await?;
            numbers.given.insert(table, given.max(last));
        }
        for name in INSTANTS {
            let row = db.row("select value from meta where name = $1", &[&name]).await?;
            let value: Option<i64> = row.map(|row| Cells::of(&row).next()).transpose()?;
            numbers.instants.extend(value.map(|value| (name, value)));
        }
        Ok(numbers)
    }

    async fn sent_until(&mut self) -> Result<SentUntil, Error> {
        let db = self.reader().await?;
        let rows = db.rows("select watermark, watermark_at_pause from node where watermark is not null", &[]).await?;
        let read = |row: &DatabaseRow| {
            let mut cells = Cells::of(row);
            Ok((cells.next()?, cells.next()?))
        };
        let watermarks: Vec<(i64, Option<i64>)> = rows.iter().map(read).collect::<Result<_, Error>>()?;
        Ok(SentUntil::of(watermarks, PauseEntry::times(&pause::list(db).await?).is_paused()))
    }

    async fn unfinished(&mut self) -> Result<Option<String>, Error> {
        Ok(find_unfinished(self.reader().await?).await?)
    }

    async fn begin(&mut self, fingerprint: &str) -> Result<(), Error> {
        let tx = self.writer().await?;
        let name = format!("{UNFINISHED}{fingerprint}");
        tx.execute("insert into meta (name, value) values ($1, 1)", &[&name]).await?;
        tx.execute("delete from collection", &[]).await?;
        commit(tx).await
    }

    async fn make_segment(&mut self, segment: Segment) -> Result<(), Error> {
        if self.segments().await?.0.contains(&segment) {
            return Ok(());
        }
        let tx = self.writer().await?;
        tx.run(&history::layout(&segment.table_name())).await?;
        commit(tx).await
    }

    async fn write(&mut self, part: Part, rows: &[Row]) -> Result<(), Error> {
        let tx = self.writer().await?;
        copied_rows::write(&tx, part, rows).await?;
        commit(tx).await
    }

    async fn set_numbers(&mut self, numbers: &Numbers) -> Result<(), Error> {
        let tx = self.writer().await?;
        let set_counter = "update counter set value = $2 where name = $1";
        tx.execute(set_counter, &[&"history", &numbers.last_batch]).await?;
        for (table, column) in NUMBERED {
            let last = numbers.given.get(table).copied().unwrap_or_default();
            match sequence(table, column) {
                None => drop(tx.execute(set_counter, &[&table, &last]).await?),
                // A sequence begins with 1.
                Some(_) if last == 0 => {}
                Some(name) => drop(tx.row("select setval($1::text::regclass, $2)", &[&name, &last]).await?),
            }
        }
        for (name, value) in &numbers.instants {
            let sql = "insert into meta (name, value) values ($1, $2) on conflict (name) do update set value = excluded.value";
            tx.execute(sql, &[name, value]).await?;
        }
        commit(tx).await
    }

    async fn finish(&mut self) -> Result<(), Error> {
        let segments = self.segments().await?.0;
        let tx = self.writer().await?;
        tx.execute("delete from meta where starts_with(name, $1)", &[&UNFINISHED]).await?;
        commit(tx).await?;
        // The first questions of a server are not to be planned as if all tables were empty.
        let tx = self.writer().await?;
        tx.run(TAKE_ALL_TIME).await?;
        let names = TABLES.iter().map(|table| table.name.to_owned());
        for name in names.chain(segments.into_iter().map(Segment::table_name)) {
            tx.run(&format!("analyze {name}")).await?;
        }
        commit(tx).await?;
        if let Some(guard) = self.guard.take() {
            guard.take_back().await;
        }
        Ok(())
    }
}

async fn commit(tx: Transaction) -> Result<(), Error> {
    tx.commit().await?.map_err(|error| Fault::from(error).into())
}

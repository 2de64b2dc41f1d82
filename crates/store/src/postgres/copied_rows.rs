//! Rows of a copy as PostgreSQL takes them: many at once, in its binary form.

use std::collections::HashMap;

use tokio_postgres::Row as DatabaseRow;
use tokio_postgres::types::{ToSql, Type};

use super::alert::alerts::by_clock;
use super::db::Db;
use super::error::Fault;
use crate::Shards;
use crate::cells::Cells;
use crate::copy::part::Part;
use crate::copy::table::{Kind, Table};
use crate::copy::tables::{ALERT, WORK};
use crate::copy::value::{Row, Value, uid_of};
use crate::error::Error;
use crate::record;

/// Columns that follow from others, and that only PostgreSQL has: their names and types, and a value for each row.
#[derive(Default)]
struct Derived {
    column: Option<(&'static str, Type)>,
    values: Vec<Box<dyn ToSql + Sync + Send>>,
}

/// Writes rows behind those that are there.
pub(super) async fn write(db: &Db, part: Part, rows: &[Row]) -> Result<(), Fault> {
    let table = part.table();
    let derived = Derived::of(db, table, rows).await?;
    let mut types: Vec<Type> = table.columns.iter().map(|(_, kind)| type_of(*kind)).collect();
    let mut columns = table.column_list();
    if let Some((column, column_type)) = &derived.column {
        columns = format!("{columns}, {column}");
        types.push(column_type.clone());
    }
    let sql = format!("copy {} ({columns}) from stdin (format binary)", part.name());
    let mut writer = Box::pin(db.copy_in(&sql, &types).await?);
    for (at, row) in rows.iter().enumerate() {
        let smalls: Vec<i16> = row.iter().map(small).collect();
        let mut values: Vec<&(dyn ToSql + Sync)> = Vec::with_capacity(types.len());
        for (((_, kind), value), small) in table.columns.iter().zip(row).zip(&smalls) {
            values.push(parameter(*kind, value, small));
        }
        values.extend(derived.values.get(at).map(|value| &**value as &(dyn ToSql + Sync)));
        writer.as_mut().write(&values).await?;
    }
    writer.as_mut().finish().await?;
    Ok(())
}

impl Derived {
    async fn of(db: &Db, table: &Table, rows: &[Row]) -> Result<Self, Fault> {
        if table.name == WORK.name {
            return Self::shards(db, rows).await;
        }
        if table.name == ALERT.name {
            return Ok(Self::by_clock(rows));
        }
        Ok(Self::default())
    }

    /// The shard of each row of work follows from the uid of its job, which was copied before.
    async fn shards(db: &Db, rows: &[Row]) -> Result<Self, Fault> {
        let place = |column| WORK.place_of(column).expect("a column of the table of work");
        let job_of = |row: &Row| match (&row[place("job")], &row[place("id")]) {
            (Value::Integer(job), _) | (_, Value::Integer(job)) => *job,
            _ => 0,
        };
        let jobs: Vec<i64> = rows.iter().map(job_of).collect();
        let read = |row: &DatabaseRow| {
            let mut cells = Cells::of(row);
            Ok((cells.next()?, Value::Bytes(cells.next()?)))
        };
        let found = db.rows("select id, uid from job where id = any($1)", &[&jobs]).await?;
        let uids: HashMap<i64, Value> = found.iter().map(read).collect::<Result<_, Error>>()?;
        // Nobody reads a row without its job, whichever shard it is in.
        let shard = |job: &i64| uids.get(job).and_then(uid_of).map_or(0, |uid| i16::from(Shards::of(uid)));
        let values = jobs.iter().map(|job| Box::new(shard(job)) as _).collect();
        Ok(Self { column: Some(("shard", Type::INT2)), values })
    }

    /// Which troubles of an alert the clock judges follows from its record; of one that cannot be read, none.
    fn by_clock(rows: &[Row]) -> Self {
        let place = ALERT.place_of("record").expect("a column of the table of alerts");
        let troubles = |row: &Row| match &row[place] {
            Value::Text(record) => record::read_alert(record).map(|alert| by_clock(&alert)).unwrap_or_default(),
            _ => Vec::new(),
        };
        let values = rows.iter().map(|row| Box::new(troubles(row)) as _).collect();
        Self { column: Some(("by_clock", Type::TEXT_ARRAY)), values }
    }
}

const fn type_of(kind: Kind) -> Type {
    match kind {
        Kind::Integer => Type::INT8,
        Kind::Small => Type::INT2,
        Kind::Truth => Type::BOOL,
        Kind::Text => Type::TEXT,
        Kind::Bytes | Kind::Sealed => Type::BYTEA,
    }
}

/// An integer in two bytes. Where one does not fit, it was left out when it was read.
fn small(value: &Value) -> i16 {
    if let Value::Integer(number) = value { i16::try_from(*number).unwrap_or_default() } else { 0 }
}

/// A value as its column takes it.
fn parameter<'v>(kind: Kind, value: &'v Value, small: &'v i16) -> &'v (dyn ToSql + Sync) {
    match (value, kind) {
        (Value::Integer(_), Kind::Small) => small,
        (Value::Integer(0), Kind::Truth) => &false,
        (Value::Integer(_), Kind::Truth) => &true,
        (Value::Integer(number), _) => number,
        (Value::Text(text), _) => text,
        (Value::Bytes(bytes) | Value::Opened(bytes) | Value::Unopened(bytes), _) => bytes,
        (Value::Null, Kind::Small) => &None::<i16>,
        (Value::Null, Kind::Truth) => &None::<bool>,
        (Value::Null, Kind::Integer) => &None::<i64>,
        (Value::Null, Kind::Text) => &None::<&str>,
        (Value::Null, Kind::Bytes | Kind::Sealed) => &None::<&[u8]>,
    }
}

//! A connection, and the few things that are done with it.

use std::ops::Deref;

use deadpool_postgres::Object;
use tokio_postgres::Row;
use tokio_postgres::binary_copy::BinaryCopyInWriter;
use tokio_postgres::types::{ToSql, Type};

use super::error::Fault;
use crate::damage::Damage;
use crate::error::Error;

/// The values of a statement, in the order of their numbers.
pub(super) type Values<'a> = &'a [&'a (dyn ToSql + Sync)];

/// A connection of the pool, to which it goes back.
pub(super) struct Db {
    client: Option<Object>,
}

impl Db {
    pub(super) const fn new(client: Object) -> Self {
        Self { client: Some(client) }
    }

    fn client(&self) -> Result<&Object, Fault> {
        self.client.as_ref().ok_or_else(|| Fault::Final(Error::unavailable("the connection was given up")))
    }

    /// The rows that a statement gives. It is prepared once for each connection.
    pub(super) async fn rows(&self, sql: &str, values: Values<'_>) -> Result<Vec<Row>, Fault> {
        let client = self.client()?;
        let statement = client.prepare_cached(sql).await?;
        Ok(client.query(&statement, values).await?)
    }

    /// The same of a statement that is not prepared for later: it names a table of history, and there is a new one each day.
    pub(super) async fn rows_once(&self, sql: &str, values: Values<'_>) -> Result<Vec<Row>, Fault> {
        Ok(self.client()?.query(sql, values).await?)
    }

    /// The first row that a statement gives.
    pub(super) async fn row(&self, sql: &str, values: Values<'_>) -> Result<Option<Row>, Fault> {
        Ok(self.rows(sql, values).await?.into_iter().next())
    }

    /// The row of a statement that always gives one.
    pub(super) async fn one(&self, sql: &str, values: Values<'_>) -> Result<Row, Fault> {
        self.row(sql, values).await?.ok_or_else(|| Fault::Final(Error::corrupt("a row is missing")))
    }

    /// Whether a statement gives a row.
    pub(super) async fn exists(&self, sql: &str, values: Values<'_>) -> Result<bool, Fault> {
        Ok(self.row(sql, values).await?.is_some())
    }

    /// Carries a statement out. Returns how many rows it wrote.
    pub(super) async fn execute(&self, sql: &str, values: Values<'_>) -> Result<u64, Fault> {
        let client = self.client()?;
        let statement = client.prepare_cached(sql).await?;
        Ok(client.execute(&statement, values).await?)
    }

    /// The same of a statement that is not prepared for later.
    pub(super) async fn execute_once(&self, sql: &str, values: Values<'_>) -> Result<u64, Fault> {
        Ok(self.client()?.execute(sql, values).await?)
    }

    /// Begins to copy rows into a table, whose columns have these types.
    pub(super) async fn copy_in(&self, sql: &str, types: &[Type]) -> Result<BinaryCopyInWriter, Fault> {
        Ok(BinaryCopyInWriter::new(self.client()?.copy_in(sql).await?, types))
    }

    /// Carries out statements without values: those that begin and end transactions, and those that make tables.
    pub(super) async fn run(&self, sql: &str) -> Result<(), Fault> {
        Ok(self.client()?.batch_execute(sql).await?)
    }

    /// The same, with the error as the driver has it.
    pub(super) async fn try_run(&self, sql: &str) -> Result<Result<(), tokio_postgres::Error>, Fault> {
        Ok(self.client()?.batch_execute(sql).await)
    }

    /// Reads rows until there are so many that can be read. What cannot be read is noted and left out.
    pub(super) async fn read_page<T>(
        &self,
        sql: &str,
        values: Values<'_>,
        limit: usize,
        damage: &Damage,
        read: impl FnMut(&Row) -> Result<T, Error>,
    ) -> Result<Vec<T>, Fault> {
        self.read_part(sql, values, (0, limit), damage, read).await
    }

    /// The same without the first so many rows.
    pub(super) async fn read_part<T>(
        &self,
        sql: &str,
        values: Values<'_>,
        (skip, limit): (i64, usize),
        damage: &Damage,
        mut read: impl FnMut(&Row) -> Result<T, Error>,
    ) -> Result<Vec<T>, Fault> {
        let (mut page, mut offset) = (Vec::new(), skip);
        let paged = format!("{sql} limit ${} offset ${}", values.len() + 1, values.len() + 2);
        while page.len() < limit {
            let asked = count(limit - page.len());
            let mut all: Vec<&(dyn ToSql + Sync)> = values.to_vec();
            all.extend([&asked as &(dyn ToSql + Sync), &offset]);
            let rows = self.rows(&paged, &all).await?;
            for row in &rows {
                page.extend(damage.sieve(read(row))?);
            }
            if count(rows.len()) < asked {
                break;
            }
            offset += asked;
        }
        Ok(page)
    }

    /// Ends the connection instead of giving it back: nobody knows what state it is in.
    fn give_up(&mut self) {
        if let Some(client) = self.client.take() {
            drop(Object::take(client));
        }
    }
}

/// A number of rows as PostgreSQL counts them.
pub(super) fn count(number: usize) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

/// A connection in a transaction. If the transaction is not ended, because its caller went away or something failed, the
/// connection is given up, and the database takes the transaction back.
pub(super) struct Transaction {
    db: Db,
    is_open: bool,
}

impl Transaction {
    /// Begins a transaction with that statement.
    pub(super) async fn begin(db: Db, begin: &str) -> Result<Self, Fault> {
        let transaction = Self { db, is_open: true };
        transaction.db.run(begin).await?;
        Ok(transaction)
    }

    /// Commits. An error without a code of the database leaves it open whether that was done.
    pub(super) async fn commit(mut self) -> Result<Result<(), tokio_postgres::Error>, Fault> {
        let committed = self.db.try_run("commit").await?;
        self.is_open = committed.is_err();
        Ok(committed)
    }

    /// Takes everything back, as far as the connection still works.
    pub(super) async fn take_back(mut self) {
        self.is_open = self.db.run("rollback").await.is_err();
    }

    /// Ends a transaction that only read, and passes on what it has read.
    pub(super) async fn end<T>(mut self, read: Result<T, Fault>) -> Result<T, Error> {
        self.is_open = self.db.run("rollback").await.is_err();
        Ok(read?)
    }
}

impl Deref for Transaction {
    type Target = Db;

    fn deref(&self) -> &Db {
        &self.db
    }
}

impl Drop for Transaction {
    fn drop(&mut self) {
        if self.is_open {
            self.db.give_up();
        }
    }
}

//! Transactions that write: how they begin, what they leave to their end, and what follows from them.
//!
//! ```text
//!   task ─▶ changes of the log, numbered ─▶ records of history, numbered ─▶ commit ─▶ bell ─▶ events ─▶ answer
//!           └──── the counters are locked from here on ─────────────────────────┘
//! ```
//!
//! A task may be carried out several times: when the database takes a transaction back, or a connection is lost before the
//! commit, nothing of it is there, and it begins again.

use std::ops::Deref;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use super::db::{Db, Transaction};
use super::error::Fault;
use super::history;
use super::shared::Shared;
use super::{change, failing};
use crate::bell::Changed;
use crate::error::Error;
use crate::history::HistoryEntry;
use crate::history::segment::Segment;
use crate::run_log::RunNote;
use crate::write_outcome::WriteOutcome;

/// How often a transaction is begun again.
const RETRIES_MAX: u32 = 8;

/// How long to wait before that, the first time. Each time it is as much longer.
const RETRY_AFTER: Duration = Duration::from_millis(5);

/// What a task does, later.
pub(super) type Pending<'t, T> = Pin<Box<dyn Future<Output = Result<T, Fault>> + Send + 't>>;

/// Something to write, with what it is about.
pub(super) type Task<D, T> = for<'t> fn(&'t mut WriteTx, &'t D) -> Pending<'t, T>;

/// The transaction that a task writes in.
pub(super) struct WriteTx {
    db: Transaction,
    pub(super) shared: Arc<Shared>,
    /// What goes to history with the transaction.
    pub(super) history: Vec<HistoryEntry>,
    /// What goes to the log of changes with it.
    pub(super) changes: Vec<change::NewChange>,
    /// For which jobs the bell is rung when the transaction is on disk.
    pub(super) changed: Changed,
    /// Tables of history that the transaction has made.
    pub(super) made: Vec<Segment>,
}

impl Deref for WriteTx {
    type Target = Db;

    fn deref(&self) -> &Db {
        &self.db
    }
}

/// What is known of a transaction that is on disk, for those who are told.
#[derive(Default)]
pub(super) struct Committed {
    /// The batch of its records, which are in the order of their numbers.
    pub(super) batch: Option<i64>,
    pub(super) history: Vec<HistoryEntry>,
    pub(super) changes: change::Numbered,
    pub(super) notes: Vec<RunNote>,
}

impl Shared {
    /// Writes, and returns when it is on disk.
    pub(super) async fn write<D, T>(self: &Arc<Self>, data: D, task: Task<D, T>) -> Result<T, Error>
    where
        D: Send + Sync + 'static,
        T: Send + 'static,
    {
        match self.try_write(data, task).await {
            WriteOutcome::Written(written) => Ok(written),
            WriteOutcome::NotWritten(error) | WriteOutcome::Unknown(error) => Err(error),
        }
    }

    /// Writes, and says what became of it. It goes on if its caller goes away: what is committed has to be told.
    pub(super) async fn try_write<D, T>(self: &Arc<Self>, data: D, task: Task<D, T>) -> WriteOutcome<T>
    where
        D: Send + Sync + 'static,
        T: Send + 'static,
    {
        let shared = Arc::clone(self);
        let writing = tokio::spawn(async move { shared.write_until_done(&data, task).await });
        match writing.await {
            Ok(outcome) => outcome,
            Err(error) => WriteOutcome::Unknown(Error::unavailable(error)),
        }
    }

    async fn write_until_done<D: Sync, T>(self: &Arc<Self>, data: &D, task: Task<D, T>) -> WriteOutcome<T> {
        let mut retries = 0;
        loop {
            match self.write_once(data, task).await {
                Ok(outcome) => return outcome,
                Err(Fault::Again(_) | Fault::NoTable(_)) if retries < RETRIES_MAX => {
                    retries += 1;
                    // A table of history that is not there was dropped by another node.
                    self.segments.forget();
                    tokio::time::sleep(RETRY_AFTER * retries).await;
                }
                Err(fault) => return WriteOutcome::NotWritten(fault.into()),
            }
        }
    }

    async fn write_once<D, T>(self: &Arc<Self>, data: &D, task: Task<D, T>) -> Result<WriteOutcome<T>, Fault> {
        let db = self.pool.transaction().await?;
        let mut tx = WriteTx {
            db,
            shared: Arc::clone(self),
            history: Vec::new(),
            changes: Vec::new(),
            changed: Changed::default(),
            made: Vec::new(),
        };
        let written = match task(&mut tx, data).await {
            Ok(written) => written,
            Err(fault) => return tx.take_back(fault).await,
        };
        let committed = match tx.finish().await {
            Ok(committed) => committed,
            Err(fault) => return tx.take_back(fault).await,
        };
        let WriteTx { db, changed, made, .. } = tx;
        match db.commit().await? {
            Ok(()) => {}
            Err(error) if Fault::is_refused_commit(&error) => return Err(error.into()),
            Err(error) => {
                // It may be on disk, and to look once too often harms nobody.
                self.bell.ring_for(changed);
                return Ok(WriteOutcome::Unknown(Fault::from(error).into()));
            }
        }
        self.segments.add(made);
        self.note_own_changes(committed.changes.iter().map(|(id, _)| i64::try_from(*id).unwrap_or(i64::MAX)));
        self.bell.ring_for(changed);
        self.tell(committed).await;
        Ok(WriteOutcome::Written(written))
    }
}

impl WriteTx {
    /// Writes what is left to the end. From the first number on, everyone who needs the next one waits for the commit.
    async fn finish(&mut self) -> Result<Committed, Fault> {
        let changes = std::mem::take(&mut self.changes);
        let changes = change::write(self, changes).await?;
        let mut history = std::mem::take(&mut self.history);
        if history.is_empty() {
            return Ok(Committed { batch: None, history, changes, notes: Vec::new() });
        }
        let batch = history::append(self, &mut history).await?;
        let notes = failing::record(self, batch, &history).await?;
        Ok(Committed { batch: Some(batch), history, changes, notes })
    }

    async fn take_back<T>(self, fault: Fault) -> Result<T, Fault> {
        self.db.take_back().await;
        Err(fault)
    }

    /// Takes the next numbers of a counter: so many, and returns the last of them. The row is held until the commit, so that
    /// numbers become visible in their order.
    pub(super) async fn number(&self, counter: &str, numbers: i64) -> Result<i64, Fault> {
        let sql = "update counter set value = value + $2 where name = $1 returning value";
        let row = self.one(sql, &[&counter, &numbers]).await?;
        Ok(crate::cells::Cells::of(&row).next()?)
    }

    /// Lets the statements that follow take longer than others may: they look at every job there is.
    pub(super) async fn take_time(&self) -> Result<(), Fault> {
        self.run("set local statement_timeout = '5min'").await
    }

    /// Waits until no other transaction holds the row of that name, and holds it until the end.
    pub(super) async fn lock(&self, name: &str) -> Result<(), Fault> {
        self.execute("insert into lock_row (name) values ($1) on conflict do nothing", &[&name]).await?;
        self.one("select 1::bigint from lock_row where name = $1 for update", &[&name]).await?;
        Ok(())
    }
}

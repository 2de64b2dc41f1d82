//! The one thread that writes.
//!
//! A caller sends a task and waits for its reply. The thread does all tasks that wait in one transaction, each in a
//! savepoint, so that a task that fails takes nothing back but itself (see [`shared`](super::shared) for new jobs); then it commits, which is one fsync for all of them,
//! and only then replies. While it commits, the next tasks gather: the more clients write, the more share an fsync.
//!
//! ```text
//!   clients   ──a──b────c──d──e───f──▶
//!   writer      [a][commit][b c d][commit][e f][commit]
//!   replies               a             b c d          e f
//! ```
//!
//! A transaction for which the disk has no room is taken back, with its history, and all of its callers are told. See
//! [`disk`](super::disk) for what is still written then.
//!
//! What the engine settles, many rows at a time, comes after what clients write: see [`inbox`](super::inbox).

use std::mem;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::mpsc::SyncSender;
use std::thread::{self, JoinHandle};
use std::time::Duration;

use rusqlite::{Connection, OptionalExtension};
use tokio::sync::{mpsc, oneshot};

use super::OnFatal;
use super::access::Access;
use super::collection::ChangedPaths;
use super::disk::Disk;
use super::failing;
use super::inbox::{Inbox, QUEUE_MAX, Request, Room};
use super::log::Log;
use super::readers;
use super::savepoint::in_savepoint;
use super::segments::{self, Segments};
use super::shared::{Repeatable, Shared};
use super::told::{self, Paths};
use crate::bell::{Bell, Changed};
use crate::error::Error;
use crate::events::{EventPlace, Events};
use crate::history::HistoryEntry;
use crate::run_log::{self, RunNote};
use crate::write_outcome::WriteOutcome;

/// Pages that the writer keeps, in KiB: new jobs go to places all over the indexes.
const CACHE_KIB: i32 = 32 << 10;

/// Something to do in a write transaction.
pub(super) enum Task {
    Once(Box<dyn FnOnce(&mut WriteTx<'_>) -> Reply + Send>),
    Shared(Box<dyn Repeatable>),
}

/// What is done when the transaction of a task is on disk, or was taken back because there is no room for it.
pub(super) type Reply = Box<dyn FnOnce(Landing) + Send>;

/// What became of a transaction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Landing {
    OnDisk,
    DiskFull,
}

/// The transaction that a task writes in.
pub(super) struct WriteTx<'a> {
    pub(super) db: &'a Connection,
    /// What goes to history with the transaction.
    pub(super) history: &'a mut Vec<HistoryEntry>,
    /// For which jobs the bell is rung when the transaction is on disk. A task says so last, when it cannot fail any more.
    pub(super) changed: &'a mut Changed,
    pub(super) segments: &'a mut Segments,
    pub(super) disk: &'a mut Disk,
    pub(super) paths: &'a mut ChangedPaths,
}

/// What the writer thread has to itself.
pub(super) struct WriterFiles {
    pub(super) connection: Connection,
    pub(super) segments: Segments,
    pub(super) last_batch: i64,
    pub(super) disk: Disk,
}

/// Who hears of what is on disk.
pub(super) struct Listeners {
    pub(super) bell: Arc<Bell>,
    pub(super) events: Arc<Events>,
}

/// The handle to the writer thread.
pub(super) struct Writer {
    queue: Option<mpsc::Sender<Request>>,
    thread: Option<JoinHandle<()>>,
}

/// Makes a new connection the writer's.
pub(super) fn prepare(connection: &Connection) -> Result<(), Error> {
    connection.pragma_update(None, "journal_mode", "wal")?;
    connection.pragma_update(None, "synchronous", "full")?;
    connection.pragma_update(None, "wal_autocheckpoint", 0)?;
    connection.pragma_update(None, "cache_size", -CACHE_KIB)?;
    // What a savepoint may have to take back is kept in memory, not in a file.
    connection.pragma_update(None, "temp_store", "memory")?;
    readers::keep_plans(connection)?;
    connection.busy_timeout(Duration::from_secs(5))?;
    Ok(())
}

impl Writer {
    pub(super) fn start(
        mut files: WriterFiles,
        access: Access,
        checkpoint: SyncSender<()>,
        listeners: Listeners,
        on_fatal: OnFatal,
    ) -> Result<Self, Error> {
        let (queue, requests) = mpsc::channel(QUEUE_MAX);
        let log = Log::watch(&mut files.connection, checkpoint)?;
        let thread = thread::Builder::new()
            .name("writer".to_owned())
            .spawn(move || {
                let (paths, changed_paths) = (Paths::default(), ChangedPaths::default());
                let mut writer = WriterThread { files, access, log, listeners, paths, changed_paths };
                match catch_unwind(AssertUnwindSafe(|| writer.run(Inbox::new(requests)))) {
                    Ok(Ok(())) => {}
                    Ok(Err(error)) => on_fatal(error.to_string()),
                    // A process that cannot write any more must not live on.
                    Err(_) => on_fatal("the writer panicked".to_owned()),
                }
            })
            .map_err(Error::unavailable)?;
        Ok(Self { queue: Some(queue), thread: Some(thread) })
    }

    /// Writes, and returns when it is on disk. Refused while the disk is full.
    pub(super) fn write<T: Send + 'static>(
        &self,
        write: impl FnOnce(&mut WriteTx<'_>) -> Result<T, Error> + Send + 'static,
    ) -> impl Future<Output = Result<T, Error>> + Send {
        self.write_from_reserve(move |tx| if tx.disk.is_full() { Err(Error::DiskFull) } else { write(tx) })
    }

    /// Writes what ends or removes something, and returns when it is on disk. Also made while the disk is full.
    pub(super) fn write_from_reserve<T: Send + 'static>(
        &self,
        write: impl FnOnce(&mut WriteTx<'_>) -> Result<T, Error> + Send + 'static,
    ) -> impl Future<Output = Result<T, Error>> + Send {
        let sent = self.send(write, || (), Request::Write);
        async move {
            match sent.await {
                WriteOutcome::Written(written) => Ok(written),
                WriteOutcome::NotWritten(error) | WriteOutcome::Unknown(error) => Err(error),
            }
        }
    }

    /// Writes so many changes of the engine, after what clients write, and returns when they are on disk. The thread runs
    /// `on_commit` when they are, whether the caller still waits or not.
    pub(super) fn settle<T: Send + 'static>(
        &self,
        changes: usize,
        write: impl FnOnce(&mut WriteTx<'_>) -> Result<T, Error> + Send + 'static,
        on_commit: impl FnOnce() + Send + 'static,
    ) -> impl Future<Output = WriteOutcome<T>> + Send {
        self.send(write, on_commit, move |task| Request::Settle { changes, task })
    }

    /// Looks at something when all that the engine has sent before is on disk, or will never be.
    pub(super) async fn after_settled<T: Send + 'static>(
        &self,
        look: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, Error> {
        let (sender, receiver) = oneshot::channel();
        let task = Task::Once(Box::new(move |_| Box::new(move |_| drop(sender.send(look())))));
        self.queue()?.send(Request::Settle { changes: 0, task }).await.map_err(|_| stopped())?;
        receiver.await.map_err(|_| stopped())
    }

    /// Sends a task and waits for its reply. What is to be written is put away before the future is made, which would else
    /// carry it from one level to the next.
    fn send<T: Send + 'static>(
        &self,
        write: impl FnOnce(&mut WriteTx<'_>) -> Result<T, Error> + Send + 'static,
        on_commit: impl FnOnce() + Send + 'static,
        request: impl FnOnce(Task) -> Request,
    ) -> impl Future<Output = WriteOutcome<T>> + Send {
        let (sender, receiver) = oneshot::channel();
        let task = Task::Once(Box::new(move |tx| {
            let result = in_savepoint(tx, write);
            Box::new(move |landing| {
                let result = match landing {
                    Landing::OnDisk => result,
                    Landing::DiskFull => Err(Error::DiskFull),
                };
                if result.is_ok() {
                    on_commit();
                }
                drop(sender.send(result));
            })
        }));
        let (queue, request) = (self.queue(), request(task));
        async move {
            let queue = match queue {
                Ok(queue) => queue,
                Err(error) => return WriteOutcome::NotWritten(error),
            };
            if queue.send(request).await.is_err() {
                return WriteOutcome::NotWritten(stopped());
            }
            match receiver.await {
                Ok(Ok(written)) => WriteOutcome::Written(written),
                Ok(Err(error)) => WriteOutcome::NotWritten(error),
                Err(_) => WriteOutcome::Unknown(stopped()),
            }
        }
    }

    pub(super) fn queue(&self) -> Result<&mpsc::Sender<Request>, Error> {
        self.queue.as_ref().ok_or_else(stopped)
    }
}

pub(super) fn stopped() -> Error {
    Error::unavailable("the writer has stopped")
}

impl Drop for Writer {
    /// What was accepted is finished.
    fn drop(&mut self) {
        self.queue = None;
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

/// The number of the last batch that went to history with what it is the history of.
pub(super) fn last_batch(connection: &Connection) -> Result<i64, Error> {
    let mut statement = connection.prepare_cached("select value from meta where name = 'batch'")?;
    Ok(statement.query_row([], |row| row.get(0)).optional()?.unwrap_or(0))
}

/// Keeps the number of the last batch.
pub(super) fn set_last_batch(connection: &Connection, batch: i64) -> Result<(), Error> {
    let mut statement = connection.prepare_cached("insert or replace into meta (name, value) values ('batch', ?1)")?;
    statement.execute([batch])?;
    Ok(())
}

/// The writer thread.
struct WriterThread {
    files: WriterFiles,
    access: Access,
    log: Log,
    listeners: Listeners,
    paths: Paths,
    changed_paths: ChangedPaths,
}

impl WriterThread {
    /// Ends when nobody can send any more, or when a commit fails for another reason than a full disk: then nothing that
    /// was not answered is known to be on disk, and nothing more must be tried.
    fn run(&mut self, mut inbox: Inbox) -> Result<(), Error> {
        let (mut history, mut changed) = (Vec::new(), Changed::default());
        while inbox.wait() {
            let WriterFiles { connection: db, segments, disk, .. } = &mut self.files;
            disk.look();
            db.prepare_cached("begin immediate")?.execute([])?;
            let paths = &mut self.changed_paths;
            let mut tx = WriteTx { db, history: &mut history, changed: &mut changed, segments, disk, paths };
            let (mut replies, mut room, mut shared) = (Vec::new(), Room::default(), Shared::default());
            while !tx.db.is_autocommit()
                && let Some(task) = inbox.next(&mut room)
            {
                shared.take(&mut tx, task, &mut replies)?;
            }
            shared.close(&tx, &mut replies)?;
            let mut notes = Vec::new();
            let landing = match self.finish(&mut history) {
                Ok(worth_a_line) => {
                    notes = worth_a_line;
                    Landing::OnDisk
                }
                Err(Error::DiskFull) => Landing::DiskFull,
                Err(error) => return Err(error),
            };
            match landing {
                Landing::OnDisk => {
                    self.listeners.bell.ring_for(mem::take(&mut changed));
                    self.publish(&history)?;
                    self.log(&history, &notes)?;
                }
                Landing::DiskFull => {
                    changed = Changed::default();
                    self.take_back()?;
                }
            }
            history.clear();
            for reply in replies {
                reply(landing);
            }
            self.bound_log()?;
        }
        Ok(())
    }

    /// Commits. History is on disk before what it is the history of. If the process dies in between, the batch is not known
    /// to the main file, and its records are removed at the next start.
    fn finish(&mut self, history: &mut [HistoryEntry]) -> Result<Vec<RunNote>, Error> {
        let WriterFiles { connection: db, segments, last_batch, disk } = &mut self.files;
        // A full disk in the middle of a write ends the transaction of all of them. Without one, what comes next would
        // be on disk piece by piece, and history would have what was taken back.
        if db.is_autocommit() {
            let reason = "the disk fails: a transaction was taken back";
            return Err(if disk.has_overflowed() { Error::DiskFull } else { Error::unavailable(reason) });
        }
        if history.is_empty() {
            db.prepare_cached("commit")?.execute([])?;
            return Ok(Vec::new());
        }
        let batch = *last_batch + 1;
        segments.append(batch, history)?;
        let notes = failing::record(db, segments::numbers(batch)?.zip(&*history))?;
        set_last_batch(db, batch)?;
        db.prepare_cached("commit")?.execute([])?;
        *last_batch = batch;
        segments.confirm();
        Ok(notes)
    }

    /// Writes to the log what is on disk and worth a line.
    fn log(&mut self, history: &[HistoryEntry], notes: &[RunNote]) -> Result<(), Error> {
        let db = &self.files.connection;
        let mut path = |job| self.paths.get(db, job).map(Option::unwrap_or_default);
        let told = if run_log::tells_all() { history } else { &[] };
        for entry in told {
            run_log::tell_run(&entry.record, &path(entry.job)?);
        }
        run_log::tell(notes, |at| Ok((&history[at].record, path(history[at].job)?)))
    }

    /// Tells those who watch of what is on disk.
    fn publish(&mut self, history: &[HistoryEntry]) -> Result<(), Error> {
        let WriterFiles { connection: db, last_batch, .. } = &self.files;
        let until = EventPlace { history: segments::last_number(*last_batch)?, change: told::last_change(db)? };
        let numbers = segments::numbers(*last_batch)?;
        self.listeners.events.advance(until, |before| {
            let told = told::committed(db, &mut self.paths, before, until, numbers.zip(history));
            // It is written, and that is what counts: whoever watches can read it.
            told.inspect_err(|error| tracing::warn!("events were not told: {error}")).unwrap_or_default()
        });
        Ok(())
    }

    /// Takes back a transaction for which there was no room: its rows, its history, and what was remembered of it.
    fn take_back(&mut self) -> Result<(), Error> {
        let WriterFiles { connection: db, segments, last_batch, disk } = &mut self.files;
        disk.record_overflow();
        if !db.is_autocommit() {
            db.prepare_cached("rollback")?.execute([])?;
        }
        self.access.refresh(db)?;
        self.changed_paths.clear();
        segments.take_back(*last_batch + 1)
    }

    /// Keeps the log short. While the disk is full the log gives its room back as soon as it can.
    fn bound_log(&mut self) -> Result<(), Error> {
        let WriterFiles { connection: db, disk, .. } = &mut self.files;
        let bounded = if disk.is_full() {
            db.query_row("pragma wal_checkpoint(truncate)", [], |_| Ok(()))
        } else {
            self.log.bound(db)
        };
        match bounded.map_err(Error::from) {
            Err(Error::DiskFull) => {
                disk.record_overflow();
                Ok(())
            }
            bounded => bounded,
        }
    }
}

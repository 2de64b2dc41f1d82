//! Writes that share a savepoint.
//!
//! For a savepoint SQLite keeps a copy of every page that is written after it. A new job writes to eight pages, and the next
//! one to most of them again. So jobs that are made one after the other share a savepoint. They look first whether they can be
//! written, so that one of them hardly ever fails when it has written something; if one does, all of them are taken back and
//! the others are made once more, each in a savepoint of its own.

use tokio::sync::oneshot;

use super::inbox::Request;
use super::savepoint::{in_savepoint, note_overflow};
use super::writer::{Landing, Reply, Task, WriteTx, Writer, stopped};
use crate::error::Error;

/// A write that can be made once more when it was taken back.
pub(super) trait Repeatable: Send {
    fn write(&mut self, tx: &mut WriteTx<'_>) -> Result<(), Error>;

    /// What is done when it is on disk, given how it went.
    fn reply(self: Box<Self>, result: Result<(), Error>) -> Reply;
}

/// Makes something of `input`.
struct Create<I, W, T> {
    input: I,
    write: fn(&I, &mut WriteTx<'_>) -> Result<W, Error>,
    /// What the caller is told, by what was written last.
    tell: fn(I, W) -> T,
    written: Option<W>,
    sender: oneshot::Sender<Result<T, Error>>,
}

impl Writer {
    /// Writes something new, and returns when it is on disk. Refused while the disk is full. `write` looks first whether it
    /// can be written.
    pub(super) fn create<I: Send + 'static, W: Send + 'static, T: Send + 'static>(
        &self,
        input: I,
        write: fn(&I, &mut WriteTx<'_>) -> Result<W, Error>,
        tell: fn(I, W) -> T,
    ) -> impl Future<Output = Result<T, Error>> + Send {
        let (sender, receiver) = oneshot::channel();
        // Put away before the future is made, which would else carry it from one level to the next.
        let task = Task::Shared(Box::new(Create { input, write, tell, written: None, sender }));
        let queue = self.queue();
        async move {
            queue?.send(Request::Write(task)).await.map_err(|_| stopped())?;
            receiver.await.map_err(|_| stopped())?
        }
    }
}

impl<I: Send + 'static, W: Send + 'static, T: Send + 'static> Repeatable for Create<I, W, T> {
    fn write(&mut self, tx: &mut WriteTx<'_>) -> Result<(), Error> {
        if tx.disk.is_full() {
            return Err(Error::DiskFull);
        }
        self.written = Some((self.write)(&self.input, tx)?);
        Ok(())
    }

    fn reply(self: Box<Self>, result: Result<(), Error>) -> Reply {
        let Self { input, tell, written, sender, .. } = *self;
        Box::new(move |landing| {
            let told = match (landing, result, written) {
                (Landing::DiskFull, ..) => Err(Error::DiskFull),
                (Landing::OnDisk, Ok(()), Some(written)) => Ok(tell(input, written)),
                (Landing::OnDisk, result, _) => Err(result.err().unwrap_or(Error::Stale)),
            };
            drop(sender.send(told));
        })
    }
}

/// The writes of one transaction that come one after the other and share a savepoint, and how each of them went.
#[derive(Default)]
pub(super) struct Shared {
    writes: Vec<(Box<dyn Repeatable>, Result<(), Error>)>,
    /// How much history there was before them.
    kept: usize,
    /// Whether one has failed, so that each has a savepoint of its own.
    is_apart: bool,
}

impl Shared {
    /// Does a task.
    pub(super) fn take(&mut self, tx: &mut WriteTx<'_>, task: Task, replies: &mut Vec<Reply>) -> Result<(), Error> {
        match task {
            Task::Shared(write) => self.add(tx, write),
            Task::Once(task) => {
                self.close(tx, replies)?;
                replies.push(task(tx));
                Ok(())
            }
        }
    }

    /// Makes a write, and takes nothing back but that one if it fails.
    fn add(&mut self, tx: &mut WriteTx<'_>, mut write: Box<dyn Repeatable>) -> Result<(), Error> {
        if self.writes.is_empty() {
            self.kept = tx.history.len();
            tx.db.prepare_cached("savepoint shared")?.execute([])?;
        }
        if self.is_apart {
            let result = in_savepoint(tx, |tx| write.write(tx));
            self.writes.push((write, result));
            return Ok(());
        }
        let changes = tx.db.total_changes();
        let result = write.write(tx);
        note_overflow(tx, &result);
        let is_whole = match &result {
            Ok(()) => true,
            Err(Error::Stale | Error::Full { .. }) => tx.db.total_changes() == changes,
            Err(_) => false,
        };
        self.writes.push((write, result));
        if is_whole { Ok(()) } else { self.part(tx) }
    }

    /// Takes all back, and makes all but those that failed once more, each by itself. For which jobs the bell is rung may
    /// have one too many then, which does no harm.
    fn part(&mut self, tx: &mut WriteTx<'_>) -> Result<(), Error> {
        self.is_apart = true;
        if tx.db.is_autocommit() {
            // SQLite has ended the whole transaction.
            return Ok(());
        }
        tx.history.truncate(self.kept);
        tx.db.prepare_cached("rollback to shared")?.execute([])?;
        for (write, result) in self.writes.iter_mut().filter(|(_, result)| result.is_ok()) {
            *result = in_savepoint(tx, |tx| write.write(tx));
        }
        Ok(())
    }

    /// Ends what they share, before something else is written or the transaction is committed.
    pub(super) fn close(&mut self, tx: &WriteTx<'_>, replies: &mut Vec<Reply>) -> Result<(), Error> {
        if self.writes.is_empty() {
            return Ok(());
        }
        if !tx.db.is_autocommit() {
            tx.db.prepare_cached("release shared")?.execute([])?;
        }
        self.is_apart = false;
        replies.extend(self.writes.drain(..).map(|(write, result)| write.reply(result)));
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use tempfile::TempDir;

    use super::{Error, WriteTx};
    use crate::sqlite::tests::{gather, notes, open};

    /// Adds a row of this name, and then fails or not.
    fn add(name: &&'static str, tx: &mut WriteTx<'_>) -> Result<u64, Error> {
        if *name == "refused" {
            return Err(Error::Full { max: 7 });
        }
        tx.db.execute("insert into meta (name, value) values (?1, 1)", [name])?;
        if name.ends_with("fails") { Err(Error::Stale) } else { Ok(tx.db.total_changes()) }
    }

    #[tokio::test]
    async fn one_that_fails_takes_nothing_back_but_itself() {
        let directory = TempDir::new().unwrap();
        let (store, _reasons) = open(&directory);
        gather(&store, async || {
            let create = |name| store.writer.create(name, add, |name, changes| (name, changes));
            let (one, refused, two) = tokio::join!(create("note 1"), create("refused"), create("note 2"));
            let (one, two) = (one.unwrap(), two.unwrap());
            // The one that was refused has written nothing, so that the others were not written twice.
            assert_eq!((one.0, two), ("note 1", ("note 2", one.1 + 1)));
            assert!(matches!(refused, Err(Error::Full { max: 7 })));
        })
        .await
        .unwrap();
        gather(&store, async || {
            let create = |name| store.writer.create(name, add, |name, _| name);
            let (three, four, five, six) =
                tokio::join!(create("note 3"), create("note 4 fails"), create("note 5"), create("note 6 fails"));
            assert_eq!((three.unwrap(), five.unwrap()), ("note 3", "note 5"));
            assert!(matches!((four, six), (Err(Error::Stale), Err(Error::Stale))));
        })
        .await
        .unwrap();
        assert_eq!(notes(&directory), "note 1 note 2 note 3 note 5");
    }
}

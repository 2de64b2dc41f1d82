//! Moves what the log holds into the database file, beside the writer, so that no commit waits for it.

use std::path::Path;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread::{self, JoinHandle};

use rusqlite::Connection;

use crate::error::Error;

/// The thread that makes checkpoints when the writer wakes it.
pub(super) struct Checkpoints {
    wake: Option<SyncSender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Checkpoints {
    pub(super) fn start(file: &Path) -> Result<Self, Error> {
        let connection = Connection::open(file)?;
        connection.pragma_update(None, "synchronous", "full")?;
        let (wake, wakes) = sync_channel(1);
        let thread = thread::Builder::new()
            .name("checkpoint".to_owned())
            .spawn(move || run(&connection, &wakes))
            .map_err(Error::unavailable)?;
        Ok(Self { wake: Some(wake), thread: Some(thread) })
    }

    /// What the writer wakes the thread with when the log has grown.
    pub(super) fn waker(&self) -> SyncSender<()> {
        self.wake.clone().expect("it is there until it is dropped")
    }
}

fn run(connection: &Connection, wakes: &Receiver<()>) {
    while wakes.recv().is_ok() {
        // Passive: takes what it can get without making anyone wait. What it could not take, the next one will.
        if let Err(error) = connection.query_row("pragma wal_checkpoint(passive)", [], |_| Ok(())) {
            tracing::warn!("the log could not be moved into the database file: {error}");
        }
    }
}

impl Drop for Checkpoints {
    fn drop(&mut self) {
        self.wake = None;
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

//! Moves what the log holds into the database file, beside the writer, so that no commit waits for it.

use std::path::Path;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread::{self, JoinHandle};

use rusqlite::Connection;

use crate::error::Error;

/// The thread that makes checkpoints when the writer rings.
pub(super) struct Checkpoints {
    bell: Option<SyncSender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Checkpoints {
    pub(super) fn start(file: &Path) -> Result<Self, Error> {
        let connection = Connection::open(file)?;
        connection.pragma_update(None, "synchronous", "full")?;
        let (bell, rings) = sync_channel(1);
        let thread = thread::Builder::new()
            .name("checkpoint".to_owned())
            .spawn(move || run(&connection, &rings))
            .map_err(Error::unavailable)?;
        Ok(Self { bell: Some(bell), thread: Some(thread) })
    }

    /// What the writer rings when the log has grown.
    pub(super) fn bell(&self) -> SyncSender<()> {
        self.bell.clone().expect("it is there until it is dropped")
    }
}

fn run(connection: &Connection, rings: &Receiver<()>) {
    while rings.recv().is_ok() {
        // Passive: takes what it can get without making anyone wait. What it could not take, the next one will.
        if let Err(error) = connection.query_row("pragma wal_checkpoint(passive)", [], |_| Ok(())) {
            tracing::warn!("the log could not be moved into the database file: {error}");
        }
    }
}

impl Drop for Checkpoints {
    fn drop(&mut self) {
        self.bell = None;
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

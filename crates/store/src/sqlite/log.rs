//! The write-ahead log: kept short while the writer goes on.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::mpsc::SyncSender;

use rusqlite::Connection;
use rusqlite::hooks::Wal;

use crate::error::Error;

/// When the log has grown by so many pages it is moved into the database file, beside the writer.
const LOG_PAGES_TO_MOVE: u32 = 2048;

/// At this size, 64 MB, the writer itself moves the rest and begins the log from its start; under constant load nobody else can. Most
/// of it was moved already, so that this takes a moment only. The file stays as long as it is: to write over it is cheaper
/// than to let it grow again.
const LOG_PAGES_MAX: u32 = 16_384;

/// The log of what is not yet in the database file.
pub(super) struct Log {
    /// How long it is, since the last commit.
    pages: Arc<AtomicU32>,
    /// How long it was when the checkpoint thread was last woken.
    pages_then: u32,
    checkpoint: SyncSender<()>,
}

impl Log {
    pub(super) fn watch(connection: &mut Connection, checkpoint: SyncSender<()>) -> Result<Self, Error> {
        let pages = Arc::new(AtomicU32::new(0));
        let length = Arc::clone(&pages);
        connection.wal_hook(Some(move |_: &mut Wal, pages| {
            length.store(u32::try_from(pages).unwrap_or(0), Ordering::Relaxed);
            Ok(())
        }))?;
        Ok(Self { pages, pages_then: 0, checkpoint })
    }

    pub(super) fn bound(&mut self, connection: &Connection) -> Result<(), rusqlite::Error> {
        let pages = self.pages.load(Ordering::Relaxed);
        // A checkpoint has begun the log from its start.
        self.pages_then = self.pages_then.min(pages);
        if pages > LOG_PAGES_MAX {
            connection.query_row("pragma wal_checkpoint(restart)", [], |_| Ok(()))?;
        } else if pages > self.pages_then + LOG_PAGES_TO_MOVE {
            self.pages_then = pages;
            // A thread that was woken already will see what has come since.
            let _ = self.checkpoint.try_send(());
        }
        Ok(())
    }
}

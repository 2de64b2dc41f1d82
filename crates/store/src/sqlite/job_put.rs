//! The write of one job, from what was sealed before the writer was asked to what its caller is told.

use std::sync::{Arc, RwLock};

use super::job;
use super::store::read;
use super::writer::WriteTx;
use crate::columns::definition::Columns;
use crate::error::Error;
use crate::job::{JobEntry, JobWrite};
use crate::key::JobId;
use crate::seal::{self, Keyring};

/// A job that waits for the writer.
pub(super) struct JobPut {
    pub(super) write: JobWrite,
    pub(super) columns: Columns,
    pub(super) keyring: Arc<RwLock<Keyring>>,
}

impl JobPut {
    /// Makes a job.
    pub(super) fn insert(&self, tx: &mut WriteTx<'_>) -> Result<JobId, Error> {
        self.check_key(&read(&self.keyring))?;
        job::put(tx, &self.write, &self.columns)
    }

    /// The job that was made. All of it is known: nothing has to be read while others wait for the writer.
    pub(super) fn inserted(self, id: JobId) -> JobEntry {
        JobEntry::new(id, self.write.source.uid(), self.write)
    }

    /// Changes a job, and reads what became of it.
    pub(super) fn update(&self, tx: &mut WriteTx<'_>) -> Result<JobEntry, Error> {
        let keyring = read(&self.keyring);
        self.check_key(&keyring)?;
        job::put(tx, &self.write, &self.columns)?;
        job::get(tx.db, &keyring, self.write.collection.0, &self.write.name)?.ok_or(Error::Stale)
    }

    /// It was sealed before it waited. A key that was replaced since must not come back.
    fn check_key(&self, keyring: &Keyring) -> Result<(), Error> {
        let is_current = seal::key_id(&self.columns.action) == Some(keyring.current_id());
        if is_current { Ok(()) } else { Err(Error::Stale) }
    }
}

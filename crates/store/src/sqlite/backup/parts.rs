//! The files that a backup is made in, beside the file that it will be, and what killed backups have left of them.

use std::ffi::OsStr;
use std::fs::{self, File, TryLockError};
use std::os::unix::fs::{FileExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use super::archive::APPLICATION;
use super::copy;
use crate::error::Error;

/// What the name of an unfinished backup ends with.
const ARCHIVE: &str = "part";

/// What the name of the copy of one database ends with.
const COPY: &str = "copy";

/// The files that a backup is made in.
pub(super) struct Parts {
    pub(super) archive: PathBuf,
    /// The copy of one database.
    pub(super) copy: PathBuf,
    /// The archive, locked: what nobody has locked was left by a backup that was killed.
    _lock: File,
}

impl Parts {
    /// Takes the files for a backup that will be `file`.
    pub(super) fn take(file: &Path) -> Result<Self, Error> {
        let (archive, copy) = (beside(file, ARCHIVE), beside(file, COPY));
        loop {
            let open = File::options().create(true).truncate(false).write(true).mode(0o600).open(&archive);
            let lock = open.map_err(|error| Error::from(error).in_file(&archive))?;
            match lock.try_lock() {
                Ok(()) => {}
                Err(TryLockError::WouldBlock) => {
                    return Err(Error::refused(format!("another backup is making {}", file.display())));
                }
                Err(TryLockError::Error(error)) => return Err(Error::from(error).in_file(&archive)),
            }
            // Somebody who swept the directory may have removed the file before it was locked.
            if fs::metadata(&archive).is_ok_and(|found| lock.metadata().is_ok_and(|held| held.ino() == found.ino())) {
                lock.set_len(0)?;
                copy::remove(&copy)?;
                return Ok(Self { archive, copy, _lock: lock });
            }
        }
    }

    pub(super) fn remove_copy(&self) -> Result<(), Error> {
        copy::remove(&self.copy)
    }

    pub(super) fn remove(&self) -> Result<(), Error> {
        self.remove_copy()?;
        copy::remove(&self.archive)
    }
}

/// Removes what killed backups have left in a directory. `tell` is told of each.
pub(super) fn sweep(directory: &Path, tell: &mut dyn FnMut(&str)) -> Result<(), Error> {
    for entry in fs::read_dir(directory)? {
        let archive = entry?.path();
        let is_named_so = archive.extension() == Some(OsStr::new(ARCHIVE));
        if let Some(_lock) = is_named_so.then(|| lock_left(&archive)).flatten() {
            tell(&format!("removing {}, which an interrupted backup has left", archive.display()));
            // The copy goes first: the archive is what both are recognised by.
            copy::remove(&archive.with_extension(COPY))?;
            copy::remove(&archive)?;
        }
    }
    Ok(())
}

/// Locks an archive that nobody is making; nothing if somebody is, or if the file is none of ours.
fn lock_left(archive: &Path) -> Option<File> {
    let file = File::open(archive).ok()?;
    (is_archive(&file) && file.try_lock().is_ok()).then_some(file)
}

/// Whether a file is a database of backups, by its first bytes.
fn is_archive(file: &File) -> bool {
    let mut head = [0; 72];
    let is_read = file.read_exact_at(&mut head, 0).is_ok();
    is_read && head.starts_with(b"SQLite format 3\0") && head[68..] == APPLICATION.to_be_bytes()
}

fn beside(file: &Path, suffix: &str) -> PathBuf {
    let mut name = file.as_os_str().to_owned();
    name.push(".");
    name.push(suffix);
    PathBuf::from(name)
}

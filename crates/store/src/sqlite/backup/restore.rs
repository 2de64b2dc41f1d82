//! From a backup to a data directory.

use std::fs::{self, DirBuilder, File};
use std::os::unix::fs::DirBuilderExt;
use std::path::{Component, Path};

use punctual_model::time::Timestamp;
use rusqlite::Connection;

use super::super::lock::Lock;
use super::super::{FILE, HISTORY, due, keys, older, pause, writer};
use super::archive::Archive;
use super::{KEY_FILES, copy, is_segment, segment_names};
use crate::error::Error;
use crate::key::NodeId;
use crate::pause::PauseEntry;

/// What was restored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RestoreReport {
    /// When the backup was made.
    pub made_at: Option<Timestamp>,
    /// Jobs.
    pub jobs: u64,
    /// Whether the backup held the key that opens the secrets.
    pub has_key: bool,
    /// The numbers of the keys that open the secrets.
    pub keys: Vec<u32>,
}

/// Writes a backup into a directory that is empty or not there. What was due up to `now` and is not settled may have been
/// sent since the backup was made: the next server sends it with the mark. With a pause, that server starts paused.
pub fn restore(
    file: &Path,
    directory: &Path,
    now: Timestamp,
    pause: Option<PauseEntry>,
    tell: &mut dyn FnMut(&str),
) -> Result<RestoreReport, Error> {
    let archive = Archive::open(file)?;
    tell("checking the backup");
    archive.check().map_err(|error| error.in_file(file))?;
    let names = archive.names()?;
    if let Some(strange) = names.iter().find(|name| !is_ours(name)) {
        return Err(Error::corrupt(format!("holds {strange:?}, which no data directory has")).in_file(file));
    }
    let is_there = directory.exists();
    if is_there && fs::read_dir(directory)?.next().is_some() {
        let directory = directory.display();
        return Err(Error::refused(format!("{directory} is not empty: restore into a new directory")));
    }
    DirBuilder::new().recursive(true).mode(0o700).create(directory.join(HISTORY))?;
    let written = write(&archive, &names, directory, now, pause, tell);
    if written.is_err() {
        // A part of a backup must not be taken for a data directory.
        for name in names.iter().map(String::as_str).chain([UNMARKED]) {
            copy::remove(&directory.join(name))?;
        }
        fs::remove_dir(directory.join(HISTORY))?;
        if !is_there {
            fs::remove_dir(directory)?;
        }
    }
    let (jobs, keys) = written?;
    let has_key = names.iter().any(|name| name == KEY_FILES[0]);
    Ok(RestoreReport { made_at: archive.made_at()?, jobs, has_key, keys })
}

/// The name of the main file until it says what may have been sent, and that the server is paused.
const UNMARKED: &str = "punctual.db.restoring";

/// Gives the number of jobs, and the numbers of the keys. The main file comes last, and gets its name when all is said in it: without it no server starts in the directory.
fn write(
    archive: &Archive,
    names: &[String],
    directory: &Path,
    now: Timestamp,
    pause: Option<PauseEntry>,
    tell: &mut dyn FnMut(&str),
) -> Result<(u64, Vec<u32>), Error> {
    for name in names.iter().filter(|name| *name != FILE) {
        tell(&format!("restoring {name}"));
        archive.extract(name, &directory.join(name))?;
    }
    for name in segment_names(&directory.join(HISTORY))? {
        copy::close(copy::open_checked(&directory.join(HISTORY).join(name))?)?;
    }
    tell(&format!("restoring {FILE}"));
    let unmarked = directory.join(UNMARKED);
    archive.extract(FILE, &unmarked)?;
    let db = copy::open_checked(&unmarked)?;
    let jobs = db.query_row("select count(*) from job", [], |row| row.get(0))?;
    let keys = keys::used(&db)?;
    mark(&db, now, pause)?;
    copy::close(db)?;
    fs::rename(&unmarked, directory.join(FILE))?;
    for directory in [&directory.join(HISTORY), directory] {
        File::open(directory)?.sync_all()?;
    }
    Ok((jobs, keys))
}

/// Lets a server start on data that was put back by other means than [`restore`]: history is kept as it is, and what was due
/// up to `now` is sent with the mark. Gives the number of jobs.
pub fn adopt(directory: &Path, now: Timestamp, pause: Option<PauseEntry>) -> Result<u64, Error> {
    let file = directory.join(FILE);
    if !file.exists() {
        return Err(Error::refused(format!("there is no {}: name the data directory", file.display())));
    }
    let _lock = Lock::take(directory)?;
    let db = copy::open_checked(&file)?;
    let known = writer::last_batch(&db)?;
    let last = older::last_batch(&directory.join(HISTORY))?.map_or(known, |last| last.max(known));
    writer::set_last_batch(&db, last)?;
    let jobs = db.query_row("select count(*) from job", [], |row| row.get(0))?;
    mark(&db, now, pause)?;
    copy::close(db)?;
    Ok(jobs)
}

/// Says that anything that was due up to `now` may have been sent.
fn mark(db: &Connection, now: Timestamp, pause: Option<PauseEntry>) -> Result<(), Error> {
    due::set_watermark(db, NodeId::ONLY, now)?;
    pause.map_or(Ok(()), |new| pause::insert_if_none(db, &new))
}

/// Whether a file of that name belongs into a data directory: nothing in a backup may be written elsewhere.
fn is_ours(name: &str) -> bool {
    let parts: Vec<_> = Path::new(name).components().collect();
    match parts[..] {
        [Component::Normal(only)] => only == FILE || KEY_FILES.iter().any(|key| only == *key),
        [Component::Normal(directory), Component::Normal(file)] => {
            directory == HISTORY && file.to_str().is_some_and(is_segment)
        }
        _ => false,
    }
}

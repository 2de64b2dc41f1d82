//! A backup in one file, and the way back from it.
//!
//! The main file is copied first, in one snapshot, and the segments of history after it. So each record that the main file
//! knows of is in the copy; records of later batches are removed from it. The server goes on meanwhile: a snapshot keeps
//! nobody from writing, it only keeps the log from getting shorter.
//!
//! ```text
//!   punctual.db ──▶ snapshot at batch 7 ──▶ checked ──▶ ╮
//!   history/*.db ──▶ snapshot, batches up to 7 ──▶ checked ──▶ FILE.part ──▶ read again, hashes compared ──▶ FILE
//! ```

mod archive;
mod copy;
mod parts;
mod restore;

use std::fs::{self, File};
use std::io;
use std::path::Path;

use punctual_model::time::Timestamp;
use rusqlite::Connection;

use self::archive::Archive;
use self::parts::Parts;
pub use self::restore::{RestoreReport, adopt, restore};
use super::lock::Lock;
use super::segments::Segment;
use super::{FILE, HISTORY, older, writer};
use crate::error::Error;

/// What opens the secrets in the database, and proves who owns the server.
const KEY_FILES: [&str; 2] = ["secret.key", "owner.token"];

/// What a backup holds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct BackupReport {
    /// Jobs.
    pub jobs: u64,
    /// Records of history.
    pub records: u64,
    /// Days of history.
    pub segments: u64,
    /// Whether the keys are in it.
    pub has_keys: bool,
}

/// Writes all that is in the data directory into one file, which must not be there yet. A server may be using the
/// directory. `tell` is told of each step.
pub fn back_up(
    directory: &Path,
    file: &Path,
    with_keys: bool,
    now: Timestamp,
    tell: &mut dyn FnMut(&str),
) -> Result<BackupReport, Error> {
    if file.exists() {
        return Err(Error::refused(format!("{} is there already: name a new file", file.display())));
    }
    let source = directory.join(FILE);
    if !source.exists() {
        return Err(Error::refused(format!("there is no {}: name the data directory", source.display())));
    }
    parts::sweep(directory_of(file), tell)?;
    let parts = Parts::take(file)?;
    let made = write(directory, &parts, with_keys, now, tell);
    let finished = made.and_then(|report| {
        tell("reading the backup again");
        Archive::open(&parts.archive)?.check()?;
        File::open(&parts.archive)?.sync_all()?;
        // Without the archive the copy would not be recognised as something that a killed backup has left.
        parts.remove_copy()?;
        fs::rename(&parts.archive, file)?;
        sync_directory_of(file)?;
        Ok(report)
    });
    parts.remove()?;
    finished
}

fn write(
    directory: &Path,
    parts: &Parts,
    with_keys: bool,
    now: Timestamp,
    tell: &mut dyn FnMut(&str),
) -> Result<BackupReport, Error> {
    // What a server refuses is no backup either. A server that runs has not refused it.
    if let Ok(_lock) = Lock::take(directory) {
        let db = Connection::open(directory.join(FILE))?;
        older::check(&directory.join(HISTORY), writer::last_batch(&db)?)?;
    }
    let mut archive = Archive::create(&parts.archive, now)?;
    tell(&format!("copying {FILE}"));
    copy::database(&directory.join(FILE), &parts.copy, &mut |percent| tell(&format!("copying {FILE}: {percent} %")))?;
    let main = copy::check_main(&parts.copy)?;
    archive.add(FILE, &parts.copy)?;
    let mut report = BackupReport { jobs: main.jobs, has_keys: with_keys, ..BackupReport::default() };
    for name in segment_names(&directory.join(HISTORY))? {
        let (source, name) = (directory.join(HISTORY).join(&name), format!("{HISTORY}/{name}"));
        tell(&format!("copying {name}"));
        parts.remove_copy()?;
        match copy::database(&source, &parts.copy, &mut |percent| tell(&format!("copying {name}: {percent} %"))) {
            // The day was dropped meanwhile, because it is old.
            Err(_) if !source.exists() => continue,
            copied => copied?,
        }
        let records = copy::check_segment(&parts.copy, main.last_batch).map_err(|error| error.in_file(&source))?;
        let Some(records) = records else { continue };
        report.records += records;
        report.segments += 1;
        archive.add(&name, &parts.copy)?;
    }
    for name in KEY_FILES.into_iter().filter(|name| with_keys && directory.join(name).exists()) {
        archive.add(name, &directory.join(name))?;
    }
    archive.finish()?;
    Ok(report)
}

/// The files of history, in order, without what SQLite keeps beside them and what was set aside.
pub(super) fn segment_names(directory: &Path) -> Result<Vec<String>, Error> {
    let entries = match fs::read_dir(directory) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        entries => entries?,
    };
    let names: Result<Vec<_>, io::Error> = entries.map(|entry| Ok(entry?.file_name())).collect();
    let mut names: Vec<String> = names?.into_iter().filter_map(|name| name.into_string().ok()).collect();
    names.retain(|name| is_segment(name));
    names.sort_unstable();
    Ok(names)
}

/// Whether a file in the directory of history is one of its segments, by its name.
fn is_segment(name: &str) -> bool {
    Segment::parse(name).is_some()
}

fn sync_directory_of(file: &Path) -> Result<(), Error> {
    Ok(File::open(directory_of(file))?.sync_all()?)
}

fn directory_of(file: &Path) -> &Path {
    file.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

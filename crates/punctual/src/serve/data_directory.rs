//! The data directory before it is opened: that it is whole, and that nobody else on this machine can read it.

use std::fs::{self, DirBuilder, Permissions};
use std::os::unix::fs::{DirBuilderExt, PermissionsExt};
use std::path::{Path, PathBuf};

use anyhow::{Context, bail, ensure};
use punctual_store::sqlite;
use rustix::fs::Mode;
use rustix::process::umask;

/// How the names of what the server keeps in its data directory begin. Other files are somebody else's, and left alone.
const OURS: [&str; 7] = [sqlite::FILE, sqlite::HISTORY, sqlite::RESERVE, "secret.key", "owner.token", "tls", "lock"];

/// What is worthless without the database, so that its presence shows that the database was lost.
const NEEDS_DATABASE: [&str; 2] = ["secret.key", sqlite::HISTORY];

/// What the group and others may do.
const OTHERS: u32 = 0o077;
/// Everybody may write there, as in `/tmp`.
const STICKY: u32 = 0o1000;

/// Makes the directory if it is not there, and keeps everyone else out.
pub(super) fn prepare(directory: &Path) -> anyhow::Result<()> {
    // Holds for every file that is made from here on, also by libraries.
    umask(Mode::from_raw_mode(OTHERS));
    let made = DirBuilder::new().recursive(true).mode(0o700).create(directory);
    made.with_context(|| format!("cannot make the data directory {}", directory.display()))?;
    keep_others_out(directory)
}

/// Started without its database, the server would be empty, and all that is left would be useless or in the way.
pub(super) fn refuse_lost_database(directory: &Path) -> anyhow::Result<()> {
    let database = directory.join(sqlite::FILE);
    if fs::metadata(&database).is_ok_and(|file| file.len() > 0) {
        return Ok(());
    }
    let left: Vec<_> = NEEDS_DATABASE.into_iter().filter(|name| holds_something(&directory.join(name))).collect();
    ensure!(
        left.is_empty(),
        "{} is missing or empty, but {} {} there: put the database back, or, to start without any jobs, name another \
         data directory (--data) or move away what is left in {}",
        database.display(),
        left.join(" and "),
        if left.len() == 1 { "is" } else { "are" },
        directory.display()
    );
    Ok(())
}

fn holds_something(path: &Path) -> bool {
    fs::read_dir(path).map_or_else(|_| path.exists(), |mut entries| entries.next().is_some())
}

fn keep_others_out(directory: &Path) -> anyhow::Result<()> {
    let mode = mode(directory)?;
    if mode & STICKY != 0 {
        let (directory, own) = (directory.display(), directory.join("punctual-data"));
        bail!(
            "{directory} is shared with others: give the server a directory of its own, such as --data {}",
            own.display()
        );
    }
    let mut closed = restrict(directory)?;
    for entry in read(directory)? {
        let name = entry.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if OURS.iter().any(|ours| name.starts_with(ours)) {
            closed += restrict_all(&entry)?;
        }
    }
    if closed > 0 {
        tracing::warn!(
            "others could read {closed} of the files and directories in {}, and no longer can",
            directory.display()
        );
    }
    Ok(())
}

/// Restricts a file, or a directory with what is in it, and counts what was open.
fn restrict_all(path: &Path) -> anyhow::Result<u32> {
    let mut closed = restrict(path)?;
    if path.is_dir() {
        for entry in read(path)?.into_iter().filter(|entry| !entry.is_symlink()) {
            closed += restrict_all(&entry)?;
        }
    }
    Ok(closed)
}

/// Takes the rights of the group and of others away. Gives the number of paths that needed it: one, or none.
fn restrict(path: &Path) -> anyhow::Result<u32> {
    let mode = mode(path)?;
    if mode & OTHERS == 0 {
        return Ok(0);
    }
    // A file system that knows no rights may say that it has changed them.
    let changed = fs::set_permissions(path, Permissions::from_mode(mode & !OTHERS)).and_then(|()| fs::metadata(path));
    let is_closed = changed.as_ref().is_ok_and(|changed| changed.permissions().mode() & OTHERS == 0);
    let reason = changed.map_or_else(|error| error.to_string(), |_| "the file system does not keep rights".to_owned());
    ensure!(
        is_closed,
        "others can read {0} (mode {1:04o}), and that cannot be changed: {reason}. Run `chmod go-rwx {0}` as its owner, or \
         give the server a directory of its own (--data)",
        path.display(),
        mode & 0o7777
    );
    Ok(1)
}

fn mode(path: &Path) -> anyhow::Result<u32> {
    let found = fs::metadata(path).with_context(|| format!("cannot look at {}", path.display()))?;
    Ok(found.permissions().mode())
}

fn read(directory: &Path) -> anyhow::Result<Vec<PathBuf>> {
    let entries = fs::read_dir(directory).and_then(|entries| entries.map(|entry| Ok(entry?.path())).collect());
    entries.with_context(|| format!("cannot look into {}", directory.display()))
}

#[cfg(test)]
mod tests;

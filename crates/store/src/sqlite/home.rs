//! Notices a data directory that was copied: if the server of the original still runs, every job runs twice.

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use rusqlite::{Connection, OptionalExtension, params};

use crate::error::Error;

/// Where the database was when it was last opened, if it is a copy of that one: another file, under another path. A
/// directory that was moved, or put back in its place, is none.
pub(super) fn note(db: &Connection, file: &Path) -> Result<Option<PathBuf>, Error> {
    let here = fs::canonicalize(file).map_err(|error| Error::from(error).in_file(file))?;
    let metadata = fs::metadata(file).map_err(|error| Error::from(error).in_file(file))?;
    let here = format!("{} {}", metadata.ino(), here.display());
    let mut statement = db.prepare_cached("select value from meta where name = 'home'")?;
    let known: Option<String> = statement.query_row([], |row| row.get(0)).optional()?;
    if known.as_ref() != Some(&here) {
        db.prepare_cached("insert or replace into meta (name, value) values ('home', ?1)")?.execute(params![here])?;
    }
    Ok(known.and_then(|known| copied_from(&known, &here)))
}

fn copied_from(known: &str, here: &str) -> Option<PathBuf> {
    let ((known_file, known_path), (file, path)) = (known.split_once(' ')?, here.split_once(' ')?);
    let is_copy = known_file != file && known_path != path;
    is_copy.then(|| Path::new(known_path).parent().unwrap_or(Path::new(known_path)).to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_copy_is_another_file_under_another_path() {
        let from = |known, here| copied_from(known, here).map(|path| path.display().to_string());
        assert_eq!(from("7 /a/punctual.db", "8 /b c/punctual.db").as_deref(), Some("/a"));
        assert_eq!(from("7 /a/punctual.db", "7 /b/punctual.db"), None, "moved");
        assert_eq!(from("7 /a/punctual.db", "8 /a/punctual.db"), None, "put back in its place");
        assert_eq!(from("", "8 /a/punctual.db"), None);
    }
}

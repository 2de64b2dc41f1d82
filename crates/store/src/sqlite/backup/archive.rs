//! The one file of a backup: a database that holds files, piece by piece, each with its hash.

use std::fs::{self, File, Permissions};
use std::io::{Read, Write};
use std::os::unix::fs::{OpenOptionsExt, PermissionsExt};
use std::path::Path;

use aws_lc_rs::digest::{Context, SHA256};
use punctual_model::time::Timestamp;
use rusqlite::{Connection, OpenFlags, OptionalExtension, params};

use crate::error::Error;

/// By which the file is known, in the place that SQLite has for it: "PnBk".
pub(super) const APPLICATION: u32 = 0x506e_426b;

/// The version of this layout.
const LAYOUT_VERSION: i64 = 1;

/// `finished` has one row, which comes last: without it the file was left half made.
const LAYOUT: &str = "
create table backup (made_at integer not null);
create table file (id integer primary key, name text not null unique, sha256 blob not null);
create table piece (id integer primary key, file integer not null, bytes blob not null);
create index piece_of_file on piece (file, id);
create table finished (files integer not null);
";

/// Bytes in one piece.
const PIECE_BYTES: usize = 1 << 20;

/// The file of a backup.
pub(super) struct Archive {
    db: Connection,
}

impl Archive {
    /// Makes an empty one.
    pub(super) fn create(path: &Path, now: Timestamp) -> Result<Self, Error> {
        let db = Connection::open(path)?;
        fs::set_permissions(path, Permissions::from_mode(0o600))?;
        // Whoever makes it makes it again after a crash: nothing has to be taken back.
        db.pragma_update(None, "journal_mode", "off")?;
        db.pragma_update(None, "synchronous", "off")?;
        db.pragma_update(None, "application_id", APPLICATION)?;
        db.pragma_update(None, "user_version", LAYOUT_VERSION)?;
        db.execute_batch(LAYOUT)?;
        db.execute("insert into backup (made_at) values (?1)", [now.ticks()])?;
        Ok(Self { db })
    }

    /// Opens one for reading.
    pub(super) fn open(path: &Path) -> Result<Self, Error> {
        let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let opened = Connection::open_with_flags(path, flags).and_then(|db| {
            let number = |name: &str| db.pragma_query_value(None, name, |row| row.get::<_, i64>(0));
            let application = db.pragma_query_value(None, "application_id", |row| row.get::<_, u32>(0))?;
            let found = (application, number("user_version")?);
            Ok((db, found))
        });
        let none = || Error::corrupt("is no backup that `punctual backup` has made").in_file(path);
        let (db, (application, version)) = opened.map_err(|error| match Error::from(error) {
            Error::Corrupt(_) => none(),
            error => error.in_file(path),
        })?;
        match (application, version) {
            (APPLICATION, LAYOUT_VERSION) => Ok(Self { db }),
            (APPLICATION, newer) => {
                Err(Error::Newer { what: path.display().to_string(), needs: newer.try_into().unwrap_or(u32::MAX) })
            }
            _ => Err(none()),
        }
    }

    /// Adds a file under a name.
    pub(super) fn add(&mut self, name: &str, path: &Path) -> Result<(), Error> {
        let transaction = self.db.transaction()?;
        let (mut source, mut hash) = (File::open(path)?, Context::new(&SHA256));
        transaction.execute("insert into file (name, sha256) values (?1, x'')", [name])?;
        let id = transaction.last_insert_rowid();
        let mut insert = transaction.prepare("insert into piece (file, bytes) values (?1, ?2)")?;
        loop {
            let mut bytes = Vec::with_capacity(PIECE_BYTES);
            Read::by_ref(&mut source).take(PIECE_BYTES as u64).read_to_end(&mut bytes)?;
            if bytes.is_empty() {
                break;
            }
            hash.update(&bytes);
            insert.execute(params![id, bytes])?;
        }
        drop(insert);
        transaction.execute("update file set sha256 = ?2 where id = ?1", params![id, hash.finish().as_ref()])?;
        Ok(transaction.commit()?)
    }

    /// Says that nothing is missing.
    pub(super) fn finish(self) -> Result<(), Error> {
        self.db.execute("insert into finished (files) select count(*) from file", [])?;
        self.db.close().map_err(|(_, error)| error.into())
    }

    /// When the backup was made.
    pub(super) fn made_at(&self) -> Result<Option<Timestamp>, Error> {
        let ticks: Option<i64> = self.db.query_row("select made_at from backup", [], |row| row.get(0)).optional()?;
        Ok(ticks.and_then(Timestamp::from_ticks))
    }

    /// The names of the files.
    pub(super) fn names(&self) -> Result<Vec<String>, Error> {
        let mut statement = self.db.prepare("select name from file order by id")?;
        let names = statement.query_map([], |row| row.get(0))?;
        Ok(names.collect::<Result<_, _>>()?)
    }

    /// Reads everything and compares the hashes.
    pub(super) fn check(&self) -> Result<(), Error> {
        let files: Option<u64> = self.db.query_row("select files from finished", [], |row| row.get(0)).optional()?;
        let names = self.names()?;
        if files != u64::try_from(names.len()).ok() {
            return Err(Error::corrupt("the backup was never finished"));
        }
        names.iter().try_for_each(|name| self.read(name, |_| Ok(())))
    }

    /// Writes a file of the backup to a place where none is.
    pub(super) fn extract(&self, name: &str, path: &Path) -> Result<(), Error> {
        let mut file = File::options().write(true).create_new(true).mode(0o600).open(path)?;
        self.read(name, |bytes| Ok(file.write_all(bytes)?))?;
        Ok(file.sync_all()?)
    }

    /// Hands over the bytes of a file, piece by piece. Fails after the last one if they are not those that were added.
    fn read(&self, name: &str, mut each: impl FnMut(&[u8]) -> Result<(), Error>) -> Result<(), Error> {
        let of_file = "select id, sha256 from file where name = ?1";
        let (id, expected): (i64, Vec<u8>) =
            self.db.query_row(of_file, [name], |row| Ok((row.get(0)?, row.get(1)?)))?;
        let mut statement = self.db.prepare("select bytes from piece where file = ?1 order by id")?;
        let (mut rows, mut hash) = (statement.query([id])?, Context::new(&SHA256));
        while let Some(row) = rows.next()? {
            let bytes = row.get_ref(0)?.as_blob()?;
            hash.update(bytes);
            each(bytes)?;
        }
        if hash.finish().as_ref() == expected {
            Ok(())
        } else {
            Err(Error::corrupt(format!("the backup is damaged: {name} is not as it was written")))
        }
    }
}

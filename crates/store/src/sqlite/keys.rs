//! The keys that open the actions: where they come from, and how they are changed.

use std::path::Path;

use rusqlite::{Connection, OptionalExtension, params};

use crate::error::Error;
use crate::key::JobId;
pub(super) use crate::key_source::KeySource;
use crate::key_source::{read, save};
use crate::seal::{self, Keyring};
use crate::store::ResealProgress;

/// The file in the data directory.
pub(super) const FILE: &str = "secret.key";

/// Jobs that are sealed with a new key in one write, so that others need not wait.
const RESEALED_MAX: usize = 200;

/// Loads the keys, or makes the first one, and checks that they are those that the database was written with.
pub(super) fn load(directory: &Path, outside: Option<Keyring>, db: &Connection) -> Result<(Keyring, KeySource), Error> {
    let file = directory.join(FILE);
    let (keyring, source) = if let Some(keyring) = outside {
        (keyring, KeySource::Outside)
    } else if let Some(keyring) = read(&file)? {
        (keyring, KeySource::File(file))
    } else {
        let keyring = Keyring::generate().map_err(Error::unavailable)?;
        refuse_new_key(db, &file)?;
        save(&file, &keyring)?;
        (keyring, KeySource::File(file))
    };
    check_missing(db, &keyring)?;
    register(db, &keyring)?;
    Ok((keyring, source))
}

/// Checks that the keys are those that the database was written with, and changes nothing.
pub(super) fn check(directory: &Path, outside: Option<&Keyring>, db: &Connection) -> Result<(), Error> {
    let file = directory.join(FILE);
    let of_file = if outside.is_none() { read(&file)? } else { None };
    let Some(keyring) = outside.or(of_file.as_ref()) else { return refuse_new_key(db, &file) };
    keyring.check_values().try_for_each(|(id, value)| compare(db, id, &value).map(drop))
}

/// Compares a key with what the database knows of it. Returns whether the database knows it at all.
fn compare(db: &Connection, id: u32, value: &str) -> Result<bool, Error> {
    let known: Option<String> = db
        .prepare_cached("select check_value from sealing_key where id = ?1")?
        .query_row([id], |row| row.get(0))
        .optional()?;
    match known {
        Some(known) if known != value => {
            let reason = "is not the one that the database was written with; put that one back";
            Err(Error::corrupt(format!("sealing key {id} {reason}")))
        }
        known => Ok(known.is_some()),
    }
}

/// A new key opens nothing that is there.
fn refuse_new_key(db: &Connection, file: &Path) -> Result<(), Error> {
    let known: u32 = db.query_row("select count(*) from sealing_key", [], |row| row.get(0))?;
    if known == 0 {
        return Ok(());
    }
    Err(Error::corrupt(format!(
        "the key file {} is missing, and the database holds actions that only it opens; put it back",
        file.display()
    )))
}

/// A key that the database knows and nobody has must be one that nothing is sealed with: the process died between
/// forgetting it in the file and in the database.
fn check_missing(db: &Connection, keyring: &Keyring) -> Result<(), Error> {
    for id in used(db)?.into_iter().filter(|known| keyring.check_values().all(|(id, _)| id != *known)) {
        let is_in_use = |sealed: &Sealed| db.prepare_cached(sealed.holds)?.exists([id.to_be_bytes()]);
        for sealed in &SEALED {
            if is_in_use(sealed)? {
                let reason = "is missing, and the database holds actions that only it opens; put it back. If the database is \
                              of a backup from before `punctual secrets rotate`, that is the secret.key of that time";
                return Err(Error::corrupt(format!("sealing key {id} {reason}")));
            }
        }
        db.prepare_cached("delete from sealing_key where id = ?1")?.execute([id])?;
    }
    Ok(())
}

/// The numbers of the keys that the database was written with.
pub(super) fn used(db: &Connection) -> Result<Vec<u32>, Error> {
    let mut statement = db.prepare_cached("select id from sealing_key order by id")?;
    Ok(statement.query_map([], |row| row.get(0))?.collect::<Result<_, _>>()?)
}

/// Compares each key with what the database knows of it, and notes new ones.
fn register(db: &Connection, keyring: &Keyring) -> Result<(), Error> {
    for (id, value) in keyring.check_values() {
        if !compare(db, id, &value)? {
            db.prepare_cached("insert into sealing_key (id, check_value) values (?1, ?2)")?
                .execute(params![id, value])?;
        }
    }
    Ok(())
}

/// Takes a new key, with which is sealed from now on. Where the keys are kept outside, it has to be there already.
pub(super) fn add(db: &Connection, keyring: &mut Keyring, source: &KeySource) -> Result<u32, Error> {
    let with_new = source.add_to(keyring)?;
    *keyring = with_new;
    register(db, keyring)?;
    Ok(keyring.current_id())
}

/// A table that holds actions, sealed.
struct Sealed {
    table: &'static str,
    /// What reads some of its rows: those after a number.
    select: &'static str,
    update: &'static str,
    holds: &'static str,
}

/// Actions are sealed in these. What jobs are comes before what they were: until it is done, a rotation names the job it has
/// come to.
const SEALED: [Sealed; 3] = [
    Sealed {
        table: "job",
        select: "select id, uid, action from job where id > ?1 order by id limit ?2",
        update: "update job set action = ?2 where id = ?1",
        holds: "select 1 from job where substr(action, 2, 4) = ?1 limit 1",
    },
    Sealed {
        table: "change",
        select: "select id, uid, action from change where id > ?1 and action is not null order by id limit ?2",
        update: "update change set action = ?2 where id = ?1",
        holds: "select 1 from change where substr(action, 2, 4) = ?1 limit 1",
    },
    Sealed {
        table: "alert",
        select: "select id, uid, action from alert where id > ?1 order by id limit ?2",
        update: "update alert set action = ?2 where id = ?1",
        holds: "select 1 from alert where substr(action, 2, 4) = ?1 limit 1",
    },
];

/// Seals some of what an old key has sealed with the newest key, and returns which that is.
pub(super) fn reseal(db: &Connection, keyring: &Keyring, after: Option<JobId>) -> Result<(ResealProgress, u32), Error> {
    let key = keyring.current_id();
    let [jobs, others @ ..] = &SEALED;
    // What is passed over is what we know to be sealed with this key, wherever the caller would go on: it may have begun
    // before another key came.
    let start = after.map_or(0, |id| id.0).min(resealed_until(db, jobs, key)?);
    let (resealed, last) = reseal_some(db, keyring, jobs, start)?;
    if let Some(last) = last {
        return Ok((ResealProgress { resealed, next: Some(JobId(last)) }, key));
    }
    for other in others {
        let (_, last) = reseal_some(db, keyring, other, resealed_until(db, other, key)?)?;
        if last.is_some() {
            return Ok((ResealProgress { resealed, next: Some(JobId(start)) }, key));
        }
    }
    Ok((ResealProgress { resealed, next: None }, key))
}

/// Seals some rows of a table that come after a number. Returns how many, and up to which; none if there are no more.
fn reseal_some(db: &Connection, keyring: &Keyring, sealed: &Sealed, start: i64) -> Result<(u32, Option<i64>), Error> {
    let key = keyring.current_id();
    let mut statement = db.prepare_cached(sealed.select)?;
    let rows = statement.query_map(params![start, RESEALED_MAX], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))?;
    let rows: Vec<(i64, [u8; 16], Vec<u8>)> = rows.collect::<Result<_, _>>()?;
    let mut resealed = 0;
    for (id, uid, action) in rows.iter().filter(|(_, _, action)| seal::key_id(action) != Some(key)) {
        let uid = punctual_model::job::Uid::from_bytes(*uid);
        let action = keyring.open(uid, action).and_then(|plain| keyring.seal(uid, &plain));
        let action = action.map_err(|reason| Error::corrupt(format!("{} number {id}: {reason}", sealed.table)))?;
        db.prepare_cached(sealed.update)?.execute(params![id, action])?;
        resealed += 1;
    }
    let last = rows.last().map(|(id, ..)| *id);
    if let Some(last) = last {
        note_resealed(db, sealed, key, last)?;
    }
    let is_done = rows.len() < RESEALED_MAX && resealed == 0;
    Ok((resealed, last.filter(|_| !is_done)))
}

/// Forgets every key but this one, with which everything on disk is sealed. If another one came in between, they go with
/// the end of its own rotation.
pub(super) fn forget_old(db: &Connection, keyring: &mut Keyring, source: &KeySource, key: u32) -> Result<(), Error> {
    if keyring.current_id() != key {
        return Ok(());
    }
    keyring.drop_old_keys();
    source.save(keyring)?;
    db.prepare_cached("delete from sealing_key where id <> ?1")?.execute([key])?;
    db.prepare_cached("delete from meta where name like 'resealed with %'")?.execute([])?;
    Ok(())
}

/// All rows of a table up to this number are sealed with that key. It stays true: whatever is written is sealed with the newest.
fn resealed_until(db: &Connection, sealed: &Sealed, key: u32) -> Result<i64, Error> {
    let mut statement = db.prepare_cached("select value from meta where name = ?1")?;
    Ok(statement.query_row([resealed_with(sealed, key)], |row| row.get(0)).optional()?.unwrap_or(0))
}

fn note_resealed(db: &Connection, sealed: &Sealed, key: u32, until: i64) -> Result<(), Error> {
    db.prepare_cached(
        "insert into meta (name, value) values (?1, ?2) on conflict (name) do update set value = max(value, ?2)",
    )?
    .execute(params![resealed_with(sealed, key), until])?;
    Ok(())
}

fn resealed_with(sealed: &Sealed, key: u32) -> String {
    format!("resealed with {key}: {}", sealed.table)
}

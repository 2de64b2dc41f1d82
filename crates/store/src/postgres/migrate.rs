//! The schema, step by step, while other nodes may do the same or run already.
//!
//! One row says which version the schema has, and which version a node has to know at least to work with it. Whoever brings the
//! schema to a newer version holds that row, and so does whoever looks: nodes that start together take turns. A step that only
//! adds something leaves the least version as it is, and older nodes go on beside it.

use aws_lc_rs::digest::{SHA256, digest};

use super::db::Transaction;
use super::error::Fault;
use super::pool::Pool;
use crate::cells::Cells;
use crate::error::Error;
use crate::seal::hex;

/// A step from the version of its place in the list to the next. Steps that were released never change.
struct Step {
    sql: &'static str,
    /// The version that a node has to know from then on, at least.
    least_version: i64,
}

const STEPS: [Step; 2] = [
    Step { sql: include_str!("migrations/0001.sql"), least_version: 1 },
    Step { sql: include_str!("migrations/0002.sql"), least_version: 1 },
];

/// What has to be there before a row can be locked.
const BEGINNING: &str = "create table if not exists schema_state (
        is_only boolean primary key default true check (is_only),
        version bigint not null,
        least_version bigint not null
    );
    create table if not exists schema_step (
        version bigint primary key,
        checksum text collate \"C\" not null,
        applied_at timestamptz not null default now()
    );
    insert into schema_state (version, least_version) values (0, 0) on conflict do nothing";

/// How often two nodes may make the same thing at the same instant, which PostgreSQL refuses one of them.
const RACES_MAX: usize = 20;

/// Brings the schema to the newest version that this program knows. Refuses one that needs a newer program.
pub(super) async fn migrate(pool: &Pool, schema: &str) -> Result<(), Error> {
    check_server(pool).await?;
    make(pool, &format!("create schema if not exists {schema}")).await?;
    make(pool, BEGINNING).await?;
    let tx = pool.transaction().await?;
    match step_up(&tx).await {
        Ok(()) => tx.commit().await?.map_err(|error| Fault::from(error).into()),
        Err(fault) => {
            tx.take_back().await;
            Err(fault.into())
        }
    }
}

/// Every text is compared as UTF-8, and identifiers of transactions and hashes are those of newer servers.
async fn check_server(pool: &Pool) -> Result<(), Fault> {
    let db = pool.connection().await?;
    let sql = "select current_setting('server_encoding'), current_setting('server_version_num')::bigint";
    let row = db.one(sql, &[]).await?;
    let mut cells = Cells::of(&row);
    let (encoding, version): (String, i64) = (cells.next()?, cells.next()?);
    if encoding != "UTF8" {
        let reason = format!("the database has the encoding {encoding}, and Punctual needs one with UTF8");
        return Err(Error::refused(reason).into());
    }
    if version < 130_000 {
        return Err(Error::refused("Punctual needs PostgreSQL 13 or newer").into());
    }
    Ok(())
}

/// Makes something that may be there already, or be made by another node at this instant.
async fn make(pool: &Pool, sql: &str) -> Result<(), Fault> {
    let db = pool.connection().await?;
    let mut races = 0;
    loop {
        match db.try_run(sql).await? {
            Err(error) if Fault::is_made_already(&error) && races < RACES_MAX => races += 1,
            made => return Ok(made?),
        }
    }
}

async fn step_up(tx: &Transaction) -> Result<(), Fault> {
    // Making tables takes longer than a statement may.
    tx.run("set local statement_timeout = 0; set local lock_timeout = 0").await?;
    let row = tx.one("select version, least_version from schema_state for update", &[]).await?;
    let (version, least_version) = read_versions(&row)?;
    let known = i64::try_from(STEPS.len()).unwrap_or(i64::MAX);
    if least_version > known {
        let reason = format!(
            "the database has schema {version}, which programs understand that know schema {least_version}, and this one \
             knows up to {known}; use the newer program that wrote it"
        );
        return Err(Error::refused(reason).into());
    }
    for (step, number) in STEPS.iter().zip(1_i64..) {
        let checksum = checksum(step.sql);
        if number <= version {
            check_step(tx, number, &checksum).await?;
        } else {
            tx.run(step.sql).await?;
            let note = "insert into schema_step (version, checksum) values ($1, $2)";
            tx.execute(note, &[&number, &checksum]).await?;
            let note = "update schema_state set version = $1, least_version = greatest(least_version, $2)";
            tx.execute(note, &[&number, &step.least_version]).await?;
        }
    }
    Ok(())
}

fn read_versions(row: &tokio_postgres::Row) -> Result<(i64, i64), Error> {
    let mut cells = Cells::of(row);
    Ok((cells.next()?, cells.next()?))
}

/// A step that was taken must be the one that this program knows.
async fn check_step(tx: &Transaction, number: i64, checksum: &str) -> Result<(), Fault> {
    let row = tx.row("select checksum from schema_step where version = $1", &[&number]).await?;
    let taken: Option<String> = row.map(|row| Cells::of(&row).next()).transpose()?;
    if taken.as_deref() == Some(checksum) {
        return Ok(());
    }
    let reason = format!("step {number} of the schema is not the one that this program knows; another program made it");
    Err(Error::refused(reason).into())
}

fn checksum(sql: &str) -> String {
    hex(digest(&SHA256, sql.as_bytes()).as_ref())
}

//! Writes what became of what was due: many rows at a time, each on the condition that it is as it was read.
//!
//! One statement writes all rows of a kind, with an array for each column. Two changes that touch the same row are in two rounds,
//! because a statement sees a row once.

use std::collections::{BTreeSet, HashMap};

use punctual_model::job::{Counters, State};
use punctual_model::occurrence::Occurrence;
use punctual_model::time::Timestamp;
use tokio_postgres::Row;

use super::alert::signals;
use super::db::Db;
use super::error::Fault;
use super::rounds::rounds;
use super::settle_rows::{self, Count};
use super::write::WriteTx;
use super::{landed, tally, work};
use crate::cells::Cells;
use crate::error::Error;
use crate::key::{Revision, WorkId};
use crate::record;
use crate::tally::TallyWrite;
use crate::work_change::{Batch, BesideRow, RowChange, WorkChange, Written};

/// Writes a batch: its changes, and notes of what changes nothing.
///
/// All changes at once, as a rule. If that fails because of what one of them is about, they are written one by one, and those
/// that cannot be written are left out.
pub(super) async fn write(tx: &mut WriteTx, batch: &Batch) -> Result<Vec<Written>, Fault> {
    landed::note(tx, batch.node, batch.id).await?;
    let foreign = hold_shards(tx, batch).await?;
    tx.run("savepoint changes").await?;
    let written = match write_all(tx, batch.changes.iter().collect(), &foreign).await {
        Err(Fault::Refused(_)) => {
            tx.run("rollback to savepoint changes").await?;
            write_one_by_one(tx, &batch.changes, &foreign).await?
        }
        written => written?,
    };
    let mut tally = TallyWrite::default();
    for (change, became) in batch.changes.iter().zip(&written) {
        if matches!(became, Written::Applied { .. }) {
            for entry in change.records.iter().filter(|entry| !entry.is_duplicate) {
                tally.add(change.collection, &entry.record);
            }
            tx.history.extend(change.records.iter().cloned());
        }
    }
    tally::add(tx, tally).await?;
    tx.history.extend(batch.notes.iter().cloned());
    Ok(written)
}

/// Keeps the shards of a batch's decisions where they are until it is written. Returns the rows whose shards are not the node's.
async fn hold_shards(tx: &WriteTx, batch: &Batch) -> Result<BTreeSet<WorkId>, Fault> {
    let mut rows: BTreeSet<WorkId> =
        batch.changes.iter().filter(|change| change.needs_shard).map(|change| change.id).collect();
    if rows.is_empty() {
        return Ok(rows);
    }
    let ids: Vec<i64> = rows.iter().map(|id| id.0).collect();
    let sql = "select work.id from work join shard_owner on shard_owner.shard = work.shard
        where work.id = any($1) and shard_owner.node = $2 order by shard_owner.shard for share of shard_owner";
    for row in &tx.rows(sql, &[&ids, &i64::from(batch.node.0)]).await? {
        rows.remove(&WorkId(Cells::of(row).next()?));
    }
    Ok(rows)
}

async fn write_one_by_one(
    tx: &mut WriteTx,
    changes: &[WorkChange],
    foreign: &BTreeSet<WorkId>,
) -> Result<Vec<Written>, Fault> {
    let mut written = Vec::with_capacity(changes.len());
    for change in changes {
        tx.run("savepoint change").await?;
        match write_all(tx, vec![change], foreign).await {
            Err(Fault::Refused(reason)) => {
                tx.run("rollback to savepoint change").await?;
                written.push(Written::Refused(reason));
            }
            became => {
                written.extend(became?);
                tx.run("release savepoint change").await?;
            }
        }
    }
    Ok(written)
}

/// Every statement here raises the revision of its row by one.
const fn applied(change: &WorkChange, beside: Option<WorkId>) -> Written {
    Written::Applied { revision: Revision(change.revision.0 + 1), beside }
}

/// Writes changes, but for their records and those of foreign rows. Returns what became of each, in their order.
async fn write_all(tx: &WriteTx, changes: Vec<&WorkChange>, foreign: &BTreeSet<WorkId>) -> Result<Vec<Written>, Fault> {
    let mut written = vec![Written::Stale; changes.len()];
    let numbered: Vec<(usize, &WorkChange)> =
        changes.into_iter().enumerate().filter(|(_, change)| !foreign.contains(&change.id)).collect();
    // What runs beside a schedule touches the schedule's row as well.
    for round in rounds(numbered, |(_, change)| BTreeSet::from([change.id.0, change.job.0])) {
        let mut became = write_schedules(tx, &round).await?;
        became.extend(write_besides(tx, &round).await?);
        became.extend(write_resends(tx, &round).await?);
        for (at, applied) in became {
            written[at] = applied;
        }
        let landed: Vec<&WorkChange> =
            round.iter().filter(|(at, _)| written[*at] != Written::Stale).map(|(_, change)| *change).collect();
        write_failures(tx, &landed).await?;
        write_ends(tx, &landed).await?;
    }
    Ok(written)
}

/// The places of changes that were applied, and what became of them.
type Became = Vec<(usize, Written)>;

/// The schedules' own rows: one statement for all of them, and one for the rows that are to run beside them.
async fn write_schedules(db: &Db, round: &[(usize, &WorkChange)]) -> Result<Became, Fault> {
    let schedules: Vec<_> = round
        .iter()
        .filter_map(|(at, change)| match &change.row {
            RowChange::Schedule { progress, beside } => Some((*at, *change, progress, *beside)),
            _ => None,
        })
        .collect();
    if schedules.is_empty() {
        return Ok(Vec::new());
    }
    let rows: Vec<_> = schedules.iter().map(|(_, change, progress, _)| (*change, *progress)).collect();
    let taken = settle_rows::update_schedules(db, &rows).await?;
    let taken: Vec<_> = schedules.into_iter().filter(|(_, change, ..)| taken.contains(&change.id.0)).collect();
    let besides: Vec<(&WorkChange, BesideRow)> =
        taken.iter().filter_map(|(_, change, _, beside)| beside.map(|beside| (*change, beside))).collect();
    let ids = work::next_ids(db, besides.len()).await?;
    let new: Vec<_> =
        ids.iter().zip(&besides).map(|(id, (change, beside))| (*id, change.job, *beside, change.lane)).collect();
    if !new.is_empty() {
        work::insert_all_beside(db, &new).await?;
    }
    let mut ids = ids.into_iter().map(WorkId);
    let became = |(at, change, _, beside): (usize, &WorkChange, _, Option<BesideRow>)| {
        (at, applied(change, beside.and_then(|_| ids.next())))
    };
    Ok(taken.into_iter().map(became).collect())
}

/// Rows beside schedules. All that they depend on is locked and compared before one of them is written.
async fn write_besides(db: &Db, round: &[(usize, &WorkChange)]) -> Result<Became, Fault> {
    let besides: Vec<_> = round
        .iter()
        .filter_map(|(at, change)| match &change.row {
            RowChange::Beside { occurrence, schedule } => Some((*at, *change, occurrence.as_ref(), *schedule)),
            _ => None,
        })
        .collect();
    if besides.is_empty() {
        return Ok(Vec::new());
    }
    let ids: Vec<i64> = besides.iter().flat_map(|(_, change, ..)| [change.id.0, change.job.0]).collect();
    let found = lock(db, &ids).await?;
    let is_as_read = |change: &WorkChange, schedule: Option<(Revision, bool)>| {
        found.get(&change.id.0) == Some(&(change.revision.0, Some(change.job.0)))
            && schedule.is_none_or(|(revision, _)| found.get(&change.job.0) == Some(&(revision.0, None)))
    };
    let taken: Vec<_> = besides.into_iter().filter(|(_, change, _, schedule)| is_as_read(change, *schedule)).collect();
    let open: Vec<(&WorkChange, &Occurrence)> =
        taken.iter().filter_map(|(_, change, open, _)| open.map(|open| (*change, open))).collect();
    let over: Vec<i64> =
        taken.iter().filter(|(_, _, open, _)| open.is_none()).map(|(_, change, ..)| change.id.0).collect();
    settle_rows::update_besides(db, &open).await?;
    if !over.is_empty() {
        db.execute("delete from work where id = any($1)", &[&over]).await?;
    }
    let counts: Vec<Count<'_>> = taken
        .iter()
        .filter(|(_, change, _, schedule)| schedule.is_some() || change.counted != Counters::default())
        .map(|(_, change, _, schedule)| Count { change, last_failed: schedule.map(|(_, last_failed)| last_failed) })
        .collect();
    settle_rows::count(db, &counts).await?;
    Ok(taken.into_iter().map(|(at, change, ..)| (at, applied(change, None))).collect())
}

/// Locks rows in the order of their numbers. Returns the revision of each, and the job that it runs beside the schedule of.
async fn lock(db: &Db, ids: &[i64]) -> Result<HashMap<i64, (i64, Option<i64>)>, Fault> {
    let rows = db.rows("select id, revision, job from work where id = any($1) order by id for update", &[&ids]).await?;
    let read = |row: &Row| {
        let mut cells = Cells::of(row);
        Ok((cells.next()?, (cells.next()?, cells.next()?)))
    };
    Ok(rows.iter().map(read).collect::<Result<_, Error>>()?)
}

/// What rows hold is sent again.
async fn write_resends(db: &Db, round: &[(usize, &WorkChange)]) -> Result<Became, Fault> {
    let resent: Vec<_> = round.iter().filter(|(_, change)| matches!(change.row, RowChange::Resent)).collect();
    if resent.is_empty() {
        return Ok(Vec::new());
    }
    let ids: Vec<i64> = resent.iter().map(|(_, change)| change.id.0).collect();
    let revisions: Vec<i64> = resent.iter().map(|(_, change)| change.revision.0).collect();
    let sql = "update work set revision = work.revision + 1, resends = resends + 1
        from unnest($1::bigint[], $2::bigint[]) as new (id, revision)
        where work.id = new.id and work.revision = new.revision returning work.id";
    let rows = db.rows(sql, &[&ids, &revisions]).await?;
    let taken: BTreeSet<i64> = rows.iter().map(|row| Cells::of(row).next()).collect::<Result<_, Error>>()?;
    let taken = resent.into_iter().filter(|(_, change)| taken.contains(&change.id.0));
    Ok(taken.map(|(at, change)| (*at, applied(change, None))).collect())
}

/// Why actions failed, for their error actions.
async fn write_failures(db: &Db, changes: &[&WorkChange]) -> Result<(), Fault> {
    let failures: Vec<(i64, String)> = changes
        .iter()
        .filter_map(|change| change.failure_of_action().map(|failure| (change.id.0, record::write_failure(failure))))
        .collect();
    if failures.is_empty() {
        return Ok(());
    }
    let (ids, texts): (Vec<i64>, Vec<String>) = failures.into_iter().unzip();
    let sql = "update work set failure = new.failure from unnest($1::bigint[], $2::text[]) as new (id, failure)
        where work.id = new.id";
    db.execute(sql, &[&ids, &texts]).await?;
    Ok(())
}

/// Jobs end. Their revisions stay: for a client that edits one, it is not another one. Its row keeps what it was until now; see
/// [`series`](super::series).
async fn write_ends(db: &Db, changes: &[&WorkChange]) -> Result<(), Fault> {
    let ends: Vec<_> =
        changes.iter().filter_map(|change| change.ends.map(|(state, at)| (change.job, state, at))).collect();
    if ends.is_empty() {
        return Ok(());
    }
    let sql = "update job set
            since_before = case when since = new.at then since_before else since end,
            state_before = case when since = new.at then state_before else job.state end,
            since = new.at, state = new.state, ended_at = new.at, disabled_until = null
        from unnest($1::bigint[], $2::bigint[], $3::bigint[]) as new (id, state, at)
        where job.id = new.id";
    let numbers =
        |of: &dyn Fn(&(crate::key::JobId, State, Timestamp)) -> i64| -> Vec<i64> { ends.iter().map(of).collect() };
    db.execute(
        sql,
        &[
            &numbers(&|(job, ..)| job.0),
            &numbers(&|(_, state, _)| record::codes::state(*state)),
            &numbers(&|(.., at)| at.ticks()),
        ],
    )
    .await?;
    let faulted: Vec<_> =
        ends.iter().filter(|(_, state, _)| *state == State::Faulted).map(|(job, _, at)| (*job, *at)).collect();
    signals::ended(db, &faulted).await
}

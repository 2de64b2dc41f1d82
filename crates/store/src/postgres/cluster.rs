//! The nodes, their leases, and the shards they own. All instants are those of the database.

use std::time::Duration;

use punctual_model::time::Timestamp;
use tokio_postgres::Row;
use tokio_postgres::types::ToSql;

use super::db::Db;
use super::due;
use super::error::Fault;
use super::write::WriteTx;
use crate::cells::Cells;
use crate::cluster::{Claim, ClusterView, Handover, NewNode, NodeEntry, NodeReport, TakenShards};
use crate::columns::work::Open;
use crate::error::Error;
use crate::key::{JobId, NodeId};
use crate::shards::{SHARDS, Shards};

/// Ticks of 100 ns since 1970, of an instant of the database.
macro_rules! ticks {
    ($instant:literal) => {
        concat!("(extract(epoch from ", $instant, ") * 10000000)::bigint")
    };
}

/// Adds a node, and forgets those that have been gone for an hour and have left nothing.
pub(super) async fn join(tx: &mut WriteTx, node: &NewNode, lease: Duration) -> Result<NodeId, Fault> {
    let sql = "delete from node where lease_until < now() - interval '1 hour'
        and not exists (select from shard_owner where shard_owner.node = node.id)";
    tx.execute(sql, &[]).await?;
    let sql = "insert into node (id, name, version, url, lease_until)
        values (nextval('node_id'), $1, $2, $3, clock_timestamp() + make_interval(secs => $4)) returning id";
    let row = tx.one(sql, &[&node.name, &node.version, &node.url, &lease.as_secs_f64()]).await?;
    Ok(NodeId(Cells::of(&row).next()?))
}

/// Renews a lease that holds, and says who is there.
pub(super) async fn renew(
    tx: &mut WriteTx,
    node: NodeId,
    lease: Duration,
    report: NodeReport,
) -> Result<Option<ClusterView>, Fault> {
    let sql =
        "update node set heartbeat = clock_timestamp(), lease_until = clock_timestamp() + make_interval(secs => $2),
            clock_offset = $3, is_clock_off = $4, unsettled = $5, overdue = $6
        where id = $1 and lease_until > clock_timestamp()";
    let NodeReport { clock_offset_ticks, is_clock_off, unsettled, overdue_ticks } = report;
    let (node, seconds, unsettled) = (number(node), lease.as_secs_f64(), i64::from(unsettled));
    let values =
        [&node as &(dyn ToSql + Sync), &seconds, &clock_offset_ticks, &is_clock_off, &unsettled, &overdue_ticks];
    let renewed = tx.execute(sql, &values).await?;
    if renewed == 0 { Ok(None) } else { view(tx).await.map(Some) }
}

/// Who is there, and who owns what.
pub(super) async fn view(db: &Db) -> Result<ClusterView, Fault> {
    let sql = concat!(
        "select id, name, version, url, clock_offset, is_clock_off, unsettled, overdue, lease_until > clock_timestamp(), is_draining, ",
        ticks!("joined_at"),
        ", ",
        ticks!("heartbeat"),
        ", watermark, (select count(*) from work where claimed_by = node.id) from node where lease_until is not null order by id"
    );
    let nodes = db.rows(sql, &[]).await?.iter().map(read_node).collect::<Result<_, Error>>()?;
    let mut owners = [None; SHARDS];
    for row in &db.rows("select shard, node from shard_owner order by shard", &[]).await? {
        let mut cells = Cells::of(row);
        let (shard, owner): (u16, Option<u32>) = (cells.next()?, cells.next()?);
        if let Some(place) = owners.get_mut(usize::from(shard)) {
            *place = owner.map(NodeId);
        }
    }
    let sql = concat!(
        "select ",
        ticks!("clock_timestamp()"),
        ", (select count(*) from work where claimed_by is not null), pg_postmaster_start_time()::text"
    );
    let row = db.one(sql, &[]).await?;
    let mut cells = Cells::of(&row);
    let (now, claims, server) = (cells.next_required_instant()?, cells.next()?, cells.next_text()?.to_owned());
    Ok(ClusterView { now, server, nodes, owners, claims })
}

fn read_node(row: &Row) -> Result<NodeEntry, Error> {
    let mut cells = Cells::of(row);
    Ok(NodeEntry {
        id: NodeId(cells.next()?),
        node: NewNode {
            name: cells.next_text()?.to_owned(),
            version: cells.next_text()?.to_owned(),
            url: cells.next_text()?.to_owned(),
        },
        report: NodeReport {
            clock_offset_ticks: cells.next()?,
            is_clock_off: cells.next()?,
            unsettled: cells.next()?,
            overdue_ticks: cells.next()?,
        },
        is_alive: cells.next()?,
        is_draining: cells.next()?,
        joined_at: cells.next_required_instant()?,
        seen_at: cells.next_required_instant()?,
        watermark: cells.next_instant()?,
        claims: cells.next()?,
    })
}

/// Takes those of these shards that have no owner, or one that is gone.
///
/// The rows of the shards are locked, and then those of their owners: a heartbeat that comes at the same instant is either seen here,
/// and its node keeps its shards, or finds its lease over.
pub(super) async fn take_shards(tx: &mut WriteTx, node: NodeId, shards: Shards) -> Result<TakenShards, Fault> {
    hold_lease(tx, &[number(node)]).await?;
    let sql = "select shard, node from shard_owner where shard = any($1) order by shard for update";
    let mut owners: Vec<(u8, Option<i64>)> = Vec::new();
    for row in &tx.rows(sql, &[&numbers(shards)]).await? {
        let mut cells = Cells::of(row);
        let (shard, owner): (u16, Option<i64>) = (cells.next()?, cells.next()?);
        owners.extend(u8::try_from(shard).map(|shard| (shard, owner)));
    }
    let mut former: Vec<i64> = owners.iter().filter_map(|(_, owner)| *owner).collect();
    former.sort_unstable();
    former.dedup();
    let sql = "select id, lease_until > clock_timestamp() from node where id = any($1) order by id for update";
    let mut alive = Vec::new();
    for row in &tx.rows(sql, &[&former]).await? {
        let mut cells = Cells::of(row);
        let (id, is_alive): (i64, Option<bool>) = (cells.next()?, cells.next()?);
        alive.extend(is_alive.unwrap_or(false).then_some(id));
    }
    owners.retain(|(_, owner)| owner.is_none_or(|owner| !alive.contains(&owner)));
    let mut marked = 0;
    for owner in former.into_iter().filter(|owner| !alive.contains(owner)) {
        let left = owners.iter().filter(|(_, of)| *of == Some(owner)).map(|(shard, _)| *shard).collect();
        marked += due::mark_sent(tx, owner, left).await?;
    }
    let taken: Shards = owners.iter().map(|(shard, _)| *shard).collect();
    let sql = "update shard_owner set node = $1, since = now(), epoch = epoch + 1 where shard = any($2)";
    tx.execute(sql, &[&number(node), &numbers(taken)]).await?;
    Ok(TakenShards { shards: taken, marked })
}

/// Gives shards away, and claims what the giving node has in flight.
pub(super) async fn hand_over(tx: &mut WriteTx, handover: &Handover) -> Result<(), Fault> {
    let Handover { from, shards, claims, claimed_until } = handover;
    let given: Vec<i16> = shards.iter().map(|(shard, _)| i16::from(*shard)).collect();
    let to: Vec<i64> = shards.iter().map(|(_, node)| number(*node)).collect();
    let mut nodes: Vec<i64> = to.iter().copied().chain([number(*from)]).collect();
    nodes.sort_unstable();
    nodes.dedup();
    hold_lease(tx, &nodes).await?;
    let sql = "select shard from shard_owner where shard = any($1) and node = $2 order by shard for update";
    if tx.rows(sql, &[&given, &number(*from)]).await?.len() != given.len() {
        return Err(Error::Stale.into());
    }
    claim(tx, *from, claims, *claimed_until).await?;
    let sql = "update shard_owner set node = new.node, since = now(), epoch = epoch + 1
        from unnest($1::smallint[], $2::bigint[]) as new (shard, node) where shard_owner.shard = new.shard";
    tx.execute(sql, &[&given, &to]).await?;
    Ok(())
}

/// Waits for whoever renews the leases of these nodes, and keeps them as they are. Refused if one of them has run out.
async fn hold_lease(tx: &WriteTx, nodes: &[i64]) -> Result<(), Fault> {
    let sql = "select id from node where id = any($1) and lease_until > clock_timestamp() order by id for share";
    if tx.rows(sql, &[&nodes]).await?.len() == nodes.len() { Ok(()) } else { Err(Error::Stale.into()) }
}

/// Writes into rows that are at these attempts who has them in flight. Whoever has read such a row before finds it changed.
async fn claim(tx: &WriteTx, node: NodeId, claims: &[Claim], until: Timestamp) -> Result<(), Fault> {
    if claims.is_empty() {
        return Ok(());
    }
    let open: Vec<Open> = claims.iter().map(|claim| Open::of(Some(&claim.occurrence))).collect();
    let column = |of: fn(&Open) -> Option<i64>| -> Vec<Option<i64>> { open.iter().map(of).collect() };
    let ids: Vec<i64> = claims.iter().map(|claim| claim.row.0).collect();
    tx.rows("select id from work where id = any($1) order by id for update", &[&ids]).await?;
    let sql = "update work set claimed_by = $1, claimed_until = $2, revision = revision + 1
        from unnest($3::bigint[], $4::bigint[], $5::bigint[], $6::bigint[]) as new (id, nominal, phase, attempt)
        where work.id = new.id
            and (work.nominal, work.phase, work.attempt) is not distinct from (new.nominal, new.phase::smallint, new.attempt)";
    let (nominal, phase) = (column(|open| open.nominal), column(|open| open.phase));
    let attempt = column(|open| open.attempt.map(i64::from));
    tx.execute(sql, &[&number(node), &until.ticks(), &ids, &nominal, &phase, &attempt]).await?;
    Ok(())
}

/// Marks what nobody will settle any more of what is claimed.
pub(super) async fn end_claims(tx: &mut WriteTx, shards: Shards) -> Result<Vec<JobId>, Fault> {
    let sql = concat!(
        "update work set resends = greatest(resends, 1), revision = revision + 1, claimed_by = null, claimed_until = null
         where id in (
             select id from work where claimed_by is not null and shard = any($1)
                 and (claimed_until < ",
        ticks!("clock_timestamp()"),
        " or not exists (select from node where node.id = work.claimed_by and lease_until > clock_timestamp()))
             order by id for update
         ) returning coalesce(job, id)"
    );
    let rows = tx.rows(sql, &[&numbers(shards)]).await?;
    let jobs: Vec<JobId> = rows.iter().map(|row| Cells::of(row).next().map(JobId)).collect::<Result<_, Error>>()?;
    tx.changed.jobs.extend(&jobs);
    Ok(jobs)
}

/// Forgets a node. What it owned is nobody's.
pub(super) async fn leave(tx: &mut WriteTx, node: NodeId) -> Result<(), Fault> {
    let node = number(node);
    let sql = "update shard_owner set node = null, since = now(), epoch = epoch + 1 where node = $1";
    tx.execute(sql, &[&node]).await?;
    tx.execute("delete from node where id = $1", &[&node]).await?;
    Ok(())
}

/// Has a node give its shards away, or keep them again.
pub(super) async fn set_draining(tx: &mut WriteTx, node: NodeId, is_draining: bool) -> Result<bool, Fault> {
    let sql = "update node set is_draining = $2 where id = $1 and lease_until > clock_timestamp()";
    Ok(tx.execute(sql, &[&number(node), &is_draining]).await? > 0)
}

fn number(node: NodeId) -> i64 {
    node.0.into()
}

/// The numbers of shards.
pub(super) fn numbers(shards: Shards) -> Vec<i16> {
    shards.iter().map(i16::from).collect()
}

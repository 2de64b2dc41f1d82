//! What messages say of incidents: of jobs that are in trouble, and of those that were.

use punctual_model::alert::TroubledJob;
use punctual_model::limits;
use punctual_model::time::Timestamp;
use rusqlite::{Connection, params};

use crate::alert::IncidentFacts;
use crate::columns::alert::facts::Member;
use crate::error::Error;
use crate::key::{IncidentId, JobId};

/// Of a job that is in trouble, how it fails now; of one that has left, how it failed then.
const SELECT: &str = "select incident_member.job, joined_at, incident_member.detail, incident_member.path,
        coalesce(failing.since, failed_since), coalesce(failing.count, failed_count), failing.retry_at,
        coalesce(failing.class, failed_class), iif(failing.job is null, failed_code, failing.code),
        coalesce(failing.host, failed_host), coalesce(failing.detail, failed_detail),
        coalesce(failing.started, last_failure), coalesce(failing.number, failed_number)
    from incident_member left join failing on failing.job = incident_member.job and left_at is null
        and incident_member.trouble in ('failing', 'givenUp', 'ended')";

/// When the first trouble of all began, of whoever is or was in it: a job that joins again does not make it later.
const SINCE: &str = "select min(opened_at, min(coalesce(failing.since, failed_since, joined_at)))
    from incident join incident_member on incident_member.incident = incident.id
    left join failing on failing.job = incident_member.job and left_at is null
        and incident_member.trouble in ('failing', 'givenUp', 'ended')
    where incident.id = ?1";

/// How a job fails is kept with the incidents that it is in.
const KEEP: &str = "update incident_member set (failed_since, failed_count, failed_class, failed_code, failed_host,
            failed_detail, last_failure, failed_number)
        = (select since, count, class, code, host, detail, started, number from failing where job = ?1)
    where job = ?1 and left_at is null and trouble in ('failing', 'givenUp', 'ended')
        and exists (select 1 from failing where job = ?1)";

/// Keeps how a job fails for messages that are written when that is over: called before it is forgotten.
pub(in crate::sqlite) fn keep_failure(db: &Connection, job: JobId) -> Result<(), Error> {
    db.prepare_cached(KEEP)?.execute([job.0])?;
    Ok(())
}

/// The same with one incident alone: whoever watches a job does not make it more work that another one does as well.
pub(super) fn keep_failure_of(db: &Connection, job: JobId, incident: i64) -> Result<(), Error> {
    db.prepare_cached(&format!("{KEEP} and incident = ?2"))?.execute([job.0, incident])?;
    Ok(())
}

/// What a message about an incident says.
pub(super) fn read(db: &Connection, id: IncidentId) -> Result<IncidentFacts, Error> {
    let mut facts = IncidentFacts::default();
    let troubled = format!("{SELECT} where incident = ?1 and left_at is null order by joined_at, incident_member.job");
    facts.jobs = read_members(db, id, &troubled, &mut facts)?;
    let well = format!("{SELECT} where incident = ?1 and left_at is not null and is_well order by left_at");
    facts.well_jobs = read_members(db, id, &well, &mut facts)?;
    let gone = format!("{SELECT} where incident = ?1 and left_at is not null and not is_well order by left_at");
    facts.gone_jobs = read_members(db, id, &gone, &mut facts)?;
    let since: Option<i64> = db.prepare_cached(SINCE)?.query_row([id.0], |row| row.get(0))?;
    facts.since = since.and_then(Timestamp::from_ticks);
    Ok(facts)
}

/// The first members that the query finds. The first detail and the first failure are those of the incident.
fn read_members(
    db: &Connection,
    id: IncidentId,
    sql: &str,
    facts: &mut IncidentFacts,
) -> Result<Vec<TroubledJob>, Error> {
    let mut statement = db.prepare_cached(&format!("{sql} limit ?2"))?;
    let mut rows = statement.query(params![id.0, limits::MESSAGE_JOBS_MAX])?;
    let mut jobs = Vec::new();
    while let Some(row) = rows.next()? {
        jobs.extend(Member::read(row)?.add_to(facts));
    }
    Ok(jobs)
}

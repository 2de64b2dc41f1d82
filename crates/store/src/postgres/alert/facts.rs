//! What messages say of incidents: of jobs that are in trouble, and of those that were.

use punctual_model::alert::TroubledJob;
use punctual_model::limits;

use crate::alert::IncidentFacts;
use crate::cells::Cells;
use crate::columns::alert::facts::Member;
use crate::key::IncidentId;
use crate::postgres::db::{Db, count};
use crate::postgres::error::Fault;

/// Of a job that is in trouble, how it fails now; of one that has left, how it failed then.
const SELECT: &str = "select incident_member.job, joined_at, incident_member.detail, incident_member.path,
        coalesce(failing.since, failed_since), coalesce(failing.count, failed_count), failing.retry_at,
        coalesce(failing.class, failed_class), case when failing.job is null then failed_code else failing.code end,
        coalesce(failing.host, failed_host), coalesce(failing.detail, failed_detail),
        coalesce(failing.started, last_failure), coalesce(failing.number, failed_number)
    from incident_member left join failing on failing.job = incident_member.job and left_at is null
        and incident_member.trouble in ('failing', 'givenUp', 'ended')";

/// When the first trouble of all began, of whoever is or was in it: a job that joins again does not make it later.
const SINCE: &str = "select least(min(opened_at), min(coalesce(failing.since, failed_since, joined_at)))
    from incident join incident_member on incident_member.incident = incident.id
    left join failing on failing.job = incident_member.job and left_at is null
        and incident_member.trouble in ('failing', 'givenUp', 'ended')
    where incident.id = $1";

/// How jobs fail is kept with the incidents that they are in.
const KEEP: &str = "update incident_member set failed_since = failing.since, failed_count = failing.count,
        failed_class = failing.class, failed_code = failing.code, failed_host = failing.host,
        failed_detail = failing.detail, last_failure = failing.started, failed_number = failing.number
    from failing
    where failing.job = any($1) and incident_member.job = failing.job and left_at is null
        and trouble in ('failing', 'givenUp', 'ended')";

/// Keeps how jobs fail for messages that are written when that is over: called before it is forgotten.
pub(in crate::postgres) async fn keep_failures(db: &Db, jobs: &[i64]) -> Result<(), Fault> {
    db.execute(KEEP, &[&jobs]).await?;
    Ok(())
}

/// The same with one incident alone: whoever watches a job does not make it more work that another one does as well.
pub(super) async fn keep_failure_of(db: &Db, job: i64, incident: i64) -> Result<(), Fault> {
    db.execute(&format!("{KEEP} and incident = $2"), &[&[job].as_slice(), &incident]).await?;
    Ok(())
}

/// What a message about an incident says.
pub(super) async fn read(db: &Db, id: IncidentId) -> Result<IncidentFacts, Fault> {
    let mut facts = IncidentFacts::default();
    let troubled = format!("{SELECT} where incident = $1 and left_at is null order by joined_at, incident_member.job");
    facts.jobs = read_members(db, id, &troubled, &mut facts).await?;
    let well = format!(
        "{SELECT} where incident = $1 and left_at is not null and is_well order by left_at, incident_member.job"
    );
    facts.well_jobs = read_members(db, id, &well, &mut facts).await?;
    let gone = format!(
        "{SELECT} where incident = $1 and left_at is not null and not is_well order by left_at, incident_member.job"
    );
    facts.gone_jobs = read_members(db, id, &gone, &mut facts).await?;
    facts.since = Cells::of(&db.one(SINCE, &[&id.0]).await?).next_instant()?;
    Ok(facts)
}

/// The first members that the query finds. The first detail and the first failure are those of the incident.
async fn read_members(
    db: &Db,
    id: IncidentId,
    sql: &str,
    facts: &mut IncidentFacts,
) -> Result<Vec<TroubledJob>, Fault> {
    let rows = db.rows(&format!("{sql} limit $2"), &[&id.0, &count(limits::MESSAGE_JOBS_MAX)]).await?;
    let mut jobs = Vec::new();
    for row in &rows {
        jobs.extend(Member::read(row)?.add_to(facts));
    }
    Ok(jobs)
}

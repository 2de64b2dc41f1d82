//! Attempts that were made, as an engine writes them down.

use punctual_model::Name;
use punctual_model::failure::{Failure, FailureClass};
use punctual_model::history::{NotRun, Reason, Record, Status, StatusKind};
use punctual_model::occurrence::{Occurrence, OccurrenceId, Origin, Phase};
use punctual_store::{
    Batch, BatchId, BatchOutcome, CollectionKey, HistoryEntry, JobEntry, JobKey, NodeId, OpenWork, WorkChange,
};

use crate::server::{Server, instant};

/// The job of that name, in a collection of the group that the short path stands for.
pub(crate) async fn find_job(server: &Server, collection: &str, job: &str) -> JobEntry {
    let name = |text| Name::parse(text).unwrap();
    let collection =
        CollectionKey { subscription: name("local"), group: name("default"), collection: name(collection) };
    server.store.job(&JobKey { collection, job: name(job) }).await.unwrap().unwrap().1.unwrap()
}

/// Writes down an attempt of that job that started at `started`, for the nominal time `nominal`.
pub(crate) async fn attempted(server: &Server, job: &JobEntry, nominal: &str, started: &str, kind: StatusKind) {
    attempted_as(server, job, (Origin::Schedule, Phase::Main), nominal, started, kind).await;
}

/// Writes down an attempt of the schedule of that job that failed for that reason.
pub(crate) async fn failed(server: &Server, job: &JobEntry, at: &str, failure: Failure) {
    let record = record(job, (Origin::Schedule, Phase::Main), at, at, StatusKind::Failed);
    note(server, job, Record { failure: Some(failure), ..record }).await;
}

/// Writes down times of the schedule of that job that were decided at `at` not to run.
pub(crate) async fn not_run(server: &Server, job: &JobEntry, at: &str, range: NotRun) {
    note(server, job, Record::of_not_run(job.uid, range, instant(at))).await;
}

/// Writes down an attempt that someone else asked for, or of the error action.
pub(crate) async fn attempted_as(
    server: &Server,
    job: &JobEntry,
    asked: (Origin, Phase),
    nominal: &str,
    started: &str,
    kind: StatusKind,
) {
    note(server, job, record(job, asked, nominal, started, kind)).await;
}

async fn note(server: &Server, job: &JobEntry, record: Record) {
    let entry = HistoryEntry { job: job.id, record, node: 0, revision: 1, is_duplicate: false };
    write(server, Vec::new(), vec![entry]).await;
}

fn record(job: &JobEntry, (origin, phase): (Origin, Phase), nominal: &str, started: &str, kind: StatusKind) -> Record {
    let (nominal, started) = (instant(nominal), instant(started));
    let status = match kind {
        StatusKind::Completed => Status::Completed(nominal),
        StatusKind::Failed => Status::Failed(nominal),
        StatusKind::Postponed => Status::Postponed(NotRun::one(nominal, Reason::Missed)),
    };
    let occurrence = Occurrence { phase, ..Occurrence::asked_for(origin, nominal, started) };
    Record {
        started,
        ended: started,
        occurrence: occurrence.id(job.uid),
        origin,
        phase,
        retry: 4,
        repeat: 7,
        status,
        is_resent: false,
        retry_at: None,
        message: "HTTP 500".to_owned(),
        failure: (kind == StatusKind::Failed).then(|| Failure::answered(FailureClass::Status, "example.com", 500, "")),
    }
}

/// Writes as an engine does.
pub(crate) async fn write(server: &Server, changes: Vec<WorkChange>, notes: Vec<HistoryEntry>) {
    let batch = Batch { node: NodeId::ONLY, id: BatchId(1), changes, notes };
    let outcome = server.work_store.write_work(batch).await;
    assert!(matches!(outcome, BatchOutcome::Written(_)), "{outcome:?}");
}

/// The occurrences of a job that are open beside its schedule, with their ids, in order.
pub(crate) async fn beside(server: &Server, job: &JobEntry) -> Vec<(Occurrence, OccurrenceId)> {
    let keys = server.work_store.due_of(vec![job.id]).await.unwrap();
    let rows = server.work_store.work(keys.iter().map(|key| key.id).collect()).await.unwrap();
    let mut rows: Vec<_> = rows.into_iter().map(Result::unwrap).collect();
    rows.sort_by_key(|row| row.id);
    let open = rows.into_iter().filter_map(|row| match row.open {
        OpenWork::Beside { occurrence, .. } => Some((occurrence, occurrence.id(job.uid))),
        OpenWork::Schedule(_) => None,
    });
    open.collect()
}

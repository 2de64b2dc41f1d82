//! What is done to several jobs at once: each is judged alone.

use punctual_model::job::State;
use punctual_store::JobKey;

use super::job::{switch, unknown};
use super::{Done, back, parse_job_value};
use crate::api::Api;
use crate::console::form::Form;
use crate::console::numbers::counted;
use crate::console::visitor::Visitor;
use crate::fault::Fault;
use crate::limits::{BULK_MAX, UNDO_SECONDS};
use crate::operations;

pub(super) async fn make(api: &Api, visitor: &Visitor, form: &Form) -> Result<Done, Fault> {
    let jobs: Vec<JobKey> = form.all("job").filter_map(parse_job_value).take(BULK_MAX).collect();
    let what = form.get("do").unwrap_or_default();
    if what == "delete" && !jobs.is_empty() {
        return delete(api, visitor, form, jobs);
    }
    let past = match what {
        "run" => "started",
        "enable" => "enabled",
        "disable" => "disabled",
        "delete" => "deleted",
        _ => return Err(unknown()),
    };
    let (mut done, mut first_fault) = (0, None);
    for key in &jobs {
        match one(api, visitor, key, what).await {
            Ok(()) => done += 1,
            Err(fault) => first_fault = first_fault.or(Some(format!("{}: {}", key.job, fault.sentence().1))),
        }
    }
    let left = jobs.len() as u64 - done;
    let note = match (jobs.len(), first_fault) {
        (0, _) => "No job was ticked.".to_owned(),
        (_, None) => format!("{} {past}.", counted(done, "job was", "jobs were")),
        (_, Some(fault)) => format!("{} {past}, {left} could not be. {fault}", counted(done, "job was", "jobs were")),
    };
    Ok(Done::new(back(form, "/jobs"), note))
}

async fn one(api: &Api, visitor: &Visitor, key: &JobKey, what: &str) -> Result<(), Fault> {
    super::require_writer(visitor, &key.collection)?;
    match what {
        "run" => operations::run_now(&api.operations, &visitor.caller, key).await.map(|_| ()),
        "enable" => switch(api, visitor, key, State::Enabled).await,
        "disable" => switch(api, visitor, key, State::Disabled).await,
        _ => Err(unknown()),
    }
}

/// Has the jobs deleted, unless that is undone.
fn delete(api: &Api, visitor: &Visitor, form: &Form, jobs: Vec<JobKey>) -> Result<Done, Fault> {
    for key in &jobs {
        super::require_writer(visitor, &key.collection)?;
    }
    let note = format!("{} deleted in {UNDO_SECONDS} seconds.", counted(jobs.len() as u64, "job is", "jobs are"));
    let number = api.console.pending.delete_later(api.operations.clone(), visitor.caller.clone(), jobs);
    Ok(Done { undo: Some(number), ..Done::new(back(form, "/jobs"), note) })
}

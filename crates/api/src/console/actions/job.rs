//! What is done to one job.

use punctual_model::job::State;
use punctual_store::{ChangePage, ChangePlace, JobKey, Version};

use super::{Done, back, require_writer};
use crate::api::Api;
use crate::condition::Condition;
use crate::console::form::Form;
use crate::console::visitor::Visitor;
use crate::fault::Fault;
use crate::input::DisableInput;
use crate::limits::UNDO_SECONDS;
use crate::operations::{self, JobChange, JobOrder, JobWish};
use crate::target_check::MissingKey;
use crate::wire::view::{Writer, write_definition};
use crate::wire::{Dialect, Extent, Unknown, parse_job_json};

pub(super) async fn make(api: &Api, visitor: &Visitor, key: &JobKey, form: &Form) -> Result<Done, Fault> {
    require_writer(visitor, &key.collection)?;
    let here = back(form, &visitor.links.job(key));
    let name = &key.job;
    match form.get("do").unwrap_or_default() {
        "run" => {
            operations::run_now(&api.operations, &visitor.caller, key).await?;
            Ok(Done::new(here, format!("{name} runs now.")))
        }
        "rerun" => {
            let record = form.get("record").unwrap_or_default();
            operations::rerun(&api.operations, &visitor.caller, key, record).await?;
            Ok(Done::new(here, format!("That run of {name} is run again.")))
        }
        "enable" => {
            switch(api, visitor, key, State::Enabled).await?;
            Ok(Done::new(here, format!("{name} is enabled.")))
        }
        "disable" => {
            switch(api, visitor, key, State::Disabled).await?;
            Ok(Done::new(here, format!("{name} is disabled. What comes due is recorded as not run.")))
        }
        "delete" => {
            operations::find_job(&api.operations, key).await?;
            let (operations, caller) = (api.operations.clone(), visitor.caller.clone());
            let number = api.console.pending.delete_later(operations, caller, vec![key.clone()]);
            let next = visitor.links.jobs_of(&key.collection);
            Ok(Done { undo: Some(number), ..Done::new(next, format!("{name} is deleted in {UNDO_SECONDS} seconds.")) })
        }
        _ => Err(unknown()),
    }
}

/// The fault of a form that asks for something there is not.
pub(super) fn unknown() -> Fault {
    punctual_model::Violation::sentence("do", "there is no such change").into()
}

/// Enables or disables a job.
pub(super) async fn switch(api: &Api, visitor: &Visitor, key: &JobKey, state: State) -> Result<(), Fault> {
    let (condition, disable) = (Condition::default(), DisableInput::default());
    let disable = Some(&disable).filter(|_| state == State::Disabled);
    let switched = operations::switch_job(&api.operations, &visitor.caller, key, &condition, disable);
    Box::pin(switched).await.map(|_| ())
}

/// Lets a job be what it was after a change. Secrets are those of today, where the rule for edits allows that.
pub(super) async fn restore(api: &Api, visitor: &Visitor, key: &JobKey, form: &Form) -> Result<Done, Fault> {
    require_writer(visitor, &key.collection)?;
    let wanted: Option<i64> = form.get("change").and_then(|id| id.parse().ok());
    let missing = || Fault::Missing { what: "Change", name: form.get("change").unwrap_or_default().to_owned() };
    let wanted = wanted.ok_or_else(missing)?;
    let page = ChangePage { place: ChangePlace::Job(key.clone()), before: Some(wanted + 1), limit: 1 };
    let change = api.operations.store.changes(&page).await?.into_iter().find(|change| change.id == wanted);
    let Some(Version::Job { definition, state, annotations, .. }) = change.and_then(|change| change.after) else {
        return Err(missing());
    };
    let json = write_definition(&definition, state, &annotations.labels, &Writer::new(Dialect::PLAIN, Extent::One));
    let bytes = json.written_bytes();
    let input = parse_job_json(&json, Unknown::Refused)?;
    let change = JobChange::Put(Box::new(JobWish { input, bytes, path: "" }));
    let condition = Condition::default();
    let order =
        JobOrder { key, condition: &condition, change, missing_key: MissingKey::Refused, replaces_ended: false };
    Box::pin(operations::save_job(&api.operations, &visitor.caller, &order)).await?;
    Ok(Done::new(visitor.links.job(key), format!("{} is again what it was then.", key.job)))
}

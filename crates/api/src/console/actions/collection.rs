//! What is done to a collection.

use punctual_model::collection::CollectionState;
use punctual_store::CollectionKey;

use super::{Done, back, job, require_writer};
use crate::api::Api;
use crate::condition::Condition;
use crate::console::form::Form;
use crate::console::visitor::Visitor;
use crate::fault::Fault;
use crate::operations;

pub(super) async fn make(api: &Api, visitor: &Visitor, key: &CollectionKey, form: &Form) -> Result<Done, Fault> {
    require_writer(visitor, key)?;
    let (state, note) = match form.get("do").unwrap_or_default() {
        "enable" => (CollectionState::Enabled, "runs again"),
        "disable" => (CollectionState::Disabled, "is disabled: none of its jobs start"),
        _ => return Err(job::unknown()),
    };
    operations::switch_collection(&api.operations, &visitor.caller, key, &Condition::default(), state).await?;
    Ok(Done::new(back(form, "/collections"), format!("{} {note}.", key.collection)))
}

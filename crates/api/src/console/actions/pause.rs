//! Pausing everything, and letting it run again.

use super::Done;
use crate::api::Api;
use crate::console::form::Form;
use crate::console::visitor::Visitor;
use crate::fault::Fault;
use crate::limits::WHY_CHARS_MAX;
use crate::operations;

pub(super) async fn make(api: &Api, visitor: &Visitor, form: &Form) -> Result<Done, Fault> {
    if !visitor.is_owner() {
        return Err(Fault::Forbidden("To pause the server you need the role owner on all of it.".to_owned()));
    }
    if form.get("do") == Some("resume") {
        operations::resume(&api.operations, &visitor.caller).await?;
        return Ok(Done::new("/", "Resumed. What is due starts now."));
    }
    let why = form.get("why").unwrap_or_default().chars().take(WHY_CHARS_MAX).collect();
    operations::pause(&api.operations, &visitor.caller, why).await?;
    Ok(Done::new("/", "Paused. Nothing starts until somebody resumes."))
}

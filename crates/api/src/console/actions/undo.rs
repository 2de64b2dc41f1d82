//! Taking a deletion back.

use super::job::unknown;
use super::{Done, back, require_writer};
use crate::api::Api;
use crate::console::form::Form;
use crate::console::numbers::counted;
use crate::console::visitor::Visitor;
use crate::fault::Fault;

pub(super) fn make(api: &Api, visitor: &Visitor, form: &Form) -> Result<Done, Fault> {
    let number = form.get("undo").and_then(|number| number.parse().ok()).ok_or_else(unknown)?;
    let next = back(form, "/jobs");
    let Some(jobs) = api.console.pending.find(number) else {
        return Ok(Done::new(next, "Too late: that is done. The changes of a job say what it was."));
    };
    for job in &jobs {
        require_writer(visitor, &job.collection)?;
    }
    // Between the look and this it may have begun.
    let note = match api.console.pending.take(number) {
        Some(jobs) => format!("{} not deleted.", counted(jobs.len() as u64, "job is", "jobs are")),
        None => "Too late: that is done.".to_owned(),
    };
    Ok(Done::new(next, note))
}

//! Having failures run again.

use punctual_model::time::{DateTime, Zone};
use punctual_model::{TargetPattern, Violation};

use super::{Done, back, parse_job_value, require_writer};
use crate::api::Api;
use crate::console::form::Form;
use crate::console::numbers::counted;
use crate::console::visitor::Visitor;
use crate::fault::Fault;
use crate::input::RerunInput;
use crate::operations;

pub(super) async fn make(api: &Api, visitor: &Visitor, form: &Form) -> Result<Done, Fault> {
    let since = form.get("since").and_then(|text| DateTime::parse(text).ok());
    let since = since.ok_or_else(|| Violation::sentence("since", "say since when failures are run again"))?;
    let target = form.get("target").and_then(|text| TargetPattern::parse(text).ok());
    let job = form.get("job").and_then(parse_job_value);
    if let Some(key) = &job {
        require_writer(visitor, &key.collection)?;
    }
    if job.is_none() && target.is_none() {
        return Err(Violation::sentence("target", "say which failures are run again").into());
    }
    let wanted = RerunInput {
        since: since.resolve(Zone::utc()).instant(),
        until: None,
        collection: job.as_ref().map(|key| key.collection.clone()),
        job: job.as_ref().map(|key| key.job.clone()),
        target: target.filter(|_| job.is_none()),
    };
    let report = operations::rerun_failed(&api.operations, &visitor.caller, &wanted, None, false).await?;
    let mut note = match report.rerun {
        0 => "Nothing was run again: what failed is open already, or has run since.".to_owned(),
        number => format!("{} again.", counted(number.into(), "run is run", "runs are run")),
    };
    if report.left.total() > 0 && report.rerun > 0 {
        note = format!("{note} {} left as they are: open already, disabled, or too many wait.", report.left.total());
    }
    if report.next.is_some() {
        note.push_str(" There are more; repeat it for those.");
    }
    Ok(Done::new(back(form, "/"), note))
}

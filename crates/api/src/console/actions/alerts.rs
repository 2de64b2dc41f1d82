//! Muting alerts and incidents, and trying whether messages arrive.

use punctual_model::Name;
use punctual_model::time::{TICKS_PER_DAY, TICKS_PER_HOUR};
use punctual_store::IncidentId;

use super::Done;
use super::job::unknown;
use crate::api::Api;
use crate::console::form::Form;
use crate::console::visitor::Visitor;
use crate::fault::Fault;
use crate::operations;

pub(super) async fn make(api: &Api, visitor: &Visitor, form: &Form) -> Result<Done, Fault> {
    let (operations, caller) = (&api.operations, &visitor.caller);
    let until = match form.get("do").unwrap_or_default() {
        "hour" => Some(caller.now.saturating_add(TICKS_PER_HOUR)),
        "day" => Some(caller.now.saturating_add(TICKS_PER_DAY)),
        "unmute" | "test" => None,
        _ => return Err(unknown()),
    };
    let note = match form.get("what").and_then(|what| what.split_once(' ')) {
        Some(("incident", id)) => {
            let id = id.parse().map_err(|_| unknown())?;
            operations::mute_incident(operations, caller, IncidentId(id), until).await?;
            if until.is_some() { "The incident is muted." } else { "The incident is told of again." }
        }
        Some(("alert", name)) => {
            let name = Name::parse(name).map_err(|_| unknown())?;
            if form.get("do") == Some("test") {
                operations::test_alert(operations, caller, &name).await?;
                "A test is on its way. Messages below say what comes of it."
            } else {
                operations::mute_alert(operations, caller, &name, until).await?;
                if until.is_some() { "The alert is muted." } else { "The alert tells again." }
            }
        }
        _ => return Err(unknown()),
    };
    Ok(Done::new("/alerts", note))
}

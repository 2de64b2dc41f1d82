//! A job.

use punctual_model::Name;
use punctual_model::job::{Counters, Definition, State};
use punctual_model::time::Timestamp;

use super::members::Members;
use super::{Writer, action, options, recurrence};
use crate::wire::json::Json;

/// What an answer says about a job.
#[derive(Clone, Copy, Debug)]
pub struct JobView<'a> {
    /// The path of the resource.
    pub id: &'a str,
    /// The collection it is in.
    pub collection: &'a Name,
    /// The name of the job.
    pub name: &'a Name,
    /// What the user said about it.
    pub definition: &'a Definition,
    /// How it stands.
    pub state: State,
    /// What has come of it.
    pub status: StatusView,
}

/// What has come of a job.
#[derive(Clone, Copy, Debug)]
pub struct StatusView {
    /// What was counted.
    pub counters: Counters,
    /// The nominal time that runs next.
    pub next: Option<Timestamp>,
}

/// Writes what a user said about a job, and its state.
pub fn write_definition(definition: &Definition, state: State, writer: &Writer) -> Json {
    definition_members(definition, state, writer).into_json()
}

fn definition_members(definition: &Definition, state: State, writer: &Writer) -> Members {
    Members::new()
        .add_some("startTime", definition.start.map(|start| start.instant().to_string()))
        .add("action", action::write(&definition.action, writer))
        .add_some("recurrence", definition.recurrence.as_ref().map(|it| recurrence::write(it, writer)))
        .add("state", writer.dialect.lower_case(state.name()))
        .add_some("options", options::options(&definition.options, definition.action.sign.as_ref(), writer))
}

impl JobView<'_> {
    /// The resource, as the writer's dialect has it.
    pub fn write(&self, writer: &Writer) -> Json {
        Members::new()
            .add("id", self.id)
            .add("type", "Microsoft.Scheduler/jobCollections/jobs")
            .add("name", format!("{}/{}", self.collection, self.name))
            .add("properties", self.properties(writer))
            .into_json()
    }

    fn properties(&self, writer: &Writer) -> Json {
        definition_members(self.definition, self.state, writer).add_some("status", self.status()).into_json()
    }

    /// A job that is disabled and never ran has no status.
    fn status(&self) -> Option<Json> {
        let StatusView { counters, next } = self.status;
        if self.state == State::Disabled && counters.executions == 0 {
            return None;
        }
        let written = |at: Option<Timestamp>| at.map(|at| at.to_string());
        let status = Members::new()
            .add_some("lastExecutionTime", written(counters.last_started))
            .add_some("nextExecutionTime", written(next))
            .add("executionCount", counters.executions)
            .add("failureCount", counters.failures)
            .add("faultedCount", counters.faulted);
        Some(status.into_json())
    }
}

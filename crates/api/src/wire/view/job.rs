//! A job.

use punctual_model::Name;
use punctual_model::job::{Definition, State};
use punctual_model::labels::Labels;

use super::members::Members;
use super::resource::Resource;
use super::{Writer, action, options, recurrence, status};
use crate::status::JobStatus;
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
    /// Words to find it by.
    pub labels: &'a Labels,
    /// What has come of it.
    pub status: &'a JobStatus,
}

/// Writes what a user said about a job, its state and its labels.
pub fn write_definition(definition: &Definition, state: State, labels: &Labels, writer: &Writer) -> Json {
    definition_members(definition, state, labels, writer).into_json()
}

fn definition_members(definition: &Definition, state: State, labels: &Labels, writer: &Writer) -> Members {
    Members::new()
        .add_some("startTime", definition.start.map(|start| start.instant().to_string()))
        .add("action", action::write(&definition.action, writer))
        .add_some("recurrence", definition.recurrence.as_ref().map(|it| recurrence::write(it, writer)))
        .add("state", writer.dialect.lower_case(state.name()))
        .add_some("options", options::options(&definition.options, definition.action.sign.as_ref(), labels, writer))
}

impl JobView<'_> {
    /// The resource, as the writer's dialect has it.
    pub fn write(&self, writer: &Writer) -> Json {
        let parents = [("collection", self.collection.as_str())];
        Resource { id: self.id, kind: "jobCollections/jobs", parents: &parents, name: self.name.as_str() }.write(
            Members::new(),
            self.properties(writer),
            writer,
        )
    }

    fn properties(&self, writer: &Writer) -> Members {
        let members = definition_members(self.definition, self.state, self.labels, writer);
        members.add_some("status", status::write(self.status, self.state, writer))
    }
}

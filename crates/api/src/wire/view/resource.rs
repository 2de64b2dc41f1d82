//! What every resource has around what is its own.

use super::Writer;
use super::members::Members;
use crate::wire::json::Json;

/// What identifies a resource.
pub(super) struct Resource<'a> {
    /// The path of the resource.
    pub(super) id: &'a str,
    /// The kind of the resource below the provider, such as `jobCollections/jobs`.
    pub(super) kind: &'static str,
    /// What the resource lies in, from the outside: the member that a flat resource has for it, and its name.
    pub(super) parents: &'a [(&'static str, &'a str)],
    /// The name of the resource itself.
    pub(super) name: &'a str,
}

impl Resource<'_> {
    /// The resource as the writer's dialect has it. `beside` are the members that the original had beside `properties`.
    pub(super) fn write(&self, beside: Members, properties: Members, writer: &Writer) -> Json {
        let Self { id, kind, parents, name } = self;
        if writer.dialect.is_flat() {
            let named = Members::new().add("name", *name);
            let placed = parents.iter().rev().fold(named, |members, (member, parent)| members.add(member, *parent));
            return placed.add("path", *id).append(beside).append(properties).into_json();
        }
        let names: Vec<_> = parents.iter().map(|(_, parent)| *parent).chain([*name]).collect();
        Members::new()
            .add("id", *id)
            .add("type", format!("Microsoft.Scheduler/{kind}"))
            .add("name", names.join("/"))
            .append(beside)
            .add("properties", properties.into_json())
            .into_json()
    }
}

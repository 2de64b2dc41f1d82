//! Having a node give its shards away, or keep them.

use punctual_model::Name;

use super::Done;
use super::job::unknown;
use crate::api::Api;
use crate::console::form::Form;
use crate::console::visitor::Visitor;
use crate::fault::Fault;
use crate::operations;

pub(super) async fn make(api: &Api, visitor: &Visitor, form: &Form) -> Result<Done, Fault> {
    if !visitor.is_owner() {
        return Err(Fault::Forbidden("To drain a node you need the role owner on the whole server.".to_owned()));
    }
    let node = form.get("node").and_then(|node| Name::parse(node).ok()).ok_or_else(unknown)?;
    let is_draining = match form.get("do").unwrap_or_default() {
        "drain" => true,
        "keep" => false,
        _ => return Err(unknown()),
    };
    operations::set_draining(&api.operations, &visitor.caller, &node, is_draining).await?;
    let said = if is_draining { "The node gives its shards away." } else { "The node keeps its shards." };
    Ok(Done::new("/cluster", said))
}

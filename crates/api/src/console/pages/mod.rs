//! Pages: each reads what it shows by operations, and draws it.

pub(super) mod access;
mod alerts;
mod cluster;
mod collections;
pub(super) mod edit;
pub(super) mod error;
mod forecast;
mod job;
mod jobs;
mod overview;
pub(in crate::console) use overview::countdown as overview_countdown;
mod pause;
mod search;
pub(super) mod sign_in;

use std::sync::Arc;

use super::Asked;
use super::address::Address;
use super::reply::Reply;
use super::visitor::Visitor;
use crate::api::Api;
use crate::events::{Audience, EventStream};
use crate::fault::Fault;
use crate::query::Query;
use punctual_store::CollectionKey;

/// Draws the page of an address.
pub(super) async fn show(
    api: &Api,
    address: &Address,
    visitor: &Visitor,
    query: &Query,
    asked: &Asked<'_>,
) -> Result<Reply, Fault> {
    match address {
        Address::Overview => overview::show(api, visitor, query).await,
        Address::Pause => pause::show(api, visitor).await,
        Address::Jobs => jobs::show(api, visitor, query).await,
        Address::NewJob => edit::show_new(api, visitor, query).await,
        Address::EditJob(key) => edit::show(api, visitor, key, query).await,
        Address::Job(key) => job::show(api, visitor, key, query).await,
        Address::History(key) => job::show_history(api, visitor, key, query).await,
        Address::At(key, instant) => job::show_at(api, visitor, key, instant).await,
        Address::Changes(key) => job::show_changes(api, visitor, key).await,
        Address::Collections => collections::show(api, visitor).await,
        Address::Collection(key) => Ok(Reply::see_other(&visitor.links.jobs_of(key))),
        Address::Search => search::show(api, visitor, query).await,
        Address::Live => live(api, visitor),
        Address::Alerts => alerts::show(api, visitor).await,
        Address::Cluster => cluster::show(api, visitor).await,
        Address::Access => access::show(api, visitor, None).await,
        Address::Forecast => forecast::show(api, visitor).await,
        Address::Bulk | Address::Rerun | Address::Undo => Ok(Reply::see_other("/jobs")),
        Address::SignOut => Ok(Reply::see_other("/")),
        Address::SignIn | Address::Asset(..) => Err(Fault::NoSuchPath(asked.parts.uri.path().to_owned())),
    }
}

/// Refuses who may not see a collection.
fn require_reader(visitor: &Visitor, collection: &CollectionKey) -> Result<(), Fault> {
    if visitor.caller.may_read(collection) {
        return Ok(());
    }
    let name = &collection.collection;
    Err(Fault::Forbidden(format!("To see jobs of the collection {name} you need the role reader on it.")))
}

/// What happens, for the parts of a page that are live.
fn live(api: &Api, visitor: &Visitor) -> Result<Reply, Fault> {
    let permit = api.streams.open(&visitor.caller.principal)?;
    let audience = Audience { grants: visitor.caller.grants.clone(), kinds: Vec::new() };
    let (store, metrics) = (Arc::clone(&api.operations.store), Arc::clone(&api.metrics));
    Ok(Reply::events(EventStream::new(store, None, audience, permit, metrics)))
}

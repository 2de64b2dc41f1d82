//! Changes that forms ask for: each calls the operation that its JSON route calls, and sends its reader on.

mod access;
mod alerts;
mod bulk;
mod cluster;
mod collection;
mod job;
mod pause;
mod rerun;
mod undo;

use punctual_model::Name;
use punctual_model::access::Role;
use punctual_store::{CollectionKey, JobKey};

use super::address::Address;
use super::form::Form;
use super::reply::Reply;
use super::visitor::Visitor;
use super::{Asked, cookies, pages};
use crate::api::Api;
use crate::fault::Fault;
use crate::operations::scope_of;

/// Makes the change that a form asks for.
pub(super) async fn make(
    api: &Api,
    address: &Address,
    visitor: &Visitor,
    form: &Form,
    asked: &Asked<'_>,
) -> Result<Reply, Fault> {
    let done = match address {
        Address::SignOut => return pages::sign_in::end(api, asked).await,
        Address::NewJob => return pages::edit::save_new(api, visitor, form, asked).await,
        Address::EditJob(key) => return pages::edit::save(api, visitor, key, form, asked).await,
        Address::Access => match access::make(api, visitor, form).await? {
            access::Made::Page(page) => return Ok(page),
            access::Made::Done(done) => done,
        },
        Address::Alerts => alerts::make(api, visitor, form).await?,
        Address::Cluster => cluster::make(api, visitor, form).await?,
        Address::Pause => pause::make(api, visitor, form).await?,
        Address::Rerun => rerun::make(api, visitor, form).await?,
        Address::Undo => undo::make(api, visitor, form)?,
        Address::Bulk => bulk::make(api, visitor, form).await?,
        Address::Job(key) => job::make(api, visitor, key, form).await?,
        Address::Changes(key) => job::restore(api, visitor, key, form).await?,
        Address::Collection(key) => collection::make(api, visitor, key, form).await?,
        _ => {
            return Err(Fault::MethodNotAllowed { method: "POST".to_owned(), allowed: "GET, HEAD".to_owned() });
        }
    };
    let note = done.undo.map_or_else(|| done.note.clone(), |number| format!("{}\n{number}", done.note));
    Ok(Reply::see_other(&done.next).cookie(&cookies::note(&note, asked.is_secure)))
}

/// What was done, and where its reader goes.
pub(super) struct Done {
    /// The address of the next page.
    pub(super) next: String,
    /// A sentence for it.
    pub(super) note: String,
    /// The number of the deletion that can be undone.
    pub(super) undo: Option<u64>,
}

impl Done {
    fn new(next: impl Into<String>, note: impl Into<String>) -> Self {
        Self { next: next.into(), note: note.into(), undo: None }
    }
}

/// Where a form wants its reader to go on: a page of ours, or the one that is given.
fn back(form: &Form, otherwise: &str) -> String {
    let is_ours = |to: &&str| {
        to.starts_with('/') && !to.starts_with("//") && to.bytes().all(|b| b.is_ascii_graphic() && b != b'\\')
    };
    form.get("back").filter(is_ours).unwrap_or(otherwise).to_owned()
}

/// Refuses who may not write a collection.
pub(super) fn require_writer(visitor: &Visitor, collection: &CollectionKey) -> Result<(), Fault> {
    if visitor.may_write(collection) {
        return Ok(());
    }
    let has = visitor.caller.grants.role_on(&scope_of(collection)).map_or("no role", Role::name);
    let name = &collection.collection;
    Err(Fault::Forbidden(format!(
        "To change jobs of the collection {name} you need the role contributor on it; you have {has}."
    )))
}

/// A job as a form names it. No name holds a slash.
pub(super) fn job_value(key: &JobKey) -> String {
    let JobKey { collection: CollectionKey { subscription, group, collection }, job } = key;
    format!("{subscription}/{group}/{collection}/{job}")
}

/// The job that a form names.
pub(super) fn parse_job_value(text: &str) -> Option<JobKey> {
    let names: Option<Vec<Name>> = text.split('/').map(|name| Name::parse(name).ok()).collect();
    let [subscription, group, collection, job]: [Name; 4] = names?.try_into().ok()?;
    Some(JobKey { collection: CollectionKey { subscription, group, collection }, job })
}

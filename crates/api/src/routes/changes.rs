//! Who changed what.

use http::StatusCode;
use punctual_model::Name;
use punctual_model::access::{Role, Scope};
use punctual_store::{ChangeEntry, ChangePage, ChangePlace, JobKey, Version};

use super::collections;
use crate::answer::ApiAnswer;
use crate::api::Api;
use crate::fault::Fault;
use crate::limits;
use crate::page::Page;
use crate::request::Request;
use crate::wire::Extent;
use crate::wire::view::{ChangeView, Writer};

/// The changes of a job, of a collection, of an alert or of the server, latest first. One that is gone has changes, too: the latest
/// says who deleted it.
pub(super) async fn list(api: &Api, place: &ChangePlace, request: &Request) -> Result<ApiAnswer, Fault> {
    if let ChangePlace::Alert(name) = place {
        return list_of_alert(api, name, request).await;
    }
    let page = Page::of_size(request, limits::CHANGES_PAGE)?;
    let before = page.after_number()?;
    // The change before the last one that is shown says what that one did.
    let limit = page.skip as usize + page.limit + 1;
    let changes = api.operations.store.changes(&ChangePage { place: place.clone(), before, limit }).await?;
    let is_unknown = changes.is_empty() && before.is_none();
    let (resource, may_write) = match place {
        ChangePlace::Job(key) if is_unknown => return Err(Fault::NoJob(key.job.to_string())),
        ChangePlace::Collection(key) if is_unknown => return Err(Fault::no_collection(key)),
        ChangePlace::Job(JobKey { collection, job }) => {
            (format!("{}/jobs/{job}", collections::path(collection)), request.caller.may_write(collection))
        }
        ChangePlace::Collection(key) => (collections::path(key), request.caller.may_write(key)),
        // Nothing of the server is written in a change. Those of alerts are listed elsewhere.
        ChangePlace::Server | ChangePlace::Alert(_) => (String::new(), false),
    };
    let full = Writer::new(request.dialect, Extent::List);
    let shown = Writer::for_reader(request.dialect, Extent::List, may_write);
    let known = &changes;
    let items: Vec<_> = (0..known.len()).skip(page.skip as usize).take(page.limit).collect();
    let write = |at: &usize| {
        let (change, before): (&ChangeEntry, _) = (&known[*at], known.get(at + 1));
        ChangeView { resource: &resource, change, before }.write(&full, &shown)
    };
    let body = page.answer(request, &api.settings.public_url, items, write, |at| vec![known[*at].id.to_string()]);
    Ok(ApiAnswer::json(StatusCode::OK, body))
}

/// The changes of an alert, latest first: those that the caller may see, by what the alert watched after each. Names are given again,
/// and an alert may be moved: what others had under the name is not shown.
async fn list_of_alert(api: &Api, name: &Name, request: &Request) -> Result<ApiAnswer, Fault> {
    let page = Page::of_size(request, limits::CHANGES_PAGE)?;
    let before = page.after_number()?;
    // All that are kept: how many of them may be shown is not known before.
    let wanted = ChangePage { place: ChangePlace::Alert(name.clone()), before, limit: usize::MAX };
    let known = api.operations.store.changes(&wanted).await?;
    let has = |role: Role, at: usize| request.caller.grants.allows(role, scope_after(&known, at));
    let shown: Vec<usize> = (0..known.len()).filter(|at| has(Role::Reader, *at)).collect();
    if shown.is_empty() && before.is_none() {
        return Err(Fault::Missing { what: "Alert", name: name.to_string() });
    }
    let full = Writer::for_reader_of_alert(Extent::List, true);
    let write = |at: &usize| {
        let before = Some(at + 1).filter(|before| *before < known.len() && has(Role::Reader, *before));
        let may_write = [Some(*at), before].into_iter().flatten().all(|at| has(Role::Contributor, at));
        let writer = Writer::for_reader_of_alert(Extent::List, may_write);
        ChangeView { resource: "", change: &known[*at], before: before.map(|at| &known[at]) }.write(&full, &writer)
    };
    let items = shown.into_iter().skip(page.skip as usize).take(page.limit).collect();
    let body = page.answer(request, &api.settings.public_url, items, write, |at| vec![known[*at].id.to_string()]);
    Ok(ApiAnswer::json(StatusCode::OK, body))
}

/// What an alert watched after a change, or before it was deleted. Where that is not known, only who may see everything is shown
/// the change.
fn scope_after(changes: &[ChangeEntry], at: usize) -> &Scope {
    let versions = changes[at..].iter().take(2).find_map(|change| change.after.as_ref());
    match versions {
        Some(Version::Alert { alert, .. }) => &alert.scope.scope,
        _ => &Scope::Server,
    }
}

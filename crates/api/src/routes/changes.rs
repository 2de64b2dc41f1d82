//! Who changed what.

use http::StatusCode;
use punctual_store::{ChangeEntry, ChangePage, ChangePlace, JobKey};

use super::collections;
use crate::answer::ApiAnswer;
use crate::api::Api;
use crate::fault::Fault;
use crate::limits;
use crate::page::Page;
use crate::request::Request;
use crate::wire::Extent;
use crate::wire::view::{ChangeView, Writer};

/// The changes of a job, of a collection or of the server, latest first. One that is gone has changes, too: the latest says who deleted it.
pub(super) async fn list(api: &Api, place: &ChangePlace, request: &Request) -> Result<ApiAnswer, Fault> {
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
        // Nothing of the server is written in a change.
        ChangePlace::Server => (String::new(), false),
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

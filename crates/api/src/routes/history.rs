//! What came of a job.

use http::StatusCode;
use punctual_store::{HistoryEntry, HistoryItem, HistoryKey, HistoryPage, JobKey};

use super::collections;
use crate::answer::ApiAnswer;
use crate::api::Api;
use crate::fault::Fault;
use crate::filter::parse_history_filter;
use crate::operations;
use crate::page::Page;
use crate::request::Request;
use crate::wire::Extent;
use crate::wire::view::{HistoryView, Writer};

/// The attempts of a job, newest first.
pub(super) async fn list(api: &Api, key: &JobKey, request: &Request) -> Result<ApiAnswer, Fault> {
    let page = Page::of(request)?;
    let filter = request.query.get("$filter").map(parse_history_filter).transpose()?.unwrap_or_default();
    let (collection, job) = operations::find_job(&api.operations, key).await?;
    let after = page.after_text()?.map(|id| HistoryKey::parse_id(id).ok_or_else(Page::wrong_token)).transpose()?;
    let rows = HistoryPage { filter, after, skip: page.skip, limit: page.limit };
    let items = api.operations.store.history(job.id, &rows).await?;
    let writer = Writer::new(request.dialect, Extent::List);
    let job_id = format!("{}/jobs/{}", collections::path(&collection.key), job.name);
    let write = |item: &HistoryItem| {
        let HistoryEntry { record, is_duplicate, .. } = &item.entry;
        let view = HistoryView {
            job_id: &job_id,
            collection: &collection.key.collection,
            job: &job.name,
            key: &item.key.to_id(),
            record,
            is_duplicate: *is_duplicate,
        };
        view.write(&writer)
    };
    let body = page.answer(request, &api.settings.public_url, items, write, |item| vec![item.key.to_id()]);
    Ok(ApiAnswer::json(StatusCode::OK, body))
}

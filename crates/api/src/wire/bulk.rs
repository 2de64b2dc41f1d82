//! The body of a bulk: many writes in one request.

use http::Method;
use punctual_model::Violation;

use super::findings::{Findings, Unknown};
use super::json::Json;
use super::object::Object;
use super::value::Value;
use crate::limits::BULK_ITEMS_MAX;

/// Many writes.
pub(crate) struct BulkInput {
    /// Collections that are taken to be there where they are not, for plans of what is to be in them.
    pub(crate) assumed: Vec<BulkItem>,
    pub(crate) items: Vec<BulkItem>,
}

/// One write: what would be one request.
pub(crate) struct BulkItem {
    pub(crate) method: Method,
    /// Path and query.
    pub(crate) path: String,
    pub(crate) body: Option<Json>,
    pub(crate) if_match: Option<String>,
    pub(crate) if_none_match: Option<String>,
}

/// Reads the body of a bulk.
pub(crate) fn parse_bulk_json(json: &Json) -> Result<BulkInput, Vec<Violation>> {
    let findings = Findings::new(Unknown::Refused);
    let input = Object::root(json, &findings).map(|mut root| {
        root.require("items", "a list of writes");
        let items = root.value("items").map(|items| items.list_up_to(BULK_ITEMS_MAX)).unwrap_or_default();
        let assumed = root.value("assumed").map(|items| items.list_up_to(BULK_ITEMS_MAX)).unwrap_or_default();
        let input = BulkInput {
            assumed: assumed.into_iter().filter_map(item).collect(),
            items: items.into_iter().filter_map(item).collect(),
        };
        root.ignore_rest();
        input
    });
    findings.finish(input).map(|parsed| parsed.value)
}

fn item(value: Value<'_>) -> Option<BulkItem> {
    let mut object = value.object()?;
    object.require("path", "the path of a job, a collection or an alert, such as /v1/collections/ops/jobs/nightly");
    let method = object.choice("method", &[("PUT", 0), ("DELETE", 1)]);
    let item = BulkItem {
        method: if method == Some(1) { Method::DELETE } else { Method::PUT },
        path: object.text("path").unwrap_or_default().to_owned(),
        body: object.value("body").map(|body| body.json.clone()),
        if_match: object.text("ifMatch").map(str::to_owned),
        if_none_match: object.text("ifNoneMatch").map(str::to_owned),
    };
    object.ignore_rest();
    Some(item)
}

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
        let items = root.list("items").unwrap_or_default();
        if items.len() > BULK_ITEMS_MAX {
            root.violation("items", format!("{} items", items.len()), format!("at most {BULK_ITEMS_MAX}"));
        }
        let assumed = root.list("assumed").unwrap_or_default();
        if assumed.len() > BULK_ITEMS_MAX {
            root.violation("assumed", format!("{} items", assumed.len()), format!("at most {BULK_ITEMS_MAX}"));
        }
        let input = BulkInput {
            assumed: assumed.into_iter().filter_map(|value| item(value, Method::PUT)).collect(),
            items: items.into_iter().take(BULK_ITEMS_MAX).filter_map(|value| item(value, Method::PUT)).collect(),
        };
        root.ignore_rest();
        input
    });
    findings.finish(input).map(|parsed| parsed.value)
}

fn item(value: Value<'_>, default: Method) -> Option<BulkItem> {
    let mut object = value.object()?;
    object.require("path", "the path of a job, a collection or an alert, such as /v1/collections/ops/jobs/nightly");
    let method = object.choice("method", &[("PUT", 0), ("DELETE", 1)]);
    let item = BulkItem {
        method: method.map_or(default, |method| if method == 0 { Method::PUT } else { Method::DELETE }),
        path: object.text("path").unwrap_or_default().to_owned(),
        body: object.value("body").map(|body| body.json.clone()),
        if_match: object.text("ifMatch").map(str::to_owned),
        if_none_match: object.text("ifNoneMatch").map(str::to_owned),
    };
    object.ignore_rest();
    Some(item)
}

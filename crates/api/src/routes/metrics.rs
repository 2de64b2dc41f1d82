//! What the server counts of itself.

use http::header::ACCEPT;
use punctual_metrics::Format;

use crate::answer::ApiAnswer;
use crate::api::Api;
use crate::request::Request;

/// Shows all metrics, in the format that the caller asks for.
pub(super) fn metrics(api: &Api, request: &Request) -> ApiAnswer {
    let accept = request.headers.get(ACCEPT).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let format = Format::of_accept(accept);
    ApiAnswer::text(format.content_type(), api.metrics.render(format, request.caller.now))
}

//! The options of a job, and its retry policies.

use punctual_model::action::Signing;
use punctual_model::labels::Labels;
use punctual_model::options::{CatchUp, Options, Overlap, Success};
use punctual_model::retry::{RetryKind, RetryPolicy};

use super::Writer;
use super::members::{Members, list};
use crate::wire::json::Json;

pub(super) fn retry_policy(policy: &RetryPolicy, writer: &Writer) -> Json {
    let is_extension = policy.kind() == RetryKind::Exponential;
    let path = "properties.action.retryPolicy.retryType";
    Members::new()
        .add_some("retryType", writer.lower_case_if_known(path, policy.kind().name(), is_extension))
        .add_some("retryInterval", policy.interval().map(|span| writer.duration(span)))
        .add_some("retryIntervalMax", policy.interval_max().map(|span| writer.duration(span)))
        .add_some("retryCount", policy.count())
        .into_json()
}

/// The options as the user wrote them; nothing where there are none, since the original had none.
pub(super) fn options(options: &Options, sign: Option<&Signing>, labels: &Labels, writer: &Writer) -> Option<Json> {
    let parts = options.parts();
    Members::new()
        .add_some("timeout", parts.timeout.as_ref().map(|span| writer.duration(span)))
        .add_some("jitter", parts.jitter.as_ref().map(|span| writer.duration(span)))
        .add_some("overlap", parts.overlap.map(Overlap::name))
        .add_some("catchUp", parts.catch_up.map(CatchUp::name))
        .add_some("catchUpMax", parts.catch_up_max)
        .add_some("catchUpSpacing", parts.catch_up_spacing.as_ref().map(|span| writer.duration(span)))
        .add_some("success", parts.success.as_ref().map(success))
        .add_some("placeholders", parts.placeholders)
        .add_some("shadow", parts.shadow)
        // That calls are signed; with what is not shown.
        .add_some("sign", sign.map(|_| Members::new().into_json()))
        .add_some("labels", write_labels(labels))
        .if_any()
}

fn write_labels(labels: &Labels) -> Option<Json> {
    let members: Vec<_> = labels.iter().map(|(key, value)| (key.to_owned().into(), value.into())).collect();
    (!members.is_empty()).then_some(Json::Object(members))
}

fn success(success: &Success) -> Json {
    Members::new()
        .add_some("status", list(&success.status, |range| range.to_string().into()))
        .add_some("bodyContains", success.body_contains.as_ref())
        .into_json()
}

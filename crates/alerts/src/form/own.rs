//! JSON of our own: everything that is known, for programs.

use punctual_model::alert::Message;
use serde_json::{Value, json};

pub(super) fn body(message: &Message) -> Value {
    let jobs = message.named_jobs().map(|job| {
        json!({
            "job": job.name_in(&message.home),
            "path": job.path,
            "since": job.since.to_string(),
            "attempts": job.attempts,
            "retryAt": job.retry_at.map(|at| at.to_string()),
        })
    });
    json!({
        "kind": message.kind.name(),
        "alert": message.alert.as_str(),
        "incident": message.incident,
        "trouble": message.trouble.name(),
        "headline": message.headline(),
        "target": message.target,
        "class": message.failure.as_ref().map(|failure| failure.class.name()).or_else(|| message.class()),
        "code": message.failure.as_ref().and_then(|failure| failure.code),
        "reason": message.reason(),
        "excerpt": message.excerpt,
        "since": message.since.to_string(),
        "at": message.at.to_string(),
        "jobCount": message.job_count(),
        "jobs": jobs.collect::<Vec<_>>(),
        "wellCount": message.well,
        "link": message.link,
        "rerun": message.command(),
    })
}

//! The path of a request as the log names it: without credentials that somebody has pasted into it.

use punctual_model::access::TokenId;
use punctual_model::action::looks_secret;

use crate::auth::looks_like_token;

/// Stands for a segment that may be a credential.
const MASK: &str = "***";

/// Segments after which a name or an id stands. Names and ids may be long and mixed, and are what the log is searched for.
const BEFORE_NAMES: [&str; 9] = [
    "subscriptions",
    "resourcegroups",
    "providers",
    "jobcollections",
    "collections",
    "jobs",
    "history",
    "alerts",
    "nodes",
];

/// The path, in which every segment that may be a credential is masked.
pub(crate) fn logged_path(path: &str) -> String {
    let mut before = String::new();
    let mut segments = Vec::new();
    for segment in path.split('/') {
        let is_hidden = match before.as_str() {
            // Whoever takes the whole token for its id has written a secret, or a part of one.
            "tokens" => !segment.is_empty() && TokenId::parse(segment).is_err(),
            name if BEFORE_NAMES.contains(&name) => looks_like_token(segment),
            _ => looks_secret(segment),
        };
        segments.push(if is_hidden { MASK } else { segment });
        before = segment.to_ascii_lowercase();
    }
    segments.join("/")
}

#[cfg(test)]
mod tests {
    use super::logged_path;

    #[test]
    fn credentials_are_masked_and_names_are_not() {
        let token = "punctual_abc234def567_0123456789012345678901234567890123456789012";
        let jwt = "eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiJhbm4ifQ.c2lnbmF0dXJl";
        for (path, logged) in [
            ("/v1/tokens/abc234def567".to_owned(), "/v1/tokens/abc234def567"),
            (format!("/v1/tokens/{token}"), "/v1/tokens/***"),
            (format!("/v1/tokens/{}", &token[22..]), "/v1/tokens/***"),
            ("/V1/Tokens/hunter2".to_owned(), "/V1/Tokens/***"),
            (format!("/v1/tokens/x/{token}"), "/v1/tokens/***/***"),
            (format!("/v1/jobs/{token}/run"), "/v1/jobs/***/run"),
            (format!("/v1/jobs/%70{}", &token[1..]), "/v1/jobs/***"),
            (format!("/v1/collections/{jwt}"), "/v1/collections/***"),
            (format!("/v1/{jwt}"), "/v1/***"),
            (format!("/{token}"), "/***"),
            ("/v1/jobs/report-2026-quarter-4".to_owned(), "/v1/jobs/report-2026-quarter-4"),
            (
                "/subscriptions/0b0c7bb1-8a7e-4d4f-9a5b-0123456789ab/providers/Microsoft.Scheduler/jobCollections"
                    .to_owned(),
                "/subscriptions/0b0c7bb1-8a7e-4d4f-9a5b-0123456789ab/providers/Microsoft.Scheduler/jobCollections",
            ),
            (
                "/v1/jobs/j/history/0123456789abcdef0123/rerun".to_owned(),
                "/v1/jobs/j/history/0123456789abcdef0123/rerun",
            ),
            ("/".to_owned(), "/"),
        ] {
            assert_eq!(logged_path(&path), logged, "{path}");
        }
    }
}

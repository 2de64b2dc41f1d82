//! Who sees and does what.

use punctual_model::access::Role;
use serde_json::json;

use super::{Browser, text};
use crate::server::Server;

async fn with_jobs() -> Server {
    let server = Server::start().await;
    server.put("/v1/collections/vault", json!({})).await;
    let job = json!({"action": {"request": {"uri": "https://example.com/hook?key=sesame", "method": "POST", "body": "sesame"}}, "recurrence": {"frequency": "Hour"}});
    server.put("/v1/jobs/j", job.clone()).await;
    server.put("/v1/collections/vault/jobs/secret-job", job).await;
    server
}

const DEFAULT: &str =
    "/subscriptions/local/resourceGroups/default/providers/Microsoft.Scheduler/jobCollections/default";

#[tokio::test]
async fn a_reader_sees_no_button_that_would_fail() {
    let server = with_jobs().await;
    let reader = Browser::signed_in(&server, &server.token(Role::Reader, "/").await).await;
    for path in ["/", "/jobs", "/jobs/default/j", "/jobs/default/j/changes", "/jobs/default/j/history", "/collections"]
    {
        let page = reader.get(path).await;
        assert_eq!(page.status(), 200, "{path}");
        let forms = page.body().matches("method=\"post\"").count();
        let mut allowed = page.body().matches("action=\"/sign-out\"").count();
        // The list is inside a form, without a button.
        allowed += page.body().matches("action=\"/jobs/bulk\"").count();
        assert_eq!(forms, allowed, "{path} has a form that a reader cannot send");
        for word in ["Run now", "Pause everything</span>", "New job</a>", "type=\"checkbox\"", "value=\"delete\""] {
            assert!(!page.body().contains(word), "{path} shows {word} to a reader");
        }
        assert!(!page.body().contains("sesame"), "{path} shows a reader what may be a secret");
    }
}

#[tokio::test]
async fn what_a_reader_does_nevertheless_is_refused() {
    let server = with_jobs().await;
    let token = server.token(Role::Reader, "/").await;
    let reader = Browser::signed_in(&server, &token).await;
    let form = reader.form_token().await;
    let before = server.everything().await;
    for path in [
        "/jobs/default/j",
        "/jobs/default/j/edit",
        "/jobs/default/j/changes",
        "/jobs/new",
        "/pause",
        "/collections/default",
    ] {
        let answer = reader
            .send(
                path,
                &[("form", &form), ("do", "delete"), ("collection", "local/default/default"), ("name", "n")],
                Some(super::ORIGIN),
            )
            .await;
        assert_eq!(answer.status(), 403, "{path}: {}", answer.body());
    }
    for path in ["/jobs/new", "/jobs/default/j/edit", "/pause"] {
        assert_eq!(reader.get(path).await.status(), 403, "{path}");
    }
    let bulk = reader
        .send(
            "/jobs/bulk",
            &[("form", &form), ("do", "delete"), ("job", "local/default/default/j")],
            Some(super::ORIGIN),
        )
        .await;
    assert_eq!(bulk.status(), 403);
    assert_eq!(server.everything().await, before);
}

#[tokio::test]
async fn who_may_see_one_collection_sees_only_that() {
    let server = with_jobs().await;
    let browser = Browser::signed_in(&server, &server.token(Role::Contributor, DEFAULT).await).await;
    for path in ["/", "/jobs", "/collections", "/search?q=job", "/jobs/new"] {
        let page = browser.get(path).await;
        assert_eq!(page.status(), 200, "{path}: {}", page.body());
        assert!(!page.body().contains("secret-job") && !page.body().contains("vault"), "{path} shows what is hidden");
    }
    for path in [
        "/jobs/vault/secret-job",
        "/jobs/vault/secret-job/edit",
        "/jobs/vault/secret-job/changes",
        "/jobs/new?from=local%2Fdefault%2Fvault%2Fsecret-job",
    ] {
        assert_eq!(browser.get(path).await.status(), 403, "{path}");
    }
    assert!(text(&browser.get("/jobs/default/j").await).contains("Run now"));
    let refused = browser.post("/jobs/vault/secret-job", &[("do", "run")]).await;
    assert_eq!(refused.status(), 403);
}

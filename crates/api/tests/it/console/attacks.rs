//! What others may try.

use http::header::{CACHE_CONTROL, CONTENT_SECURITY_POLICY, X_FRAME_OPTIONS};
use insta::assert_snapshot;
use punctual_api::auth::Authentication;
use punctual_model::failure::{Failure, FailureClass};
use serde_json::json;

use super::{Browser, ORIGIN};
use crate::attempts::{failed, find_job};
use crate::server::Server;

const PAGES: [&str; 15] = [
    "/",
    "/?table",
    "/jobs",
    "/jobs?outcome=failed",
    "/jobs/new",
    "/jobs/default/j",
    "/jobs/default/j/edit",
    "/jobs/default/j/edit?as=json",
    "/jobs/default/j/history",
    "/jobs/default/j/changes",
    "/jobs/default/j/at/2026-11-15T12:00:00Z",
    "/collections",
    "/search?q=j",
    "/pause",
    "/sign-in?code=x",
];

#[tokio::test]
async fn every_page_has_the_policy_and_holds_nothing_that_it_forbids() {
    let server = Server::start().await;
    server
        .put(
            "/v1/jobs/j",
            json!({"action": {"request": {"uri": "https://example.com"}}, "recurrence": {"frequency": "Hour"}}),
        )
        .await;
    let browser = Browser::signed_in(&server, &server.owner).await;
    for path in PAGES {
        let page = browser.get(path).await;
        assert_eq!(page.status(), 200, "{path}: {}", page.body());
        let policy = page.header(CONTENT_SECURITY_POLICY);
        assert!(
            !policy.contains("unsafe")
                && policy.contains("frame-ancestors 'none'")
                && policy.contains("base-uri 'none'"),
            "{policy}"
        );
        assert_eq!((&*page.header(X_FRAME_OPTIONS), &*page.header(CACHE_CONTROL)), ("DENY", "no-store"));
        for forbidden in [" style=", "<style", " onclick=", "javascript:", "<script>"] {
            assert!(!page.body().contains(forbidden), "{path} holds {forbidden}");
        }
        assert!(!page.body().contains(&server.owner), "{path} shows the token");
    }
}

#[tokio::test]
async fn the_policy() {
    let server = Server::start().await;
    let page = Browser::new(&server).get("/sign-in").await;
    assert_snapshot!(page.header(CONTENT_SECURITY_POLICY), @"default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; img-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'");
}

#[tokio::test]
async fn markup_in_answers_and_addresses_stays_text() {
    let server = Server::start().await;
    let evil = "https://example.com/?q=\"><img src=x onerror=alert(1)>";
    let made = server.put("/v1/jobs/j", json!({"action": {"request": {"uri": "https://example.com/", "headers": {"x": "</textarea><script>alert(1)</script>"}, "body": "</textarea><script>alert(2)</script>\u{1b}[31m"}}, "recurrence": {"frequency": "Hour"}})).await;
    assert_eq!(made.status(), 201, "{made}");
    let named = "/v1/jobs/%3Cimg%20src=x%20onerror=alert(7)%3E%22'&";
    let again = json!({"action": {"request": {"uri": "https://example.com/"}}, "recurrence": {"frequency": "Hour"}});
    assert_eq!(server.put(named, again).await.status(), 201);
    let job = find_job(&server, "default", "j").await;
    let failure =
        Failure::new(FailureClass::Protocol, "<b>host</b>", "<script>alert(3)</script> & \"quotes\" \u{0}\u{202e}");
    failed(&server, &job, "2026-11-15T11:59:00Z", failure).await;
    let browser = Browser::signed_in(&server, &server.owner).await;
    for path in PAGES.into_iter().chain([
        "/search?q=%3Cscript%3Ealert(4)%3C/script%3E",
        "/jobs?q=%22%3E%3Cscript%3Ealert(5)",
        "/jobs/new?uri=%22%3E%3Cscript%3Ealert(6)",
        "/jobs/default/%3Cimg%20src=x%20onerror=alert(7)%3E%22'&",
        "/jobs/default/%3Cimg%20src=x%20onerror=alert(7)%3E%22'&/edit",
    ]) {
        let page = browser.get(path).await;
        for forbidden in ["<script>", "<img src=x", "<b>host</b>", "</textarea><script"] {
            assert!(!page.body().contains(forbidden), "{path} holds {forbidden}: {}", page.body());
        }
    }
    let refused = browser
        .post(
            "/jobs/new",
            &[
                ("collection", "local/default/default"),
                ("name", "<script>x</script>"),
                ("kind", "http"),
                ("action.request.uri", evil),
                ("do", "save"),
            ],
        )
        .await;
    assert_eq!(refused.status(), 400);
    assert!(!refused.body().contains("<script>x") && !refused.body().contains("<img src=x"));
}

#[tokio::test]
async fn a_form_of_another_site_or_session_changes_nothing() {
    let server = Server::start().await;
    server
        .put(
            "/v1/jobs/j",
            json!({"action": {"request": {"uri": "https://example.com"}}, "recurrence": {"frequency": "Hour"}}),
        )
        .await;
    let browser = Browser::signed_in(&server, &server.owner).await;
    let other = Browser::signed_in(&server, &server.owner).await;
    let (own, foreign) = (browser.form_token().await, other.form_token().await);
    let before = server.everything().await;
    let delete = |token: &str| vec![("do", "delete".to_owned()), ("form", token.to_owned())];
    for (token, origin) in [
        (&*own, Some("https://evil.example")),
        (&*own, Some("null")),
        (&*own, Some("http://localhost:7878.evil.example")),
        (&*own, None),
        (&*foreign, Some(ORIGIN)),
        ("", Some(ORIGIN)),
    ] {
        let fields = delete(token);
        let fields: Vec<(&str, &str)> = fields.iter().map(|(name, value)| (*name, &**value)).collect();
        for path in ["/jobs/default/j", "/pause", "/jobs/bulk", "/rerun", "/collections/default", "/sign-out"] {
            let answer = browser.send(path, &fields, origin).await;
            assert_eq!(answer.status(), 403, "{path} {token} {origin:?}: {}", answer.body());
        }
    }
    assert_eq!(server.everything().await, before);
    assert_eq!(browser.send("/sign-in", &[("token", &server.owner)], Some("https://evil.example")).await.status(), 403);
    // A browser that says nothing of the origin of its own form says that it is of the same one.
    let token = server
        .call("POST", "/jobs/default/j")
        .anonymous()
        .header("cookie", &browser.cookie())
        .header("sec-fetch-site", "same-origin");
    assert_eq!(token.body(format!("do=run&form={own}")).send().await.status(), 303);
}

#[tokio::test]
async fn reading_changes_nothing() {
    let server = Server::start().await;
    server
        .put(
            "/v1/jobs/j",
            json!({"action": {"request": {"uri": "https://example.com"}}, "recurrence": {"frequency": "Hour"}}),
        )
        .await;
    let browser = Browser::signed_in(&server, &server.owner).await;
    let before = server.everything().await;
    for path in PAGES.into_iter().chain([
        "/jobs/default/j?do=delete",
        "/jobs/bulk?do=delete&job=local/default/default/j",
        "/rerun",
        "/sign-out",
        "/pause?do=pause",
    ]) {
        browser.get(path).await;
    }
    assert_eq!(server.everything().await, before);
    assert_eq!(browser.get("/jobs").await.status(), 200, "reading /sign-out has signed out");
}

#[tokio::test]
async fn links_lead_to_no_other_site() {
    let server = Server::start().await;
    for next in
        ["https://evil.example/", "//evil.example", "/\\evil.example", "/%0d%0aset-cookie:x", "javascript:alert(1)"]
    {
        let answer =
            Browser::new(&server).send("/sign-in", &[("token", &server.owner), ("next", next)], Some(ORIGIN)).await;
        let to = answer.header("location");
        assert!(answer.status() == 303 && (to == "/" || to.starts_with("/%0d")), "{next}: {to}");
    }
    let browser = Browser::signed_in(&server, &server.owner).await;
    let token = browser.form_token().await;
    let answer =
        browser.send("/jobs/bulk", &[("form", &token), ("do", "run"), ("back", "//evil.example")], Some(ORIGIN)).await;
    assert_eq!(answer.header("location"), "/jobs");
    assert_eq!(browser.get("/jobs?tz=utc").await.header("location"), "/jobs");
    let answer = browser.get("//evil.example/?tz=utc").await;
    assert!(!answer.header("location").starts_with("//"), "{}", answer.header("location"));
}

#[tokio::test]
async fn without_authentication_only_this_machine_sees_pages() {
    let server = Server::build(Authentication::Off, |_| {}).await;
    let here = server.call("GET", "/jobs").anonymous().send().await;
    assert_eq!(here.status(), 200, "{}", here.body());
    let rebound = server.call("GET", "/jobs").anonymous().header("host", "evil.example").send().await;
    assert_eq!(rebound.status(), 403);
}

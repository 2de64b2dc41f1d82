//! What pages say.

use punctual_model::failure::{Failure, FailureClass};
use punctual_model::history::StatusKind;
use serde_json::json;

use super::{Browser, text};
use crate::attempts::{attempted, failed, find_job};
use crate::server::Server;

async fn make(server: &Server, name: &str) {
    let job = json!({"action": {"request": {"uri": "https://billing.example/close", "method": "POST"}}, "recurrence": {"frequency": "Day", "timeZone": "Europe/Prague", "schedule": {"hours": [2], "minutes": [30]}}});
    let made = server.put(&format!("/v1/jobs/{name}"), job).await;
    assert_eq!(made.status(), 201, "{made}");
}

#[tokio::test]
async fn the_heading_is_the_answer() {
    let server = Server::start().await;
    let browser = Browser::signed_in(&server, &server.owner).await;
    assert!(text(&browser.get("/").await).contains("No job yet. Two fields make the first one."));
    for name in ["a", "b", "c"] {
        make(&server, name).await;
    }
    assert!(text(&browser.get("/").await).contains("All 3 jobs are on time."));
    for name in ["a", "b"] {
        let job = find_job(&server, "default", name).await;
        failed(
            &server,
            &job,
            "2026-11-15T11:59:00Z",
            Failure::answered(FailureClass::Status, "billing.example", 503, ""),
        )
        .await;
    }
    let overview = text(&browser.get("/").await);
    assert!(overview.contains("1 problem needs you. The other job is on time."), "{overview}");
    assert!(overview.contains("billing.example answered 503 Service Unavailable"), "{overview}");
    assert!(overview.contains("Rerun 2 jobs"), "{overview}");
}

#[tokio::test]
async fn a_job_reads_as_sentences() {
    let server = Server::start().await;
    make(&server, "close").await;
    let job = find_job(&server, "default", "close").await;
    attempted(&server, &job, "2026-11-15T01:30:00Z", "2026-11-15T01:30:00Z", StatusKind::Completed).await;
    let browser = Browser::signed_in(&server, &server.owner).await;
    let page = text(&browser.get("/jobs/default/close").await);
    let sentence = "At 02:30 every day, Europe/Prague , it sends POST to https://billing.example/close . If that fails it is \
                    tried 4 times more, 30 s apart.";
    assert!(page.contains(sentence), "{page}");
    assert!(page.contains("Mon 16 Nov 01:30 in 13 h"), "{page}");
    let missing = text(&browser.get("/jobs/default/close/at/2026-11-14T00:00:00Z").await);
    assert!(missing.contains("The job did not exist yet"), "{missing}");
    assert_eq!(browser.get("/jobs/default/nobody").await.status(), 404);
    assert_eq!(browser.get("/jobs/default/close/at/yesterday").await.status(), 400);
}

#[tokio::test]
async fn a_form_makes_and_changes_a_job() {
    let server = Server::start().await;
    let browser = Browser::signed_in(&server, &server.owner).await;
    let fields = [
        ("collection", "local/default/default"),
        ("name", "by-form"),
        ("kind", "http"),
        ("action.request.uri", "https://example.com/x"),
        ("action.request.headers", "a: b\r\nc: d"),
        ("credentials", "basic"),
        ("action.request.authentication.username", "u"),
        ("action.request.authentication.password", "p"),
        ("when", "every"),
        ("recurrence.frequency", "day"),
        ("recurrence.schedule.hours", "9, 17"),
        ("recurrence.timeZone", "Europe/Prague"),
        ("do", "save"),
    ];
    let made = browser.post("/jobs/new", &fields).await;
    assert_eq!((made.status(), &*made.header("location")), (303, "/jobs/default/by-form"), "{}", text(&made));
    let job = server.call("GET", "/v1/jobs/by-form").plain().send().await;
    assert_eq!(job.at("/recurrence/schedule/hours"), json!([9, 17]));
    assert_eq!(job.at("/action/request/headers"), json!({"a": "b", "c": "d"}));
    let taken = browser.post("/jobs/new", &fields).await;
    assert_eq!(taken.status(), 412);

    let etag = job.etag();
    let page = browser.get("/jobs/default/by-form/edit").await;
    assert!(
        page.body().contains("name=\"draft\" value=\"{&quot;action&quot;:"),
        "what the form has no field for is lost"
    );
    assert!(page.body().contains("value=\"https://example.com/x\"") && !page.body().contains("value=\"p\""));
    let draft = json!({"action": job.at("/action"), "recurrence": job.at("/recurrence")}).to_string();
    let edited =
        [("etag", &*etag), ("draft", &*draft), ("when", "cron"), ("recurrence.cron", "30 2 * * 1-5"), ("do", "save")];
    let saved = browser.post("/jobs/default/by-form/edit", &edited).await;
    assert_eq!(saved.status(), 303, "{}", text(&saved));
    let again = browser.post("/jobs/default/by-form/edit", &edited).await;
    assert_eq!(again.status(), 412, "an old page has overwritten a newer job");
    let bad = [
        ("draft", &*draft),
        ("when", "every"),
        ("recurrence.schedule.hours", "25"),
        ("action.request.uri", "ftp://x"),
        ("do", "check"),
    ];
    let checked = text(&browser.post("/jobs/default/by-form/edit", &bad).await);
    assert!(checked.contains("2 fields need a look"), "{checked}");
}

#[tokio::test]
async fn buttons_do_what_they_say() {
    let server = Server::start().await;
    make(&server, "j").await;
    let browser = Browser::signed_in(&server, &server.owner).await;
    let state = || async { server.call("GET", "/v1/jobs/j").plain().send().await.at("/state") };
    browser.post("/jobs/default/j", &[("do", "disable")]).await;
    assert_eq!(state().await, "disabled");
    browser.post("/jobs/bulk", &[("do", "enable"), ("job", "local/default/default/j")]).await;
    assert_eq!(state().await, "enabled");
    let ran = browser.post("/jobs/default/j", &[("do", "run")]).await;
    assert_eq!(ran.header("location"), "/jobs/default/j");
    assert!(browser.get("/jobs/default/j").await.body().contains("j runs now."));
    browser.post("/pause", &[("do", "pause"), ("why", "moving")]).await;
    assert!(text(&browser.get("/jobs").await).contains("Everything is paused"));
    browser.post("/pause", &[("do", "resume")]).await;
    let changes = browser.get("/jobs/default/j/changes").await;
    let (_, rest) = changes.body().rsplit_once("name=\"change\" value=\"").unwrap();
    let change = rest.split_once('"').unwrap().0;
    let restored = browser.post("/jobs/default/j/changes", &[("do", "restore"), ("change", change)]).await;
    assert_eq!(restored.header("location"), "/jobs/default/j");
    assert!(browser.get("/jobs/default/j").await.body().contains("j is again what it was then."));
}

#[tokio::test(start_paused = true)]
async fn a_deletion_can_be_undone_for_10_seconds() {
    let server = Server::start().await;
    for name in ["j", "k"] {
        make(&server, name).await;
    }
    let browser = Browser::signed_in(&server, &server.owner).await;
    let later = |seconds| tokio::time::sleep(std::time::Duration::from_secs(seconds));
    browser.post("/jobs/default/j", &[("do", "delete")]).await;
    let page = browser.get("/jobs").await;
    assert!(page.body().contains("j is deleted in 10 seconds.") && text(&page).contains("deleting"), "{}", text(&page));
    let (_, rest) = page.body().split_once("name=\"undo\" value=\"").unwrap();
    let number = rest.split_once('"').unwrap().0.to_owned();
    browser.post("/undo", &[("undo", &number)]).await;
    later(20).await;
    assert_eq!(server.get("/v1/jobs/j").await.status(), 200, "it was undone");
    browser
        .post("/jobs/bulk", &[("do", "delete"), ("job", "local/default/default/j"), ("job", "local/default/default/k")])
        .await;
    later(9).await;
    assert_eq!(server.get("/v1/jobs/k").await.status(), 200, "it is too soon");
    later(2).await;
    tokio::task::yield_now().await;
    let gone = || async { server.get("/v1/jobs/k").await.status() == 404 };
    while !gone().await {
        tokio::task::yield_now().await;
    }
    assert!(text(&browser.get("/jobs").await).contains("There is no job here yet."));
}

#[tokio::test]
async fn lists_go_on_page_by_page() {
    let server = Server::start().await;
    for number in 0..51 {
        make(&server, &format!("job-{number:03}")).await;
    }
    let browser = Browser::signed_in(&server, &server.owner).await;
    let first = browser.get("/jobs").await;
    assert!(first.body().contains("job-049") && !first.body().contains("job-050"));
    let (before, _) = first.body().split_once("\">Next 50").unwrap();
    let next = before.rsplit_once("href=\"").unwrap().1.replace("&amp;", "&");
    let second = browser.get(&next).await;
    assert!(second.body().contains("job-050") && !second.body().contains("job-049"));
}

#[tokio::test]
async fn an_unknown_address_is_a_page_for_people_and_json_for_programs() {
    let server = Server::start().await;
    let page = server.call("GET", "/there/is/nothing").anonymous().header("accept", "text/html").send().await;
    assert_eq!(page.status(), 404);
    assert!(text(&page).contains("There is nothing here."));
    let json = server.call("GET", "/there/is/nothing").anonymous().send().await;
    assert_eq!((json.status(), json.at("/error/code")), (404, json!("NotFound")));
}

//! Who is told of failures, by the real server.

use serde_json::json;

use super::Served;
use super::cli::punctual;
use super::http::Client;
use super::receiver::Receiver;

/// Jobs that fail together.
const JOBS: usize = 5;

/// The first message, and the second.
const FAILED: &[u16] = &[503, 503, 503, 503, 503, 200];

/// A job that runs when it is told to.
fn job(port: u16) -> String {
    json!({
        "startTime": "2099-01-01T00:00:00Z",
        "recurrence": {"frequency": "Day"},
        "action": {"request": {"uri": format!("http://127.0.0.1:{port}/")}, "retryPolicy": {"retryType": "none"}},
    })
    .to_string()
}

fn put(client: &mut Client, path: &str, body: &str) {
    let answer = client.call("PUT", path, body).unwrap();
    assert!(matches!(answer.status, 200 | 201), "{path}: {answer:?}");
}

fn alert(port: u16) -> String {
    let action = json!({"request": {"uri": format!("http://127.0.0.1:{port}/hook"), "method": "POST"}});
    json!({"when": ["failing", "recovered"], "action": action}).to_string()
}

fn run_all(client: &mut Client) {
    for number in 0..JOBS {
        let answer = client.call("POST", &format!("/v1/jobs/job-{number}/run"), "").unwrap();
        assert!(answer.status < 300, "{answer:?}");
    }
}

#[test]
fn a_target_that_goes_down_is_one_message_and_its_recovery_another() {
    let data = tempfile::tempdir().unwrap();
    let served = Served::start(data.path());
    let (target, hook) = (Receiver::start(FAILED), Receiver::start(&[200]));
    let mut client = served.client();
    put(&mut client, "/v1/alerts/ops", &alert(hook.port));
    for number in 0..JOBS {
        put(&mut client, &format!("/v1/jobs/job-{number}"), &job(target.port));
    }
    run_all(&mut client);
    hook.wait_for(1);
    let opened = hook.json(0);
    assert_eq!((&opened["kind"], &opened["jobCount"], &opened["code"]), (&"opened".into(), &5.into(), &503.into()));
    let headline = format!("5 jobs fail at 127.0.0.1:{}: 127.0.0.1 answered 503 Service Unavailable.", target.port);
    assert!(opened["headline"].as_str().unwrap().starts_with(&headline), "{opened}");
    assert_eq!(opened["excerpt"], "ok");
    let incidents = punctual(&served, "incidents");
    assert!(incidents.contains("failing"), "{incidents}");
    run_all(&mut client);
    hook.wait_for(2);
    let recovered = hook.json(1);
    assert_eq!((&recovered["kind"], &recovered["wellCount"]), (&"recovered".into(), &5.into()), "{recovered}");
    assert_eq!(recovered["incident"], opened["incident"]);
    assert_eq!(hook.number(), 2, "nobody was told anything else");
}

#[test]
fn a_message_survives_a_kill_and_a_test_says_what_came_back() {
    let data = tempfile::tempdir().unwrap();
    let served = Served::start(data.path());
    // The first attempt to tell fails, and the server is killed before it tries again.
    let (target, hook) = (Receiver::start(&[500]), Receiver::start(&[503, 200]));
    let mut client = served.client();
    put(&mut client, "/v1/alerts/ops", &alert(hook.port));
    put(&mut client, "/v1/jobs/job-0", &job(target.port));
    client.call("POST", "/v1/jobs/job-0/run", "").unwrap();
    hook.wait_for(1);
    served.kill();
    let served = Served::start(data.path());
    hook.wait_for(2);
    assert_eq!(hook.json(0), hook.json(1), "the same message, byte for byte");
    let tags = hook.header("x-ms-execution-tag");
    assert_eq!(tags[0], tags[1]);
    let tested = punctual(&served, "alert test ops");
    assert!(tested.contains("arrived"), "{tested}");
    assert_eq!(hook.json(2)["kind"], "test");
}

//! What targets receive of a job with placeholders, from the real binary.

use super::Served;
use super::receiver::Receiver;

#[test]
fn both_actions_say_whose_they_are() {
    let data = tempfile::tempdir().unwrap();
    let served = Served::start(data.path());
    let receiver = Receiver::start(&[500, 200]);
    let request = format!(
        r#""request": {{"uri": "http://127.0.0.1:{}/", "headers": {{"X-Said": "{{{{job.name}}}} {{{{attempt}}}} {{{{link}}}}"}}}}"#,
        receiver.port
    );
    let job = format!(
        r#"{{"action": {{{request}, "retryPolicy": {{"retryType": "None"}}, "errorAction": {{{request}}}}},
            "startTime": "2020-01-01T00:00:00Z", "options": {{"placeholders": true}}}}"#
    );
    let answer = served.client().call("PUT", "/v1/jobs/nightly%20report", &job).unwrap();
    assert_eq!(answer.status, 201, "{answer:?}");
    receiver.wait_for(2);
    let history = "/v1/collections/default/jobs/nightly%20report/history?\
                   subscription=00000000-0000-0000-0000-000000000000&group=default";
    let link = format!("http://127.0.0.1:{}{history}", served.port);
    assert_eq!(receiver.header("X-Said"), [(); 2].map(|()| format!("nightly report 1 {link}")));
    let answer = served.client().call("GET", history, "").unwrap();
    assert_eq!(answer.status, 200, "{answer:?}");
    assert_eq!(served.stop(), Some(0));
}

#[test]
fn an_error_action_says_why_the_action_failed() {
    let data = tempfile::tempdir().unwrap();
    let served = Served::start(data.path());
    let receiver = Receiver::start(&[503, 200]);
    let uri = format!("http://127.0.0.1:{}/", receiver.port);
    let said = r#""headers": {"X-Said": "{{failure.code}}: {{failure.message}}"}"#;
    let job = format!(
        r#"{{"action": {{"request": {{"uri": "{uri}"}}, "retryPolicy": {{"retryType": "None"}},
            "errorAction": {{"request": {{"uri": "{uri}", {said}}}}}}}, "options": {{"placeholders": true}}}}"#
    );
    let answer = served.client().call("PUT", "/v1/jobs/report", &job).unwrap();
    assert_eq!(answer.status, 201, "{answer:?}");
    receiver.wait_for(2);
    assert_eq!(receiver.header("X-Said"), ["", "503: 127.0.0.1 answered 503 Service Unavailable."]);
}

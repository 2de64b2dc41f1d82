//! What fails, as the command line and the API tell it.

use super::Served;
use super::cli::punctual;
use super::receiver::Receiver;

/// A job that runs once, now.
fn once(port: u16) -> String {
    format!(
        r#"{{"action": {{"request": {{"uri": "http://127.0.0.1:{port}/"}}, "retryPolicy": {{"retryType": "none"}}}}}}"#
    )
}

#[test]
fn whoever_asks_is_told_what_fails_and_why_and_that_it_has_recovered() {
    let data = tempfile::tempdir().unwrap();
    let served = Served::start(data.path());
    assert!(punctual(&served, "failures").contains("no job fails"));
    let receiver = Receiver::start(&[503, 200]);
    let mut client = served.client();
    client.call("PUT", "/v1/jobs/broken", &once(receiver.port)).unwrap();
    receiver.wait_for(1);
    let failing = wait_for(&mut client, "/v1/failures", 1);
    assert_eq!((&failing["value"][0]["job"], &failing["value"][0]["code"]), (&"broken".into(), &503.into()));
    let shown = punctual(&served, "failures");
    assert!(shown.contains("default/broken failing 1 INSTANT"), "{shown}");
    assert!(shown.contains("127.0.0.1 answered 503 Service Unavailable."), "{shown}");
    let target = format!("127.0.0.1:{}", receiver.port);
    let by_target = punctual(&served, "failures --by target");
    assert!(by_target.contains("TARGET JOBS FAILING COUNT SINCE REASON"), "{by_target}");
    assert!(by_target.contains(&format!("{target} 1 1 1 INSTANT 127.0.0.1 answered 503")), "{by_target}");
    let by_job = punctual(&served, "failures --by job");
    assert!(by_job.contains("JOB TARGET FAILING COUNT SINCE REASON"), "{by_job}");
    assert!(by_job.contains(&format!("default/broken {target} 1 1 INSTANT 127.0.0.1 answered 503")), "{by_job}");
    client.call("POST", "/v1/jobs/broken/run", "").unwrap();
    receiver.wait_for(2);
    wait_for(&mut client, "/v1/failures", 0);
    assert!(punctual(&served, "failures").contains("no job fails"));
    let since = punctual(&served, "failures --since 1h");
    assert!(since.contains("default/broken recovered 1 INSTANT"), "{since}");
    assert!(punctual(&served, "failures --since soon").contains("--since"));
}

#[test]
fn what_is_run_again_at_a_target_is_named_as_the_help_says() {
    let data = tempfile::tempdir().unwrap();
    let served = Served::start(data.path());
    let receiver = Receiver::start(&[503]);
    let mut client = served.client();
    client.call("PUT", "/v1/jobs/broken", &once(receiver.port)).unwrap();
    wait_for(&mut client, "/v1/failures", 1);
    for target in ["127.0.0.1".to_owned(), format!("127.0.0.1:{}", receiver.port)] {
        let found = punctual(&served, &format!("rerun --dry-run --target {target}"));
        assert!(found.contains("would be run again: 1 occurrence"), "{target}: {found}");
        let found = punctual(&served, &format!("failures --since 1h --target {target}"));
        assert!(found.contains("default/broken failing 1 INSTANT"), "{target}: {found}");
    }
    let said = punctual(&served, "rerun --dry-run --target nowhere.example:443");
    let expected = "nothing to run again: nothing that failed since INSTANT matches --target nowhere.example:443";
    assert!(said.contains(expected) && said.ends_with("exit status 0"), "{said}");
}

#[test]
fn what_comes_next_is_told() {
    let data = tempfile::tempdir().unwrap();
    let served = Served::start(data.path());
    assert!(punctual(&served, "due").contains("nothing is due before"));
    let job = r#"{"startTime": "2099-01-01", "action": {"request": {"uri": "http://127.0.0.1:1/"}}}"#;
    served.client().call("PUT", "/v1/jobs/later", job).unwrap();
    assert!(punctual(&served, "due --within 7d").contains("nothing is due before"));
    served.client().call("POST", "/v1/pause", "").unwrap();
    served.client().call("POST", "/v1/jobs/later/run", "").unwrap();
    let due = punctual(&served, "due");
    assert!(due.contains("the server is paused: nothing starts until `punctual resume`"), "{due}");
    assert!(due.contains("INSTANT default/later manual, running or due 127.0.0.1:1"), "{due}");
    assert!(punctual(&served, "due --within soon").contains("within"));
}

#[test]
fn what_the_server_does_is_shown() {
    let data = tempfile::tempdir().unwrap();
    let served = Served::start(data.path());
    let shown = punctual(&served, "top --once");
    assert!(shown.contains("in flight"), "{shown}");
    assert!(shown.contains("no job fails"), "{shown}");
    assert!(!shown.contains("paused"), "{shown}");
    served.client().call("POST", "/v1/pause", "").unwrap();
    let shown = punctual(&served, "top --once");
    assert!(shown.contains("the server is paused: nothing starts until `punctual resume`"), "{shown}");
}

/// Asks until so many are listed: what has come of a call is written a moment after it was answered.
fn wait_for(client: &mut super::http::Client, path: &str, number: usize) -> serde_json::Value {
    loop {
        let answer = client.call("GET", path, "").unwrap().body;
        if answer["value"].as_array().is_some_and(|value| value.len() == number) {
            return answer;
        }
        std::thread::yield_now();
    }
}

//! A server that is told to stop.

use super::Served;

#[test]
fn it_stops_when_it_is_told_and_keeps_everything() {
    let data = tempfile::tempdir().unwrap();
    let served = Served::start(data.path());
    let body = r#"{"action": {"request": {"uri": "https://example.com"}}, "startTime": "2030-01-01"}"#;
    assert_eq!(served.client().call("PUT", "/v1/jobs/kept", body).unwrap().status, 201);
    assert_eq!(served.stop(), Some(0));
    let served = Served::start(data.path());
    assert_eq!(served.client().call("GET", "/v1/jobs/kept", "").unwrap().status, 200);
}

#[test]
fn a_second_server_is_kept_out_of_the_data() {
    let data = tempfile::tempdir().unwrap();
    let served = Served::start(data.path());
    let second =
        crate::binary().args(["serve", "--listen", "127.0.0.1:0", "--data"]).arg(data.path()).output().unwrap();
    let said = String::from_utf8(second.stderr).unwrap();
    assert!(said.contains("another punctual is using"), "{said}");
    assert_eq!(second.status.code(), Some(1));
    assert_eq!(served.client().call("GET", "/healthz", "").unwrap().status, 200);
}

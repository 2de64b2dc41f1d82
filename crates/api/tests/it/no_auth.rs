//! A server that asks nobody who they are, because only this machine reaches it.

use insta::assert_snapshot;
use punctual_api::auth::Authentication;

use crate::server::Server;

async fn open() -> Server {
    Server::build(Authentication::Off, |_| {}).await
}

#[tokio::test]
async fn whoever_is_here_may_do_everything() {
    let server = open().await;
    for host in ["localhost:7878", "LOCALHOST", "127.0.0.1:7878", "127.9.9.9", "[::1]:7878"] {
        let answer = server.call("GET", "/v1/tokens").anonymous().header("host", host).send().await;
        assert_eq!(answer.status(), 200, "{host}");
    }
    let call = server.call("GET", "/v1/tokens").anonymous();
    let own_page = call.header("origin", "http://localhost:7878").header("sec-fetch-site", "same-origin").send().await;
    assert_eq!(own_page.status(), 200);
    let typed = server.call("GET", "/v1/tokens").anonymous().header("sec-fetch-site", "none").send().await;
    assert_eq!(typed.status(), 200);
    assert_eq!(
        server.call("GET", "/v1/tokens").bearer("whatever").send().await.status(),
        200,
        "a token is not looked at"
    );
}

#[tokio::test]
async fn a_name_that_leads_here_is_not_this_machine() {
    let server = open().await;
    let asked = server.call("GET", "/v1/jobs").header("host", "rebound.example:7878").send().await;
    assert_snapshot!(asked, @r#"
    403 Forbidden
    content-type: application/json; charset=utf-8
    {
      "error": {
        "code": "AuthorizationFailed",
        "message": "Without authentication only this machine may call, not 'rebound.example:7878'."
      }
    }
    "#);
    for host in ["", "192.168.0.1", "localhost.example", "127.0.0.1.example", "0.0.0.0", "[::2]"] {
        let answer = server.call("GET", "/v1/jobs").header("host", host).send().await;
        assert_eq!(answer.status(), 403, "{host}");
    }
}

/// HTTP/2 has no header `Host`; the name stands in the address.
#[tokio::test]
async fn nor_is_one_in_the_address() {
    let server = open().await;
    let request = |uri: &str| http::Request::builder().uri(uri).body(Ok(bytes::Bytes::new())).unwrap();
    assert_eq!(server.answer(request("http://rebound.example:7878/v1/jobs")).await.status(), 403);
    assert_eq!(server.answer(request("http://localhost:7878/v1/jobs")).await.status(), 200);
    let mut both = request("http://rebound.example/v1/jobs");
    both.headers_mut().insert("host", "localhost".parse().unwrap());
    assert_eq!(server.answer(both).await.status(), 403);
}

#[tokio::test]
async fn pages_of_other_sites_are_kept_out() {
    let server = open().await;
    for origin in
        ["https://evil.example", "http://localhost.evil.example", "null", "", "file://", "http://10.0.0.1:7878"]
    {
        let answer = server.call("PUT", "/v1/jobs/j").header("origin", origin).send().await;
        assert_eq!(answer.status(), 403, "{origin}");
    }
    let fetched = server.call("GET", "/v1/jobs").header("sec-fetch-site", "cross-site").send().await;
    assert_snapshot!(fetched, @r#"
    403 Forbidden
    content-type: application/json; charset=utf-8
    {
      "error": {
        "code": "AuthorizationFailed",
        "message": "Without authentication pages of other sites may not call."
      }
    }
    "#);
    assert_eq!(server.call("GET", "/v1/jobs").header("sec-fetch-site", "CROSS-SITE").send().await.status(), 403);
}

#[tokio::test]
async fn health_is_for_everyone() {
    let server = open().await;
    let probed = server.call("GET", "/healthz").header("host", "10.1.2.3:7878").send().await;
    assert_eq!(probed.status(), 200);
}

//! Secrets sealed anew.

use insta::assert_snapshot;
use serde_json::json;

use crate::server::Server;

#[tokio::test]
async fn everything_is_sealed_anew_and_stays_as_it_was() {
    let server = Server::start().await;
    for number in 0..5 {
        let authentication = json!({ "type": "Basic", "username": "ada", "password": format!("pass{number}") });
        let job =
            json!({ "action": { "request": { "uri": "https://example.com", "authentication": authentication } } });
        assert_eq!(server.put(&format!("/v1/jobs/j{number}"), job).await.status(), 201);
    }
    let before = server.everything().await;
    assert_snapshot!(server.post("/v1/secrets/rotate").await, @r#"
    200 OK
    content-type: application/json; charset=utf-8
    {
      "jobs": 5
    }
    "#);
    assert_eq!(server.everything().await, before);
    assert_eq!(server.post("/v1/secrets/rotate").await.at("/jobs"), 5, "and again");
    let kept =
        server.patch("/v1/jobs/j3", json!({ "properties": { "action": { "request": { "method": "POST" } } } })).await;
    assert_eq!(kept.status(), 200, "the stored secret can still be opened: {kept}");
    assert_eq!(server.post("/v1/secrets/rotate?continue=0").await.at("/jobs"), 0, "nothing is left to do");
}

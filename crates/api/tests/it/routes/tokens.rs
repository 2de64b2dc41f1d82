//! Tokens and role assignments.

use insta::assert_snapshot;
use serde_json::json;

use crate::server::{GROUP, Server};

#[tokio::test]
async fn a_token_is_shown_once() {
    let server = Server::start().await;
    let body = json!({ "description": "deploys", "expires": "2027-01-01T00:00:00Z",
        "grants": [{ "role": "Contributor", "scope": GROUP }, { "role": "reader", "scope": "/" }] });
    let made = server.call("POST", "/v1/tokens").json(&body).send().await;
    let token = made.at("/token").as_str().unwrap().to_owned();
    assert_snapshot!(made.to_string().replace(&token, "(the token)"), @r#"
    201 Created
    content-type: application/json; charset=utf-8
    {
      "id": "daaaaaaaaaaa",
      "token": "(the token)",
      "description": "deploys",
      "created": "2026-11-15T12:00:00Z",
      "expires": "2027-01-01T00:00:00Z",
      "grants": [
        {
          "role": "contributor",
          "scope": "/subscriptions/local/resourceGroups/default"
        },
        {
          "role": "reader",
          "scope": "/"
        }
      ]
    }
    "#);
    let listed = server.get("/v1/tokens").await;
    let (_, secret) = token.rsplit_once('_').unwrap_or_default();
    assert!(!listed.body().contains(secret) && !secret.is_empty(), "{listed}");
    assert_snapshot!(listed, @r#"
    200 OK
    content-type: application/json; charset=utf-8
    {
      "value": [
        {
          "id": "daaaaaaaaaaa",
          "description": "deploys",
          "created": "2026-11-15T12:00:00Z",
          "expires": "2027-01-01T00:00:00Z",
          "grants": [
            {
              "role": "contributor",
              "scope": "/subscriptions/local/resourceGroups/default"
            },
            {
              "role": "reader",
              "scope": "/"
            }
          ]
        },
        {
          "id": "hyboqd4ahybo",
          "description": "made by a test",
          "created": "2026-11-15T12:00:00Z",
          "grants": [
            {
              "role": "owner",
              "scope": "/"
            }
          ]
        }
      ],
      "nextLink": null
    }
    "#);
    assert_eq!(server.call("GET", "/v1/jobs").bearer(&token).send().await.status(), 200);
    assert_eq!(server.call("GET", "/v1/tokens").bearer(&token).send().await.status(), 403);
}

#[tokio::test]
async fn a_scope_may_be_the_name_of_a_collection() {
    let server = Server::start().await;
    let body = json!({ "grants": [{ "role": "reader", "scope": "ops" }] });
    let made = server.call("POST", "/v1/tokens").json(&body).send().await;
    let scope = format!("{GROUP}/providers/Microsoft.Scheduler/jobCollections/ops");
    assert_eq!(made.at("/grants/0/scope"), scope.as_str(), "{made}");
}

#[tokio::test]
async fn a_token_ends_when_it_expires_or_is_revoked() {
    let server = Server::start().await;
    let body = json!({ "expires": "2026-11-15T13:00:00Z", "grants": [{ "role": "reader", "scope": "/" }] });
    let made = server.call("POST", "/v1/tokens").json(&body).send().await;
    let token = made.at("/token").as_str().unwrap().to_owned();
    let jobs = || server.call("GET", "/v1/jobs").bearer(&token).send();
    server.set_clock("2026-11-15T12:59:59.9999999Z");
    assert_eq!(jobs().await.status(), 200);
    server.set_clock("2026-11-15T13:00:00Z");
    assert_snapshot!(jobs().await, @r#"
    401 Unauthorized
    content-type: application/json; charset=utf-8
    www-authenticate: Bearer error="invalid_token", error_description="the token has expired"
    {
      "error": {
        "code": "AuthenticationFailed",
        "message": "Authentication failed: the token has expired."
      }
    }
    "#);
    server.set_clock("2026-11-15T12:30:00Z");
    let path = format!("/v1/tokens/{}", made.at("/id").as_str().unwrap());
    assert_snapshot!(server.delete(&path).await, @"200 OK");
    assert_snapshot!(jobs().await, @r#"
    401 Unauthorized
    content-type: application/json; charset=utf-8
    www-authenticate: Bearer error="invalid_token", error_description="the token is not known"
    {
      "error": {
        "code": "AuthenticationFailed",
        "message": "Authentication failed: the token is not known."
      }
    }
    "#);
    assert_snapshot!(server.delete(&path).await, @r#"
    404 Not Found
    content-type: application/json; charset=utf-8
    {
      "error": {
        "code": "NotFound",
        "message": "Token 'daaaaaaaaaaa' cannot be found."
      }
    }
    "#);
}

#[tokio::test]
async fn a_token_that_differs_in_its_secret_is_unknown() {
    let server = Server::start().await;
    let mut other = server.owner.clone();
    let last = other.pop().unwrap();
    other.push(if last == 'A' { 'B' } else { 'A' });
    assert_eq!(server.call("GET", "/v1/jobs").bearer(&other).send().await.status(), 401);
    for header in ["Basic dTpw", "Bearer", "bearer x", "punctual_x"] {
        let answer = server.call("GET", "/v1/jobs").anonymous().header("authorization", header).send().await;
        assert_eq!(answer.status(), 401, "{header}");
        assert!(answer.header("www-authenticate").starts_with("Bearer"), "{header}: {answer}");
    }
    assert_snapshot!(server.call("GET", "/v1/jobs").anonymous().send().await, @r#"
    401 Unauthorized
    content-type: application/json; charset=utf-8
    www-authenticate: Bearer
    {
      "error": {
        "code": "AuthenticationFailed",
        "message": "Authentication failed: a bearer token is needed."
      }
    }
    "#);
}

#[tokio::test]
async fn an_assignment_comes_and_goes() {
    let server = Server::start().await;
    let body = json!({ "issuer": "https://issuer.example", "claim": "groups", "value": "ops", "role": "OWNER", "scope": "/subscriptions/S" });
    assert_snapshot!(server.call("POST", "/v1/assignments").json(&body).send().await, @r#"
    201 Created
    content-type: application/json; charset=utf-8
    {
      "id": 1,
      "issuer": "https://issuer.example",
      "claim": "groups",
      "value": "ops",
      "role": "owner",
      "scope": "/subscriptions/S"
    }
    "#);
    let twice = server.call("POST", "/v1/assignments").json(&body).send().await;
    assert_snapshot!(server.get("/v1/assignments").await, @r#"
    200 OK
    content-type: application/json; charset=utf-8
    {
      "value": [
        {
          "id": 1,
          "issuer": "https://issuer.example",
          "claim": "groups",
          "value": "ops",
          "role": "owner",
          "scope": "/subscriptions/S"
        },
        {
          "id": 2,
          "issuer": "https://issuer.example",
          "claim": "groups",
          "value": "ops",
          "role": "owner",
          "scope": "/subscriptions/S"
        }
      ],
      "nextLink": null
    }
    "#);
    let path = format!("/v1/assignments/{}", twice.at("/id"));
    assert_eq!(server.delete(&path).await.status(), 200);
    assert_snapshot!(server.delete(&path).await, @r#"
    404 Not Found
    content-type: application/json; charset=utf-8
    {
      "error": {
        "code": "NotFound",
        "message": "Assignment '2' cannot be found."
      }
    }
    "#);
}

#[tokio::test]
async fn there_is_an_end_to_assignments() {
    let server = Server::start().await;
    let body = |value: usize| json!({ "issuer": "https://issuer.example", "claim": "sub", "value": value.to_string(), "role": "reader", "scope": "/" });
    for number in 0..1000 {
        assert_eq!(server.call("POST", "/v1/assignments").json(&body(number)).send().await.status(), 201, "{number}");
    }
    assert_snapshot!(server.call("POST", "/v1/assignments").json(&body(1000)).send().await, @r#"
    409 Conflict
    content-type: application/json; charset=utf-8
    {
      "error": {
        "code": "ConflictError",
        "message": "There are 1000 assignments already; remove some first.",
        "details": [
          {
            "code": "ConflictError",
            "target": "assignments",
            "message": "There are 1000 assignments already; remove some first."
          }
        ]
      }
    }
    "#);
}

//! Links to the console.

use punctual_api::auth::Authentication;
use punctual_model::access::Role;
use serde_json::json;

use crate::server::Server;

#[tokio::test]
async fn a_link_is_for_who_asks() {
    let server = Server::start().await;
    let token = server.token(Role::Reader, "/").await;
    let answer = server.call("POST", "/v1/sign-in-link").bearer(&token).send().await;
    assert_eq!(answer.status(), 200, "{answer}");
    let url = answer.at("/url");
    assert!(url.as_str().unwrap().starts_with("https://punctual.example/sign-in?code="), "{url}");
    assert_eq!(answer.at("/expires"), "2026-11-15T12:10:00Z");
    assert_eq!(server.call("POST", "/v1/sign-in-link").anonymous().send().await.status(), 401);
    let told = server.call("POST", "/v1/sign-in-link").json(&json!({"for": "somebody else"})).send().await;
    assert_eq!(told.status(), 400);
}

#[tokio::test]
async fn without_authentication_there_is_nothing_to_sign_in_to() {
    let server = Server::build(Authentication::Off, |_| {}).await;
    let answer = server.call("POST", "/v1/sign-in-link").anonymous().send().await;
    assert_eq!(answer.at("/url"), "https://punctual.example/");
}

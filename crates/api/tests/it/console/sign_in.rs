//! Who comes in, and for how long.

use insta::assert_snapshot;
use punctual_api::auth::Token;
use punctual_model::access::Role;

use super::{Browser, ORIGIN, text};
use crate::server::Server;

#[tokio::test]
async fn who_is_not_signed_in_is_sent_to_sign_in_and_back() {
    let server = Server::start().await;
    let browser = Browser::new(&server);
    let answer = browser.get("/jobs?q=ledger").await;
    assert_eq!((answer.status(), &*answer.header("location")), (303, "/sign-in?next=%2Fjobs%3Fq%3Dledger"));
    let signed = browser.send("/sign-in", &[("token", &server.owner), ("next", "/jobs?q=ledger")], Some(ORIGIN)).await;
    assert_eq!((signed.status(), &*signed.header("location")), (303, "/jobs?q=ledger"));
    assert_eq!(browser.get("/jobs?q=ledger").await.status(), 200);
}

#[tokio::test]
async fn the_cookie_is_hidden_from_scripts_and_other_sites() {
    let server = Server::start().await;
    let answer = Browser::new(&server).send("/sign-in", &[("token", &server.owner)], Some(ORIGIN)).await;
    let cookie = answer.header("set-cookie");
    let (_, attributes) = cookie.split_once("; ").unwrap();
    assert_snapshot!(attributes, @"Path=/; Max-Age=43200; HttpOnly; SameSite=Lax; Secure");
    assert!(!cookie.contains(&server.owner), "the token itself is in the cookie");
}

#[tokio::test]
async fn a_wrong_token_is_explained_and_opens_nothing() {
    let server = Server::start().await;
    let browser = Browser::new(&server);
    let other = Token::generate([3; Token::RANDOM_BYTES]);
    for wrong in ["", "punctual_x", other.expose(), "Bearer x"] {
        let answer = browser.send("/sign-in", &[("token", wrong)], Some(ORIGIN)).await;
        assert_eq!(answer.status(), 401, "{wrong}");
        assert!(answer.header("set-cookie").is_empty());
    }
    let expired = server.token_until(Role::Owner, "/", Some("2026-11-15T11:00:00Z")).await;
    assert_eq!(browser.send("/sign-in", &[("token", &expired)], Some(ORIGIN)).await.status(), 401);
    assert_eq!(browser.get("/").await.status(), 303);
}

#[tokio::test]
async fn a_session_ends_by_signing_out_with_its_token_and_after_12_hours() {
    let server = Server::start().await;
    let out = Browser::signed_in(&server, &server.owner).await;
    let stolen = out.cookie();
    assert_eq!(out.post("/sign-out", &[]).await.status(), 303);
    let again = server.call("GET", "/jobs").anonymous().header("cookie", &stolen).send().await;
    assert_eq!(again.status(), 303, "the session outlives its end");

    let token = server.token(Role::Reader, "/").await;
    let revoked = Browser::signed_in(&server, &token).await;
    assert_eq!(revoked.get("/jobs").await.status(), 200);
    server.delete(&format!("/v1/tokens/{}", Token::parse(&token).unwrap().id().as_str())).await;
    assert_eq!(revoked.get("/jobs").await.status(), 303, "the session outlives its token");

    let long = Browser::signed_in(&server, &server.owner).await;
    server.set_clock("2026-11-15T23:59:59Z");
    assert_eq!(long.get("/jobs").await.status(), 200);
    server.set_clock("2026-11-16T00:00:00Z");
    assert_eq!(long.get("/jobs").await.status(), 303);
}

#[tokio::test]
async fn a_token_that_expires_ends_its_sessions() {
    let server = Server::start().await;
    let token = server.token_until(Role::Owner, "/", Some("2026-11-15T13:00:00Z")).await;
    let browser = Browser::signed_in(&server, &token).await;
    server.set_clock("2026-11-15T13:00:00Z");
    assert_eq!(browser.get("/jobs").await.status(), 303);
}

#[tokio::test]
async fn a_link_with_a_code_signs_in_once() {
    let server = Server::start().await;
    let link = server.api.sign_in_link(Token::parse(&server.owner).unwrap().id());
    let path = link.strip_prefix("https://punctual.example").unwrap();
    let browser = Browser::new(&server);
    // Reading the page uses nothing up: programs that look at links before people do read it, too.
    for _ in 0..2 {
        let page = browser.get(path).await;
        assert!(text(&page).contains("This link signs you in once"), "{}", page.body());
    }
    let code = path.split_once("code=").unwrap().1;
    assert_eq!(browser.send("/sign-in", &[("code", code)], Some(ORIGIN)).await.status(), 303);
    assert_eq!(browser.get("/jobs").await.status(), 200);
    let second = Browser::new(&server);
    let answer = second.send("/sign-in", &[("code", code)], Some(ORIGIN)).await;
    assert_eq!(answer.status(), 401);
    assert!(text(&answer).contains("The link was used already"));
}

#[tokio::test]
async fn a_link_with_a_code_is_good_for_10_minutes() {
    let server = Server::start().await;
    let link = server.api.sign_in_link(Token::parse(&server.owner).unwrap().id());
    let code = link.split_once("code=").unwrap().1;
    server.set_clock("2026-11-15T12:10:00Z");
    assert_eq!(Browser::new(&server).send("/sign-in", &[("code", code)], Some(ORIGIN)).await.status(), 401);
}

//! What a target repeats of the job's secrets is not kept.

use base64::Engine;
use base64::engine::general_purpose::{STANDARD, URL_SAFE};
use insta::assert_snapshot;

use crate::job::Job;
use crate::receiver::{Receiver, Reply};

const PASSWORD: &str = "pa ss+wörd?~x";

#[tokio::test]
async fn in_all_their_spellings() {
    let encoded = percent_encoding::utf8_percent_encode(PASSWORD, percent_encoding::NON_ALPHANUMERIC).to_string();
    let lines = [
        PASSWORD.to_owned(),
        encoded.clone(),
        encoded.to_lowercase(),
        STANDARD.encode(PASSWORD),
        URL_SAFE.encode(format!("user:{PASSWORD}")),
        STANDARD.encode(format!("{{\"password\":\"{PASSWORD}\",\"x\":1}}")),
        "token-in-a-header".to_owned(),
        "q%75ery-secret".to_owned(),
        "user and Bearer stay".to_owned(),
    ];
    let receiver = Receiver::always(Reply::with("200 OK", &[("X-Echo", PASSWORD)], lines.join("\n").as_bytes())).await;
    let job = Job::get(receiver.url("/?a=1&key=query-secret"))
        .basic("user", PASSWORD)
        .header("X-Token", "Bearer token-in-a-header")
        .header("Accept", "text/plain");
    assert_snapshot!(job.tell().await, @"
    succeeded, trouble None
    Http Action - Response from host '127.0.0.1': 'OK' Response Headers: X-Echo: ***␍␊Content-Length: 221␍␊ Body: ***
    ***
    ***
    ***g=
    ***A==
    eyJwYXNzd29yZCI6In***IiwieCI6MX0=
    ***
    ***
    user and Bearer stay
    ");
}

#[tokio::test]
async fn also_where_the_excerpt_ends() {
    for before in 1000..1030 {
        let body = format!("{}{PASSWORD} and so on", "x".repeat(before));
        let receiver = Receiver::always(Reply::ok(&body)).await;
        let text = Job::get(receiver.url("/")).basic("user", PASSWORD).tell().await;
        let excerpt = text.split(" Body: ").nth(1).unwrap();
        assert!(!excerpt.contains('p'), "{excerpt}");
    }
    let body = PASSWORD.repeat(10_000);
    let receiver = Receiver::always(Reply::ok(&body)).await;
    let text = Job::get(receiver.url("/")).basic("user", PASSWORD).tell().await;
    assert!(text.split(" Body: ").nth(1).unwrap().chars().all(|c| c == '*'), "{text}");
}

/// Each value of a JSON body, and what never goes to the target, in more encodings.
#[tokio::test]
async fn values_of_the_body_and_what_was_never_sent() {
    let key = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
    let hex = "6361726420343131312d31313131";
    let lines = ["card 4111-1111", hex, "Tom &amp; J&#233;r&#244;me &lt;3&gt;", "Tom &amp; J&#xe9;rôme &#60;3>", key];
    let receiver = Receiver::always(Reply::ok(&lines.join("\n"))).await;
    let body = r#"{"payment": {"card": "card 4111-1111"}, "names": ["Tom & Jérôme <3>"], "kind": "words"}"#;
    let job = Job::new("POST", receiver.url("/")).body(body).signed(key);
    assert_snapshot!(job.tell().await, @"
    succeeded, trouble None
    Http Action - Response from host '127.0.0.1': 'OK' Response Headers: Content-Length: 150␍␊ Body: ***
    ***
    ***
    ***
    ***
    ");
}

/// A target has other places than the body in which it can repeat what it was sent.
#[tokio::test]
async fn in_codings_names_and_what_is_not_http() {
    let coded = Reply::with("200 OK", &[("Content-Encoding", "token-in-a-header")], b"body");
    let framed = Reply::head("200 OK", &[("Transfer-Encoding", "token-in-a-header")]);
    let elsewhere = Reply::redirect("http://token-in-a-header.invalid/");
    for reply in [coded, framed, elsewhere] {
        let receiver = Receiver::always(reply).await;
        let text = Job::get(receiver.url("/")).header("X-Token", "token-in-a-header").tell().await;
        assert!(text.contains("***") && !text.contains("token-in-a-header"), "{text}");
    }
}

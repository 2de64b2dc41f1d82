//! What is success, and what the history says about answers.

use insta::assert_snapshot;

use crate::job::{Job, actions, tell};
use crate::receiver::{Receiver, Reply};

async fn told(reply: Reply) -> String {
    let receiver = Receiver::always(reply).await;
    Job::get(receiver.url("/")).tell().await
}

#[tokio::test]
async fn an_answer_in_the_format_of_the_original() {
    let headers =
        [("Server", "Kestrel"), ("X-Two", "one"), ("set-cookie", "id=1"), ("x-two", "two"), ("Date", "today")];
    assert_snapshot!(told(Reply::with("200 OK", &headers, b"<html>")).await, @"
    succeeded, trouble None
    Http Action - Response from host '127.0.0.1': 'OK' Response Headers: Server: Kestrel␍␊X-Two: one, two␍␊Date: today␍␊Content-Length: 6␍␊ Body: <html>
    ");
}

#[tokio::test]
async fn headers_between_target_and_caller_are_not_kept() {
    let headers = [("Set-Cookie", "id=1"), ("WWW-Authenticate", "Basic"), ("Authorization", "x"), ("Via", "proxy")];
    assert_snapshot!(told(Reply::with("401 Unauthorized", &headers, b"")).await, @"
    failed, trouble None
    Http Action - Response from host '127.0.0.1': 'Unauthorized' Response Headers: Via: proxy␍␊Content-Length: 0␍␊ Body:
    ");
}

#[tokio::test]
async fn statuses_by_their_names() {
    let mut names = Vec::new();
    for status in ["201 x", "202 x", "204 x", "299 x", "304 x", "404 x", "418 x", "429 x", "500 x", "503 x", "599 x"] {
        let text = told(Reply::head(status, &[("Content-Length", "0")])).await;
        names.push(
            text.lines().map(|line| line.split(" Response Headers").next().unwrap()).collect::<Vec<_>>().join(" "),
        );
    }
    assert_snapshot!(names.join("\n").replace("Http Action - Response from host ", ""), @"
    succeeded, trouble None '127.0.0.1': 'Created'
    succeeded, trouble None '127.0.0.1': 'Accepted'
    succeeded, trouble None '127.0.0.1': 'NoContent'
    succeeded, trouble None '127.0.0.1': '299'
    failed, trouble None '127.0.0.1': 'NotModified'
    failed, trouble None '127.0.0.1': 'NotFound'
    failed, trouble None '127.0.0.1': '418'
    failed, trouble AskedToWait '127.0.0.1': 'TooManyRequests'
    failed, trouble None '127.0.0.1': 'InternalServerError'
    failed, trouble None '127.0.0.1': 'ServiceUnavailable'
    failed, trouble None '127.0.0.1': '599'
    ");
}

#[tokio::test]
async fn an_answer_without_a_reason_phrase_or_with_old_line_ends() {
    assert_snapshot!(told(Reply::raw("HTTP/1.1 200\r\nContent-Length: 2\r\n\r\nok")).await, @"
    succeeded, trouble None
    Http Action - Response from host '127.0.0.1': 'OK' Response Headers: Content-Length: 2␍␊ Body: ok
    ");
    assert_snapshot!(told(Reply::raw("HTTP/1.1 200 OK\nContent-Length: 2\n\nok")).await, @"
    succeeded, trouble None
    Http Action - Response from host '127.0.0.1': 'OK' Response Headers: Content-Length: 2␍␊ Body: ok
    ");
}

#[tokio::test]
async fn preliminary_answers_are_passed_over() {
    let early = "HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n";
    let reply = Reply::raw(early).and(Reply::ok("real"));
    assert_snapshot!(told(reply).await, @"
    succeeded, trouble None
    Http Action - Response from host '127.0.0.1': 'OK' Response Headers: Content-Length: 4␍␊ Body: real
    ");
    assert_snapshot!(told(Reply::raw(early.repeat(9))).await, @"
    failed, trouble None
    Http Action - Request to host '127.0.0.1' failed: ServerProtocolViolation Preliminary answers came, and no real one.
    ");
}

#[tokio::test]
async fn a_target_that_asks_to_wait() {
    let date = ("Date", "Sun, 15 Nov 2026 08:12:31 GMT");
    assert_snapshot!(told(Reply::with("503 x", &[("Retry-After", "120")], b"")).await, @"
    failed, retry after 120 s, trouble AskedToWait
    Http Action - Response from host '127.0.0.1': 'ServiceUnavailable' Response Headers: Retry-After: 120␍␊Content-Length: 0␍␊ Body:
    ");
    let until = ("Retry-After", "Sun, 15 Nov 2026 08:13:31 GMT");
    assert_snapshot!(told(Reply::with("429 x", &[date, until], b"")).await, @"
    failed, retry after 60 s, trouble AskedToWait
    Http Action - Response from host '127.0.0.1': 'TooManyRequests' Response Headers: Date: Sun, 15 Nov 2026 08:12:31 GMT␍␊Retry-After: Sun, 15 Nov 2026 08:13:31 GMT␍␊Content-Length: 0␍␊ Body:
    ");
    assert_snapshot!(told(Reply::with("429 x", &[], b"")).await, @"
    failed, trouble AskedToWait
    Http Action - Response from host '127.0.0.1': 'TooManyRequests' Response Headers: Content-Length: 0␍␊ Body:
    ");
    assert_snapshot!(told(Reply::with("202 x", &[("Retry-After", "5")], b"")).await, @"
    succeeded, trouble None
    Http Action - Response from host '127.0.0.1': 'Accepted' Response Headers: Retry-After: 5␍␊Content-Length: 0␍␊ Body:
    ");
}

#[tokio::test]
async fn success_as_the_job_defines_it() {
    let receiver = Receiver::start(|seen| match seen.target() {
        "/404" => Reply::with("404 Not Found", &[], b"gone"),
        "/302" => Reply::redirect("/404"),
        _ => Reply::ok("all is well"),
    })
    .await;
    let actions = actions();
    let gone = Job::get(receiver.url("/404")).success(&["404"], None).run(&actions).await;
    assert_snapshot!(tell(&gone), @"
    succeeded, trouble None
    Http Action - Response from host '127.0.0.1': 'NotFound' Response Headers: Content-Length: 4␍␊ Body: gone
    ");
    let found = Job::get(receiver.url("/302")).success(&["3xx"], None).run(&actions).await;
    assert_snapshot!(tell(&found), @"
    succeeded, trouble None
    Http Action - Response from host '127.0.0.1': 'Found' Response Headers: Location: /404␍␊Content-Length: 0␍␊ Body:
    ");
    let well = Job::get(receiver.url("/")).success(&[], Some("is well")).run(&actions).await;
    assert_snapshot!(tell(&well), @"
    succeeded, trouble None
    Http Action - Response from host '127.0.0.1': 'OK' Response Headers: Content-Length: 11␍␊ Body: all is well
    ");
    let not_well = Job::get(receiver.url("/")).success(&[], Some("is broken")).run(&actions).await;
    assert_snapshot!(tell(&not_well), @"
    failed, trouble None
    Http Action - Response from host '127.0.0.1': 'OK', but the body does not contain the text that is success. Response Headers: Content-Length: 11␍␊ Body: all is well
    ");
    let not_created = Job::get(receiver.url("/")).success(&["201"], Some("is well")).run(&actions).await;
    assert_snapshot!(tell(&not_created), @"
    failed, trouble None
    Http Action - Response from host '127.0.0.1': 'OK' Response Headers: Content-Length: 11␍␊ Body: all is well
    ");
}

#[tokio::test]
async fn records_are_short_whatever_comes() {
    let long = "ä".repeat(3000);
    let reply = Reply::with("200 OK", &[("X-Long", &"h".repeat(3000))], long.as_bytes());
    let text = told(reply).await;
    let (headers, body) = text.split_once(" Body: ").unwrap();
    assert_eq!(body, "ä".repeat(1024));
    assert_eq!(headers.split_once("Headers: ").unwrap().1.chars().count(), 1024);
}

//! Placeholders: what targets receive, and what history keeps of their answers.

use insta::assert_snapshot;
use punctual_actions::{Actions, Call, Executor, Settings};
use punctual_model::failure::{Failure, FailureClass};
use punctual_model::time::Timestamp;

use crate::job::{Job, actions, settings, tell};
use crate::receiver::{Receiver, Reply, Seen};

const KEY: &str = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";

/// The error action of a job whose second attempt it is.
fn error_call(job: Job) -> Call {
    let failure = Failure::answered(FailureClass::Status, "api.example.com", 503, ": \"no\r\nway\"");
    Call { attempt: 2, failure: Some(Box::new(failure)), ..job.error_call() }
}

async fn received(receiver: &Receiver, call: Call) -> Seen {
    let outcome = actions().execute(call).await;
    assert!(tell(&outcome).starts_with("succeeded"), "{outcome:?}");
    receiver.requests().pop().unwrap()
}

fn all_of(seen: &Seen) -> String {
    let is_of_job = |line: &&str| line.starts_with("X-") || line.starts_with("Content-");
    let headers: Vec<_> = seen.headers().filter(is_of_job).collect();
    format!("{}\n{}\n\n{}", seen.target(), headers.join("\n"), str::from_utf8(&seen.body).unwrap())
}

#[tokio::test]
async fn path_query_headers_and_body() {
    let receiver = Receiver::always(Reply::ok("")).await;
    let job = Job::new("POST", receiver.url("/{{job.collection}}/{{job.name}}?why={{failure.message}}&n={{attempt}}"))
        .header("X-Why", "{{failure.code}} {{failure.message}}")
        .body(r#"{"text": "{{job.name}}: {{failure.message}}", "code": {{failure.code}}, "at": "{{occurrence.nominal}}"}"#);
    assert_snapshot!(all_of(&received(&receiver, error_call(job.clone().filled())).await), @r#"
    /c/t%C3%A4glich?why=api.example.com%20answered%20503%20Service%20Unavailable%3A%20%22no%0D%0Away%22&n=2
    X-Why: 503 api.example.com answered 503 Service Unavailable: "no  way"
    Content-Type: application/json
    Content-Length: 132

    {"text": "täglich: api.example.com answered 503 Service Unavailable: \"no\u000d\nway\"", "code": 503, "at": "2027-01-15T08:00:00Z"}
    "#);
    // Without the option, everything is sent as it was written.
    assert_snapshot!(all_of(&received(&receiver, error_call(job)).await), @r#"
    /{{job.collection}}/{{job.name}}?why={{failure.message}}&n={{attempt}}
    X-Why: {{failure.code}} {{failure.message}}
    Content-Type: application/json
    Content-Length: 103

    {"text": "{{job.name}}: {{failure.message}}", "code": {{failure.code}}, "at": "{{occurrence.nominal}}"}
    "#);
}

#[tokio::test]
async fn what_looks_like_json_is_not_called_so() {
    let receiver = Receiver::always(Reply::ok("")).await;
    let mut types = Vec::new();
    for body in ["{{job.name}}", "[{{job.name}}] {{link}}", r#"["{{job.name}}"]"#] {
        let seen = received(&receiver, Job::new("POST", receiver.url("/")).body(body).filled().call()).await;
        types.push(format!("{}: {}", seen.header("Content-Type").unwrap(), str::from_utf8(&seen.body).unwrap()));
    }
    assert_snapshot!(types.join("\n"), @r#"
    text/plain; charset=utf-8: täglich
    text/plain; charset=utf-8: [täglich] /v1/collections/c/jobs/t%C3%A4glich/history?subscription=s&group=g
    application/json: ["täglich"]
    "#);
}

#[tokio::test]
async fn links_begin_with_the_address_of_the_server() {
    let receiver = Receiver::always(Reply::ok("")).await;
    let public_url = Some("https://scheduler.example.com".to_owned());
    let actions = Actions::new(Settings { public_url, ..settings() }).unwrap();
    Job::new("POST", receiver.url("/")).body("{{link}}").filled().run(&actions).await;
    let body = receiver.requests().remove(0).body;
    assert_snapshot!(String::from_utf8(body).unwrap(), @"https://scheduler.example.com/jobs/c/t%C3%A4glich/at/2027-01-15T08:00:00Z");
    let listen_url = "http://127.0.0.1:7878".to_owned();
    let actions = Actions::new(Settings { listen_url, ..settings() }).unwrap();
    Job::new("POST", receiver.url("/")).body("{{link}}").filled().run(&actions).await;
    let body = receiver.requests().pop().unwrap().body;
    assert_snapshot!(String::from_utf8(body).unwrap(), @"http://127.0.0.1:7878/v1/collections/c/jobs/t%C3%A4glich/history?subscription=s&group=g");
}

#[tokio::test]
async fn signed_is_what_is_sent() {
    let receiver = Receiver::always(Reply::ok("")).await;
    let job = |body: &str| Job::new("POST", receiver.url("/")).body(body).signed(KEY).filled().call();
    let signature = |seen: &Seen| seen.header("webhook-signature").unwrap().to_owned();
    let filled = signature(&received(&receiver, job("{{attempt}} {{job.collection}}")).await);
    assert_eq!(filled, signature(&received(&receiver, job("1 c")).await));
}

/// A target cannot tell a resend but by its mark, however much later it comes.
#[tokio::test]
async fn a_resend_is_byte_for_byte_the_same() {
    let receiver = Receiver::always(Reply::ok("")).await;
    let texts = "{{job.name}}{{occurrence.nominal}}{{occurrence.tag}}{{attempt}}{{failure.message}}{{link}}";
    let job = Job::new("POST", receiver.url(&format!("/?{texts}"))).header("X-All", texts).body(texts).filled();
    let first = received(&receiver, error_call(job.clone())).await;
    let later = Timestamp::from_seconds(1_900_000_000).unwrap();
    let resent = received(&receiver, Call { started: later, ..error_call(job.resent()) }).await;
    let unmarked = resent.head.replace("\r\nx-punctual-resent: true", "");
    assert_ne!(unmarked, resent.head);
    assert_eq!((unmarked, resent.body), (first.head, first.body));
}

/// The texts of the user may be secrets, the values are none: in short answers and in long ones.
#[tokio::test]
async fn values_are_shown_and_texts_are_not() {
    for padding in [0, 5000] {
        let values = "täglich|t%C3%A4glich|abababababababababababababababab|Because: ";
        let texts = "token-in-a-header|query-secret|json-secret|path0secret0here";
        let answer = format!("{values}|{texts}|{}", "x".repeat(padding));
        let receiver = Receiver::always(Reply::ok(&answer)).await;
        let job = Job::new(
            "POST",
            receiver.url("/path0secret0here/{{occurrence.tag}}?key=query-secret&job={{job.name}}"),
        )
        .header("X-Token", "token-in-a-header{{job.name}}")
        .header("X-Tag", "{{occurrence.tag}}")
        .body(r#"{"key": "json-secret{{attempt}}", "job": "{{job.name}}", "n": {{attempt}}, "Because: ": "{{link}}"}"#)
        .filled();
        let told = job.tell().await;
        let body = told.split(" Body: ").nth(1).unwrap().trim_end_matches('x');
        assert_eq!(body, format!("{values}|***|***|***|***|"), "{told}");
    }
}

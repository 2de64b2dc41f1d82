//! Tokens: where they come from, how long they are used, and what the history says if there are none.

use std::sync::Arc;

use insta::assert_snapshot;
use punctual_actions::{Actions, Authority, Executor, Settings};

use crate::job::{Job, pass, settings, tell};
use crate::receiver::{Receiver, Reply, Seen};

/// One that issues tokens, each with a number.
async fn issuer(expires_in: &'static str) -> Receiver {
    Receiver::start(move |seen| {
        let number = seen.number;
        let json = format!(r#"{{"token_type":"Bearer","expires_in":{expires_in},"access_token":"to-ken.{number}"}}"#);
        Reply::with("200 OK", &[("Content-Type", "application/json")], json.as_bytes())
    })
    .await
}

fn asking(authority: &str) -> Actions {
    Actions::new(Settings { oauth: Authority::parse(authority).unwrap(), ..settings() }).unwrap()
}

/// One that answers with the token it was shown.
async fn echo() -> Receiver {
    Receiver::start(|seen| Reply::ok(&format!("shown {}", seen.header("Authorization").unwrap_or("nothing")))).await
}

fn shown(receiver: &Receiver) -> Vec<String> {
    let authorization = |seen: &Seen| seen.header("Authorization").unwrap_or("nothing").to_owned();
    receiver.requests().iter().map(authorization).collect()
}

#[tokio::test]
async fn the_question() {
    let (issuer, target) = (issuer("3599").await, echo().await);
    for authority in [issuer.url(""), issuer.url("/realms/{tenant}/token")] {
        let actions = asking(&authority);
        for audience in ["https://management.core.windows.net/", "api://app/.default"] {
            assert!(tell(&Job::get(target.url("/")).token(audience).run(&actions).await).starts_with("succeeded"));
        }
    }
    let questions = issuer.requests().into_iter().map(|seen| {
        let head = seen.head.replace(&issuer.address.to_string(), "ADDRESS");
        format!("{head}\r\n\r\n{}", String::from_utf8(seen.body).unwrap()).replace("\r\n", "\n")
    });
    assert_snapshot!(questions.collect::<Vec<_>>().join("\n\n"), @"
    POST /contoso.com/oauth2/token HTTP/1.1
    Host: ADDRESS
    Accept: application/json
    Content-Type: application/x-www-form-urlencoded
    Content-Length: 128

    grant_type=client_credentials&client_id=client&client_secret=client-secret&resource=https%3A%2F%2Fmanagement.core.windows.net%2F

    POST /contoso.com/oauth2/v2.0/token HTTP/1.1
    Host: ADDRESS
    Accept: application/json
    Content-Type: application/x-www-form-urlencoded
    Content-Length: 107

    grant_type=client_credentials&client_id=client&client_secret=client-secret&scope=api%3A%2F%2Fapp%2F.default

    POST /realms/contoso.com/token HTTP/1.1
    Host: ADDRESS
    Accept: application/json
    Content-Type: application/x-www-form-urlencoded
    Content-Length: 182

    grant_type=client_credentials&client_id=client&client_secret=client-secret&resource=https%3A%2F%2Fmanagement.core.windows.net%2F&audience=https%3A%2F%2Fmanagement.core.windows.net%2F

    POST /realms/contoso.com/token HTTP/1.1
    Host: ADDRESS
    Accept: application/json
    Content-Type: application/x-www-form-urlencoded
    Content-Length: 107

    grant_type=client_credentials&client_id=client&client_secret=client-secret&scope=api%3A%2F%2Fapp%2F.default
    ");
    assert_eq!(shown(&target), ["Bearer to-ken.0", "Bearer to-ken.1", "Bearer to-ken.2", "Bearer to-ken.3"]);
}

#[tokio::test]
async fn is_not_in_the_record() {
    let (issuer, target) = (issuer("3599").await, echo().await);
    let outcome = Job::get(target.url("/")).token("a").run(&asking(&issuer.url(""))).await;
    assert_snapshot!(tell(&outcome), @"
    succeeded, trouble None
    Http Action - Response from host '127.0.0.1': 'OK' Response Headers: Content-Length: 21␍␊ Body: shown Bearer ***
    ");
}

#[tokio::test]
async fn is_asked_for_once_and_used_until_shortly_before_its_end() {
    let (issuer, target) = (issuer(r#""600""#).await, echo().await);
    let actions = Arc::new(asking(&issuer.url("")));
    let calls: Vec<_> = (0..20)
        .map(|_| {
            let (actions, job) = (Arc::clone(&actions), Job::get(target.url("/")).token("a"));
            tokio::spawn(async move { tell(&job.run(&actions).await) })
        })
        .collect();
    for call in calls {
        assert!(call.await.unwrap().starts_with("succeeded"));
    }
    assert_eq!(issuer.requests().len(), 1);
    pass(500).await;
    assert!(tell(&Job::get(target.url("/")).token("a").run(&actions).await).starts_with("succeeded"));
    assert_eq!(issuer.requests().len(), 1);
    pass(60).await;
    assert!(tell(&Job::get(target.url("/")).token("a").run(&actions).await).starts_with("succeeded"));
    assert_eq!(issuer.requests().len(), 2);
    assert_eq!(shown(&target).last().unwrap(), "Bearer to-ken.1");
}

#[tokio::test]
async fn a_refused_one_is_renewed_once() {
    let issuer = issuer("3599").await;
    let actions = asking(&issuer.url(""));
    let target = Receiver::start(|seen| match seen.header("Authorization") {
        Some("Bearer to-ken.0") => Reply::with("401 Unauthorized", &[("WWW-Authenticate", "Bearer")], b"too old"),
        _ => Reply::ok("taken"),
    });
    let target = target.await;
    let job = Job::new("POST", target.url("/")).body("body").token("a");
    assert!(tell(&job.clone().run(&actions).await).ends_with("taken"));
    assert!(tell(&job.run(&actions).await).ends_with("taken"));
    assert_eq!(shown(&target), ["Bearer to-ken.0", "Bearer to-ken.1", "Bearer to-ken.1"]);
    assert!(target.requests().iter().all(|seen| seen.header("x-punctual-resent").is_none() && seen.body == b"body"));
    let never = Receiver::always(Reply::with("401 Unauthorized", &[], b"never")).await;
    assert_snapshot!(tell(&Job::get(never.url("/")).token("a").run(&actions).await), @"
    failed, trouble None
    Http Action - Response from host '127.0.0.1': 'Unauthorized' Response Headers: Content-Length: 5␍␊ Body: never
    ");
    assert_eq!((never.requests().len(), issuer.requests().len()), (2, 3));
    let wanted = Job::get(never.url("/")).token("a").success(&["401"], None).run(&actions).await;
    assert!(tell(&wanted).starts_with("succeeded"));
    assert_eq!(issuer.requests().len(), 3, "an answer that is a success is not questioned");
}

#[tokio::test]
async fn what_issuers_say_is_explained() {
    let answers = [
        Reply::with(
            "401 Unauthorized",
            &[],
            br#"{"error":"invalid_client","error_description":"AADSTS7000215: Invalid client secret 'client-secret'.\r\nTrace ID: 1"}"#,
        ),
        Reply::with("400 Bad Request", &[], b"<html>"),
        Reply::with("302 Found", &[("Location", "/elsewhere")], b""),
        Reply::ok("no json"),
        Reply::ok(r#"{"token":"x"}"#),
        Reply::ok(r#"{"access_token":"line\nbreak"}"#),
        Reply::ok(r#"{"access_token":"x","token_type":"mac"}"#),
        Reply::close(),
    ];
    let target = Receiver::always(Reply::ok("")).await;
    let mut told = Vec::new();
    for answer in answers {
        let issuer = Receiver::always(answer).await;
        told.push(tell(&Job::get(target.url("/")).token("a").run(&asking(&issuer.url("/token"))).await));
    }
    let told = told.join("\n").replace("failed, trouble None\nHttp Action - Request to host '127.0.0.1' failed: ", "");
    assert_snapshot!(told, @"
    AuthenticationFailure No token from '127.0.0.1': 'Unauthorized', invalid_client: AADSTS7000215: Invalid client secret '***'. Trace ID: 1.
    AuthenticationFailure No token from '127.0.0.1': 'BadRequest'.
    AuthenticationFailure No token from '127.0.0.1': 'Found'.
    AuthenticationFailure No token from '127.0.0.1': its answer is not JSON, or too long.
    AuthenticationFailure No token from '127.0.0.1': its answer has no access_token.
    AuthenticationFailure No token from '127.0.0.1': its answer has an access_token that no header can hold.
    AuthenticationFailure No token from '127.0.0.1': its answer has a token of another type than Bearer.
    AuthenticationFailure No token from '127.0.0.1': ConnectionClosed The connection was closed before an answer came.
    ");
    assert_eq!(target.connections(), 0);
}

#[tokio::test]
async fn a_refusal_is_not_asked_for_again_at_once() {
    let issuer = Receiver::always(Reply::with("400 Bad Request", &[], br#"{"error":"unauthorized_client"}"#)).await;
    let actions = asking(&issuer.url("/token"));
    for (seconds, questions) in [(0, 1), (1, 1), (5, 2)] {
        pass(seconds).await;
        assert!(tell(&Job::get("http://127.0.0.1:9/").token("a").run(&actions).await).contains("unauthorized_client"));
        assert_eq!(issuer.requests().len(), questions);
    }
}

#[tokio::test]
async fn an_issuer_that_does_not_answer_is_no_fault_of_the_target() {
    let issuer = Receiver::always(Reply::hang()).await;
    let actions = Arc::new(asking(&issuer.url("/token")));
    let mut calls = Vec::new();
    for seconds in [5, 60] {
        let (actions, job) = (Arc::clone(&actions), Job::get("http://127.0.0.1:9/").token("a").timeout(seconds));
        calls.push(tokio::spawn(async move { tell(&job.run(&actions).await) }));
    }
    issuer.answered(1).await;
    pass(31).await;
    let mut told = Vec::new();
    for call in calls {
        told.push(call.await.unwrap());
    }
    assert_snapshot!(told.join("\n"), @"
    failed, trouble None
    Http Action - Request to host '127.0.0.1' failed: AuthenticationFailure No token within 5 s.
    failed, trouble None
    Http Action - Request to host '127.0.0.1' failed: AuthenticationFailure No token from '127.0.0.1': No answer within 30 s.
    ");
    assert_eq!(issuer.requests().len(), 1);
}

#[tokio::test]
async fn not_shown_after_a_redirect_to_another_origin() {
    let (issuer, elsewhere) = (issuer("3599").await, echo().await);
    let location = elsewhere.url("/");
    let target = Receiver::start(move |_| Reply::redirect(&location)).await;
    let outcome = Job::get(target.url("/")).token("a").run(&asking(&issuer.url(""))).await;
    assert!(tell(&outcome).ends_with("shown nothing"), "{}", tell(&outcome));
    assert_eq!(shown(&target), ["Bearer to-ken.0"]);
}

#[tokio::test]
async fn an_edited_job_leaves_nothing_behind() {
    let (issuer, target) = (issuer("3599").await, echo().await);
    let actions = asking(&issuer.url(""));
    let call = Job::get(target.url("/")).token("a").error_call();
    for questions in [1, 2] {
        assert!(tell(&actions.execute(call.clone()).await).starts_with("succeeded"));
        assert!(tell(&actions.execute(call.clone()).await).starts_with("succeeded"));
        assert_eq!(issuer.requests().len(), questions);
        actions.forget(&call.definition);
    }
}

/// The policy about addresses holds for issuers as for targets.
#[tokio::test]
async fn an_issuer_that_may_not_be_called() {
    let oauth = Authority::parse("http://169.254.169.254/token").unwrap();
    let actions = Actions::new(Settings { oauth, ..settings() }).unwrap();
    assert_snapshot!(tell(&Job::get("http://127.0.0.1:9/").token("a").run(&actions).await), @"
    failed, trouble None
    Http Action - Request to host '127.0.0.1' failed: AuthenticationFailure No token from '169.254.169.254': RequestProhibitedByPolicy The address 169.254.169.254 is refused by policy: link-local addresses are never called.
    ");
}

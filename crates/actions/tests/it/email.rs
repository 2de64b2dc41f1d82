//! E-mail: what a mail server is told, and what comes of it.

use insta::assert_snapshot;
use punctual_actions::email::{Login, MailServer, Security, Sender};
use punctual_actions::{Actions, Executor, Outcome, Settings};
use punctual_model::action::{Action, EmailAction, EmailAddress, EmailMessage, Secret, Target};
use punctual_model::alert::MessageKind;
use punctual_model::job::Definition;
use punctual_model::options::{Options, OptionsParts};
use punctual_model::time::{Span, Timestamp};

use crate::job::{call, tell};
use crate::receiver::certificates::Authority;
use crate::receiver::mail::{MailReceiver, Manners};
use crate::receiver::tunnel;

fn definition(to: &[&str]) -> Definition {
    let message = EmailMessage {
        subject: "ops/nightly fails.".to_owned(),
        text: "ops/nightly fails.\n.\n..".to_owned(),
        alert: "on-call".to_owned(),
        incident: "0a-7".to_owned(),
        kind: MessageKind::Opened,
        at: Timestamp::from_seconds(1_800_000_000).unwrap(),
    };
    let to = to.iter().map(|address| EmailAddress::parse(address).unwrap()).collect();
    let target = Target::Email(EmailAction { to, message: Some(message) });
    let action = Action { target, retry: None, error: None, sign: None };
    let timeout = Some(Span::from_seconds(2));
    let options = Options::new(OptionsParts { timeout, ..OptionsParts::default() }).unwrap();
    Definition { start: None, action, recurrence: None, options }
}

fn server(port: u16, security: Security) -> MailServer {
    MailServer {
        host: "localhost".to_owned(),
        port,
        security,
        login: None,
        from: Sender::parse("Punctual <punctual@example.com>").unwrap(),
    }
}

fn with_login(server: MailServer) -> MailServer {
    let login = Login { user: "me".to_owned(), password: Secret::new("open sesame") };
    MailServer { login: Some(login), ..server }
}

/// Settings as they are by default: jobs may not call this machine, and the operator may.
fn settings(server: MailServer, authority: &Authority) -> Settings {
    Settings { email: Some(server), ca_pem: Some(authority.pem()), ..Settings::default() }
}

async fn sent(settings: Settings, to: &[&str]) -> Outcome {
    Actions::new(settings).unwrap().execute(call(definition(to), false)).await
}

/// What comes of a message to a server in clear that answers as `script` says.
async fn told(script: fn(&str) -> Option<&'static str>, to: &[&str]) -> (String, String) {
    let receiver = MailReceiver::start(Manners { implicit: None, starttls: None, script }).await;
    let server = with_login(server(receiver.port, Security::Clear));
    let outcome = sent(settings(server, &Authority::new()), to).await;
    let class = outcome.failure.as_ref().map_or("", |failure| failure.class.name());
    (format!("{} ({class})", tell(&outcome)), receiver.heard())
}

#[tokio::test]
async fn nothing_but_a_greeting_is_sent_before_tls() {
    let authority = Authority::new();
    let starttls = Some(authority.server("localhost"));
    let receiver = MailReceiver::start(Manners { implicit: None, starttls, script: |_| None }).await;
    let server = with_login(server(receiver.port, Security::StartTls));
    let outcome = sent(settings(server, &authority), &["ops@example.com", "b@example.org"]).await;
    assert_snapshot!(tell(&outcome), @"
    succeeded, trouble None
    Email Action - Response from host 'localhost': '250 2.0.0 queued as 4711'
    ");
    let heard = receiver.heard();
    let (talk, _) = heard.split_once("\nQUIT").unwrap_or((&heard, ""));
    assert_snapshot!(talk, @"
    EHLO example.com
    STARTTLS
    (TLS)
    EHLO example.com
    AUTH PLAIN AG1lAG9wZW4gc2VzYW1l
    MAIL FROM:<punctual@example.com>
    RCPT TO:<ops@example.com>
    RCPT TO:<b@example.org>
    DATA
    From: Punctual <punctual@example.com>
    Subject: ops/nightly fails.
    Date: Fri, 15 Jan 2027 08:00:00 +0000
    Auto-Submitted: auto-generated
    X-Punctual-Alert: on-call
    Message-ID: <0a-7@example.com>
    To: ops@example.com, b@example.org
    MIME-Version: 1.0
    Content-Type: text/plain; charset=utf-8
    Content-Transfer-Encoding: 7bit

    ops/nightly fails.
    ..
    ...

    .
    ");
}

#[tokio::test]
async fn tls_from_the_first_byte() {
    let authority = Authority::new();
    let implicit = Some(authority.server("localhost"));
    let receiver = MailReceiver::start(Manners { implicit, starttls: None, script: |_| None }).await;
    let outcome = sent(settings(server(receiver.port, Security::Tls), &authority), &["ops@example.com"]).await;
    assert!(tell(&outcome).starts_with("succeeded"), "{}", tell(&outcome));
    assert!(!receiver.heard().contains("AUTH"));
    let stranger = settings(server(receiver.port, Security::Tls), &Authority::new());
    assert_snapshot!(tell(&sent(stranger, &["ops@example.com"]).await), @"
    failed, trouble None
    Email Action - Request to host 'localhost' failed: TrustFailure The certificate of 'localhost' was issued by nobody this server trusts.
    ");
}

#[tokio::test]
async fn a_server_that_is_not_to_be_trusted_is_told_nothing() {
    let authority = Authority::new();
    for (certificate, trusted) in [("example.com", true), ("localhost", false)] {
        let starttls = Some(authority.server(certificate));
        let receiver = MailReceiver::start(Manners { implicit: None, starttls, script: |_| None }).await;
        let other = Authority::new();
        let settings = settings(server(receiver.port, Security::StartTls), if trusted { &authority } else { &other });
        let outcome = sent(settings, &["ops@example.com"]).await;
        assert_eq!(outcome.failure.as_ref().map(|failure| failure.class.name()), Some("trust"));
        assert_eq!(receiver.heard(), "EHLO example.com\nSTARTTLS\n(TLS)");
    }
}

#[tokio::test]
async fn tls_that_is_not_to_be_had_or_tampered_with() {
    let authority = Authority::new();
    let scripts: [fn(&str) -> Option<&'static str>; 4] = [
        |_| None,
        |line| (line == "STARTTLS").then_some("220 go ahead\r\n250 I am the server\r\n"),
        |line| (line == "STARTTLS").then_some("454 4.7.0 no TLS today\r\n"),
        |line| line.is_empty().then_some("HTTP/1.1 400 Bad Request\r\n"),
    ];
    let mut texts = Vec::new();
    for (number, script) in scripts.into_iter().enumerate() {
        let starttls = (number > 0).then(|| authority.server("localhost"));
        let receiver = MailReceiver::start(Manners { implicit: None, starttls, script }).await;
        let server = server(receiver.port, Security::StartTls);
        texts.push(tell(&sent(settings(server, &authority), &["ops@example.com"]).await));
        assert!(!receiver.heard().contains("MAIL"), "{}", receiver.heard());
    }
    assert_snapshot!(texts.join("\n"), @r#"
    failed, trouble None
    Email Action - Request to host 'localhost' failed: SecureChannelFailure 'localhost' offers no STARTTLS. With email.tls = "tls" TLS begins at once, mostly on port 465.
    failed, trouble None
    Email Action - Request to host 'localhost' failed: SecureChannelFailure 'localhost' sent something in clear after STARTTLS.
    failed, trouble None
    Email Action - 'localhost' refused STARTTLS: 454 4.7.0 no TLS today.
    failed, trouble None
    Email Action - Request to host 'localhost' failed: ServerProtocolViolation 'localhost' does not answer as a mail server does: are server, port and tls in [email] right?
    "#);
}

#[tokio::test]
async fn refusals_by_what_they_mean() {
    let readers = ["ops@example.com"];
    let answers = [
        told(
            |line| line.starts_with("AUTH").then_some("535 5.7.8 wrong password b3BlbiBzZXNhbWU= open sesame\r\n"),
            &readers,
        )
        .await
        .0,
        told(|line| line.starts_with("AUTH").then_some("454 4.7.0 try later\r\n"), &readers).await.0,
        told(|line| line.starts_with("MAIL").then_some("530 5.7.0 log in first\r\n"), &readers).await.0,
        told(|line| line.starts_with("RCPT").then_some("450 4.2.0 greylisted\r\n"), &readers).await.0,
        told(|line| line.starts_with("RCPT").then_some("550-5.1.1 no such\r\n550 5.1.1 user\r\n"), &readers).await.0,
        told(|line| (line == ".").then_some("554 5.7.1 looks like spam.\r\n"), &readers).await.0,
        told(|line| line.is_empty().then_some("421 4.3.2 too busy\r\n"), &readers).await.0,
        told(|line| line.starts_with("EHLO").then_some("250 mail\r\n"), &readers).await.0,
        told(|line| (line == "DATA").then_some("nonsense\r\n"), &readers).await.0,
        told(|line| (line == "DATA").then_some(""), &readers).await.0,
    ];
    assert_snapshot!(answers.join("\n"), @"
    failed, trouble None
    Email Action - 'localhost' refused the login of me (email.user, email.password): 535 5.7.8 wrong password ***U= ***. (credential)
    failed, trouble None
    Email Action - 'localhost' refused the login of me (email.user, email.password): 454 4.7.0 try later. (status)
    failed, trouble None
    Email Action - 'localhost' refused the sender punctual@example.com: 530 5.7.0 log in first. (credential)
    failed, trouble None
    Email Action - 'localhost' refused the address ops@example.com: 450 4.2.0 greylisted. (status)
    failed for good, trouble None
    Email Action - 'localhost' refused the address ops@example.com: 550 5.1.1 no such user. (target)
    failed for good, trouble None
    Email Action - 'localhost' refused the message: 554 5.7.1 looks like spam. (target)
    failed, trouble None
    Email Action - 'localhost' refused the connection: 421 4.3.2 too busy. (status)
    failed, trouble None
    Email Action - Request to host 'localhost' failed: AuthenticationFailure 'localhost' offers no login by PLAIN or LOGIN: leave email.user empty, or check email.tls and the port. (credential)
    failed, trouble None
    Email Action - Request to host 'localhost' failed: ServerProtocolViolation 'localhost' does not answer as a mail server does: are server, port and tls in [email] right? (protocol)
    failed, trouble Unreachable
    Email Action - Request to host 'localhost' failed: Timeout No answer within 2 s. (timeout)
    ");
}

#[tokio::test]
async fn readers_that_are_refused_do_not_keep_the_others_from_being_told() {
    let script: fn(&str) -> Option<&'static str> = |line| line.contains("gone").then_some("550 5.1.1 no such user\r\n");
    let (outcome, heard) = told(script, &["gone@example.com", "ops@example.com"]).await;
    assert_snapshot!(outcome, @"
    succeeded, trouble None
    Email Action - Response from host 'localhost': '250 2.0.0 queued as 4711' Not everybody is told: 'localhost' refused the address gone@example.com: 550 5.1.1 no such user. ()
    ");
    assert!(heard.contains("\nDATA\n"), "{heard}");
}

#[tokio::test]
async fn a_server_that_is_not_there() {
    let free = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap().local_addr().unwrap().port();
    let authority = Authority::new();
    let mut server = server(free, Security::StartTls);
    server.host = "127.0.0.1".to_owned();
    assert_snapshot!(tell(&sent(settings(server, &authority), &["ops@example.com"]).await), @"
    failed, trouble Unreachable
    Email Action - Request to host '127.0.0.1' failed: ConnectFailure Unable to connect to the remote server: 127.0.0.1:PORT refused the connection.
    ");
}

#[tokio::test]
async fn without_a_mail_server_nothing_is_tried() {
    assert_snapshot!(tell(&sent(Settings::default(), &["ops@example.com"]).await), @"
    failed for good, trouble None
    Email Action - This server sends no e-mail: the setting email.server names no mail server.
    ");
}

#[tokio::test]
async fn a_proxy_is_asked_for_a_tunnel() {
    let authority = Authority::new();
    let starttls = Some(authority.server("mail.example.com"));
    let receiver = MailReceiver::start(Manners { implicit: None, starttls, script: |_| None }).await;
    let proxy = tunnel::start(([127, 0, 0, 1], receiver.port).into()).await;
    let proxy = punctual_actions::Proxy::parse(&format!("http://{proxy}")).unwrap();
    let server = MailServer { host: "mail.example.com".to_owned(), ..server(587, Security::StartTls) };
    let settings = Settings { proxy: Some(proxy), ..settings(server, &authority) };
    let outcome = sent(settings, &["ops@example.com"]).await;
    assert!(tell(&outcome).starts_with("succeeded"), "{}", tell(&outcome));
}

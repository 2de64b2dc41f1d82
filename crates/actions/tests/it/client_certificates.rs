//! Client certificates: to whom they are shown, and what the history says if they are not taken.

use insta::assert_snapshot;
use punctual_actions::{Actions, Executor, Settings};
use rustls::SupportedProtocolVersion;
use rustls::version::{TLS12, TLS13};

use crate::job::{Job, settings, tell};
use crate::receiver::certificates::Authority;
use crate::receiver::http2::Http2Receiver;
use crate::receiver::{Receiver, Reply};

fn trusting(authority: &Authority) -> Actions {
    Actions::new(Settings { ca_pem: Some(authority.pem()), ..settings() }).unwrap()
}

async fn strict(authority: &Authority) -> Receiver {
    Receiver::start_tls(authority.strict_server("localhost", &TLS13), |_| Reply::ok("for members")).await
}

/// The text without the thumbprint, which is another one each time.
fn without_thumbprint(text: &str) -> String {
    let hex = |c: char| c.is_ascii_hexdigit();
    match text.split_once("' (").and_then(|(before, rest)| Some((before, rest.split_once(')')?))) {
        Some((before, (digits, rest))) if digits.len() == 40 && digits.chars().all(hex) => {
            format!("{before}' (THUMBPRINT){rest}")
        }
        _ => text.to_owned(),
    }
}

#[tokio::test]
async fn each_has_connections_of_its_own() {
    let authority = Authority::new();
    let (receiver, actions) = (strict(&authority).await, trusting(&authority));
    let job = |pfx: &str| Job::get(receiver.secure_url("/")).certificate(pfx);
    let (ann, bob) = (authority.client("ann"), authority.client("bob"));
    assert_snapshot!(tell(&job(&ann).run(&actions).await), @"
    succeeded, trouble None
    Http Action - Response from host 'localhost': 'OK' Response Headers: Content-Length: 11␍␊ Body: for members
    ");
    for _ in 0..2 {
        assert!(tell(&job(&ann).run(&actions).await).starts_with("succeeded"));
    }
    assert_eq!(receiver.connections(), 1);
    assert!(tell(&job(&bob).run(&actions).await).starts_with("succeeded"));
    assert_eq!(receiver.connections(), 2);
    let without = Job::get(receiver.secure_url("/")).run(&actions).await;
    assert_snapshot!(tell(&without), @"
    failed, trouble None
    Http Action - Request to host 'localhost' failed: SecureChannelFailure The target demands a client certificate (CertificateRequired).
    ");
    assert_eq!((receiver.connections(), receiver.requests().len()), (3, 4));
}

async fn refused(version: &'static SupportedProtocolVersion) -> String {
    let authority = Authority::new();
    let actions = trusting(&authority);
    let receiver = Receiver::start_tls(authority.strict_server("localhost", version), |_| Reply::ok("")).await;
    let job = || Job::new("POST", receiver.secure_url("/")).body("body");
    let told = [
        job(),
        job().certificate(&authority.client_until("expired", 2021)),
        job().certificate(&Authority::new().client("stranger")),
    ];
    let mut texts = Vec::new();
    for job in told {
        texts.push(without_thumbprint(&tell(&job.run(&actions).await)));
    }
    assert_eq!(receiver.requests().len(), 0);
    texts.join("\n")
}

#[tokio::test]
async fn refused_ones_are_explained() {
    assert_snapshot!(refused(&TLS13).await, @"
    failed, trouble None
    Http Action - Request to host 'localhost' failed: SecureChannelFailure The target demands a client certificate (CertificateRequired).
    failed, trouble None
    Http Action - Request to host 'localhost' failed: SecureChannelFailure The target refused the client certificate, which it says has expired (CertificateExpired). The job showed the certificate 'CN=expired' (THUMBPRINT), which expired at 2021-01-01T00:00:00Z.
    failed, trouble None
    Http Action - Request to host 'localhost' failed: SecureChannelFailure The target refused the client certificate, whose issuer it does not trust (UnknownCA). The job showed the certificate 'CN=stranger' (THUMBPRINT), valid until 2040-01-01T00:00:00Z.
    ");
    assert_snapshot!(refused(&TLS12).await, @"
    failed, trouble None
    Http Action - Request to host 'localhost' failed: SecureChannelFailure 'localhost' demands a client certificate (CertificateRequired).
    failed, trouble None
    Http Action - Request to host 'localhost' failed: SecureChannelFailure 'localhost' refused the client certificate, which it says has expired (CertificateExpired). The job showed the certificate 'CN=expired' (THUMBPRINT), which expired at 2021-01-01T00:00:00Z.
    failed, trouble None
    Http Action - Request to host 'localhost' failed: SecureChannelFailure 'localhost' refused the client certificate, whose issuer it does not trust (UnknownCA). The job showed the certificate 'CN=stranger' (THUMBPRINT), valid until 2040-01-01T00:00:00Z.
    ");
}

#[tokio::test]
async fn over_http2() {
    let authority = Authority::new();
    let actions = trusting(&authority);
    let receiver = Http2Receiver::echo(authority.strict_server("localhost", &TLS13)).await;
    let url = format!("https://localhost:{}/", receiver.address.port());
    let taken = Job::get(&url).certificate(&authority.client("ann")).run(&actions).await;
    assert!(tell(&taken).starts_with("succeeded"), "{}", tell(&taken));
    let refused = Job::get(&url).certificate(&authority.client_until("old", 2021)).run(&actions).await;
    assert_snapshot!(without_thumbprint(&tell(&refused)), @"
    failed, trouble None
    Http Action - Request to host 'localhost' failed: SecureChannelFailure The target refused the TLS connection (CertificateExpired). The job showed the certificate 'CN=old' (THUMBPRINT), which expired at 2021-01-01T00:00:00Z.
    ");
}

/// Some targets take any certificate and judge it afterwards.
#[tokio::test]
async fn an_answer_that_may_be_due_to_an_expired_one() {
    let authority = Authority::new();
    let receiver = Receiver::start_tls(authority.server("localhost"), |_| {
        Reply::with("400 Bad Request", &[], b"The SSL certificate error")
    });
    let job = Job::get(receiver.await.secure_url("/")).certificate(&authority.client_until("old", 2021));
    assert_snapshot!(tell(&job.run(&trusting(&authority)).await), @"
    failed, trouble None
    Http Action - Response from host 'localhost': 'BadRequest' (the client certificate expired at 2021-01-01T00:00:00Z) Response Headers: Content-Length: 25␍␊ Body: The SSL certificate error
    ");
}

#[tokio::test]
async fn not_shown_after_a_redirect_to_another_origin() {
    let authority = Authority::new();
    let elsewhere = strict(&authority).await;
    let location = elsewhere.secure_url("/");
    let receiver = Receiver::start_tls(authority.strict_server("localhost", &TLS13), move |seen| match seen.target() {
        "/here" => Reply::redirect("/there"),
        "/there" => Reply::ok("there"),
        _ => Reply::redirect(&location),
    });
    let (receiver, actions) = (receiver.await, trusting(&authority));
    let job = |path: &str| Job::get(receiver.secure_url(path)).certificate(&authority.client("ann"));
    assert!(tell(&job("/here").run(&actions).await).ends_with("there"));
    assert_snapshot!(tell(&job("/elsewhere").run(&actions).await), @"
    failed, trouble None
    Http Action - Request to host 'localhost' failed: SecureChannelFailure The target demands a client certificate (CertificateRequired).
    ");
    assert_eq!(elsewhere.requests().len(), 0);
}

#[tokio::test]
async fn an_error_action_has_one_too() {
    let authority = Authority::new();
    let (receiver, actions) = (strict(&authority).await, trusting(&authority));
    let call = Job::get(receiver.secure_url("/")).certificate(&authority.client("ann")).error_call();
    assert!(tell(&actions.execute(call).await).starts_with("succeeded"));
}

#[tokio::test]
async fn those_that_cannot_be_used() {
    let authority = Authority::new();
    let receiver = Receiver::always(Reply::ok("")).await;
    let plain = Job::get(receiver.url("/")).certificate(&authority.client("ann"));
    assert_snapshot!(plain.tell().await, @"
    failed, trouble None
    Http Action - Request to host '127.0.0.1' failed: AuthenticationFailure A client certificate can only be shown to an https address.
    ");
    assert_snapshot!(Job::get(receiver.secure_url("/")).certificate("TWFu").tell().await, @"
    failed, trouble None
    Http Action - Request to host 'localhost' failed: AuthenticationFailure The client certificate cannot be used: something that is not a PFX file, or a damaged one; expected a PFX (PKCS #12) file; PEM files are made into one by `openssl pkcs12 -export`.
    ");
    assert_eq!(receiver.connections(), 0);
}

#[tokio::test]
async fn an_edited_job_leaves_nothing_behind() {
    let authority = Authority::new();
    let (receiver, actions) = (strict(&authority).await, trusting(&authority));
    let call = Job::get(receiver.secure_url("/")).certificate(&authority.client("ann")).call();
    for connections in [1, 2] {
        assert!(tell(&actions.execute(call.clone()).await).starts_with("succeeded"));
        assert!(tell(&actions.execute(call.clone()).await).starts_with("succeeded"));
        assert_eq!(receiver.connections(), connections);
        actions.forget(&call.definition);
    }
}

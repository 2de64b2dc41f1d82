//! `[email]`.

use insta::assert_snapshot;

use super::{by_file, load, wrong_in_each};
use crate::config::Flags;

fn told(text: &str) -> String {
    let server = by_file(text).email.server.expect("a mail server");
    let user = server.login.map(|login| format!(", {} {:?}", login.user, login.password)).unwrap_or_default();
    format!("{} {} {}{user}, from {}", server.host, server.port, server.security.name(), server.from.address)
}

#[test]
fn a_mail_server_has_the_usual_port_of_its_security() {
    assert!(by_file("").email.server.is_none());
    let texts = [
        r#"email = { server = "SMTP.example.com", from = "Jobs <jobs@example.com>" }"#,
        r#"email = { server = "smtp.example.com", tls = "tls", user = "u", password = "p", from = "jobs@example.com" }"#,
        r#"email = { server = "localhost", tls = "none", user = "u", password_file = "/p", from = "jobs@example.com" }"#,
        r#"email = { server = "[::1]:2525", tls = "none", from = "jobs@example.com" }"#,
        r#"email = { server = "mail:25", from = "jobs@example.com" }"#,
    ];
    assert_snapshot!(texts.map(told).join("\n"), @"
    smtp.example.com 587 starttls, from jobs@example.com
    smtp.example.com 465 tls, u Secret(…), from jobs@example.com
    localhost 25 none, u Secret(…), from jobs@example.com
    ::1 2525 none, from jobs@example.com
    mail 25 starttls, from jobs@example.com
    ");
}

#[test]
fn what_does_not_go_together_is_refused() {
    assert_snapshot!(wrong_in_each(&[
        r#"email = { server = "smtp.example.com" }"#,
        r#"email = { server = "smtp://x", from = "jobs" }"#,
        r#"email = { server = "smtp.example.com:0", tls = "ssl" }"#,
        r#"email = { server = "h", user = "u", from = "jobs@example.com" }"#,
        r#"email = { server = "h", password = "hidden", from = "jobs@example.com" }"#,
        r#"email = { server = "h", user = "u", password = "hidden", password_file = "/p", from = "jobs@example.com" }"#,
        r#"email = { server = "h", tls = "none", user = "u", password = "hidden", from = "jobs@example.com" }"#,
        r#"email = { server = "h", user = "u", password = "hid\nden", from = "jobs@example.com" }"#,
    ]), @r#"
    email = { server = "smtp.example.com" }
    => email.from: given "", expected an address such as punctual@example.com, from which messages come

    email = { server = "smtp://x", from = "jobs" }
    => email.server (punctual.toml line 1): given "smtp://x", expected a mail server such as smtp.example.com or smtp.example.com:587
    email.from (punctual.toml line 1): given "jobs", expected an address such as punctual@example.com or Punctual <punctual@example.com>

    email = { server = "smtp.example.com:0", tls = "ssl" }
    => email.server (punctual.toml line 1): given "smtp.example.com:0", expected a mail server such as smtp.example.com or smtp.example.com:587
    email.tls (punctual.toml line 1): given "ssl", expected "starttls", "tls" or "none"

    email = { server = "h", user = "u", from = "jobs@example.com" }
    => email.user (punctual.toml line 1): given "u", expected email.password or email.password_file beside it, or nothing

    email = { server = "h", password = "hidden", from = "jobs@example.com" }
    => email.user: given "", expected the user whose password is set

    email = { server = "h", user = "u", password = "hidden", password_file = "/p", from = "jobs@example.com" }
    => email.password_file (punctual.toml line 1): given "/p", expected nothing, since email.password is set, too

    email = { server = "h", tls = "none", user = "u", password = "hidden", from = "jobs@example.com" }
    => email.tls (punctual.toml line 1): given "none", expected "starttls" or "tls": a password goes in clear to this machine only

    email = { server = "h", user = "u", password = "hid\nden", from = "jobs@example.com" }
    => email.password (punctual.toml line 1): given (set), expected a text on one line
    "#);
}

#[test]
fn the_password_is_not_shown_and_may_come_from_the_environment() {
    let environment = [("PUNCTUAL_EMAIL__PASSWORD", "open sesame")];
    let text = r#"email = { server = "h", user = "u", from = "jobs@example.com" }"#;
    let (config, settings) = load(text, &environment, &Flags::default()).unwrap();
    assert_eq!(settings.get("email.password").unwrap().line(), "email.password = \"(set)\"");
    let password = config.email.server.and_then(|server| server.login).map(|login| login.password.expose().to_owned());
    assert_eq!(password.as_deref(), Some("open sesame"));
}

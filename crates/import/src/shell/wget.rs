//! wget, as far as it makes one call that a job can make.

use super::curl::{milliseconds, take_user, with_scheme};
use super::options::{Given, OptionRow, flag, read, value};
use crate::action::{Call, Retry};
use crate::draft::Draft;
use crate::fill::Fills;

static OPTIONS: &[OptionRow] = &[
    value('\0', "header"),
    value('\0', "method"),
    value('\0', "post-data"),
    value('\0', "body-data"),
    value('\0', "post-file"),
    value('\0', "body-file"),
    flag('\0', "spider"),
    value('U', "user-agent"),
    value('\0', "referer"),
    value('\0', "user"),
    value('\0', "password"),
    value('\0', "http-user"),
    value('\0', "http-password"),
    value('\0', "http-passwd"),
    flag('\0', "auth-no-challenge"),
    value('t', "tries"),
    value('T', "timeout"),
    value('w', "wait"),
    value('\0', "waitretry"),
    flag('\0', "no-check-certificate"),
    value('O', "output-document"),
    // What says nothing about the call.
    flag('q', "quiet"),
    flag('\0', "no-verbose"),
    flag('v', "verbose"),
    flag('b', "background"),
    flag('d', "debug"),
    value('o', "output-file"),
    value('a', "append-output"),
    flag('\0', "delete-after"),
    flag('4', "inet4-only"),
    flag('6', "inet6-only"),
    flag('\0', "no-cache"),
    flag('S', "server-response"),
    flag('\0', "no-cookies"),
    flag('\0', "content-on-error"),
    flag('\0', "show-progress"),
    value('\0', "progress"),
    value('\0', "connect-timeout"),
    value('\0', "read-timeout"),
    value('\0', "dns-timeout"),
    value('\0', "max-redirect"),
    flag('\0', "no-proxy"),
    flag('\0', "no-hsts"),
    flag('c', "continue"),
    value('P', "directory-prefix"),
    value('n', "n"),
];

/// What wget does where nothing is said.
const TRIES_DEFAULT: i64 = 20;
const TIMEOUT_MS_DEFAULT: u64 = 900_000;

/// Reads the arguments of wget.
pub(super) fn call(arguments: &[String], fills: &Fills<'_>, draft: &mut Draft) -> Result<Call, String> {
    let mut call = Call { timeout_ms: Some(TIMEOUT_MS_DEFAULT), ..Call::default() };
    let (mut addresses, mut tries, mut user, mut password) = (Vec::new(), TRIES_DEFAULT, None, None);
    let (mut is_saved, mut is_challenged) = (true, true);
    for given in read(arguments, OPTIONS, "wget")? {
        let (long, text) = match given {
            Given::Word(address) => {
                addresses.push(address);
                continue;
            }
            Given::Option(long, text) => (long, text),
        };
        match long {
            "header" => match text.split_once(':') {
                Some((name, value)) => call.add_header(name.trim(), value.trim()),
                None => return Err(format!("--header {text:?} has no colon")),
            },
            "method" => call.method = Some(text),
            "post-data" | "body-data" => {
                if long == "post-data" {
                    call.method.get_or_insert("POST".to_owned());
                }
                call.body = Some(text);
            }
            "post-file" | "body-file" => {
                if long == "post-file" {
                    call.method.get_or_insert("POST".to_owned());
                }
                let name = text.rsplit('/').next().unwrap_or(&text);
                call.body = Some(fills.text(name, &format!("the content of the file {text}"), draft.line));
            }
            "spider" => {
                call.method = Some("HEAD".to_owned());
                is_saved = false;
            }
            "user-agent" => call.add_header("User-Agent", &text),
            "referer" => call.add_header("Referer", &text),
            "user" | "http-user" => user = Some(text),
            "password" | "http-password" | "http-passwd" => password = Some(text),
            "auth-no-challenge" => is_challenged = false,
            "tries" => {
                tries = if text == "inf" { 0 } else { text.parse().map_err(|_| format!("-t {text:?} is no number"))? }
            }
            "timeout" => call.timeout_ms = Some(milliseconds(&text, "-T")?),
            "no-check-certificate" => draft.by_hand(
                "wget did not check the certificate, and jobs always do: give the server the authority behind it",
            ),
            "output-document" => is_saved = text != "-" && text != "/dev/null",
            "delete-after" => is_saved = false,
            // `-nv`, `-nc`, `-nd`, … are two letters.
            _ => {}
        }
    }
    let address = match addresses.as_slice() {
        [] => return Err("wget has no address".to_owned()),
        [address] => address,
        several => return Err(format!("wget calls {} addresses: make a job of each", several.len())),
    };
    let (in_address, uri) = take_user(&with_scheme(address)?);
    let (uri, _) = uri.split_once('#').unwrap_or((&uri, ""));
    uri.clone_into(&mut call.uri);
    if let Some(text) = in_address {
        let (name, secret) = text.split_once(':').unwrap_or((&text, ""));
        user.get_or_insert(name.to_owned());
        password.get_or_insert(secret.to_owned());
    }
    if let Some(user) = user {
        let name = format!("password.{}", draft.line);
        let password = password.unwrap_or_else(|| fills.text(&name, "a password that is not in the line", draft.line));
        call.basic = Some((user, password));
        if is_challenged {
            draft.near("wget sends the password when it is asked for it; a job sends it at once");
        }
    }
    if call.body.is_some() && call.header("content-type").is_none() {
        call.add_header("Content-Type", "application/x-www-form-urlencoded");
    }
    call.method.get_or_insert("GET".to_owned());
    if is_saved {
        draft.near("the answer was written to a file; here history keeps its first 1,024 characters");
    }
    call.retry = Some(match tries {
        1 => Retry::NONE,
        tries => {
            draft.note("wget tries again when a connection fails, and jobs also when the answer is no success");
            let count = if tries == 0 { 20 } else { (tries - 1).clamp(1, 20) };
            Retry { kind: "fixed", count: count.min(4), seconds: 30, seconds_max: None }
        }
    });
    Ok(call)
}

//! curl, as far as it makes one call that a job can make.

use super::curl_data::Data;
use super::options::{Given, OptionRow, flag, read, value};
use crate::action::{Call, Retry};
use crate::draft::Draft;
use crate::fill::{Fills, has_hole};

/// The options that are known. Those in the second part say nothing about the call itself.
static OPTIONS: &[OptionRow] = &[
    value('X', "request"),
    value('H', "header"),
    value('d', "data"),
    value('\0', "data-ascii"),
    value('\0', "data-raw"),
    value('\0', "data-binary"),
    value('\0', "data-urlencode"),
    value('\0', "json"),
    flag('G', "get"),
    flag('I', "head"),
    value('u', "user"),
    value('A', "user-agent"),
    value('e', "referer"),
    value('b', "cookie"),
    value('r', "range"),
    value('\0', "oauth2-bearer"),
    value('\0', "url"),
    value('\0', "url-query"),
    value('m', "max-time"),
    value('\0', "retry"),
    value('\0', "retry-delay"),
    flag('k', "insecure"),
    flag('g', "globoff"),
    // What says nothing about the call.
    flag('s', "silent"),
    flag('S', "show-error"),
    flag('f', "fail"),
    flag('\0', "fail-with-body"),
    flag('\0', "fail-early"),
    value('o', "output"),
    flag('O', "remote-name"),
    flag('J', "remote-header-name"),
    flag('v', "verbose"),
    flag('i', "include"),
    flag('L', "location"),
    value('\0', "max-redirs"),
    flag('#', "progress-bar"),
    flag('\0', "no-progress-meter"),
    flag('N', "no-buffer"),
    flag('q', "disable"),
    flag('4', "ipv4"),
    flag('6', "ipv6"),
    flag('0', "http1.0"),
    flag('\0', "http1.1"),
    flag('\0', "http2"),
    flag('\0', "basic"),
    flag('\0', "compressed"),
    flag('\0', "tlsv1.2"),
    flag('\0', "tlsv1.3"),
    flag('1', "tlsv1"),
    flag('\0', "ssl-reqd"),
    flag('\0', "create-dirs"),
    value('w', "write-out"),
    value('D', "dump-header"),
    value('\0', "stderr"),
    value('\0', "trace-ascii"),
    value('c', "cookie-jar"),
    value('\0', "connect-timeout"),
    value('\0', "retry-max-time"),
    flag('\0', "retry-connrefused"),
    flag('\0', "retry-all-errors"),
    value('\0', "keepalive-time"),
    flag('\0', "no-keepalive"),
    value('y', "speed-time"),
    value('Y', "speed-limit"),
    flag('\0', "path-as-is"),
    // What is known, and cannot be done.
    value('F', "form"),
    value('\0', "form-string"),
    value('T', "upload-file"),
    value('K', "config"),
    flag('n', "netrc"),
    value('\0', "netrc-file"),
    value('x', "proxy"),
    value('E', "cert"),
    value('\0', "key"),
    value('\0', "cacert"),
    value('\0', "capath"),
    flag('\0', "digest"),
    flag('\0', "ntlm"),
    flag('\0', "negotiate"),
    value('\0', "aws-sigv4"),
    value('\0', "resolve"),
    value('\0', "connect-to"),
    value('\0', "unix-socket"),
    value('\0', "interface"),
];

/// The options of curl that can be read, by letter and long name; `\0` is no letter.
pub(crate) fn known() -> impl Iterator<Item = (char, &'static str)> {
    OPTIONS.iter().filter(|row| impossible(row.long).is_none()).map(|row| (row.short, row.long))
}

/// Why a line with this option is not imported.
fn impossible(long: &str) -> Option<&'static str> {
    Some(match long {
        "form" | "form-string" => "it sends a form of several parts (-F)",
        "upload-file" => "it sends a file (-T)",
        "config" => "its options are in a file (-K)",
        "netrc" | "netrc-file" => "its password is in a file (.netrc)",
        "proxy" => "it goes through a proxy of its own (-x); the server has one for all jobs, in its settings",
        "cert" | "key" => "it shows a client certificate; a job does too, as a PFX file: authentication.pfx",
        "digest" | "ntlm" | "negotiate" | "aws-sigv4" => "it signs in in a way that jobs do not",
        "resolve" | "connect-to" | "unix-socket" | "interface" => "it chooses the connection itself",
        _ => return None,
    })
}

/// Reads the arguments of curl. Standard input is what `@-` means.
pub(super) fn call(
    arguments: &[String],
    stdin: Option<&str>,
    fills: &Fills<'_>,
    draft: &mut Draft,
) -> Result<Call, String> {
    let mut curl = Curl { data: Data::new(stdin), ..Curl::default() };
    for given in read(arguments, OPTIONS, "curl")? {
        match given {
            Given::Word(address) => curl.addresses.push(address),
            Given::Option(long, text) => curl.option(long, text, fills, draft)?,
        }
    }
    curl.finish(fills, draft)
}

#[derive(Default)]
struct Curl<'a> {
    addresses: Vec<String>,
    call: Call,
    /// Headers that are not to be sent, in lower case.
    without: Vec<String>,
    data: Data<'a>,
    query: Vec<String>,
    is_get: bool,
    is_head: bool,
    is_globbing_off: bool,
    retries: Option<i64>,
    delay: Option<i64>,
    user_agent: Option<String>,
    referer: Option<String>,
    cookies: Vec<String>,
    range: Option<String>,
}

impl Curl<'_> {
    fn option(&mut self, long: &'static str, text: String, fills: &Fills<'_>, draft: &mut Draft) -> Result<(), String> {
        if let Some(reason) = impossible(long) {
            return Err(reason.to_owned());
        }
        match long {
            "request" => self.call.method = Some(text),
            "header" => self.header(&text)?,
            "data" | "data-ascii" | "data-raw" | "data-binary" | "data-urlencode" | "json" => {
                self.data.add(long, &text, fills, draft);
            }
            "get" => self.is_get = true,
            "head" => self.is_head = true,
            "user" => self.call.basic = Some(credentials(&text, fills, draft)),
            "user-agent" => self.user_agent = Some(text),
            // `;auto` says what to do after a redirect.
            "referer" => self.referer = Some(text.trim_end_matches(";auto").to_owned()),
            "cookie" if text.contains('=') => self.cookies.push(text),
            "cookie" => return Err("its cookies are in a file (-b)".to_owned()),
            "range" => self.range = Some(format!("bytes={text}")),
            "oauth2-bearer" => self.call.add_header("Authorization", &format!("Bearer {text}")),
            "url" => self.addresses.push(text),
            "url-query" => {
                self.query.push(self.data.url_encoded(text.strip_prefix('+').unwrap_or(&text), fills, draft));
            }
            "max-time" => self.call.timeout_ms = Some(milliseconds(&text, "--max-time")?),
            "retry" => self.retries = Some(text.parse().map_err(|_| format!("--retry {text:?} is no number"))?),
            "retry-delay" => self.delay = text.parse().ok(),
            "insecure" => draft.by_hand(
                "curl did not check the certificate (-k), and jobs always do: give the server the authority behind it",
            ),
            "cacert" | "capath" => {
                draft.by_hand(format!("the authority in {text} must be known to the server (tls, authorities)"));
            }
            "globoff" => self.is_globbing_off = true,
            "output" | "remote-name" if text != "/dev/null" && text != "-" => {
                draft.near("the answer was written to a file; here history keeps its first 1,024 characters");
            }
            _ => {}
        }
        Ok(())
    }

    /// `Name: value`; `Name:` takes a header away, `Name;` sends one without a value.
    fn header(&mut self, text: &str) -> Result<(), String> {
        if text.starts_with('@') {
            return Err("its headers are in a file (-H @…)".to_owned());
        }
        match text.split_once(':') {
            Some((name, value)) if value.trim().is_empty() => self.without.push(name.trim().to_ascii_lowercase()),
            Some((name, value)) => self.call.add_header(name.trim(), value.trim()),
            None => {
                // curl sends nothing for a name alone.
                if let Some((name, "")) = text.split_once(';') {
                    self.call.add_header(name.trim(), "");
                }
            }
        }
        Ok(())
    }

    fn finish(mut self, fills: &Fills<'_>, draft: &mut Draft) -> Result<Call, String> {
        let address = match self.addresses.as_slice() {
            [] => return Err("curl has no address".to_owned()),
            [address] => address.clone(),
            several => return Err(format!("curl calls {} addresses: make a job of each", several.len())),
        };
        if !self.is_globbing_off && has_glob(&address) {
            return Err("its address has { } or [ ], by which curl makes several: make a job of each".to_owned());
        }
        let mut uri = with_scheme(&address)?;
        let (user, without_user) = take_user(&uri);
        if let Some(user) = user {
            self.call.basic.get_or_insert(credentials(&user, fills, draft));
            uri = without_user;
        }
        let body = self.data.body();
        if self.is_get {
            self.query.splice(0..0, body.clone());
        }
        let body = body.filter(|_| !self.is_get);
        self.call.uri = with_query(&uri, &self.query);
        let default = match (self.is_head, &body) {
            (true, _) => "HEAD",
            (false, Some(_)) => "POST",
            (false, None) => "GET",
        };
        self.call.method.get_or_insert(default.to_owned());
        self.default_headers(body.is_some());
        self.call.body = body;
        self.call.retry = Some(self.retry(draft));
        Ok(self.call)
    }

    /// Headers that curl sends by itself, or by an option of their own; those given with -H win.
    fn default_headers(&mut self, has_body: bool) {
        let json = self.data.is_json;
        let kind = if json { "application/json" } else { "application/x-www-form-urlencoded" };
        let cookies = (!self.cookies.is_empty()).then(|| self.cookies.join(";"));
        let defaults = [
            ("Content-Type", has_body.then(|| kind.to_owned())),
            ("Accept", json.then(|| "application/json".to_owned())),
            ("User-Agent", self.user_agent.take().filter(|text| !text.is_empty())),
            ("Referer", self.referer.take().filter(|text| !text.is_empty())),
            ("Cookie", cookies),
            ("Range", self.range.take()),
        ];
        for (name, text) in defaults {
            let is_given = self.call.header(name).is_some() || self.without.contains(&name.to_ascii_lowercase());
            if let (Some(text), false) = (text, is_given) {
                self.call.add_header(name, &text);
            }
        }
    }

    fn retry(&self, draft: &mut Draft) -> Retry {
        let Some(count) = self.retries.filter(|count| *count > 0) else { return Retry::NONE };
        if self.delay.unwrap_or_default() < 15 || count > 20 {
            draft.near("curl retries after 1, 2, 4, … seconds; here retries are at least 15 s apart and at most 20");
        }
        match self.delay.filter(|delay| *delay > 0) {
            Some(seconds) => Retry { kind: "fixed", count, seconds, seconds_max: None },
            None => Retry { kind: "exponential", count, seconds: 15, seconds_max: Some(600) },
        }
    }
}

/// `user:password`. Without a password curl asks for it, which nobody can answer under cron.
fn credentials(text: &str, fills: &Fills<'_>, draft: &Draft) -> (String, String) {
    if let Some((user, password)) = text.split_once(':') {
        (user.to_owned(), password.to_owned())
    } else {
        let name = format!("password.{}", draft.line);
        (text.to_owned(), fills.text(&name, "a password that curl would ask for", draft.line))
    }
}

/// Seconds with a fraction.
pub(super) fn milliseconds(text: &str, option: &str) -> Result<u64, String> {
    let seconds: f64 = text.trim_end_matches('s').parse().map_err(|_| format!("{option} {text:?} is no number"))?;
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "clamped to a day")]
    let ms = (seconds.clamp(0.0, 86_400.0) * 1000.0) as u64;
    // Without a limit, as with 0.
    Ok(if ms == 0 { u64::MAX } else { ms })
}

fn has_glob(address: &str) -> bool {
    let host_end = address.find("://").map_or(0, |at| at + 3);
    // An IPv6 address stands in brackets, too.
    let rest = address[host_end..]
        .strip_prefix('[')
        .and_then(|rest| rest.split_once(']'))
        .map_or(&address[host_end..], |(_, rest)| rest);
    rest.contains(['{', '['])
}

/// The address with the scheme that curl guesses.
pub(super) fn with_scheme(address: &str) -> Result<String, String> {
    match address.split_once("://") {
        Some((scheme, _)) if ["http", "https"].contains(&scheme.to_ascii_lowercase().as_str()) => {
            Ok(address.to_owned())
        }
        Some((scheme, _)) if !has_hole(scheme) => Err(format!("it does not speak HTTP, but {scheme}")),
        Some(_) => Ok(address.to_owned()),
        None => Ok(format!("http://{address}")),
    }
}

/// `user:password` of an address, decoded, and the address without it.
pub(super) fn take_user(uri: &str) -> (Option<String>, String) {
    let Some((scheme, rest)) = uri.split_once("://") else { return (None, uri.to_owned()) };
    let end = rest.find(['/', '?', '#']).unwrap_or(rest.len());
    match rest[..end].rsplit_once('@') {
        Some((user, _)) => {
            (Some(super::curl_data::percent_decoded(user)), format!("{scheme}://{}", &rest[user.len() + 1..]))
        }
        None => (None, uri.to_owned()),
    }
}

fn with_query(uri: &str, query: &[String]) -> String {
    let (uri, _) = uri.split_once('#').unwrap_or((uri, ""));
    if query.is_empty() {
        return uri.to_owned();
    }
    let between = if uri.contains('?') { '&' } else { '?' };
    // curl puts a slash between the host and the query.
    let host_end = uri.find("://").map_or(0, |at| at + 3);
    let slash = if uri[host_end..].contains(['/', '?']) { "" } else { "/" };
    format!("{uri}{slash}{between}{}", query.join("&"))
}

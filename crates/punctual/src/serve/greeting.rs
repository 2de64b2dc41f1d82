//! The first lines on stderr: where the server listens, and what to try first.

use std::io::IsTerminal;
use std::net::SocketAddr;

use punctual_api::Api;
use punctual_api::auth::Token;

use super::first_start::{self, FirstStart};
use crate::cli::print_note;
use crate::config::Config;
use crate::config::server::Tls;
use crate::server::Server;

/// Prints where the server listens, where its data is, and a first request to try.
pub(super) fn print(
    config: &Config,
    server: &Server,
    metrics: Option<SocketAddr>,
    (first_start, pause, console): (Option<&FirstStart>, Option<&str>, Option<String>),
) {
    let url = config.server.public_url(server.address());
    let (url, data) = (url.as_str(), config.store.data.display());
    let listen_url = config.server.listen_url(server.address());
    let mut lines = vec![format!("punctual {} listens on {}", env!("CARGO_PKG_VERSION"), listen_url.as_str())];
    lines.extend((url != listen_url.as_str()).then(|| format!("clients reach it at {url}")));
    lines.push(format!("its data is in {data}"));
    let scheme = if config.server.tls == Tls::Off { "http" } else { "https" };
    lines.extend(metrics.map(|address| format!("metrics are at {scheme}://{address}/metrics")));
    let mut trusting = String::new();
    if matches!(config.server.tls, Tls::SelfSigned) {
        let ca = config.store.data.join("tls").join("ca.pem");
        trusting = format!(" --cacert {}", ca.display());
        lines.push(format!(
            "clients trust it with {0} (curl --cacert {0}, Python connection_verify='{0}')",
            ca.display()
        ));
    }
    lines.extend(reach_line(server.address(), matches!(config.server.tls, Tls::Off)));
    if !config.auth.required {
        lines.push("anyone on this machine may do everything (--no-auth)".to_owned());
    }
    lines.extend(first_start.map(|first_start| owner_line(first_start, std::io::stderr().is_terminal())));
    let has_token = config.store.data.join(first_start::FILE).exists();
    let bearer = match config.auth.required {
        // A restored directory has none: who has the token keeps it elsewhere.
        true if !has_token => " -H \"Authorization: Bearer $PUNCTUAL_TOKEN\"".to_owned(),
        true => format!(" -H \"Authorization: Bearer $(cat {data}/{})\"", first_start::FILE),
        false => String::new(),
    };
    lines.push(format!(
        "try: curl{trusting} -X PUT {url}/v1/jobs/hello{bearer} -d \
         '{{\"action\":{{\"request\":{{\"uri\":\"https://example.com\"}}}},\"recurrence\":{{\"frequency\":\"Minute\"}}}}'"
    ));
    lines.extend(console.map(|link| format!("console: {link}")));
    lines.extend(pause.map(ToOwned::to_owned));
    for line in &lines {
        print_note(line);
    }
}

/// Where the console is, for a terminal on the machine itself: with a code that signs in once, so that nobody copies a token the
/// first time. Whoever reads a log later finds no code in it.
pub(super) fn console_link(config: &Config, server: &Server, api: &Api) -> Option<String> {
    let is_shown = server.address().ip().is_loopback() && std::io::stderr().is_terminal();
    if !is_shown {
        return None;
    }
    let token = std::fs::read_to_string(config.store.data.join(first_start::FILE)).ok();
    let token = token.and_then(|text| Token::parse(text.trim())).filter(|_| config.auth.required);
    match token {
        Some(token) => Some(format!("{} (signs you in once, for 10 minutes)", api.sign_in_link(token.id()))),
        None => Some(format!("{}/", config.server.public_url(server.address()).as_str())),
    }
}

/// Who can reach the server, and read along, if that is not this machine alone.
fn reach_line(address: SocketAddr, is_clear: bool) -> Option<String> {
    let ip = address.ip();
    let reach = match ip {
        _ if ip.is_loopback() => return None,
        _ if ip.is_unspecified() => "every address of this machine is listened on".to_owned(),
        _ => format!("other machines reach the server at {address}"),
    };
    let clear = "; without TLS tokens travel in clear (--tls-self-signed, or [server.tls])";
    Some(format!("{reach}{}", if is_clear { clear } else { "" }))
}

/// Where the owner token is. Only a terminal is shown the token itself: everything else keeps what it is told, and lets
/// others read it.
fn owner_line(FirstStart { token, file }: &FirstStart, is_terminal: bool) -> String {
    let place = format!("the owner token is in {}", file.display());
    if is_terminal { format!("{place}; shown this once: {}", token.expose()) } else { place }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_listens_to_others_is_told_so() {
        let line = |address: &str, is_clear| reach_line(address.parse().unwrap(), is_clear);
        assert_eq!(line("127.0.0.1:1", true), None);
        assert_eq!(line("[::]:1", false).unwrap(), "every address of this machine is listened on");
        assert_eq!(
            line("10.0.0.1:1", true).unwrap(),
            "other machines reach the server at 10.0.0.1:1; without TLS tokens travel in clear (--tls-self-signed, or \
             [server.tls])"
        );
    }

    #[test]
    fn the_owner_token_is_shown_to_a_terminal_only() {
        let token = Token::generate([7; Token::RANDOM_BYTES]);
        let secret = token.expose().to_owned();
        let first_start = FirstStart { token, file: "/data/owner.token".into() };
        assert_eq!(owner_line(&first_start, false), "the owner token is in /data/owner.token");
        let shown = owner_line(&first_start, true);
        assert_eq!(shown, format!("the owner token is in /data/owner.token; shown this once: {secret}"));
    }
}

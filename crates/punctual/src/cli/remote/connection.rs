//! Which server a command asks, and who asks.

use std::env;
use std::fs;
use std::net::IpAddr;
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use clap::Args;
use http::Uri;
use punctual_model::Violation;

use super::client::Server;
use crate::cli::contexts::{Context, Contexts};
use crate::cli::failure::Failure;

const URL_DEFAULT: &str = "http://127.0.0.1:7878";
/// Where `serve` keeps its data if nobody tells it otherwise.
const DATA_DEFAULT: &str = "punctual-data";
const TOKEN_FILE: &str = "owner.token";

/// Which server is asked, and who asks.
#[derive(Args, Clone, Debug, Default)]
#[command(next_help_heading = "Server")]
pub(crate) struct Connection {
    /// The address of the server [default: what PUNCTUAL_URL says, else that of the context in use, else http://127.0.0.1:7878]
    #[arg(long, value_name = "URL")]
    url: Option<String>,

    /// The name of the server: see punctual context [default: what PUNCTUAL_CONTEXT says, else the one in use]
    #[arg(long, value_name = "NAME", conflicts_with = "url", add = super::complete::contexts())]
    context: Option<String>,

    /// A file with the token [default: the token of the context, else what PUNCTUAL_TOKEN holds, else, for a server on this machine,
    /// punctual-data/owner.token]
    #[arg(long, value_name = "FILE")]
    token_file: Option<PathBuf>,

    /// A file with the certificate that vouches for the server, as PEM [default: that of the context]
    #[arg(long, value_name = "FILE")]
    ca: Option<PathBuf>,
}

impl Connection {
    /// Reads what is needed; nothing is sent yet.
    pub(crate) fn open(&self) -> Result<Server, Failure> {
        let Context { url, token, ca } = self.context()?;
        check_url(&url)?;
        let token = match &self.token_file {
            Some(file) => Some(read_token(file).with_context(|| format!("cannot read {}", file.display()))?),
            // The token of a context goes to the server of that context and to no other.
            None => token.or_else(|| variable("PUNCTUAL_TOKEN")).or_else(|| local_token(&url)),
        };
        let read = |file: &PathBuf| fs::read(file).with_context(|| format!("cannot read {}", file.display()));
        let ca = self.ca.as_ref().or(ca.as_ref()).map(read).transpose()?;
        Server::new(&url, token, ca.as_deref())
    }

    /// What the words of a command line name that is not finished yet.
    pub(super) fn of_words(words: impl Iterator<Item = String>) -> Self {
        let words: Vec<String> = words.collect();
        let value = |flag: &str| {
            let with_sign = words.iter().find_map(|word| word.strip_prefix(flag)?.strip_prefix('='));
            let at = words.iter().position(|word| word == flag);
            with_sign.or_else(|| words.get(at? + 1).map(String::as_str)).map(ToOwned::to_owned)
        };
        let file = |flag: &str| value(flag).map(PathBuf::from);
        Self { url: value("--url"), context: value("--context"), token_file: file("--token-file"), ca: file("--ca") }
    }

    /// What is named, from what is said on the command line down to what is so by default.
    fn context(&self) -> Result<Context, Failure> {
        let at = |url: String| Context { url, token: None, ca: None };
        let find = |name: &str| Contexts::load()?.find(name).cloned();
        if let Some(url) = &self.url {
            return Ok(at(url.clone()));
        }
        if let Some(name) = &self.context {
            return find(name);
        }
        if let Some(url) = variable("PUNCTUAL_URL") {
            return Ok(at(url));
        }
        if let Some(name) = variable("PUNCTUAL_CONTEXT") {
            return find(&name);
        }
        let contexts = Contexts::load()?;
        match &contexts.current {
            Some(name) => contexts.find(name).cloned(),
            None => Ok(at(URL_DEFAULT.to_owned())),
        }
    }
}

/// Refuses what is no address of a server.
pub(crate) fn check_url(url: &str) -> Result<(), Violation> {
    let is_url = url.starts_with("http://") || url.starts_with("https://");
    if is_url {
        Ok(())
    } else {
        Err(Violation::new("--url", format!("{url:?}"), "an address such as http://127.0.0.1:7878"))
    }
}

/// The value of a variable that is set to something.
pub(crate) fn variable(name: &str) -> Option<String> {
    env::var(name).ok().filter(|value| !value.is_empty())
}

fn read_token(file: &Path) -> std::io::Result<String> {
    fs::read_to_string(file).map(|text| text.trim().to_owned())
}

/// The owner token that a server on this machine has left in its data. It is shown to no other machine.
fn local_token(url: &str) -> Option<String> {
    if !is_on_this_machine(url) {
        return None;
    }
    let data = variable("PUNCTUAL_STORE__DATA").or_else(|| variable("PUNCTUAL_DATA"));
    let data = data.unwrap_or_else(|| DATA_DEFAULT.to_owned());
    read_token(&Path::new(&data).join(TOKEN_FILE)).ok()
}

fn is_on_this_machine(url: &str) -> bool {
    let Some(uri) = url.parse::<Uri>().ok().filter(|uri| uri.host().is_some()) else { return false };
    let host = uri.host().unwrap_or_default().trim_matches(['[', ']']);
    host.eq_ignore_ascii_case("localhost") || host.parse::<IpAddr>().is_ok_and(|address| address.is_loopback())
}

#[cfg(test)]
mod tests {
    use super::is_on_this_machine;

    #[test]
    fn the_owner_token_stays_on_this_machine() {
        for url in [
            "http://127.0.0.1:7878",
            "http://localhost",
            "https://[::1]:1/",
            "http://LOCALHOST:1/x",
            "http://127.9.9.9",
        ] {
            assert!(is_on_this_machine(url), "{url}");
        }
        for url in [
            "http://localhost.example.com",
            "http://10.0.0.1",
            "https://[2001:db8::1]/",
            "http://",
            "http://127.0.0.1@evil.example",
        ] {
            assert!(!is_on_this_machine(url), "{url}");
        }
    }
}

//! Forms: a change is made only by a form of ours, sent by a page of ours.

use aws_lc_rs::constant_time::verify_slices_are_equal;
use aws_lc_rs::digest::{SHA256, digest};
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use http::header::{HOST, ORIGIN};
use http::request;
use http::uri::Authority;

use crate::fault::Fault;
use crate::query::Query;

/// The field that holds the token of a form.
pub(crate) const TOKEN: &str = "form";

/// What a form has sent.
pub(crate) struct Form(Query);

impl Form {
    /// Reads the body of a form. Lines end as they do everywhere but in browsers.
    pub(crate) fn parse(body: &[u8]) -> Self {
        Self(Query::parse(&String::from_utf8_lossy(body).replace("%0D%0A", "%0A")))
    }

    /// The value of a field; nothing if it is empty.
    pub(crate) fn get(&self, name: &str) -> Option<&str> {
        self.0.get(name).filter(|value| !value.is_empty())
    }

    /// All values of a field that may come several times.
    pub(crate) fn all<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a str> {
        self.0.all(name)
    }

    /// Refuses what was not sent by a form of this session.
    pub(crate) fn check_token(&self, expected: &str) -> Result<(), Fault> {
        let given = self.get(TOKEN).unwrap_or_default();
        if verify_slices_are_equal(given.as_bytes(), expected.as_bytes()).is_ok() {
            return Ok(());
        }
        Err(Fault::Forbidden("This form is of another session, or too old. Load the page again and repeat.".to_owned()))
    }
}

/// The token of the forms of a session: who knows it has read a page of that session.
pub(crate) fn token_of(secret: &[u8]) -> String {
    let hashed = digest(&SHA256, &[b"form ", secret].concat());
    URL_SAFE_NO_PAD.encode(&hashed.as_ref()[..18])
}

/// Refuses a change that a page of another site asks for. Browsers say where a form comes from; one that does not at least
/// says that it is the same site.
pub(crate) fn check_origin(parts: &request::Parts, public_url: &str) -> Result<(), Fault> {
    let text = |name: &str| parts.headers.get(name).map(|value| value.to_str().unwrap_or("?"));
    let is_ours = match text(ORIGIN.as_str()) {
        Some(origin) => {
            let host = text(HOST.as_str()).or_else(|| parts.uri.authority().map(Authority::as_str));
            let named = origin.split_once("://").map(|(_, named)| named);
            (named.is_some() && named == host) || origin == public_url
        }
        None => text("sec-fetch-site").is_some_and(|site| site == "same-origin"),
    };
    if is_ours {
        Ok(())
    } else {
        Err(Fault::Forbidden("A page of another site may not change anything here.".to_owned()))
    }
}

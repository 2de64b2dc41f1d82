//! What came back, in a form for reading.

use std::fmt;

use bytes::Bytes;
use http::Response;
use http::header::{ALLOW, CONTENT_TYPE, ETAG, HeaderName, RETRY_AFTER, WARNING, WWW_AUTHENTICATE};
use punctual_api::wire::Json;
use serde_json::Value;

/// An answer. As text: its status, the headers that mean something and never change by themselves, its body.
pub(crate) struct Answer(Response<Bytes>);

const SHOWN: [HeaderName; 6] = [CONTENT_TYPE, ETAG, WARNING, WWW_AUTHENTICATE, ALLOW, RETRY_AFTER];

impl Answer {
    pub(crate) fn new(response: Response<Bytes>) -> Self {
        Self(response)
    }

    pub(crate) fn status(&self) -> u16 {
        self.0.status().as_u16()
    }

    /// A header; empty if it is not there.
    pub(crate) fn header(&self, name: impl http::header::AsHeaderName) -> String {
        self.0.headers().get(name).map(|value| value.to_str().unwrap().to_owned()).unwrap_or_default()
    }

    /// All values of a header.
    pub(crate) fn headers(&self, name: impl http::header::AsHeaderName) -> Vec<String> {
        self.0.headers().get_all(name).iter().map(|value| value.to_str().unwrap().to_owned()).collect()
    }

    pub(crate) fn etag(&self) -> String {
        self.header(ETAG)
    }

    pub(crate) fn body(&self) -> &str {
        std::str::from_utf8(self.0.body()).unwrap()
    }

    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(self.body()).unwrap_or_else(|_| panic!("no JSON: {self}"))
    }

    /// What stands at a path such as `/properties/state`; null if there is nothing.
    pub(crate) fn at(&self, pointer: &str) -> Value {
        self.json().pointer(pointer).cloned().unwrap_or_default()
    }

    /// The member `name` of everything in a list.
    pub(crate) fn each(&self, name: &str) -> Vec<String> {
        let list = self.at("/value");
        let list = list.as_array().unwrap_or_else(|| panic!("no list: {self}"));
        list.iter().map(|item| item[name].as_str().unwrap().to_owned()).collect()
    }

    /// The paths of everything in a list.
    pub(crate) fn ids(&self) -> Vec<String> {
        self.each("id")
    }

    /// Where a list goes on, as a path on the server.
    pub(crate) fn next_path(&self) -> Option<String> {
        let link = self.at("/nextLink");
        let link = link.as_str()?;
        Some(link.strip_prefix("https://punctual.example").unwrap_or_else(|| panic!("{link}")).to_owned())
    }

    /// In one line: status, code, and where what is wrong.
    pub(crate) fn complaint(&self) -> String {
        let error = self.at("/error");
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let details: Vec<_> = error["details"].as_array().into_iter().flatten().collect();
        let details: Vec<_> =
            details.into_iter().map(|it| format!("{}: {}", text(&it["target"]), text(&it["message"]))).collect();
        let said = if details.is_empty() { text(&error["message"]) } else { details.join(" | ") };
        format!("{} {}: {said}", self.status(), text(&error["code"]))
    }

    /// Everything that went out, headers included.
    pub(crate) fn all(&self) -> String {
        format!("{:?} {}", self.0.headers(), self.body())
    }
}

impl fmt::Display for Answer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0.status())?;
        for name in SHOWN {
            for value in self.0.headers().get_all(&name) {
                write!(f, "\n{name}: {}", value.to_str().unwrap())?;
            }
        }
        match Json::parse(self.body()) {
            Ok(json) => write!(f, "\n{}", serde_json::to_string_pretty(&json).unwrap()),
            Err(_) if self.body().is_empty() => Ok(()),
            Err(_) => write!(f, "\n{}", self.body()),
        }
    }
}

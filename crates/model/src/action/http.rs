//! The HTTP action.

use super::{Address, Authentication, Secret};
use crate::{Expected, Violation, limits};

/// An HTTP request, byte for byte as the user wrote it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HttpAction<S = Secret> {
    /// `Http` or `Https`, as the user called it; both take either scheme.
    pub kind: HttpType,
    /// The address that is called.
    pub uri: Address,
    /// The method, in the case it was written in.
    pub method: String,
    /// The headers in their order.
    pub headers: Vec<(String, String)>,
    /// The body.
    pub body: Option<String>,
    /// The credentials.
    pub authentication: Option<Authentication<S>>,
}

/// The two names the API has for the one kind of action.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names of the API")]
pub enum HttpType {
    Http,
    Https,
}

impl HttpType {
    /// Both names.
    pub const ALL: [Self; 2] = [Self::Http, Self::Https];

    /// Its name in the API.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Http => "Http",
            Self::Https => "Https",
        }
    }
}

/// Checks that a method is one of HTTP.
pub fn check_method(method: &str) -> Result<(), Expected> {
    if method.eq_ignore_ascii_case("CONNECT") {
        return Err(Expected::new("a method other than CONNECT, which asks for a tunnel"));
    }
    if is_token(method) && method.len() <= limits::METHOD_CHARS_MAX {
        Ok(())
    } else {
        Err(Expected::new("a method such as GET, POST, PUT, PATCH or DELETE"))
    }
}

/// Checks how many headers there are and how long they are together; each of them is for [`check_header`].
pub fn check_headers(headers: &[(String, String)]) -> Result<(), Violation> {
    if headers.len() > limits::HEADERS_MAX {
        let expected = format!("at most {}", limits::HEADERS_MAX);
        return Err(Violation::new("", format!("{} headers", headers.len()), expected));
    }
    let chars: usize = headers.iter().map(|(name, value)| name.chars().count() + value.chars().count()).sum();
    if chars > limits::HEADERS_CHARS_MAX {
        let expected = format!("at most {} in names and values together", limits::HEADERS_CHARS_MAX);
        return Err(Violation::new("", format!("{chars} characters"), expected));
    }
    Ok(())
}

/// Checks that a header may be set by a job: well-formed, and neither one of the connection nor one of ours.
pub fn check_header(name: &str, value: &str) -> Result<(), Expected> {
    const OURS: [&str; 6] = [
        "x-ms-execution-tag",
        "x-ms-client-request-id",
        "x-ms-scheduler-jobid",
        "x-ms-scheduler-expected-execution-time",
        "x-punctual-resent",
        "traceparent",
    ];
    let lower = name.to_ascii_lowercase();
    if !is_token(name) {
        return Err(Expected::new("a header name of letters, digits and !#$%&'*+-.^_`|~"));
    }
    if value.chars().any(|c| c.is_control() && c != '\t') {
        return Err(Expected::new("a header value without line breaks and control characters"));
    }
    if is_of_the_connection(&lower) {
        return Err(Expected::new("a header of the request; those of the connection are set by the sender"));
    }
    if OURS.contains(&lower.as_str()) {
        return Err(Expected::new("a header that Punctual does not set itself"));
    }
    Ok(())
}

/// Whether a header, by its name in lower case, is between the two ends of a connection.
pub(crate) fn is_of_the_connection(name: &str) -> bool {
    const NAMES: [&str; 9] = [
        "connection",
        "content-length",
        "host",
        "keep-alive",
        "te",
        "trailer",
        "transfer-encoding",
        "upgrade",
        "expect",
    ];
    NAMES.contains(&name) || name.starts_with("proxy-")
}

/// Whether a text is a token of HTTP, as methods and header names are.
pub(crate) fn is_token(text: &str) -> bool {
    let is_right = |c: u8| c.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&c);
    !text.is_empty() && text.bytes().all(is_right)
}

//! The ids by which a request is found again, in our log and in the client's.

use http::header::{HeaderName, HeaderValue, STRICT_TRANSPORT_SECURITY};
use http::{Response, request};

use crate::answer::Body;
use crate::request::Peer;

const REQUEST_ID: HeaderName = HeaderName::from_static("x-ms-request-id");
const CORRELATION_ID: HeaderName = HeaderName::from_static("x-ms-correlation-request-id");
const CLIENT_REQUEST_ID: HeaderName = HeaderName::from_static("x-ms-client-request-id");
const RETURN_CLIENT_REQUEST_ID: HeaderName = HeaderName::from_static("x-ms-return-client-request-id");

/// A random number in the form that support ids have.
pub(crate) fn guid(bytes: [u8; 16]) -> String {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    let mut text = String::with_capacity(36);
    // Digit by digit: every request has one, and to format a number of 128 bits takes several times as long.
    for (at, byte) in bytes.into_iter().enumerate() {
        if matches!(at, 4 | 6 | 8 | 10) {
            text.push('-');
        }
        text.push(char::from(DIGITS[usize::from(byte >> 4)]));
        text.push(char::from(DIGITS[usize::from(byte & 15)]));
    }
    text
}

/// The headers by which a request is found again, in our log and in the client's.
pub(crate) fn identify(parts: &request::Parts, id: &str, peer: Peer, response: &mut Response<Body>) {
    let sent = |name: &HeaderName| parts.headers.get(name).cloned();
    let headers = response.headers_mut();
    if let Ok(id) = HeaderValue::from_str(id) {
        headers.insert(CORRELATION_ID, sent(&CORRELATION_ID).unwrap_or_else(|| id.clone()));
        headers.insert(REQUEST_ID, id);
    }
    let wants_own = sent(&RETURN_CLIENT_REQUEST_ID).is_some_and(|value| value.as_bytes().eq_ignore_ascii_case(b"true"));
    if let Some(own) = sent(&CLIENT_REQUEST_ID).filter(|_| wants_own) {
        headers.insert(CLIENT_REQUEST_ID, own);
    }
    if peer.is_tls {
        let value = HeaderValue::from_static("max-age=31536000; includeSubDomains");
        headers.insert(STRICT_TRANSPORT_SECURITY, value);
    }
}

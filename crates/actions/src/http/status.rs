//! What status codes are called in the history.

use std::borrow::Cow;

/// The name of a status code as the original wrote it: that of .NET's `HttpStatusCode`, or the number where it has none.
pub(crate) fn name(status: u16) -> Cow<'static, str> {
    let code = http::StatusCode::from_u16(status).ok();
    match (status, code.and_then(|code| code.canonical_reason())) {
        (200, _) => Cow::Borrowed("OK"),
        (413, _) => Cow::Borrowed("RequestEntityTooLarge"),
        (414, _) => Cow::Borrowed("RequestUriTooLong"),
        (416, _) => Cow::Borrowed("RequestedRangeNotSatisfiable"),
        (505, _) => Cow::Borrowed("HttpVersionNotSupported"),
        (418, _) | (_, None) => Cow::Owned(status.to_string()),
        (_, Some(reason)) => Cow::Owned(reason.chars().filter(char::is_ascii_alphanumeric).collect()),
    }
}

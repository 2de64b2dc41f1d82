//! Cookies: whose session it is, how its reader looks at pages, and a sentence for the next page.

use http::HeaderMap;
use http::header::COOKIE;
use percent_encoding::percent_decode_str;

use super::address::encode;

/// The secret of a session.
pub(super) const SESSION: &str = "punctual_session";
/// In which zone times are shown: `mine`, `job` or `utc`.
pub(super) const TIMES: &str = "punctual_tz";
/// The zone of the reader's clock. The page's own script writes it, so that it is not one of those that scripts cannot see.
pub(super) const ZONE: &str = "punctual_zone";
/// `light` or `dark`; without it as the reader's system has it.
pub(super) const THEME: &str = "punctual_theme";
/// A sentence about what was just done, shown once.
pub(super) const NOTE: &str = "punctual_note";

/// A year: how a reader looks at pages does not expire.
const VIEW_SECONDS: u32 = 31_536_000;

/// The value of a cookie.
pub(super) fn read(headers: &HeaderMap, name: &str) -> Option<String> {
    let lines = headers.get_all(COOKIE).iter().filter_map(|value| value.to_str().ok());
    let mut pairs = lines.flat_map(|line| line.split(';')).filter_map(|pair| pair.trim().split_once('='));
    let (_, value) = pairs.find(|(known, _)| *known == name)?;
    Some(percent_decode_str(value).decode_utf8_lossy().into_owned())
}

/// The cookie of a session. It comes back with links from elsewhere (an alert leads to its job), never with forms of other
/// sites, and no script sees it.
pub(super) fn session(secret: &str, is_secure: bool, seconds: i64) -> String {
    hidden(SESSION, secret, is_secure, seconds)
}

/// A sentence for the next page.
pub(super) fn note(text: &str, is_secure: bool) -> String {
    hidden(NOTE, &encode(text).to_string(), is_secure, 60)
}

/// Removes the sentence that was shown.
pub(super) fn no_note() -> String {
    format!("{NOTE}=; Path=/; Max-Age=0")
}

/// How pages are shown.
pub(super) fn view(name: &str, value: &str) -> String {
    format!("{name}={}; Path=/; Max-Age={VIEW_SECONDS}; SameSite=Lax", encode(value))
}

fn hidden(name: &str, value: &str, is_secure: bool, seconds: i64) -> String {
    let secure = if is_secure { "; Secure" } else { "" };
    format!("{name}={value}; Path=/; Max-Age={seconds}; HttpOnly; SameSite=Lax{secure}")
}

//! The beginning of an answer: status and headers.

use std::mem::MaybeUninit;

use bytes::{Buf, BytesMut};

use super::framing::Framing;
use crate::failure::Failure;
use crate::limits;

/// Status and headers of an answer.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Head {
    pub(crate) status: u16,
    /// Names and values as the target wrote them.
    pub(crate) headers: Vec<(String, String)>,
}

/// A head of HTTP/1, and what it says about the connection.
pub(crate) struct Http1Head {
    pub(crate) head: Head,
    pub(crate) framing: Framing,
    /// Whether the connection can be used again once the body was read.
    pub(crate) keeps_alive: bool,
}

impl Head {
    /// The first value of a header.
    pub(crate) fn get(&self, wanted: &str) -> Option<&str> {
        self.all(wanted).next()
    }

    /// All values of a header.
    pub(crate) fn all(&self, wanted: &str) -> impl Iterator<Item = &str> {
        let named = self.headers.iter().filter(move |(name, _)| name.eq_ignore_ascii_case(wanted));
        named.map(|(_, value)| value.as_str())
    }

    /// Whether one of the comma-separated values of a header is this word.
    fn has_word(&self, name: &str, word: &str) -> bool {
        self.all(name).flat_map(|value| value.split(',')).any(|item| item.trim().eq_ignore_ascii_case(word))
    }
}

/// Takes a head off the front of what was read; none if it is not there as a whole.
///
/// `searched` remembers how far the end was looked for: a target that sends byte by byte must not have us search from the start each
/// time.
pub(crate) fn take_head(
    buffer: &mut BytesMut,
    searched: &mut usize,
    is_head_request: bool,
) -> Result<Option<Http1Head>, Failure> {
    let start = b"HTTP/1.";
    let common = buffer.len().min(start.len());
    if buffer[..common] != start[..common] {
        let is_tls = buffer.starts_with(&[0x15, 0x03]);
        let hint = if is_tls { " but TLS: the address should begin with https" } else { "" };
        return Err(Failure::NotHttp(format!("The answer is not HTTP{hint}.").into()));
    }
    let Some(end) = end_of_head(buffer, *searched) else {
        *searched = buffer.len().saturating_sub(3);
        if buffer.len() > limits::ANSWER_HEAD_BYTES_MAX {
            let max = limits::ANSWER_HEAD_BYTES_MAX;
            return Err(Failure::NotHttp(format!("The headers of the answer exceed {max} bytes.").into()));
        }
        return Ok(None);
    };
    let head = parse(&buffer[..end], is_head_request)?;
    buffer.advance(end);
    *searched = 0;
    Ok(Some(head))
}

/// The place after the empty line, looked for from `from` on.
fn end_of_head(bytes: &[u8], from: usize) -> Option<usize> {
    let mut at = from;
    while let Some(found) = bytes[at..].iter().position(|c| *c == b'\n') {
        at += found + 1;
        match bytes[at..] {
            [b'\n', ..] => return Some(at + 1),
            [b'\r', b'\n', ..] => return Some(at + 2),
            _ => {}
        }
    }
    None
}

fn parse(bytes: &[u8], is_head_request: bool) -> Result<Http1Head, Failure> {
    // Not filled in beforehand: most answers have a dozen headers.
    let mut headers = [const { MaybeUninit::uninit() }; limits::ANSWER_HEADERS_MAX];
    let mut response = httparse::Response::new(&mut []);
    let wrong = |reason: String| Failure::NotHttp(format!("The answer is not HTTP as it should be: {reason}.").into());
    let parsed =
        httparse::ParserConfig::default().parse_response_with_uninit_headers(&mut response, bytes, &mut headers);
    let is_complete = parsed.map_err(|error| wrong(error.to_string()))?.is_complete();
    let (Some(status), Some(version), true) = (response.code, response.version, is_complete) else {
        return Err(wrong("its beginning breaks off".to_owned()));
    };
    let text = |value: &[u8]| String::from_utf8_lossy(value).into_owned();
    let headers = response.headers.iter().map(|header| (header.name.to_owned(), text(header.value))).collect();
    let head = Head { status, headers };
    let is_old = version == 0;
    let keeps_alive =
        if is_old { head.has_word("connection", "keep-alive") } else { !head.has_word("connection", "close") };
    let (framing, is_clear) = framing(&head, is_head_request).map_err(wrong)?;
    Ok(Http1Head { head, framing, keeps_alive: keeps_alive && is_clear })
}

/// How the end of the body is known (RFC 9112, section 6.3), and whether that leaves no doubt where the next answer begins.
fn framing(head: &Head, is_head_request: bool) -> Result<(Framing, bool), String> {
    if is_head_request || matches!(head.status, 100..=199 | 204 | 304) {
        return Ok((Framing::Length(0), true));
    }
    let codings: Vec<&str> = head.all("transfer-encoding").flat_map(|value| value.split(',')).map(str::trim).collect();
    let lengths: Vec<&str> = head.all("content-length").flat_map(|value| value.split(',')).map(str::trim).collect();
    match (codings.as_slice(), lengths.as_slice()) {
        ([], []) => Ok((Framing::UntilClose, false)),
        ([], [first, others @ ..]) => {
            let is_number = !first.is_empty() && first.bytes().all(|c| c.is_ascii_digit());
            let length = first.parse().ok().filter(|_| is_number && others.iter().all(|other| other == first));
            let length = length.ok_or_else(|| format!("its Content-Length is {}", lengths.join(", ")))?;
            Ok((Framing::Length(length), true))
        }
        ([one], lengths) if one.eq_ignore_ascii_case("chunked") => Ok((Framing::chunked(), lengths.is_empty())),
        (codings, _) => Err(format!("its Transfer-Encoding is {}", codings.join(", "))),
    }
}

#[cfg(test)]
mod tests;

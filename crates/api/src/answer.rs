//! What goes back.

use bytes::Bytes;
use http::header::{CACHE_CONTROL, CONTENT_TYPE, ETAG, EXPIRES, HeaderName, HeaderValue, PRAGMA, WARNING};
use http::{Response, StatusCode};
use punctual_model::Warning;

use crate::condition::ETag;
use crate::events::EventStream;
use crate::wire::Json;

/// An answer, before it is made a response of HTTP.
#[derive(Debug)]
pub(crate) struct ApiAnswer {
    status: StatusCode,
    content: Content,
    headers: Vec<(HeaderName, HeaderValue)>,
    warnings: Vec<Warning>,
}

#[derive(Debug)]
enum Content {
    Empty,
    Json(Json),
    /// JSON that was written before.
    Written(&'static str),
    /// Text of another type.
    Text(&'static str, String),
    /// What happens, as long as someone reads it.
    Events(Box<EventStream>),
}

/// The body of a response.
#[derive(Debug)]
pub enum Body {
    /// There as a whole.
    Whole(Bytes),
    /// What happens, as long as someone reads it.
    Events(Box<EventStream>),
}

impl Body {
    /// How many bytes are known to be in it.
    pub fn bytes(&self) -> usize {
        match self {
            Self::Whole(bytes) => bytes.len(),
            Self::Events(_) => 0,
        }
    }
}

/// The original's clients read no more.
const WARNING_PATHS_MAX: usize = 10;
/// Proxies cut off longer headers, or the connection.
const WARNING_BYTES_MAX: usize = 1024;

impl ApiAnswer {
    /// An answer without a body.
    pub(crate) fn empty(status: StatusCode) -> Self {
        Self { status, content: Content::Empty, headers: Vec::new(), warnings: Vec::new() }
    }

    /// An answer with a body.
    pub(crate) fn json(status: StatusCode, body: Json) -> Self {
        Self { status, content: Content::Json(body), headers: Vec::new(), warnings: Vec::new() }
    }

    /// An answer whose body is JSON that never changes.
    pub(crate) fn written(body: &'static str) -> Self {
        Self { status: StatusCode::OK, content: Content::Written(body), headers: Vec::new(), warnings: Vec::new() }
    }

    /// An answer whose body is no JSON.
    pub(crate) fn text(content_type: &'static str, body: String) -> Self {
        let content = Content::Text(content_type, body);
        Self { status: StatusCode::OK, content, headers: Vec::new(), warnings: Vec::new() }
    }

    /// An answer that goes on. Proxies are asked not to hold it back.
    pub(crate) fn events(stream: EventStream) -> Self {
        let content = Content::Events(Box::new(stream));
        let unbuffered = (HeaderName::from_static("x-accel-buffering"), HeaderValue::from_static("no"));
        Self { status: StatusCode::OK, content, headers: vec![unbuffered], warnings: Vec::new() }
    }

    /// A header whose value is text of ours.
    pub(crate) fn header(mut self, name: HeaderName, value: &str) -> Self {
        if let Ok(value) = HeaderValue::from_str(value) {
            self.headers.push((name, value));
        }
        self
    }

    pub(crate) fn etag(self, etag: &ETag) -> Self {
        self.header(ETAG, etag.as_str())
    }

    /// What was ignored or bent.
    pub(crate) fn warnings(mut self, warnings: &[Warning]) -> Self {
        self.warnings.extend_from_slice(warnings);
        self
    }

    /// The answer with its warnings in its body, too, for those who see no headers.
    pub(crate) fn with_warnings_in_body(mut self) -> Self {
        if let Content::Json(Json::Object(members)) = &mut self.content
            && !self.warnings.is_empty()
        {
            let texts = self.warnings.iter().map(|warning| Json::Text(warning.to_string()));
            match members.iter_mut().find(|(name, _)| name == "warnings") {
                Some((_, Json::List(known))) => known.extend(texts),
                _ => members.push(("warnings".into(), Json::List(texts.collect()))),
            }
        }
        self
    }

    /// The response.
    pub(crate) fn into_response(mut self) -> Response<Body> {
        if let Some(text) = warning_header(&self.warnings) {
            self = self.header(WARNING, &text);
        }
        let json = Some("application/json; charset=utf-8");
        let (content_type, body) = match self.content {
            Content::Empty => (None, Body::Whole(Bytes::new())),
            Content::Json(value) => {
                let text = serde_json::to_vec(&value).expect("a value of JSON can be written");
                (json, Body::Whole(text.into()))
            }
            Content::Written(text) => (json, Body::Whole(Bytes::from_static(text.as_bytes()))),
            Content::Text(content_type, text) => (Some(content_type), Body::Whole(text.into())),
            Content::Events(stream) => (Some("text/event-stream"), Body::Events(stream)),
        };
        let mut response = Response::new(body);
        *response.status_mut() = self.status;
        let headers = response.headers_mut();
        if let Some(content_type) = content_type {
            headers.insert(CONTENT_TYPE, HeaderValue::from_static(content_type));
        }
        headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-cache"));
        headers.insert(PRAGMA, HeaderValue::from_static("no-cache"));
        headers.insert(EXPIRES, HeaderValue::from_static("-1"));
        for (name, value) in self.headers {
            headers.append(name, value);
        }
        response
    }
}

/// One header for all warnings, in ASCII: `299 punctual "path: text; path: text"`.
fn warning_header(warnings: &[Warning]) -> Option<String> {
    const END: &str = "; and more";
    let mut text = String::new();
    for (at, warning) in warnings.iter().enumerate() {
        let part = escape(&warning.to_string());
        let separator = if at == 0 { "" } else { "; " };
        let room = WARNING_BYTES_MAX - END.len() - "299 punctual \"\"".len();
        if at == WARNING_PATHS_MAX || text.len() + separator.len() + part.len() > room {
            // A first warning that is too long by itself still says where it is.
            if at == 0 {
                text.push_str(&part[..part.len().min(room)]);
            }
            text.push_str(END);
            break;
        }
        text.push_str(separator);
        text.push_str(&part);
    }
    (!text.is_empty()).then(|| format!("299 punctual \"{text}\""))
}

/// As a quoted string of a header: no quotes, no control characters, nothing beyond ASCII.
fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '"' => escaped.push('\''),
            '\\' => escaped.push('/'),
            ' '..='~' => escaped.push(character),
            '…' => escaped.push_str("..."),
            '–' | '—' => escaped.push('-'),
            other => escaped.push_str(&other.escape_unicode().to_string().replace('\\', "")),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use insta::assert_snapshot;
    use punctual_model::Warning;

    use super::{WARNING_BYTES_MAX, warning_header};

    #[test]
    fn warnings_fit_into_one_header_of_ascii() {
        let warnings = [Warning::new("properties.a", "given \"ü\\\n\", ignored"), Warning::new("b", "also")];
        assert_snapshot!(warning_header(&warnings).unwrap(), @r#"299 punctual "properties.a: given 'u{fc}/u{a}', ignored; b: also""#);
        assert!(warning_header(&[]).is_none());
    }

    #[test]
    fn many_or_long_warnings_are_cut() {
        let many: Vec<_> = (0..50).map(|n| Warning::new(format!("m{n}"), "ignored")).collect();
        let header = warning_header(&many).unwrap();
        assert!(header.contains("m9: ignored; and more") && !header.contains("m10"), "{header}");
        for length in [10, 900, 1000, 1100, 5000] {
            let header = warning_header(&[Warning::new("é".repeat(length), "x"), Warning::new("y", "z")]).unwrap();
            assert!(header.len() <= WARNING_BYTES_MAX && header.is_ascii() && header.ends_with('"'), "{header}");
        }
    }
}

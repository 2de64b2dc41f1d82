//! What the console sends back, under the headers that keep a page from being used against its reader.

use bytes::Bytes;
use http::header::{
    CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE, HeaderName, HeaderValue, LOCATION, REFERRER_POLICY,
    SET_COOKIE, X_CONTENT_TYPE_OPTIONS, X_FRAME_OPTIONS,
};
use http::{Response, StatusCode};
use maud::Markup;

use crate::answer::Body;
use crate::events::EventStream;

/// Nothing but our own files is loaded, nothing inside the page is run or styled, and no other page may hold this one.
const POLICY: &str = "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; img-src 'self'; \
                      form-action 'self'; base-uri 'none'; frame-ancestors 'none'";

/// What goes back to a browser.
pub(crate) struct Reply {
    status: StatusCode,
    content: Content,
    headers: Vec<(HeaderName, HeaderValue)>,
}

enum Content {
    Empty,
    Page(Markup),
    Asset(&'static str, &'static [u8]),
    Events(Box<EventStream>),
}

impl Reply {
    /// A page.
    pub(crate) fn page(page: Markup) -> Self {
        Self::page_with(StatusCode::OK, page)
    }

    /// A page that says something is wrong.
    pub(crate) const fn page_with(status: StatusCode, page: Markup) -> Self {
        Self { status, content: Content::Page(page), headers: Vec::new() }
    }

    /// Sends the reader on, after a change or to sign in. The address is one of ours: it begins with one slash.
    pub(crate) fn see_other(to: &str) -> Self {
        let reply = Self { status: StatusCode::SEE_OTHER, content: Content::Empty, headers: Vec::new() };
        reply.header(LOCATION, to)
    }

    /// A file that never changes under its address.
    pub(crate) fn asset(content_type: &'static str, bytes: &'static [u8]) -> Self {
        Self { status: StatusCode::OK, content: Content::Asset(content_type, bytes), headers: Vec::new() }
    }

    /// What happens, as long as somebody looks.
    pub(crate) fn events(stream: EventStream) -> Self {
        let reply = Self { status: StatusCode::OK, content: Content::Events(Box::new(stream)), headers: Vec::new() };
        reply.header(HeaderName::from_static("x-accel-buffering"), "no")
    }

    /// A header whose value is text of ours.
    pub(crate) fn header(mut self, name: HeaderName, value: &str) -> Self {
        if let Ok(value) = HeaderValue::from_str(value) {
            self.headers.push((name, value));
        }
        self
    }

    /// A cookie, as it is written in the header.
    pub(crate) fn cookie(self, cookie: &str) -> Self {
        self.header(SET_COOKIE, cookie)
    }

    /// The response.
    pub(crate) fn into_response(self) -> Response<Body> {
        // Pages hold what only their reader may see, and a token for their forms.
        let (content_type, cached, body) = match self.content {
            Content::Empty => (None, "no-store", Body::Whole(Bytes::new())),
            Content::Page(page) => {
                (Some("text/html; charset=utf-8"), "no-store", Body::Whole(page.into_string().into()))
            }
            Content::Asset(kind, bytes) => {
                (Some(kind), "public, max-age=31536000, immutable", Body::Whole(Bytes::from_static(bytes)))
            }
            Content::Events(stream) => (Some("text/event-stream"), "no-store", Body::Events(stream)),
        };
        let mut response = Response::new(body);
        *response.status_mut() = self.status;
        let headers = response.headers_mut();
        if let Some(content_type) = content_type {
            headers.insert(CONTENT_TYPE, HeaderValue::from_static(content_type));
        }
        headers.insert(CACHE_CONTROL, HeaderValue::from_static(cached));
        headers.insert(CONTENT_SECURITY_POLICY, HeaderValue::from_static(POLICY));
        headers.insert(X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
        headers.insert(X_FRAME_OPTIONS, HeaderValue::from_static("DENY"));
        headers.insert(REFERRER_POLICY, HeaderValue::from_static("same-origin"));
        let opener = HeaderName::from_static("cross-origin-opener-policy");
        headers.insert(opener, HeaderValue::from_static("same-origin"));
        for (name, value) in self.headers {
            headers.append(name, value);
        }
        response
    }
}

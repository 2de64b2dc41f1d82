//! A request, whatever makes it: an action of a job, a message for a queue, a question for a token.

use bytes::Bytes;
use http_body_util::Full;

use super::address::Address;
use crate::certificates::Certificate;
use crate::failure::Failure;
use crate::proxy::Proxy;

/// A request of HTTP/2.
pub(crate) type Http2Request = http::Request<Full<Bytes>>;

/// What a request consists of beside its address. The headers of the connection are not among its headers, the length of
/// its body is.
pub(crate) trait Message: Sync {
    fn method(&self) -> &str;
    fn body(&self) -> &str;

    /// The body, where it need not be a text.
    fn body_bytes(&self) -> &[u8] {
        self.body().as_bytes()
    }

    fn each_header(&self, put: &mut dyn FnMut(&str, &str));

    /// From now on the target may have got it before.
    fn mark_resent(&mut self);

    /// Whether it has to go by HTTP/1.1: HTTP/2 does not know in which case the names of headers are written.
    fn is_http1(&self) -> bool {
        false
    }

    /// The certificate that has to be shown on its connection. Others do not share such a connection.
    fn certificate(&self) -> Option<&Certificate> {
        None
    }

    /// Whether doing it twice is the same as doing it once, by the rules of HTTP.
    fn is_idempotent(&self) -> bool {
        matches!(self.method(), "GET" | "HEAD" | "PUT" | "DELETE" | "OPTIONS" | "TRACE")
    }

    /// The whole request as HTTP/1.1 has it, in one piece. A proxy for plain HTTP wants the whole address, and to know us.
    fn to_http1(&self, to: &Address, proxy: Option<&Proxy>) -> Vec<u8> {
        let body = self.body_bytes();
        let authority = to.authority();
        let mut bytes = Vec::with_capacity(768 + to.target.len() + body.len());
        let mut put = |parts: &[&str]| parts.iter().for_each(|part| bytes.extend_from_slice(part.as_bytes()));
        put(&[self.method(), " "]);
        if proxy.is_some() {
            put(&["http://", &authority]);
        }
        put(&[&to.target, " HTTP/1.1\r\nHost: ", &authority, "\r\n"]);
        if let Some(authorization) = proxy.and_then(|proxy| proxy.authorization.as_ref()) {
            put(&["Proxy-Authorization: ", authorization.expose(), "\r\n"]);
        }
        self.each_header(&mut |name, value| put(&[name, ": ", value, "\r\n"]));
        put(&["\r\n"]);
        bytes.extend_from_slice(body);
        bytes
    }

    /// The request as HTTP/2 has it: the same headers, in lower case.
    fn to_http2(&self, to: &Address) -> Result<Http2Request, Failure> {
        let uri = format!("{}://{}{}", to.scheme(), to.authority(), to.target);
        let mut builder = http::Request::builder().method(self.method()).uri(uri);
        self.each_header(&mut |name, value| {
            if let Some(headers) = builder.headers_mut() {
                let name = http::HeaderName::from_bytes(name.as_bytes());
                let value = http::HeaderValue::from_bytes(value.as_bytes());
                if let (Ok(name), Ok(value)) = (name, value) {
                    headers.append(name, value);
                }
            }
        });
        let body = Bytes::copy_from_slice(self.body_bytes());
        builder
            .body(Full::new(body))
            .map_err(|error| Failure::Address(format!("The request cannot be sent over HTTP/2: {error}.").into()))
    }
}

//! A request that is being put together.

use bytes::Bytes;
use http::header::{AUTHORIZATION, HOST};
use punctual_api::{BodyFault, EventStream};
use serde_json::Value;

use crate::answer::Answer;
use crate::server::Server;

const DIALECT: &str = "x-punctual-dialect";

/// A request to a server, with the owner's token unless something else is said, and answered as the original did: most tests
/// are about what a request does, and not about the shape of its answer.
pub(crate) struct Call<'a> {
    server: &'a Server,
    request: http::request::Builder,
    dialect: Option<&'static str>,
    bearer: Option<String>,
    body: Result<Bytes, BodyFault>,
}

impl<'a> Call<'a> {
    pub(crate) fn new(server: &'a Server, method: &str, path: &str) -> Self {
        let request = http::Request::builder().method(method).uri(path).header(HOST, "localhost:7878");
        // Elsewhere than on the short path that is so without being said.
        let dialect = path.to_ascii_lowercase().starts_with("/v1").then_some("recorded");
        Self { server, request, dialect, bearer: Some(server.owner.clone()), body: Ok(Bytes::new()) }
    }

    /// Adds a header.
    pub(crate) fn header(mut self, name: &str, value: &str) -> Self {
        if name == DIALECT {
            self.dialect = None;
        }
        if name == "host" {
            self.request.headers_mut().unwrap().remove(HOST);
        }
        self.request = self.request.header(name, value);
        self
    }

    /// Answered as the short path does where nobody asks for something else.
    pub(crate) fn plain(self) -> Self {
        Self { dialect: None, ..self }
    }

    /// As somebody else.
    pub(crate) fn bearer(self, token: &str) -> Self {
        Self { bearer: Some(token.to_owned()), ..self }
    }

    /// As nobody.
    pub(crate) fn anonymous(self) -> Self {
        Self { bearer: None, ..self }
    }

    pub(crate) fn json(self, json: &Value) -> Self {
        self.body(json.to_string())
    }

    pub(crate) fn body(self, body: impl Into<Bytes>) -> Self {
        Self { body: Ok(body.into()), ..self }
    }

    /// With a body that did not arrive.
    pub(crate) fn fault(self, fault: BodyFault) -> Self {
        Self { body: Err(fault), ..self }
    }

    pub(crate) async fn send(self) -> Answer {
        self.send_for_stream().await.0
    }

    /// The same where the answer may go on.
    pub(crate) async fn send_for_stream(self) -> (Answer, Option<EventStream>) {
        let mut request = self.request;
        if let Some(dialect) = self.dialect {
            request = request.header(DIALECT, dialect);
        }
        if let Some(token) = self.bearer {
            request = request.header(AUTHORIZATION, format!("Bearer {token}"));
        }
        self.server.answer_or_stream(request.body(self.body).unwrap()).await
    }
}

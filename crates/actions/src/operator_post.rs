//! Bytes that are sent to an address that the operator chose: telemetry.

use std::time::Duration;

use punctual_model::action::Secret;

use crate::http::{Message, USER_AGENT};
use crate::operator::{OperatorAnswer, OperatorClient};

/// A POST for the operator.
#[derive(Clone, Copy, Debug)]
pub struct OperatorPost<'a> {
    /// An absolute address.
    pub url: &'a str,
    /// What the body is.
    pub content_type: &'a str,
    /// Headers that the operator chose: names and values that a header can hold.
    pub headers: &'a [(String, Secret)],
    /// The body.
    pub body: &'a [u8],
}

impl OperatorClient {
    /// Sends bytes and reads the whole answer, or says why there is none.
    pub async fn post(
        &self,
        post: OperatorPost<'_>,
        bytes_max: usize,
        time_max: Duration,
    ) -> Result<OperatorAnswer, String> {
        self.send_message(&post, post.url, bytes_max, time_max).await
    }
}

impl Message for OperatorPost<'_> {
    fn method(&self) -> &'static str {
        "POST"
    }

    /// The body is no text.
    fn body(&self) -> &'static str {
        ""
    }

    fn body_bytes(&self) -> &[u8] {
        self.body
    }

    fn each_header(&self, put: &mut dyn FnMut(&str, &str)) {
        put("User-Agent", USER_AGENT);
        put("Connection", "close");
        for (name, value) in self.headers {
            put(name, value.expose());
        }
        put("Content-Type", self.content_type);
        put("Content-Length", &self.body.len().to_string());
    }

    /// Each request has a connection of its own, on which it cannot have been lost.
    fn mark_resent(&mut self) {}
}

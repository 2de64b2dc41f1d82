//! The server without a client: plain HTTP, for what no client can send and to see what is really stored.

use reqwest::{Method, RequestBuilder};
use serde_json::Value;

use crate::office::{GROUP, SUBSCRIPTION, http, setting};

pub struct Plain {
    client: reqwest::Client,
}

impl Plain {
    pub fn new() -> Self {
        Self { client: http() }
    }

    pub async fn put(&self, path: &str, body: &Value) -> Value {
        Self::send(self.request(Method::PUT, path).json(body)).await
    }

    pub async fn get(&self, path: &str) -> Value {
        Self::send(self.request(Method::GET, path)).await
    }

    fn request(&self, method: Method, path: &str) -> RequestBuilder {
        let group = format!("subscriptions/{SUBSCRIPTION}/resourceGroups/{GROUP}/providers/Microsoft.Scheduler");
        let url = format!("{}/{group}/{path}?api-version=2016-03-01", setting("PUNCTUAL_URL"));
        // Durations look the same in this dialect, whichever client wrote them.
        self.client.request(method, url).bearer_auth(setting("PUNCTUAL_TOKEN")).header("x-punctual-dialect", "openapi")
    }

    async fn send(request: RequestBuilder) -> Value {
        let answer = request.send().await.unwrap();
        let (status, text) = (answer.status(), answer.text().await.unwrap());
        assert!(status.is_success(), "{status} {text}");
        serde_json::from_str(&text).unwrap()
    }
}

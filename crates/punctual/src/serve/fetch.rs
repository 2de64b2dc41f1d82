//! Gets the documents of identity providers.

use anyhow::Context;
use async_trait::async_trait;
use punctual_api::auth::oidc::Fetch;
use reqwest::redirect::Policy;
use reqwest::{Client, StatusCode};

/// A client of HTTP that goes where the configuration says, and nowhere else: no redirects, no proxies of the environment.
pub(super) struct Fetcher(Client);

impl Fetcher {
    pub(super) fn new() -> anyhow::Result<Self> {
        let client = Client::builder().redirect(Policy::none()).no_proxy().build();
        client.map(Self).context("cannot make a client for identity providers")
    }
}

#[async_trait]
impl Fetch for Fetcher {
    async fn get(&self, url: &str, bytes_max: usize) -> Result<Vec<u8>, String> {
        let failed = |error: reqwest::Error| format!("{:#}", anyhow::Error::new(error));
        let mut response = self.0.get(url).send().await.map_err(failed)?;
        if response.status() != StatusCode::OK {
            return Err(format!("{url} answered {}", response.status()));
        }
        let mut bytes = Vec::new();
        while let Some(chunk) = response.chunk().await.map_err(failed)? {
            if bytes.len() + chunk.len() > bytes_max {
                return Err(format!("{url} answered more than {bytes_max} bytes"));
            }
            bytes.extend_from_slice(&chunk);
        }
        Ok(bytes)
    }
}

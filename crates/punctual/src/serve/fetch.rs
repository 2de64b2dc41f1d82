//! Fetches the documents of identity providers.

use std::time::Duration;

use async_trait::async_trait;
use punctual_actions::{OperatorClient, OperatorRequest};
use punctual_api::auth::oidc::Fetch;
use punctual_api::limits;

/// Fetches from the addresses in the configuration.
pub(super) struct Fetcher(pub(super) OperatorClient);

#[async_trait]
impl Fetch for Fetcher {
    async fn get(&self, url: &str, bytes_max: usize) -> Result<Vec<u8>, String> {
        let request = OperatorRequest { method: "GET", url, bearer: None, body: "", precondition: None };
        let answer = self.0.send(request, bytes_max, Duration::from_secs(limits::OIDC_FETCH_SECONDS_MAX)).await?;
        match answer.status {
            200 => Ok(answer.body),
            status => Err(format!("the answer has the status {status} instead of 200")),
        }
    }
}

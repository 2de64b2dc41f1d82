//! The collection that the checks work in, and the client they use.

use std::sync::Arc;
use std::time::Duration;

use azure_core::auth::{AccessToken, TokenCredential};
use azure_core::error::HttpError;
use azure_core::headers::HeaderName;
use azure_core::{RetryOptions, TransportOptions, Url};
use azure_mgmt_scheduler::package_2016_03::models::{JobDefinition, JobProperties};
use azure_mgmt_scheduler::package_2016_03::{Client, job_collections, jobs};
use time::OffsetDateTime;

use crate::plain::Plain;

pub const SUBSCRIPTION: &str = "subscription-of-clients";
pub const GROUP: &str = "rust";
pub const COLLECTION: &str = "Office";

pub struct Office {
    pub collections: job_collections::Client,
    pub jobs: jobs::Client,
    pub plain: Plain,
}

impl Office {
    pub fn new() -> Self {
        Self::with_token(&setting("PUNCTUAL_TOKEN"))
    }

    pub fn with_token(token: &str) -> Self {
        let client = Client::builder(Arc::new(Token(token.to_owned())))
            .endpoint(Url::parse(&setting("PUNCTUAL_URL")).unwrap())
            .transport(TransportOptions::new(Arc::new(http())))
            .retry(RetryOptions::none())
            .build()
            .unwrap();
        Self { collections: client.job_collections_client(), jobs: client.jobs_client(), plain: Plain::new() }
    }

    pub async fn get(&self, job: &str) -> JobProperties {
        let answer = self.jobs.get(SUBSCRIPTION, GROUP, COLLECTION, job).await.unwrap();
        answer.properties.unwrap()
    }

    pub async fn put(&self, job: &str, properties: JobProperties) -> azure_core::Result<JobDefinition> {
        self.put_into(COLLECTION, job, properties).await
    }

    pub async fn put_into(
        &self,
        collection: &str,
        job: &str,
        properties: JobProperties,
    ) -> azure_core::Result<JobDefinition> {
        let definition = JobDefinition { properties: Some(properties), ..JobDefinition::new() };
        self.jobs.create_or_update(SUBSCRIPTION, GROUP, collection, job, definition).await
    }

    pub async fn patch(&self, job: &str, properties: JobProperties) -> JobProperties {
        let definition = JobDefinition { properties: Some(properties), ..JobDefinition::new() };
        let answer = self.jobs.patch(SUBSCRIPTION, GROUP, COLLECTION, job, definition).await.unwrap();
        answer.properties.unwrap()
    }
}

/// The warning that came with an answer.
pub fn warning(answer: &azure_core::Response) -> &str {
    answer.headers().get_str(&HeaderName::from_static("warning")).unwrap()
}

/// Fails unless the client says that the server refused it so.
#[track_caller]
pub fn is_refused<T>(answer: azure_core::Result<T>, status: u16, code: &str, words: &str) {
    let error = answer.err().expect("an error");
    let error: &HttpError = error.as_http_error().unwrap_or_else(|| panic!("{error:?}"));
    assert_eq!((u16::from(error.status()), error.error_code()), (status, Some(code)));
    let message = error.error_message().unwrap_or_default();
    assert!(message.contains(words), "{message}");
}

/// A client of HTTP that trusts the server.
pub fn http() -> reqwest::Client {
    let certificate = std::fs::read(setting("PUNCTUAL_CA")).unwrap();
    let certificate = reqwest::Certificate::from_pem(&certificate).unwrap();
    reqwest::Client::builder().tls_built_in_root_certs(false).add_root_certificate(certificate).build().unwrap()
}

pub fn setting(name: &str) -> String {
    std::env::var(name).unwrap_or_else(|_| panic!("{name} is not set; scripts/clients sets it"))
}

#[derive(Debug)]
struct Token(String);

#[async_trait::async_trait]
impl TokenCredential for Token {
    async fn get_token(&self, _scopes: &[&str]) -> azure_core::Result<AccessToken> {
        let expires_on = OffsetDateTime::now_utc() + Duration::from_secs(3600);
        Ok(AccessToken::new(self.0.clone(), expires_on))
    }

    async fn clear_cache(&self) -> azure_core::Result<()> {
        Ok(())
    }
}

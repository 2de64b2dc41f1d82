//! An issuer on the other end of [`Fetch`]: what is fetched is real, only the network is not.

use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use serde_json::{Value, json};
use tokio::sync::Semaphore;

use super::signer::Signer;
use super::{Fetch, ISSUER};

pub(super) const KEYS_URL: &str = "https://keys.example/jwks";

pub(super) fn about_url() -> String {
    format!("{ISSUER}/.well-known/openid-configuration")
}

pub(super) struct FakeIssuer {
    answers: Mutex<HashMap<String, Result<Vec<u8>, String>>>,
    fetches: AtomicUsize,
    /// A fetch needs a permit, and gives it back.
    pub(super) gate: Semaphore,
}

impl FakeIssuer {
    /// An issuer with these keys.
    pub(super) fn with(signers: &[&Signer]) -> Arc<Self> {
        let issuer = Self { answers: Mutex::default(), fetches: AtomicUsize::new(0), gate: Semaphore::new(1) };
        issuer.answer_json(&about_url(), &json!({ "issuer": ISSUER, "jwks_uri": KEYS_URL }));
        issuer.publish(signers);
        Arc::new(issuer)
    }

    pub(super) fn publish(&self, signers: &[&Signer]) {
        self.publish_keys(&signers.iter().map(|signer| signer.jwk.clone()).collect::<Vec<_>>());
    }

    pub(super) fn publish_keys(&self, keys: &[Value]) {
        self.answer_json(KEYS_URL, &json!({ "keys": keys }));
    }

    pub(super) fn answer_json(&self, url: &str, document: &Value) {
        self.answer(url, Ok(document.to_string().into_bytes()));
    }

    pub(super) fn answer(&self, url: &str, answer: Result<Vec<u8>, String>) {
        self.answers.lock().unwrap().insert(url.to_owned(), answer);
    }

    /// Documents that were asked for so far.
    pub(super) fn fetches(&self) -> usize {
        self.fetches.load(Ordering::Relaxed)
    }
}

#[async_trait]
impl Fetch for FakeIssuer {
    async fn get(&self, url: &str, _bytes_max: usize) -> Result<Vec<u8>, String> {
        self.fetches.fetch_add(1, Ordering::Relaxed);
        let _permit = self.gate.acquire().await.unwrap();
        let answers = self.answers.lock().unwrap();
        answers.get(url).cloned().unwrap_or_else(|| Err("404 Not Found".to_owned()))
    }
}

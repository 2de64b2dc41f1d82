//! A server for a test: the API as a function over a real store in a temporary directory, at a time that the test sets.

use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use http::header::CONTENT_SECURITY_POLICY;
use punctual_api::auth::oidc::{Fetch, Issuer, Issuers, Verifier};
use punctual_api::auth::{Authentication, Token};
use punctual_api::wire::Dialect;
use punctual_api::{Api, ApiSettings, AuditLimits, Body, BodyFault, Entropy, EventStream, Peer, Plans, TargetCheck};
use punctual_metrics::Metrics;
use punctual_model::Name;
use punctual_model::access::{Grant, Role, Scope};
use punctual_model::collection::Sku;
use punctual_model::time::{Clock, DateTime, Timestamp, Zone};
use punctual_store::sqlite::Sqlite;
use punctual_store::{AlertStore, GroupKey, SessionStore, Store, TokenEntry, WorkStore};
use serde_json::json;
use tempfile::TempDir;

use crate::answer::Answer;
use crate::call::Call;
use crate::description::check_answer;

/// When every test begins.
pub(crate) const NOW: &str = "2026-11-15T12:00:00Z";

/// What the short path stands for.
pub(crate) const GROUP: &str = "/subscriptions/local/resourceGroups/default";

/// The long path of a collection.
pub(crate) fn collection(name: &str) -> String {
    format!("{GROUP}/providers/Microsoft.Scheduler/jobCollections/{name}")
}

/// A server.
pub(crate) struct Server {
    pub(crate) api: Api,
    pub(crate) store: Arc<dyn Store>,
    /// The store, as an engine sees it.
    pub(crate) work_store: Arc<dyn WorkStore>,
    /// The store, as alerts see it.
    pub(crate) alerts: Arc<dyn AlertStore>,
    clock: Arc<SetClock>,
    /// The token of someone who may do everything.
    pub(crate) owner: String,
    /// Tokens made so far, so that no two are the same.
    tokens: AtomicU64,
    /// Every answer so far, so that a test can search all of them.
    pub(crate) answers: Mutex<Vec<String>>,
    // Dropped last, after the store in it.
    directory: TempDir,
}

impl Server {
    /// A server with the collection `default`, which asks for tokens and limits the plans as the original did.
    pub(crate) async fn start() -> Self {
        Self::with(|_| {}).await
    }

    /// The same with other settings.
    pub(crate) async fn with(change: impl FnOnce(&mut ApiSettings)) -> Self {
        Self::build(Authentication::Required(verifier(Vec::new(), &(Arc::new(Nobody) as _))), change).await
    }

    /// The same with other rules about who may come in.
    pub(crate) async fn build(authentication: Authentication, change: impl FnOnce(&mut ApiSettings)) -> Self {
        let directory = TempDir::new().unwrap();
        let fatal = Box::new(|reason: String| panic!("{reason}"));
        let sqlite = Arc::new(Sqlite::open(directory.path(), None, fatal).unwrap());
        let (store, work_store): (Arc<dyn Store>, Arc<dyn WorkStore>) = (sqlite.clone(), sqlite.clone());
        let (alerts, sessions): (Arc<dyn AlertStore>, Arc<dyn SessionStore>) = (sqlite.clone(), sqlite);
        let clock = Arc::new(SetClock(AtomicI64::new(instant(NOW).ticks())));
        let name = |text| Name::parse(text).unwrap();
        let mut settings = ApiSettings {
            public_url: "https://punctual.example".to_owned(),
            defaults: GroupKey { subscription: name("local"), group: name("default") },
            dialect: Dialect::RECORDED,
            plans: Plans::new(Sku::limits),
        };
        change(&mut settings);
        let entropy = Arc::new(Counting(AtomicU64::new(1)));
        let api = Api::new((store.clone(), alerts.clone()), clock.clone(), entropy, authentication, settings)
            .with_sessions(sessions);
        let (answers, tokens) = (Mutex::default(), AtomicU64::new(0));
        let owner = Token::generate([7; Token::RANDOM_BYTES]);
        let token = owner.expose().to_owned();
        let server = Self { api, store, work_store, alerts, clock, owner: token, tokens, answers, directory };
        server.keep_token(&owner, Role::Owner, "/", None).await;
        let made = server.put("/v1/collections/default", json!({})).await;
        assert_eq!(made.status(), 201, "{made}");
        server
    }

    /// The same with a check of targets.
    pub(crate) fn checking(self, check: impl TargetCheck + 'static) -> Self {
        Self { api: self.api.with_target_check(Arc::new(check)), ..self }
    }

    /// The same, with counters that a test can set as an engine does.
    pub(crate) fn counting(self, metrics: Arc<Metrics>) -> Self {
        Self { api: self.api.with_metrics(metrics), ..self }
    }

    /// The same with other limits of audits.
    pub(crate) fn auditing(self, limits: AuditLimits) -> Self {
        Self { api: self.api.with_audit_limits(limits), ..self }
    }

    /// Changes what is stored behind the back of the server.
    pub(crate) fn damage(&self, sql: &str) {
        let database = rusqlite::Connection::open(self.directory.path().join("punctual.db")).unwrap();
        database.execute_batch(sql).unwrap();
    }

    /// Sets the clock.
    pub(crate) fn set_clock(&self, to: &str) {
        self.clock.0.store(instant(to).ticks(), Ordering::Relaxed);
    }

    /// A token with a role on a scope.
    pub(crate) async fn token(&self, role: Role, scope: &str) -> String {
        self.token_until(role, scope, None).await
    }

    /// The same for a time.
    pub(crate) async fn token_until(&self, role: Role, scope: &str, expires: Option<&str>) -> String {
        let number = self.tokens.fetch_add(1, Ordering::Relaxed);
        let mut random = [9; Token::RANDOM_BYTES];
        random[..8].copy_from_slice(&number.to_be_bytes());
        let token = Token::generate(random);
        self.keep_token(&token, role, scope, expires).await;
        token.expose().to_owned()
    }

    async fn keep_token(&self, token: &Token, role: Role, scope: &str, expires: Option<&str>) {
        let entry = TokenEntry {
            id: token.id(),
            hash: token.hash().bytes(),
            description: "made by a test".to_owned(),
            created: instant(NOW),
            expires: expires.map(instant),
            grants: vec![Grant { role, scope: Scope::parse(scope).unwrap() }],
        };
        self.store.put_token(entry, 1000).await.unwrap();
    }

    pub(crate) fn call(&self, method: &str, path: &str) -> Call<'_> {
        Call::new(self, method, path)
    }

    pub(crate) async fn get(&self, path: &str) -> Answer {
        self.call("GET", path).send().await
    }

    pub(crate) async fn put(&self, path: &str, json: serde_json::Value) -> Answer {
        self.call("PUT", path).json(&json).send().await
    }

    pub(crate) async fn patch(&self, path: &str, json: serde_json::Value) -> Answer {
        self.call("PATCH", path).json(&json).send().await
    }

    pub(crate) async fn post(&self, path: &str) -> Answer {
        self.call("POST", path).send().await
    }

    pub(crate) async fn delete(&self, path: &str) -> Answer {
        self.call("DELETE", path).send().await
    }

    /// Hands a request to the API.
    pub(crate) async fn answer(&self, request: http::Request<Result<bytes::Bytes, BodyFault>>) -> Answer {
        self.answer_or_stream(request).await.0
    }

    /// The same where the answer may go on.
    pub(crate) async fn answer_or_stream(
        &self,
        request: http::Request<Result<bytes::Bytes, BodyFault>>,
    ) -> (Answer, Option<EventStream>) {
        let peer = Peer { address: ([127, 0, 0, 1], 50_000).into(), is_tls: false };
        let (method, path) = (request.method().to_string(), request.uri().path().to_owned());
        let (head, body) = self.api.answer(request, peer).await.into_parts();
        let (whole, stream) = match body {
            Body::Whole(bytes) => (bytes, None),
            Body::Events(stream) => (bytes::Bytes::new(), Some(*stream)),
        };
        let answer = Answer::new(http::Response::from_parts(head, whole));
        // Pages are not described: they are for people.
        if answer.header(CONTENT_SECURITY_POLICY).is_empty() {
            check_answer(&method, &path, &answer);
        }
        self.answers.lock().unwrap().push(answer.all());
        (answer, stream)
    }

    /// Everything that is stored, as an owner sees it, ETags included.
    pub(crate) async fn everything(&self) -> String {
        let mut all = Vec::new();
        for path in ["/v1/tokens", "/v1/assignments", "/v1/alerts", "/subscriptions?api-version=2016-06-01"] {
            all.push(self.get(path).await.to_string());
        }
        for name in self.store.subscriptions(None, 1000).await.unwrap() {
            all.push(
                self.get(&format!("/subscriptions/{name}/resourceGroups?api-version=2016-06-01")).await.to_string(),
            );
            let path = format!("/subscriptions/{name}/providers/Microsoft.Scheduler/jobCollections");
            for collection in self.get(&format!("{path}?api-version=2016-03-01")).await.ids() {
                all.push(self.get(&format!("{collection}?api-version=2016-03-01")).await.to_string());
                for job in self.get(&format!("{collection}/jobs?api-version=2016-03-01")).await.ids() {
                    all.push(self.get(&format!("{job}?api-version=2016-03-01")).await.to_string());
                    all.push(self.get(&format!("{job}/history?api-version=2016-03-01")).await.to_string());
                }
            }
        }
        all.join("\n")
    }
}

/// The instant that a text names.
pub(crate) fn instant(text: &str) -> Timestamp {
    DateTime::parse(text).unwrap().resolve(Zone::utc()).instant()
}

/// Who is trusted beside ourselves.
pub(crate) fn verifier(issuers: Vec<Issuer>, fetch: &Arc<dyn Fetch>) -> Verifier {
    Verifier::new(&Issuers::new(issuers).unwrap(), fetch)
}

struct SetClock(AtomicI64);

impl Clock for SetClock {
    fn now(&self) -> Timestamp {
        Timestamp::from_ticks(self.0.load(Ordering::Relaxed)).unwrap()
    }
}

/// Not random, and never the same twice.
struct Counting(AtomicU64);

impl Entropy for Counting {
    fn fill(&self, bytes: &mut [u8]) {
        let number = self.0.fetch_add(1, Ordering::Relaxed).to_be_bytes();
        for (at, byte) in bytes.iter_mut().enumerate() {
            *byte = number[at % number.len()];
        }
    }
}

struct Nobody;

#[async_trait]
impl Fetch for Nobody {
    async fn get(&self, url: &str, _bytes_max: usize) -> Result<Vec<u8>, String> {
        panic!("nobody is trusted, but {url} was asked for")
    }
}

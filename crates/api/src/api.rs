//! From a request to its answer.

use std::sync::atomic::AtomicBool;
use std::sync::{Arc, OnceLock};

use bytes::Bytes;
use http::header::{ACCEPT, HeaderName, USER_AGENT};
use http::{Method, Response, request};
use punctual_metrics::Metrics;
use punctual_model::Warning;
use punctual_model::access::{Role, TokenId};
use punctual_model::occurrence::OccurrenceId;
use punctual_model::time::{Clock, TICKS_PER_MILLISECOND, Timestamp};
use punctual_store::{AlertStore, GroupKey, SessionStore, Store};
use punctual_telemetry::{RequestSpan, Telemetry, TraceContext};

use crate::answer::{ApiAnswer, Body};
use crate::auth::{Authentication, Gate, Identity};
use crate::console::{self, Asked, Console};
use crate::fault::Fault;
use crate::identify::{guid, identify};
use crate::limits;
use crate::logged_path::logged_path;
use crate::long_work::LongWork;
use crate::operations::{AuditLimits, Caller, Entropy, Nodes, Operations};
use crate::plan::Plans;
use crate::query::Query;
use crate::request::{Peer, Request, RequestBody};
use crate::route::{Misroute, Route, Target, Versioning};
use crate::routes;
use crate::streams::Streams;
use crate::target_check::TargetCheck;
use crate::wire::Dialect;

/// The names of routes that monitors and load balancers ask for.
const PROBES: [&str; 3] = ["healthz", "readyz", "metrics"];

/// What an operator has chosen.
#[derive(Clone, Debug)]
pub struct ApiSettings {
    /// Where clients reach this server; links in answers begin with it. Without a slash at its end.
    pub public_url: String,
    /// What the short path stands for.
    pub defaults: GroupKey,
    /// How answers are written for clients that are not known.
    pub dialect: Dialect,
    /// What the plans allow.
    pub plans: Plans,
}

/// The API.
pub struct Api {
    pub(crate) operations: Operations,
    pub(crate) settings: ApiSettings,
    /// Places for those who watch.
    pub(crate) streams: Streams,
    /// Opens certificates and computes previews.
    pub(crate) long_work: LongWork,
    /// Makes audits, which hold more memory than the rest of the long work.
    pub(crate) audits: LongWork,
    /// What is counted, of requests and of everything else.
    pub(crate) metrics: Arc<Metrics>,
    /// Where requests are traced, if they are.
    telemetry: Option<Arc<Telemetry>>,
    clock: Arc<dyn Clock>,
    pub(crate) gate: Gate,
    /// Pages for people.
    pub(crate) console: Console,
}

/// What was found out about a request, however it ends.
struct Found {
    /// The name of its route.
    route: &'static str,
    /// Who is calling, if that is known.
    principal: Option<String>,
    /// The occurrence that it has begun, if any.
    opened: Option<OccurrenceId>,
}

impl Default for Found {
    fn default() -> Self {
        Self { route: "unknown", principal: None, opened: None }
    }
}

/// The versions of the original API that are known; their answers are the same.
pub(crate) const API_VERSIONS: [&str; 3] = ["2016-03-01", "2016-01-01", "2014-08-01-preview"];

const TRACE_PARENT: HeaderName = HeaderName::from_static("traceparent");
const DIALECT: HeaderName = HeaderName::from_static("x-punctual-dialect");

impl Api {
    /// An API over a store, which alerts see in their own way.
    pub fn new(
        (store, alerts): (Arc<dyn Store>, Arc<dyn AlertStore>),
        clock: Arc<dyn Clock>,
        entropy: Arc<dyn Entropy>,
        authentication: Authentication,
        settings: ApiSettings,
    ) -> Self {
        let gate = Gate::new(authentication, Arc::clone(&store));
        let streams = Streams::default();
        let metrics = Arc::<Metrics>::default();
        let plans = settings.plans.clone();
        let audit_limits = AuditLimits::default();
        let nodes = Nodes::unnamed(settings.public_url.clone(), clock.now());
        let operations = Operations {
            store,
            alerts,
            plans,
            entropy,
            target_check: None,
            metrics: Arc::clone(&metrics),
            audit_limits,
            nodes,
        };
        let (long_work, audits) = (LongWork::new(limits::LONG_WORK_MAX), LongWork::new(limits::AUDITS_MAX));
        let telemetry = None;
        let console = Console::default();
        Self { operations, settings, streams, long_work, audits, metrics, telemetry, clock, gate, console }
    }

    /// The API with a check of the targets of jobs, by which clients are warned of what will fail.
    #[must_use]
    pub fn with_target_check(mut self, check: Arc<dyn TargetCheck>) -> Self {
        self.operations.target_check = Some(check);
        self
    }

    /// The API, which counts there, and shows what others count there, too.
    #[must_use]
    pub fn with_metrics(mut self, metrics: Arc<Metrics>) -> Self {
        self.operations.metrics = Arc::clone(&metrics);
        self.metrics = metrics;
        self
    }

    /// The API with other limits of audits.
    #[must_use]
    pub fn with_audit_limits(mut self, limits: AuditLimits) -> Self {
        self.operations.audit_limits = limits;
        self
    }

    /// The API of one of these nodes.
    #[must_use]
    pub fn with_nodes(mut self, nodes: Nodes) -> Self {
        self.operations.nodes = nodes;
        self
    }

    /// The API, whose requests are traced there.
    #[must_use]
    pub fn with_telemetry(mut self, telemetry: Option<Arc<Telemetry>>) -> Self {
        self.telemetry = telemetry;
        self
    }

    /// The API with a console, whose visitors sign in there.
    #[must_use]
    pub fn with_sessions(mut self, sessions: Arc<dyn SessionStore>) -> Self {
        self.console.sessions = Some(sessions);
        self
    }

    /// A link to the console that signs in who has that token, once.
    pub fn sign_in_link(&self, token: TokenId) -> String {
        let code = self.console.codes.issue(token, self.operations.random(), self.clock.now());
        format!("{}/sign-in?code={code}", self.settings.public_url)
    }

    /// Answers a request, counts it, and logs it in one line.
    pub async fn answer(&self, request: http::Request<impl RequestBody>, peer: Peer) -> Response<Body> {
        let started = self.clock.now();
        let (parts, body) = request.into_parts();
        let path = logged_path(parts.uri.path());
        let id: [u8; 16] = self.operations.random();
        let request_id = guid(id);
        let mut found = Found::default();
        let mut response = self.respond(&parts, body, (started, &request_id, peer), &mut found).await;
        identify(&parts, &request_id, peer, &mut response);
        let ended = self.clock.now();
        let ticks = ended.since(started);
        let duration_ms = ticks / TICKS_PER_MILLISECOND;
        let caller = found.principal.as_deref().unwrap_or("-");
        let (status, bytes) = (response.status().as_u16(), response.body().bytes());
        self.metrics.api.count(found.route, known_method(&parts.method), status, ticks);
        if !PROBES.contains(&found.route) {
            self.trace(&parts, id, &found, status, (started, ended));
        }
        let (method, peer) = (&parts.method, peer.address);
        // Probes come every few seconds, and say nothing while all is well.
        if status < 400 && PROBES.contains(&found.route) {
            tracing::trace!(target: "punctual::access", "{method} {path} {status} {duration_ms} ms");
        } else {
            tracing::info!(
                target: "punctual::access",
                %request_id, caller, peer = %peer, status, bytes, duration_ms,
                "{method} {path} {status} {duration_ms} ms"
            );
        }
        response
    }

    /// The response to a request: a page of the console, or what a route answers.
    async fn respond(
        &self,
        parts: &request::Parts,
        body: impl RequestBody,
        (now, request_id, peer): (Timestamp, &str, Peer),
        found: &mut Found,
    ) -> Response<Body> {
        let path = parts.uri.path();
        let is_secure = peer.is_tls || self.settings.public_url.starts_with("https:");
        let asked = Asked { parts, now, request_id, is_secure };
        if let Some(address) = console::address_of(self, parts) {
            found.route = address.name();
            return Box::pin(console::answer(self, &address, &asked, body, &mut found.principal)).await;
        }
        // On the heap, since it would be moved with every future around it.
        let answered = Box::pin(self.route(parts, body, (now, request_id), found)).await;
        let fault = match answered {
            Ok(answer) => return answer.into_response(),
            Err(fault) => fault,
        };
        if matches!(fault, Fault::NoSuchPath(_)) && wants_page(parts) {
            return console::nothing_here(path, &asked);
        }
        if let Some(reason) = fault.operators_concern() {
            tracing::error!("{} {}: {reason}", parts.method, logged_path(path));
        }
        fault.answer().into_response()
    }

    async fn route(
        &self,
        parts: &request::Parts,
        body: impl RequestBody,
        (now, request_id): (Timestamp, &str),
        found: &mut Found,
    ) -> Result<ApiAnswer, Fault> {
        let query = Query::parse(parts.uri.query().unwrap_or_default());
        let defaults = self.defaults(&query)?;
        let route = Route::parse(parts.uri.path(), &defaults).map_err(|misroute| match misroute {
            Misroute::Unknown => Fault::NoSuchPath(parts.uri.path().to_owned()),
            Misroute::Invalid(violation) => violation.into(),
        })?;
        found.route = route.target.name();
        let role = role(&parts.method, &route.target)?;
        let identity = match role {
            None => None,
            Some(role) => Some(self.admit(parts, &route.target, role, now, found).await?),
        };
        check_version(&query, route.versioning)?;
        if route.is_short {
            let is_read = parts.method == Method::GET || parts.method == Method::HEAD;
            query.check_known(&route.target, is_read)?;
        }
        let dialect = self.dialect(parts, route.is_short)?;
        let body = match &identity {
            // What anyone may ask for takes no body.
            None => Bytes::new(),
            Some(identity) => body.read(&identity.principal).await.map_err(Fault::Body)?,
        };
        let Identity { principal, grants } = identity.unwrap_or_default();
        let request = Request {
            caller: Caller { principal, grants, request_id: request_id.to_owned(), now },
            path: parts.uri.path().to_owned(),
            query,
            body,
            given: None,
            dialect,
            headers: parts.headers.clone(),
            is_short: route.is_short,
            is_relaxed: AtomicBool::default(),
            opened: OnceLock::new(),
        };
        let answer = routes::answer(self, &parts.method, &route.target, &request).await?;
        found.opened = request.opened.get().copied();
        let answer = if request.is_relaxed.into_inner() { answer.warnings(&[relaxed()]) } else { answer };
        Ok(if dialect.is_flat() { answer.with_warnings_in_body() } else { answer })
    }

    /// Lets the caller in, if they may do this.
    async fn admit(
        &self,
        parts: &request::Parts,
        target: &Target,
        role: Role,
        now: Timestamp,
        found: &mut Found,
    ) -> Result<Identity, Fault> {
        let identity = self.gate.identify(parts, now).await?;
        found.principal = Some(identity.principal.clone());
        let scope = target.scope();
        let is_inside = target.is_open_from_inside(role) && identity.grants.reaches(role, &scope);
        if is_inside || identity.grants.allows(role, &scope) {
            return Ok(identity);
        }
        let (method, has) = (&parts.method, identity.grants.role_on(&scope).map_or("no role", Role::name));
        let needs = role.name();
        if target.is_open_from_inside(role) {
            let message =
                format!("{method} needs the role {needs} on what the request is about; the caller has it nowhere.");
            return Err(Fault::Forbidden(message));
        }
        Err(Fault::Forbidden(format!("{method} needs the role {needs} on '{scope}'; the caller has {has} there.")))
    }

    /// What the short path stands for in this request.
    pub(crate) fn defaults(&self, query: &Query) -> Result<GroupKey, Fault> {
        let name = |parameter: &str, default: &punctual_model::Name| match query.get(parameter) {
            None => Ok(default.clone()),
            Some(text) => punctual_model::Name::parse(text)
                .map_err(|expected| Fault::from(expected.at(parameter, format!("{text:?}")))),
        };
        let GroupKey { subscription, group } = &self.settings.defaults;
        Ok(GroupKey { subscription: name("subscription", subscription)?, group: name("group", group)? })
    }

    /// How the answer is written: as the header says; on the short path in our own dialect; else as the client is known to
    /// read it, or as the operator has chosen.
    fn dialect(&self, parts: &request::Parts, is_short: bool) -> Result<Dialect, Fault> {
        let text = |name: HeaderName| parts.headers.get(name).and_then(|value| value.to_str().ok());
        match text(DIALECT) {
            Some(name) => Dialect::named(name).ok_or_else(|| {
                punctual_model::Violation::new(DIALECT.as_str(), format!("{name:?}"), "recorded, openapi or plain")
                    .into()
            }),
            None if is_short => Ok(Dialect::PLAIN),
            None => Ok(text(USER_AGENT).and_then(Dialect::of_client).unwrap_or(self.settings.dialect)),
        }
    }

    /// Tells those who trace of a request.
    fn trace(
        &self,
        parts: &request::Parts,
        request_id: [u8; 16],
        &Found { route, opened, .. }: &Found,
        code: u16,
        (started, ended): (Timestamp, Timestamp),
    ) {
        let Some(telemetry) = &self.telemetry else { return };
        let method = known_method(&parts.method);
        let parent = parts.headers.get(TRACE_PARENT).and_then(|value| TraceContext::parse(value.to_str().ok()?));
        telemetry.record_request(RequestSpan { request_id, parent, route, method, code, opened, started, ended });
    }
}

/// Whether who asks is a browser that shows a page.
fn wants_page(parts: &request::Parts) -> bool {
    let accepted = parts.headers.get(ACCEPT).and_then(|value| value.to_str().ok());
    parts.method == Method::GET && accepted.is_some_and(|accepted| accepted.contains("text/html"))
}

/// The warning about a body that is not JSON in the strict sense.
fn relaxed() -> Warning {
    Warning::new("body", "comments and trailing commas were passed over: JSON has none")
}

fn role(method: &Method, target: &Target) -> Result<Option<Role>, Fault> {
    let methods = target.methods();
    let found = methods.iter().find(|(known, _)| known == method);
    found.map(|(_, role)| *role).ok_or_else(|| Fault::MethodNotAllowed {
        method: method.to_string(),
        allowed: methods.iter().map(|(known, _)| known.as_str()).collect::<Vec<_>>().join(", "),
    })
}

/// The name of a method, one of a few: clients may send any word.
fn known_method(method: &Method) -> &'static str {
    let known = ["GET", "HEAD", "PUT", "PATCH", "POST", "DELETE", "OPTIONS"];
    known.into_iter().find(|name| *name == method.as_str()).unwrap_or("other")
}

fn check_version(query: &Query, versioning: Versioning) -> Result<(), Fault> {
    let given = query.get("api-version");
    let (is_right, known) = match versioning {
        Versioning::Own => (true, ""),
        Versioning::Neighbour => (given.is_some_and(is_date), "a version such as 2016-02-01"),
        Versioning::Scheduler => {
            let is_known = |version: &str| API_VERSIONS.iter().any(|known| known.eq_ignore_ascii_case(version));
            (given.is_some_and(is_known), "2016-03-01, 2016-01-01 or 2014-08-01-preview")
        }
    };
    if is_right { Ok(()) } else { Err(Fault::ApiVersion { given: given.map(ToOwned::to_owned), known }) }
}

/// Whether a version has the form of a date, with a word such as `preview` behind it or not.
fn is_date(version: &str) -> bool {
    let bytes = version.as_bytes();
    let form = b"dddd-dd-dd";
    bytes.len() >= form.len()
        && form.iter().zip(bytes).all(|(form, byte)| if *form == b'd' { byte.is_ascii_digit() } else { byte == form })
        && (bytes.len() == form.len() || bytes[form.len()] == b'-')
}

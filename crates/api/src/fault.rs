//! The one table from what went wrong to what a client is told.

use http::StatusCode;
use http::header::{ALLOW, RETRY_AFTER, WWW_AUTHENTICATE};
use punctual_model::Violation;
use punctual_model::job::State;
use punctual_store::{self as store, CollectionKey};

use crate::answer::ApiAnswer;
use crate::request::BodyFault;
use crate::wire::Json;
use crate::wire::view::members::{Members, list};

/// Why a request is not done. Nothing was changed then.
#[derive(Debug)]
pub(crate) enum Fault {
    /// What was sent is wrong.
    Invalid(Vec<Violation>),
    /// `api-version` is missing or not one of these.
    ApiVersion { given: Option<String>, known: &'static str },
    /// The caller did not show who it is.
    Unauthenticated { challenge: String, reason: String },
    /// The caller may not do this.
    Forbidden(String),
    /// There is no such path.
    NoSuchPath(String),
    /// The path is there, but not this method.
    MethodNotAllowed { method: String, allowed: String },
    /// The collection is not there, with its resource group.
    NoCollection { collection: String, group: String },
    /// The job is not there.
    NoJob(String),
    /// The resource group is not there, and holds nothing.
    NoGroup(String),
    /// The thing of that kind and name is not there.
    Missing { what: &'static str, name: String },
    /// No node of that number or name is there; with those that are.
    NoNode { node: String, known: String },
    /// The request contradicts what is stored.
    Conflict { target: &'static str, message: String },
    /// The collection holds as many jobs as it may.
    CollectionFull { jobs_max: u32 },
    /// The job has ended.
    Ended { job: String, state: State },
    /// What is there is not what the client expects to replace.
    PreconditionFailed { header: &'static str, given: String, current: Option<String> },
    /// The body is not there, and why.
    Body(BodyFault),
    /// The store does not take it now.
    Store(store::Error),
    /// Other writes came first, each time this one was tried.
    Busy,
    /// The caller has asked for too much at once that takes long.
    TooMuchWork { max: usize },
    /// No place is left for another stream of events.
    TooManyStreams { max: usize, is_callers: bool },
}

impl Fault {
    /// The error for a collection that does not exist.
    pub(crate) fn no_collection(key: &CollectionKey) -> Self {
        Self::NoCollection { collection: key.collection.to_string(), group: key.group.to_string() }
    }

    /// What the client is told.
    pub(crate) fn answer(self) -> ApiAnswer {
        let (status, code, message, details) = self.describe();
        let answer = ApiAnswer::json(status, body(code, &message, &details));
        match self {
            Self::Unauthenticated { challenge, .. } => answer.header(WWW_AUTHENTICATE, &challenge),
            Self::MethodNotAllowed { allowed, .. } => answer.header(ALLOW, &allowed),
            Self::Store(store::Error::Unavailable(_) | store::Error::DiskFull) | Self::Busy => {
                answer.header(RETRY_AFTER, "1")
            }
            Self::TooManyStreams { .. } => answer.header(RETRY_AFTER, "10"),
            _ => answer,
        }
    }

    /// The status and the error of one part of a request that has several.
    pub(crate) fn into_item(self) -> (StatusCode, Json) {
        let (status, code, message, details) = self.describe();
        let error = match body(code, &message, &details) {
            Json::Object(mut members) => members.pop().map_or(Json::Null, |(_, error)| error),
            other => other,
        };
        (status, error)
    }

    /// The status and what went wrong, in a sentence for people.
    pub(crate) fn sentence(&self) -> (StatusCode, String) {
        let (status, _, message, _) = self.describe();
        (status, message)
    }

    fn describe(&self) -> (StatusCode, &'static str, String, Vec<Detail>) {
        let plain = |status, code, message: String| (status, code, message, Vec::new());
        match self {
            Self::Invalid(violations) => (
                StatusCode::BAD_REQUEST,
                "BadRequest",
                summary(violations),
                violations.iter().map(Detail::of).collect(),
            ),
            Self::ApiVersion { given, known } => {
                let given = given.as_ref().map_or("nothing".to_owned(), |given| format!("{given:?}"));
                let violation = Violation::new("api-version", given, *known);
                let message = summary(std::slice::from_ref(&violation));
                (StatusCode::BAD_REQUEST, "BadRequest", message, vec![Detail::of(&violation)])
            }
            Self::Unauthenticated { reason, .. } => {
                plain(StatusCode::UNAUTHORIZED, "AuthenticationFailed", format!("Authentication failed: {reason}."))
            }
            Self::Forbidden(reason) => plain(StatusCode::FORBIDDEN, "AuthorizationFailed", reason.clone()),
            Self::NoSuchPath(path) => {
                plain(StatusCode::NOT_FOUND, "NotFound", format!("There is nothing at '{path}'."))
            }
            Self::MethodNotAllowed { method, allowed } => {
                let message = format!("The method {method} is not allowed here; allowed: {allowed}.");
                plain(StatusCode::METHOD_NOT_ALLOWED, "MethodNotAllowed", message)
            }
            Self::NoCollection { collection, group } => plain(
                StatusCode::NOT_FOUND,
                "ResourceNotFound",
                format!(
                    "The Resource 'Microsoft.Scheduler/jobcollections/{collection}' under resource group '{group}' was \
                     not found."
                ),
            ),
            Self::NoJob(job) => plain(StatusCode::NOT_FOUND, "NotFound", format!("Job '{job}' cannot be found.")),
            Self::NoGroup(group) => plain(
                StatusCode::NOT_FOUND,
                "ResourceGroupNotFound",
                format!("Resource group '{group}' could not be found."),
            ),
            Self::Missing { what, name } => {
                plain(StatusCode::NOT_FOUND, "NotFound", format!("{what} '{name}' cannot be found."))
            }
            Self::NoNode { node, known } => plain(
                StatusCode::NOT_FOUND,
                "NotFound",
                format!("Node '{node}' cannot be found; the nodes that run are {known}."),
            ),
            Self::Conflict { target, message } => conflict(target, message.clone()),
            Self::CollectionFull { jobs_max } => conflict(
                "properties.quota.maxJobCount",
                format!(
                    "The job collection has reached its quota of '{jobs_max}' jobs; delete one or raise the quota."
                ),
            ),
            Self::Ended { job, state } => conflict(
                "properties.state",
                format!("Job '{job}' is {} and cannot be changed any more; delete it first.", state.name()),
            ),
            Self::PreconditionFailed { header, given, current } => {
                let is = current.as_ref().map_or("there is nothing".to_owned(), |tag| format!("it is {tag} now"));
                let message = format!("{header} says {given}, but {is}; read it again.");
                plain(StatusCode::PRECONDITION_FAILED, "PreconditionFailed", message)
            }
            Self::Body(fault) => body_fault(*fault),
            Self::Store(error) => store_fault(error),
            Self::Busy => plain(
                StatusCode::SERVICE_UNAVAILABLE,
                "ServerBusy",
                "Others changed it again and again at the same time; try again.".to_owned(),
            ),
            Self::TooMuchWork { max } => plain(
                StatusCode::TOO_MANY_REQUESTS,
                "TooManyRequests",
                format!(
                    "{max} requests of this caller that take long are waiting already; try again when one is answered."
                ),
            ),
            Self::TooManyStreams { max, is_callers } => plain(
                StatusCode::TOO_MANY_REQUESTS,
                "TooManyRequests",
                if *is_callers {
                    format!("{max} clients with your credentials watch events already; try again when one has left.")
                } else {
                    format!("{max} clients watch events already; try again when one has left.")
                },
            ),
        }
    }

    /// What an operator should see in the log, if it is theirs to act.
    pub(crate) fn operators_concern(&self) -> Option<String> {
        match self {
            Self::Store(error) => Some(error.to_string()),
            _ => None,
        }
    }
}

fn conflict(target: &str, message: String) -> (StatusCode, &'static str, String, Vec<Detail>) {
    let detail = Detail { code: "ConflictError", target: target.to_owned(), message: message.clone() };
    (StatusCode::CONFLICT, "ConflictError", message, vec![detail])
}

fn body_fault(fault: BodyFault) -> (StatusCode, &'static str, String, Vec<Detail>) {
    let (status, code, message) = match fault {
        BodyFault::TooLarge { bytes_max } => (
            StatusCode::PAYLOAD_TOO_LARGE,
            "RequestTooLarge",
            format!("The body is longer than {bytes_max} bytes (setting server.body_bytes_max)."),
        ),
        BodyFault::TooSlow { seconds_max } => (
            StatusCode::REQUEST_TIMEOUT,
            "RequestTimeout",
            format!("The body did not arrive within {seconds_max} seconds."),
        ),
        BodyFault::Broken => {
            (StatusCode::BAD_REQUEST, "BadRequest", "The body ended before its announced end.".to_owned())
        }
        BodyFault::NoRoom => (
            StatusCode::SERVICE_UNAVAILABLE,
            "ServerBusy",
            "Too many large requests are on their way at once; try again.".to_owned(),
        ),
    };
    (status, code, message, Vec::new())
}

/// What is wrong inside is for the log, not for clients.
fn store_fault(error: &store::Error) -> (StatusCode, &'static str, String, Vec<Detail>) {
    let (status, code, message) = match error {
        store::Error::Corrupt(_) => {
            (StatusCode::INTERNAL_SERVER_ERROR, "InternalError", "What is stored cannot be read; the log says more.")
        }
        store::Error::Newer { .. } => (
            StatusCode::INTERNAL_SERVER_ERROR,
            "InternalError",
            "A newer version of Punctual has written this, and this version does not understand it: use the newer one, or delete this.",
        ),
        store::Error::DiskFull => (
            StatusCode::INSUFFICIENT_STORAGE,
            "InsufficientStorage",
            "The disk of the server is full: until there is room, no job is started, and only deletions are accepted.",
        ),
        _ => (StatusCode::SERVICE_UNAVAILABLE, "ServerBusy", "The store does not take requests now; try again."),
    };
    (status, code, message.to_owned(), Vec::new())
}

struct Detail {
    code: &'static str,
    target: String,
    message: String,
}

impl Detail {
    fn of(violation: &Violation) -> Self {
        let mut message = with_stop(&violation.problem.to_string());
        if let Some(first) = message.get_mut(..1) {
            first.make_ascii_uppercase();
        }
        // What is wrong with all of it still has a name.
        let target = if violation.path.is_empty() { "body".to_owned() } else { violation.path.clone() };
        Self { code: "InvalidValue", target, message }
    }
}

/// The sentence with a full stop, unless it is a question.
fn with_stop(sentence: &str) -> String {
    if sentence.ends_with('?') { sentence.to_owned() } else { format!("{sentence}.") }
}

/// The first mistake, for those who read only the message.
fn summary(violations: &[Violation]) -> String {
    let first = violations.first().map(ToString::to_string).unwrap_or_default();
    match violations.len() {
        0 | 1 => with_stop(&first),
        more => format!("{first}; and {} more.", more - 1),
    }
}

fn body(code: &str, message: &str, details: &[Detail]) -> Json {
    let detail = |detail: &Detail| {
        let members = Members::new().add("code", detail.code).add("target", &detail.target);
        members.add("message", &detail.message).into_json()
    };
    let error = Members::new().add("code", code).add("message", message).add_some("details", list(details, detail));
    Members::new().add("error", error.into_json()).into_json()
}

impl From<Vec<Violation>> for Fault {
    fn from(violations: Vec<Violation>) -> Self {
        Self::Invalid(violations)
    }
}

impl From<Violation> for Fault {
    fn from(violation: Violation) -> Self {
        Self::Invalid(vec![violation])
    }
}

impl From<store::Error> for Fault {
    fn from(error: store::Error) -> Self {
        Self::Store(error)
    }
}

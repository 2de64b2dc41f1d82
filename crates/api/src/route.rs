//! Which path means what.
//!
//! Paths are compared segment by segment, the fixed ones without case, as the original's gateway did. The short path is
//! read into the same targets as the long one: they do the same, and only the shape of answers and the strictness differ.

mod alerts;
mod cluster;
mod from_inside;
mod job_task;

use http::Method;
use percent_encoding::percent_decode_str;
use punctual_model::access::{Role, Scope, TokenId};
use punctual_model::collection::CollectionState;
use punctual_model::{Name, Violation};
use punctual_store::{ChangePlace, CollectionKey, GroupKey, JobKey};

pub(crate) use self::alerts::AlertTarget;
pub(crate) use self::cluster::ClusterTarget;
pub(crate) use self::job_task::JobTask;
use crate::operations::scope_of;

/// What a path names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Target {
    Health,
    Readiness,
    Description,
    /// The schema of files, for editors.
    Schema,
    Metrics,
    Preview,
    Audit,
    /// Many writes at once.
    Bulk,
    Events,
    /// What fails, over all jobs.
    Failures,
    /// What comes next, over all jobs.
    Due,
    /// What came of all jobs.
    AllHistory,
    Rerun,
    /// Alerts, their messages, and incidents.
    Alerts(AlertTarget),
    /// The nodes on the store.
    Cluster(ClusterTarget),
    /// Whether the server runs jobs.
    Pause,
    Resume,
    /// A link that signs its reader in to the console, once.
    SignInLink,
    Tokens,
    Token(TokenId),
    Assignments,
    Assignment(i64),
    SecretsRotation,
    Subscriptions,
    Subscription(Name),
    Providers(Name),
    Provider(Name),
    Registration(Name),
    Operations,
    Groups(Name),
    Group(GroupKey),
    CollectionsOfSubscription(Name),
    Collections(GroupKey),
    Collection(CollectionKey),
    /// Turns the jobs of the collection on or off.
    CollectionSwitch(CollectionKey, CollectionState),
    /// The jobs of all collections.
    AllJobs,
    Jobs(CollectionKey),
    Job(JobKey),
    JobRun(JobKey),
    JobHistory(JobKey),
    /// Who changed the job, the collection or the alert, or paused the server.
    Changes(ChangePlace),
    /// One record of the history, by its id.
    JobRecord(JobKey, String),
    JobRerun(JobKey, String),
    /// Something of our own that is asked of a job.
    JobTask(JobKey, JobTask),
}

/// The collection that `/v1/jobs/{job}` means.
pub const DEFAULT_COLLECTION: &str = "default";

/// Which rule for `api-version` holds on a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Versioning {
    /// One of those of the Scheduler.
    Scheduler,
    /// Any date: other services of the original answered here, each with versions of its own.
    Neighbour,
    /// None: the path is ours.
    Own,
}

/// A path that is understood.
pub(crate) struct Route {
    pub(crate) target: Target,
    pub(crate) versioning: Versioning,
    /// The path begins with `/v1`, where nothing unknown is passed over.
    pub(crate) is_short: bool,
}

/// Why a path is not understood.
pub(crate) enum Misroute {
    /// There is nothing of that form.
    Unknown,
    /// A name in it cannot be one.
    Invalid(Violation),
}

impl Route {
    /// Reads a path. The short one is completed with what `defaults` says.
    pub(crate) fn parse(path: &str, defaults: &GroupKey) -> Result<Self, Misroute> {
        let path = path.strip_prefix('/').ok_or(Misroute::Unknown)?;
        let path = path.strip_suffix('/').unwrap_or(path);
        let segments: Vec<_> = path.split('/').collect();
        let folded: Vec<_> = segments.iter().map(|segment| segment.to_ascii_lowercase()).collect();
        let folded: Vec<_> = folded.iter().map(String::as_str).collect();
        let own = |target| Ok(Self { target, versioning: Versioning::Own, is_short: folded[0] == "v1" });
        match folded.as_slice() {
            ["healthz"] => own(Target::Health),
            ["readyz"] => own(Target::Readiness),
            ["openapi.json"] => own(Target::Description),
            ["schema.json"] => own(Target::Schema),
            ["metrics"] => own(Target::Metrics),
            ["v1", ..] => own(short(&folded[1..], &segments[1..], defaults)?),
            ["subscriptions" | "providers", ..] => long(&folded, &segments),
            _ => Err(Misroute::Unknown),
        }
    }
}

fn short(folded: &[&str], segments: &[&str], defaults: &GroupKey) -> Result<Target, Misroute> {
    let in_collection = |name: Name| {
        let GroupKey { subscription, group } = defaults.clone();
        CollectionKey { subscription, group, collection: name }
    };
    let default = || Name::parse(DEFAULT_COLLECTION).map(in_collection).map_err(|_| Misroute::Unknown);
    match folded {
        ["preview"] => Ok(Target::Preview),
        ["audit"] => Ok(Target::Audit),
        ["bulk"] => Ok(Target::Bulk),
        ["events"] => Ok(Target::Events),
        ["failures"] => Ok(Target::Failures),
        ["due"] => Ok(Target::Due),
        ["history"] => Ok(Target::AllHistory),
        ["rerun"] => Ok(Target::Rerun),
        ["changes"] => Ok(Target::Changes(ChangePlace::Server)),
        ["alerts", _, "changes"] => Ok(Target::Changes(ChangePlace::Alert(name("the alert", segments[1])?))),
        ["alerts" | "incidents", ..] => AlertTarget::parse(folded, segments).map(Target::Alerts),
        ["cluster", ..] => ClusterTarget::parse(folded, segments).map(Target::Cluster),
        ["pause"] => Ok(Target::Pause),
        ["resume"] => Ok(Target::Resume),
        ["sign-in-link"] => Ok(Target::SignInLink),
        ["tokens"] => Ok(Target::Tokens),
        ["tokens", _] => {
            let id = decode(segments[1])?;
            // Not repeated: whoever takes the whole token for its id has written a secret.
            let given = || format!("{} characters", id.chars().count());
            TokenId::parse(&id).map(Target::Token).map_err(|expected| invalid(expected.at("the token", given())))
        }
        ["assignments"] => Ok(Target::Assignments),
        ["assignments", id] => {
            let number = id.parse().map_err(|_| invalid(Violation::new("the assignment", id, "a number")))?;
            Ok(Target::Assignment(number))
        }
        ["secrets", "rotate"] => Ok(Target::SecretsRotation),
        ["collections"] => Ok(Target::Collections(defaults.clone())),
        ["collections", _, rest @ ..] => {
            let collection = in_collection(name("the collection", segments[1])?);
            in_short_collection_path(collection, rest, &segments[2..])
        }
        ["jobs"] => Ok(Target::AllJobs),
        ["jobs", ..] => in_short_collection_path(default()?, folded, segments),
        _ => Err(Misroute::Unknown),
    }
}

fn long(folded: &[&str], segments: &[&str]) -> Result<Route, Misroute> {
    let subscription = || name("the subscription", segments.get(1).copied().unwrap_or_default());
    let group = || Ok(GroupKey { subscription: subscription()?, group: name("the resource group", segments[3])? });
    let neighbour = |target| Ok(Route { target, versioning: Versioning::Neighbour, is_short: false });
    let scheduler = |target| Ok(Route { target, versioning: Versioning::Scheduler, is_short: false });
    match folded {
        ["providers", "microsoft.scheduler", "operations"] => scheduler(Target::Operations),
        ["subscriptions"] => neighbour(Target::Subscriptions),
        ["subscriptions", _] => neighbour(Target::Subscription(subscription()?)),
        ["subscriptions", _, "providers"] => neighbour(Target::Providers(subscription()?)),
        ["subscriptions", _, "providers", "microsoft.scheduler"] => neighbour(Target::Provider(subscription()?)),
        ["subscriptions", _, "providers", "microsoft.scheduler", "register"] => {
            neighbour(Target::Registration(subscription()?))
        }
        ["subscriptions", _, "providers", "microsoft.scheduler", "jobcollections"] => {
            scheduler(Target::CollectionsOfSubscription(subscription()?))
        }
        ["subscriptions", _, "resourcegroups"] => neighbour(Target::Groups(subscription()?)),
        ["subscriptions", _, "resourcegroups", _] => neighbour(Target::Group(group()?)),
        ["subscriptions", _, "resourcegroups", _, "providers", "microsoft.scheduler", "jobcollections"] => {
            scheduler(Target::Collections(group()?))
        }
        [
            "subscriptions",
            _,
            "resourcegroups",
            _,
            "providers",
            "microsoft.scheduler",
            "jobcollections",
            _,
            rest @ ..,
        ] => {
            let GroupKey { subscription, group } = group()?;
            let collection = name("the collection", segments[7])?;
            let collection = CollectionKey { subscription, group, collection };
            scheduler(in_collection_path(collection, rest, &segments[8..])?)
        }
        _ => Err(Misroute::Unknown),
    }
}

fn in_short_collection_path(collection: CollectionKey, folded: &[&str], segments: &[&str]) -> Result<Target, Misroute> {
    if let ["jobs", _, task @ ..] = folded
        && let Some(task) = JobTask::parse(task, &segments[2..])?
    {
        return Ok(Target::JobTask(JobKey { collection, job: name("the job", segments[1])? }, task));
    }
    in_collection_path(collection, folded, segments)
}

fn in_collection_path(collection: CollectionKey, folded: &[&str], segments: &[&str]) -> Result<Target, Misroute> {
    let job = |collection| Ok(JobKey { collection, job: name("the job", segments[1])? });
    match folded {
        [] => Ok(Target::Collection(collection)),
        ["enable"] => Ok(Target::CollectionSwitch(collection, CollectionState::Enabled)),
        ["disable"] => Ok(Target::CollectionSwitch(collection, CollectionState::Disabled)),
        ["jobs"] => Ok(Target::Jobs(collection)),
        ["jobs", _] => Ok(Target::Job(job(collection)?)),
        ["jobs", _, "run"] => Ok(Target::JobRun(job(collection)?)),
        ["changes"] => Ok(Target::Changes(ChangePlace::Collection(collection))),
        ["jobs", _, "changes"] => Ok(Target::Changes(ChangePlace::Job(job(collection)?))),
        ["jobs", _, "history"] => Ok(Target::JobHistory(job(collection)?)),
        ["jobs", _, "history", _] => Ok(Target::JobRecord(job(collection)?, decode(segments[3])?)),
        ["jobs", _, "history", _, "rerun"] => Ok(Target::JobRerun(job(collection)?, decode(segments[3])?)),
        _ => Err(Misroute::Unknown),
    }
}

fn decode(segment: &str) -> Result<String, Misroute> {
    let decoded = percent_decode_str(segment).decode_utf8();
    decoded.map(Into::into).map_err(|_| invalid(Violation::new("the path", segment, "percent-encoded UTF-8")))
}

fn name(what: &str, segment: &str) -> Result<Name, Misroute> {
    let decoded = decode(segment)?;
    Name::parse(&decoded).map_err(|expected| invalid(expected.at(what, format!("{decoded:?}"))))
}

fn invalid(violation: Violation) -> Misroute {
    Misroute::Invalid(violation)
}

impl Target {
    /// The methods that mean something here, each with the role it needs; none where everyone may.
    pub(crate) fn methods(&self) -> &'static [(Method, Option<Role>)] {
        const READ: &[(Method, Option<Role>)] = &[(Method::GET, Some(Role::Reader))];
        const DO: &[(Method, Option<Role>)] = &[(Method::POST, Some(Role::Contributor))];
        const OPEN: &[(Method, Option<Role>)] = &[(Method::GET, None), (Method::HEAD, None)];
        match self {
            Self::Health | Self::Readiness | Self::Description | Self::Schema => OPEN,
            // None of them changes what is stored.
            Self::Preview | Self::Registration(_) | Self::SignInLink => &[(Method::POST, Some(Role::Reader))],
            Self::Tokens | Self::Assignments => &[(Method::GET, Some(Role::Owner)), (Method::POST, Some(Role::Owner))],
            Self::Token(_) | Self::Assignment(_) => &[(Method::DELETE, Some(Role::Owner))],
            Self::Alerts(target) => target.methods(),
            Self::Cluster(target) => target.methods(),
            Self::JobTask(_, task) => task.methods(),
            Self::Pause => &[(Method::GET, Some(Role::Reader)), (Method::POST, Some(Role::Owner))],
            Self::SecretsRotation | Self::Resume => &[(Method::POST, Some(Role::Owner))],
            Self::Metrics
            | Self::Audit
            | Self::Events
            | Self::Failures
            | Self::Due
            | Self::AllHistory
            | Self::Subscriptions
            | Self::Subscription(_)
            | Self::Providers(_)
            | Self::Provider(_)
            | Self::Operations
            | Self::Groups(_)
            | Self::CollectionsOfSubscription(_)
            | Self::Collections(_)
            | Self::AllJobs
            | Self::Jobs(_)
            | Self::JobHistory(_)
            | Self::JobRecord(..)
            | Self::Changes(_) => READ,
            Self::CollectionSwitch(..) | Self::JobRun(_) | Self::JobRerun(..) | Self::Rerun | Self::Bulk => DO,
            Self::Group(_) => &[
                (Method::GET, Some(Role::Reader)),
                (Method::HEAD, Some(Role::Reader)),
                (Method::PUT, Some(Role::Contributor)),
                (Method::DELETE, Some(Role::Contributor)),
            ],
            Self::Collection(_) | Self::Job(_) => &[
                (Method::GET, Some(Role::Reader)),
                (Method::PUT, Some(Role::Contributor)),
                (Method::PATCH, Some(Role::Contributor)),
                (Method::DELETE, Some(Role::Contributor)),
            ],
        }
    }

    /// The parameters that a path of ours takes in its query, beside those that may stand on each of them.
    pub(crate) fn parameters(&self) -> &'static [&'static str] {
        match self {
            Self::Preview => &["from", "to", "count"],
            Self::Audit => &["from", "to", "continue"],
            Self::Events => &["events", "lastEventId"],
            Self::Failures => &["since", "collection", "job", "target", "class", "grouped", "$skiptoken"],
            Self::Due => &["within", "$skiptoken"],
            Self::AllHistory => {
                &["since", "collection", "job", "target", "class", "outcome", "executionTag", "$skiptoken"]
            }
            Self::Alerts(target) => target.parameters(),
            Self::Resume | Self::Bulk | Self::Collection(_) => &["dryRun"],
            Self::Job(_) => &["dryRun", "replace"],
            Self::Rerun => &["continue", "dryRun"],
            Self::SecretsRotation => &["continue"],
            Self::AllJobs => &["q", "state", "outcome", "target", "collection", "sort", "$skiptoken"],
            Self::Collections(_) | Self::Jobs(_) | Self::JobHistory(_) | Self::Changes(_) => &["$skip", "$skiptoken"],
            _ => &[],
        }
    }

    /// Whether the short path of it is completed by a subscription and a group.
    pub(crate) fn is_in_group(&self) -> bool {
        let is_of_all = matches!(self, Self::AllJobs | Self::AllHistory | Self::Failures | Self::Rerun);
        let is_list = matches!(self, Self::Collections(_) | Self::Jobs(_));
        is_of_all || is_list || matches!(self.scope(), Scope::Collection { .. })
    }

    /// What one must have the role on.
    pub(crate) fn scope(&self) -> Scope {
        let group = |key: &GroupKey| Scope::Group { subscription: key.subscription.clone(), group: key.group.clone() };
        match self {
            Self::Health
            | Self::Readiness
            | Self::Description
            | Self::Schema
            | Self::Metrics
            | Self::Preview
            | Self::Audit
            | Self::Bulk
            | Self::Events
            | Self::Failures
            | Self::Due
            | Self::AllHistory
            | Self::Rerun
            | Self::Alerts(_)
            | Self::Cluster(_)
            | Self::Pause
            | Self::Resume
            | Self::SignInLink
            | Self::Tokens
            | Self::Token(_)
            | Self::Assignments
            | Self::Assignment(_)
            | Self::SecretsRotation
            | Self::Subscriptions
            | Self::AllJobs
            | Self::Changes(ChangePlace::Server | ChangePlace::Alert(_))
            | Self::Operations => Scope::Server,
            Self::Subscription(name)
            | Self::Providers(name)
            | Self::Provider(name)
            | Self::Registration(name)
            | Self::Groups(name)
            | Self::CollectionsOfSubscription(name) => Scope::Subscription(name.clone()),
            Self::Group(key) | Self::Collections(key) => group(key),
            Self::Collection(key)
            | Self::CollectionSwitch(key, _)
            | Self::Jobs(key)
            | Self::Changes(ChangePlace::Collection(key)) => scope_of(key),
            Self::Job(key)
            | Self::JobRun(key)
            | Self::JobHistory(key)
            | Self::JobRecord(key, _)
            | Self::JobRerun(key, _)
            | Self::JobTask(key, _)
            | Self::Changes(ChangePlace::Job(key)) => scope_of(&key.collection),
        }
    }
}

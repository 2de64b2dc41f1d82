//! The names of routes, by which requests are counted.

use crate::route::Target;

impl Target {
    /// The name of the route: one of a few, whatever names and ids stand in the path.
    pub(crate) const fn name(&self) -> &'static str {
        match self {
            Self::Health => "healthz",
            Self::Readiness => "readyz",
            Self::Description => "openapi",
            Self::Schema => "schema",
            Self::Metrics => "metrics",
            Self::Preview => "preview",
            Self::Audit => "audit",
            Self::Bulk => "bulk",
            Self::Events => "events",
            Self::Failures => "failures",
            Self::Due => "due",
            Self::Rerun | Self::JobRerun(..) => "rerun",
            Self::Alerts(target) => target.name(),
            Self::Cluster(_) => "cluster",
            Self::Pause => "pause",
            Self::Resume => "resume",
            Self::SignInLink => "signInLink",
            Self::Tokens | Self::Token(_) => "tokens",
            Self::Assignments | Self::Assignment(_) => "assignments",
            Self::SecretsRotation => "secrets",
            Self::Subscriptions | Self::Subscription(_) => "subscriptions",
            Self::Providers(_) | Self::Provider(_) | Self::Registration(_) | Self::Operations => "providers",
            Self::Groups(_) | Self::Group(_) => "groups",
            Self::CollectionsOfSubscription(_) | Self::Collections(_) => "collections",
            Self::Collection(_) | Self::CollectionSwitch(..) => "collection",
            Self::AllJobs | Self::Jobs(_) => "jobs",
            Self::Job(_) => "job",
            Self::JobRun(_) => "run",
            Self::JobHistory(_) | Self::JobRecord(..) | Self::AllHistory => "history",
            Self::Changes(_) => "changes",
            Self::JobTask(_, task) => task.name(),
        }
    }
}

//! Which jobs an alert watches.

use std::fmt;

use crate::access::Scope;
use crate::{Expected, Name};

/// The jobs of a part of the server, or one job.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AlertScope {
    /// Where the jobs are.
    pub scope: Scope,
    /// The one job that is watched; all of them where none is given. Only a collection has jobs by name.
    pub job: Option<Name>,
}

/// What stands before the name of a job in its path.
const JOBS: &str = "/jobs/";

impl AlertScope {
    /// All jobs of the server.
    pub const SERVER: Self = Self { scope: Scope::Server, job: None };

    /// Reads the path of a scope or of a job. `collection` and `collection/job` are short for those of a group.
    pub fn parse_within(text: &str, subscription: &Name, group: &Name) -> Result<Self, Expected> {
        let (scope, job) = match text.split_once('/') {
            Some((collection, job)) if !collection.is_empty() => (collection, Some(job)),
            _ => {
                let at = text.to_ascii_lowercase().rfind(JOBS);
                at.map_or((text, None), |at| (&text[..at], Some(&text[at + JOBS.len()..])))
            }
        };
        let scope = Scope::parse_within(scope, subscription, group)?;
        let job = job.map(Name::parse).transpose()?;
        if job.is_some() && !matches!(scope, Scope::Collection { .. }) {
            return Err(Expected::new("the path of a job: /subscriptions/…/jobCollections/C/jobs/J, or C/J"));
        }
        Ok(Self { scope, job })
    }

    /// Whether a job is watched, by its path `{subscription}/{group}/{collection}/{job}`.
    pub fn covers(&self, path: &str) -> bool {
        let mut names = path.split('/');
        let is_named = |name: &Name, of_path: Option<&str>| {
            of_path.and_then(|of_path| Name::parse(of_path).ok()).is_some_and(|of_path| of_path == *name)
        };
        let mut watched = self.scope.names().into_iter().chain([self.job.as_ref()]);
        watched.all(|name| {
            let of_path = names.next();
            name.is_none_or(|name| is_named(name, of_path))
        })
    }
}

/// The path, its names as they were first written.
impl fmt::Display for AlertScope {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.scope)?;
        self.job.as_ref().map_or(Ok(()), |job| write!(f, "{JOBS}{job}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Option<AlertScope> {
        let (subscription, group) = (Name::parse("local").ok()?, Name::parse("default").ok()?);
        AlertScope::parse_within(text, &subscription, &group).ok()
    }

    #[test]
    fn a_scope_is_read_short_and_long_and_shown_long() {
        let shown = |text: &str| parse(text).map(|scope| scope.to_string());
        let collection = "/subscriptions/local/resourceGroups/default/providers/Microsoft.Scheduler/jobCollections/ops";
        assert_eq!(shown("/").as_deref(), Some("/"));
        assert_eq!(shown("ops").as_deref(), Some(collection));
        assert_eq!(shown("ops/nightly"), Some(format!("{collection}/jobs/nightly")));
        assert_eq!(shown(&format!("{collection}/Jobs/nightly")), Some(format!("{collection}/jobs/nightly")));
        assert_eq!(shown("/subscriptions/s/jobs/j"), None);
        assert_eq!(shown("ops/a/b"), None);
    }

    #[test]
    fn names_are_compared_whole_and_in_any_case() {
        let covers = |scope: &str, path: &str| parse(scope).is_some_and(|scope| scope.covers(path));
        assert!(covers("/", "s/g/c/j"));
        assert!(covers("Ops", "local/default/ops/j"));
        assert!(!covers("ops", "local/default/ops2/j"));
        assert!(covers("ops/Nightly", "LOCAL/default/ops/nightly"));
        assert!(!covers("ops/nightly", "local/default/ops/daily"));
        assert!(!covers("/subscriptions/other", "local/default/ops/daily"));
    }
}

//! Which page an address names, and the address of each page.
//!
//! `{c}` in an address is a collection of the default group; a collection of another one carries `?subscription` and
//! `?group`, as on `/v1`.

use std::fmt;

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_decode_str, utf8_percent_encode};
use punctual_model::Name;
use punctual_store::{CollectionKey, GroupKey, JobKey};

/// What stays readable in an address of ours.
const ENCODED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'_').remove(b'.').remove(b'~');

/// What an address of the console names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Address {
    Overview,
    /// Pauses everything, or lets it run again.
    Pause,
    /// Has failures run again.
    Rerun,
    Jobs,
    /// What is done to several jobs.
    Bulk,
    /// Takes a deletion back.
    Undo,
    NewJob,
    Job(JobKey),
    EditJob(JobKey),
    History(JobKey),
    /// One minute in the life of a job, as it stands in the address.
    At(JobKey, String),
    Changes(JobKey),
    Collections,
    Collection(CollectionKey),
    Alerts,
    Forecast,
    Cluster,
    Access,
    Search,
    /// What happens, for the parts of a page that are live.
    Live,
    SignIn,
    SignOut,
    /// A file that never changes under its address: hash and name.
    Asset(String, String),
}

impl Address {
    /// Reads the path of an address; none if it is not one of the console's.
    pub(crate) fn parse(path: &str, defaults: &GroupKey) -> Option<Self> {
        let path = path.strip_prefix('/')?;
        // One slash more at the end is a slip; two and nothing else are another address.
        let path = path.strip_suffix('/').filter(|path| !path.is_empty()).unwrap_or(path);
        let segments: Vec<&str> = path.split('/').collect();
        let collection = |segment: &str| {
            let GroupKey { subscription, group } = defaults.clone();
            Some(CollectionKey { subscription, group, collection: name(segment)? })
        };
        let job = |c: &str, j: &str| Some(JobKey { collection: collection(c)?, job: name(j)? });
        Some(match segments[..] {
            [""] => Self::Overview,
            ["pause"] => Self::Pause,
            ["rerun"] => Self::Rerun,
            ["jobs"] => Self::Jobs,
            ["jobs", "bulk"] => Self::Bulk,
            ["undo"] => Self::Undo,
            ["jobs", "new"] => Self::NewJob,
            ["jobs", c, j] => Self::Job(job(c, j)?),
            ["jobs", c, j, "edit"] => Self::EditJob(job(c, j)?),
            ["jobs", c, j, "history"] => Self::History(job(c, j)?),
            ["jobs", c, j, "changes"] => Self::Changes(job(c, j)?),
            ["jobs", c, j, "at", instant] => Self::At(job(c, j)?, decode(instant)?),
            ["collections"] => Self::Collections,
            ["collections", c] => Self::Collection(collection(c)?),
            ["alerts"] => Self::Alerts,
            ["forecast"] => Self::Forecast,
            ["cluster"] => Self::Cluster,
            ["access"] => Self::Access,
            ["search"] => Self::Search,
            ["live"] => Self::Live,
            ["sign-in"] => Self::SignIn,
            ["sign-out"] => Self::SignOut,
            ["assets", hash, file] => Self::Asset(hash.to_owned(), file.to_owned()),
            _ => return None,
        })
    }

    /// The name of the page, by which requests are counted.
    pub(crate) const fn name(&self) -> &'static str {
        match self {
            Self::Asset(..) => "consoleAsset",
            Self::SignIn | Self::SignOut => "consoleSignIn",
            Self::Live => "consoleLive",
            _ => "console",
        }
    }
}

fn decode(segment: &str) -> Option<String> {
    percent_decode_str(segment).decode_utf8().ok().map(Into::into)
}

fn name(segment: &str) -> Option<Name> {
    Name::parse(&decode(segment)?).ok()
}

/// A text as it stands in an address.
pub(crate) fn encode(text: &str) -> impl fmt::Display {
    utf8_percent_encode(text, ENCODED)
}

/// Writes addresses of the console.
#[derive(Clone, Debug)]
pub(crate) struct Links {
    pub(crate) defaults: GroupKey,
}

impl Links {
    /// The page of a job.
    pub(crate) fn job(&self, key: &JobKey) -> String {
        self.in_job(key, "")
    }

    /// A page below that of a job, such as `/edit`.
    pub(crate) fn in_job(&self, key: &JobKey, below: &str) -> String {
        let JobKey { collection, job } = key;
        let path = format!("/jobs/{}/{}{below}", encode(collection.collection.as_str()), encode(job.as_str()));
        self.in_group(path, collection)
    }

    /// The occurrence of a job for an instant, which is written as the API does.
    pub(crate) fn at(&self, key: &JobKey, instant: impl fmt::Display) -> String {
        // A colon needs no sign of its own there, and reads better.
        self.in_job(key, &format!("/at/{instant}"))
    }

    /// The page of a collection.
    pub(crate) fn collection(&self, key: &CollectionKey) -> String {
        self.in_group(format!("/collections/{}", encode(key.collection.as_str())), key)
    }

    /// The list of the jobs of a collection.
    pub(crate) fn jobs_of(&self, key: &CollectionKey) -> String {
        let path = format!("/jobs?collection={}", encode(key.collection.as_str()));
        self.in_group(path, key)
    }

    fn in_group(&self, path: String, key: &CollectionKey) -> String {
        let CollectionKey { subscription, group, .. } = key;
        if *subscription == self.defaults.subscription && *group == self.defaults.group {
            return path;
        }
        let sign = if path.contains('?') { '&' } else { '?' };
        format!("{path}{sign}subscription={}&group={}", encode(subscription.as_str()), encode(group.as_str()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn group(subscription: &str, group: &str) -> GroupKey {
        GroupKey { subscription: Name::parse(subscription).unwrap(), group: Name::parse(group).unwrap() }
    }

    #[test]
    fn what_is_written_is_read_again() {
        let defaults = group("local", "default");
        let links = Links { defaults: defaults.clone() };
        let collection = CollectionKey {
            subscription: defaults.subscription.clone(),
            group: defaults.group.clone(),
            collection: Name::parse("billing").unwrap(),
        };
        let key = JobKey { collection: collection.clone(), job: Name::parse("nightly close").unwrap() };
        assert_eq!(links.job(&key), "/jobs/billing/nightly%20close");
        assert_eq!(Address::parse(&links.job(&key), &defaults), Some(Address::Job(key.clone())));
        assert_eq!(Address::parse(&links.in_job(&key, "/edit"), &defaults), Some(Address::EditJob(key.clone())));
        let other = Links { defaults: group("other", "g") };
        assert_eq!(other.job(&key), "/jobs/billing/nightly%20close?subscription=local&group=default");
        assert_eq!(other.jobs_of(&collection), "/jobs?collection=billing&subscription=local&group=default");
    }

    #[test]
    fn addresses_of_the_api_are_not_the_consoles() {
        let defaults = group("local", "default");
        for path in ["/v1/jobs", "/healthz", "/metrics", "/openapi.json", "/subscriptions", "/jobs/a", "//", "/x"] {
            assert_eq!(Address::parse(path, &defaults), None, "{path}");
        }
        assert_eq!(Address::parse("/", &defaults), Some(Address::Overview));
    }
}

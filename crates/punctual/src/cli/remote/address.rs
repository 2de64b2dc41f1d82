//! How commands name collections and jobs: `collection`, `collection/job`; with a subscription and a group before it where they are
//! not the ones that the server has by default.

use std::fmt;
use std::str::FromStr;

use punctual_api::DEFAULT_COLLECTION;
use serde_json::Value;

use super::client::{Server, encode};
use super::table::text;
use crate::cli::failure::Failure;
use crate::cli::output::visible;
use crate::config::nearest::nearest;

/// Names that are looked at for one that was meant.
const NAMES_MAX: usize = 500;

/// A collection.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct CollectionAddress {
    /// The subscription and the group, unless they are those that the server has by default.
    group: Option<(String, String)>,
    pub(super) collection: String,
}

/// A job.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct JobAddress {
    pub(super) collection: CollectionAddress,
    pub(super) job: String,
}

impl FromStr for CollectionAddress {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match names(text)?[..] {
            [collection] => Ok(Self { group: None, collection: collection.to_owned() }),
            [subscription, group, collection] => {
                let group = Some((subscription.to_owned(), group.to_owned()));
                Ok(Self { group, collection: collection.to_owned() })
            }
            _ => Err("a collection is COLLECTION, or SUBSCRIPTION/GROUP/COLLECTION".to_owned()),
        }
    }
}

impl FromStr for JobAddress {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let names = names(text)?;
        let in_collection = |group, collection: &str, job: &str| Self {
            collection: CollectionAddress { group, collection: collection.to_owned() },
            job: job.to_owned(),
        };
        match names[..] {
            [job] => Ok(in_collection(None, DEFAULT_COLLECTION, job)),
            [collection, job] => Ok(in_collection(None, collection, job)),
            [subscription, group, collection, job] => {
                Ok(in_collection(Some((subscription.to_owned(), group.to_owned())), collection, job))
            }
            _ => Err("a job is COLLECTION/JOB, JOB in the collection default, or SUBSCRIPTION/GROUP/COLLECTION/JOB"
                .to_owned()),
        }
    }
}

fn names(text: &str) -> Result<Vec<&str>, String> {
    let names: Vec<_> = text.split('/').collect();
    if names.iter().any(|name| name.is_empty()) {
        return Err("there is nothing before, after or between the slashes".to_owned());
    }
    Ok(names)
}

impl fmt::Display for CollectionAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some((subscription, group)) = &self.group {
            write!(f, "{subscription}/{group}/")?;
        }
        f.write_str(&self.collection)
    }
}

impl fmt::Display for JobAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.collection, self.job)
    }
}

impl CollectionAddress {
    /// The collection of that name in the group of this one.
    pub(super) fn new(collection: &str) -> Self {
        Self { group: None, collection: collection.to_owned() }
    }

    /// The path of the collection in the API, with what is below it.
    pub(super) fn path(&self, below: &str) -> String {
        self.with_group(format!("/v1/collections/{}{below}", encode(&self.collection)))
    }

    /// A path of the API that asks about this group, if the address names one.
    pub(super) fn with_group(&self, path: String) -> String {
        let Some((subscription, group)) = &self.group else { return path };
        let mark = if path.contains('?') { '&' } else { '?' };
        format!("{path}{mark}subscription={}&group={}", encode(subscription), encode(group))
    }

    /// Says which collection may have been meant, where there is none of this name.
    pub(super) fn advise(&self, server: &Server, failure: Failure) -> Failure {
        let Failure::NotFound(message) = failure else { return failure };
        let path = self.with_group(format!("/v1/collections?$top={NAMES_MAX}"));
        let listed = server.call("GET", &path, None).map(|answer| listed_names(&answer)).unwrap_or_default();
        Failure::NotFound(advice(&message, &self.collection, &listed, |collection| {
            Self { group: self.group.clone(), collection: collection.to_owned() }.to_string()
        }))
    }
}

impl JobAddress {
    /// The path of the job in the API, with what is below it.
    pub(super) fn path(&self, below: &str) -> String {
        self.collection.path(&format!("/jobs/{}{below}", encode(&self.job)))
    }

    /// The parameters of lists over all jobs that ask about this one.
    pub(super) fn parameters(&self) -> String {
        format!("collection={}&job={}", encode(&self.collection.collection), encode(&self.job))
    }

    /// Says which job may have been meant, where there is none of this name, or no such collection.
    pub(super) fn advise(&self, server: &Server, failure: Failure) -> Failure {
        let Failure::NotFound(message) = failure else { return failure };
        if let Err(missing @ Failure::NotFound(_)) = server.call("GET", &self.collection.path(""), None) {
            return self.collection.advise(server, missing);
        }
        let mut listed = Vec::new();
        for part in halves(&self.job) {
            let parameters = format!("collection={}&q={}", encode(&self.collection.collection), encode(part));
            let path = self.collection.with_group(format!("/v1/jobs?$top={NAMES_MAX}&{parameters}"));
            listed.extend(server.call("GET", &path, None).map(|answer| listed_names(&answer)).unwrap_or_default());
        }
        Failure::NotFound(advice(&message, &self.job, &listed, |job| {
            Self { collection: self.collection.clone(), job: job.to_owned() }.to_string()
        }))
    }
}

/// The two halves of a name, and its first letter: whatever letter is wrong, one half of what was meant is right.
fn halves(name: &str) -> Vec<&str> {
    let middle = name.char_indices().nth(name.chars().count() / 2).map_or(0, |(at, _)| at);
    let first = name.chars().next().map_or(0, char::len_utf8);
    [&name[..middle], &name[middle..], &name[..first]].into_iter().filter(|part| !part.is_empty()).collect()
}

fn listed_names(answer: &Value) -> Vec<String> {
    answer["value"].as_array().into_iter().flatten().map(|item| text(&item["name"])).collect()
}

fn advice(message: &str, given: &str, known: &[String], write: impl Fn(&str) -> String) -> String {
    match nearest(given, known.iter().map(String::as_str)) {
        Some(meant) => format!("{message} Did you mean {}?", visible(&write(meant))),
        None => message.to_owned(),
    }
}

/// How commands name what has this path in the API, on a server that has this group by default.
pub(super) fn short(path: &str, home: Option<&str>) -> String {
    let parts: Vec<&str> = path.trim_start_matches('/').split('/').collect();
    let [_, subscription, _, group, _, _, _, collection, ref job @ ..] = parts[..] else { return path.to_owned() };
    let job = job.get(1).map(|job| format!("/{job}")).unwrap_or_default();
    let is_home = home.is_some_and(|home| path.to_lowercase().starts_with(&home.to_lowercase()));
    if is_home { format!("{collection}{job}") } else { format!("{subscription}/{group}/{collection}{job}") }
}

/// The path of the group that the server has by default, up to its collections; unknown where no collection in it can be seen.
pub(super) fn home(server: &Server) -> Result<Option<String>, Failure> {
    let answer = server.call("GET", "/v1/collections?$top=1", None)?;
    let path = answer["value"][0]["path"].as_str().and_then(|path| path.rsplit_once('/'));
    Ok(path.map(|(home, _)| format!("{home}/")))
}

#[cfg(test)]
mod tests {
    use super::{CollectionAddress, JobAddress, halves, short};

    fn job(text: &str) -> Result<String, String> {
        text.parse::<JobAddress>().map(|address| format!("{address} {}", address.path("/run")))
    }

    #[test]
    fn addresses_of_jobs() {
        assert_eq!(job("hello").unwrap(), "default/hello /v1/collections/default/jobs/hello/run");
        assert_eq!(job("ops/a b").unwrap(), "ops/a b /v1/collections/ops/jobs/a%20b/run");
        let long = "s/g/ops/x /v1/collections/ops/jobs/x/run?subscription=s&group=g";
        assert_eq!(job("s/g/ops/x").unwrap(), long);
        for text in ["", "ops/", "/ops", "a/b/c", "a/b/c/d/e"] {
            assert!(job(text).is_err(), "{text}");
        }
        let address: CollectionAddress = "s/g/ops".parse().unwrap();
        assert_eq!(address.path("?x=1"), "/v1/collections/ops?x=1&subscription=s&group=g");
        assert!("ops/x".parse::<CollectionAddress>().is_err());
    }

    #[test]
    fn paths_are_shortened_at_home() {
        let home = "/subscriptions/s/resourceGroups/g/providers/Microsoft.Scheduler/jobCollections/";
        assert_eq!(short(&format!("{home}ops/jobs/x"), Some(home)), "ops/x");
        assert_eq!(short(&format!("{home}ops"), Some(home)), "ops");
        let away = "/subscriptions/s/resourceGroups/h/providers/Microsoft.Scheduler/jobCollections/ops/jobs/x";
        assert_eq!(short(away, Some(home)), "s/h/ops/x");
        assert_eq!(short(away, None), "s/h/ops/x");
    }

    #[test]
    fn a_name_has_two_halves() {
        assert_eq!(halves("nightly"), ["nig", "htly", "n"]);
        assert_eq!(halves("ü"), ["ü", "ü"]);
    }
}

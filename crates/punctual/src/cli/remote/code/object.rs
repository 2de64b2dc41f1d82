//! What a document is about: a collection, a job or an alert, where it is, and what is sent of it.

use std::path::Path;

use aws_lc_rs::digest;
use punctual_api::DEFAULT_COLLECTION;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::documents::Document;
use super::references;
use super::set::Set;
use crate::cli::remote::client::encode;

/// What something is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) enum Kind {
    Collection,
    Job,
    Alert,
}

impl Kind {
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Collection => "collection",
            Self::Job => "job",
            Self::Alert => "alert",
        }
    }
}

/// Something that is to be there.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Object {
    pub(super) kind: Kind,
    /// How commands name it.
    pub(super) name: String,
    /// Its path in the API, with its query.
    pub(super) path: String,
    /// What it is known by, however its path is written: names with slashes between them, in lower case.
    pub(super) id: String,
    /// The path of its collection, of a job.
    pub(super) collection: Option<String>,
    /// What is sent. Secrets are named in it, and not there yet.
    pub(super) body: Value,
    /// The file and the line that say so.
    pub(super) place: String,
}

/// Members of a document that say where something is, or that only the server says: they are not sent.
const NOT_SENT: [&str; 13] = [
    "kind",
    "name",
    "collection",
    "subscription",
    "group",
    "path",
    "replace",
    "status",
    "warnings",
    "etag",
    "id",
    "muted",
    "changed",
];
/// Members that templates of the original have beside `properties`, and that mean nothing here.
const OF_TEMPLATES: [&str; 7] = ["type", "apiVersion", "dependsOn", "comments", "condition", "scale", "tags"];

/// The version of the original API that long paths are asked with.
const VERSION: &str = "api-version=2016-03-01";

impl Object {
    /// Reads a document, or says in sentences all that is wrong with it. `home` are the subscription and the group that the server has
    /// by default.
    pub(super) fn read(document: Document, set: &Set, home: (&str, &str)) -> Result<Self, Vec<String>> {
        let Document { place, directory, value } = document;
        let Value::Object(members) = value else {
            return Err(vec![format!("{place}: a document is an object, such as one that punctual export writes")]);
        };
        let at = |sentence: String| format!("{place}: {sentence}");
        let address = Address::of(&members, home).map_err(|sentence| vec![at(sentence)])?;
        let mut wrong = Vec::new();
        let replaces = match members.get("replace").map(Value::as_str) {
            None => false,
            Some(Some("completed")) if address.kind == Kind::Job => true,
            Some(_) => {
                wrong.push(at("replace: the one thing that can be said here, of a job, is completed".to_owned()));
                false
            }
        };
        let is_original = members.contains_key("properties");
        let is_sent = |name: &str| {
            let is = |known: &str| known.eq_ignore_ascii_case(name);
            let is_tags_of_collection = name.eq_ignore_ascii_case("tags") && address.kind == Kind::Collection;
            let is_of_template = is_original && OF_TEMPLATES.iter().any(|known| is(known)) && !is_tags_of_collection;
            let is_location = name.eq_ignore_ascii_case("location") && is_original && address.kind == Kind::Job;
            !NOT_SENT.iter().any(|known| is(known)) && !is_of_template && !is_location
        };
        let mut body = Value::Object(members.into_iter().filter(|(name, _)| is_sent(name)).collect());
        wrong.extend(references::check(&mut body, absolute(&directory).as_deref()).into_iter().map(at));
        set.mark(address.kind, &mut body);
        if !wrong.is_empty() {
            return Err(wrong);
        }
        let Address { kind, name, mut path, collection, id } = address;
        if replaces {
            path += if path.contains('?') { "&replace=completed" } else { "?replace=completed" };
        }
        Ok(Self { kind, name, path, id, collection, body, place })
    }

    /// Something that is there, by the path that a list says.
    pub(super) fn listed(kind: Kind, path: &str) -> Option<Self> {
        let Address { name, path, collection, id, .. } = Address::of_path(path).filter(|found| found.kind == kind)?;
        Some(Self { kind, name, path, collection, id, body: Value::Null, place: String::new() })
    }

    /// Whether its group is not known: no name is empty.
    pub(super) fn is_vague(&self) -> bool {
        self.id.split('/').any(str::is_empty)
    }

    /// What it is known by, in a few bytes.
    pub(super) fn fingerprint(&self) -> [u8; 16] {
        let mut fingerprint = [0; 16];
        let hash = digest::digest(&digest::SHA256, self.id.as_bytes());
        fingerprint.copy_from_slice(&hash.as_ref()[..16]);
        fingerprint
    }
}

fn absolute(directory: &Path) -> Option<std::path::PathBuf> {
    let directory = if directory.as_os_str().is_empty() { Path::new(".") } else { directory };
    directory.canonicalize().ok()
}

/// Where something is.
pub(super) struct Address {
    pub(super) kind: Kind,
    pub(super) name: String,
    pub(super) path: String,
    collection: Option<String>,
    id: String,
}

impl Address {
    /// Finds out what a document is about: by its `kind`; or by its `path` or `id`; or, as templates of the original have it, by its
    /// `type` and its whole name.
    fn of(members: &Map<String, Value>, home: (&str, &str)) -> Result<Self, String> {
        let text = |name: &str| match members.get(name) {
            None | Some(Value::Null) => Ok(None),
            Some(Value::String(text)) => Ok(Some(text.as_str()).filter(|text| !text.is_empty())),
            Some(_) => Err(format!("{name}: expected a text")),
        };
        let kind = text("kind")?.filter(|_| !members.contains_key("properties"));
        if let (None, Some(path)) = (kind, text("path")?.or(text("id")?)) {
            return Self::of_path(path).ok_or_else(|| format!("path: {path:?} is no path of a job or a collection"));
        }
        let name = text("name")?.ok_or("name: this document says no name")?;
        let place = Place { subscription: text("subscription")?, group: text("group")?, home };
        let of_type = text("type")?.unwrap_or_default().to_ascii_lowercase();
        match kind {
            Some("job") => Ok(place.job(text("collection")?.unwrap_or(DEFAULT_COLLECTION), name)),
            None if of_type == "microsoft.scheduler/jobcollections/jobs" => {
                let (collection, name) = name.split_once('/').ok_or("name: expected COLLECTION/JOB")?;
                Ok(place.job(collection, name))
            }
            Some("collection") => Ok(place.collection(name)),
            None if of_type == "microsoft.scheduler/jobcollections" => Ok(place.collection(name)),
            Some("alert") => Ok(Self {
                kind: Kind::Alert,
                name: format!("alert {name}"),
                path: format!("/v1/alerts/{}", encode(name)),
                collection: None,
                id: format!("alert {}", name.to_lowercase()),
            }),
            Some(other) => Err(format!("kind: given {other:?}, expected collection, job or alert")),
            None => Err("kind: this document does not say what it is: collection, job or alert".to_owned()),
        }
    }

    /// What a long path of the original names.
    fn of_path(path: &str) -> Option<Self> {
        let parts: Vec<&str> = path.trim_matches('/').split('/').collect();
        let (&[_, subscription, _, group, _, _, _, collection], rest) = parts.split_first_chunk::<8>()?;
        let before = format!("{subscription}/{group}/");
        let encoded: Vec<String> = parts.iter().map(|part| encode_part(part)).collect();
        let long = |number: usize| format!("/{}?{VERSION}", encoded[..number].join("/"));
        let (kind, name, path, of_job) = match rest {
            [] => (Kind::Collection, format!("collection {before}{collection}"), long(8), None),
            [_, job] => (Kind::Job, format!("{before}{collection}/{job}"), long(10), Some(long(8))),
            _ => return None,
        };
        let names = [subscription, group, collection].into_iter().chain(rest.get(1).copied());
        let id = names.collect::<Vec<_>>().join("/").to_lowercase();
        Some(Self { kind, name, path, collection: of_job, id })
    }
}

/// The group in which something is: as a document says it, or the one that the server has by default.
struct Place<'a> {
    subscription: Option<&'a str>,
    group: Option<&'a str>,
    home: (&'a str, &'a str),
}

impl Place<'_> {
    fn job(&self, collection: &str, job: &str) -> Address {
        let path = format!("/v1/collections/{}", encode(collection));
        Address {
            kind: Kind::Job,
            name: format!("{}{collection}/{job}", self.before()),
            path: self.in_group(format!("{path}/jobs/{}", encode(job))),
            collection: Some(self.in_group(path)),
            id: self.id(&format!("{collection}/{job}")),
        }
    }

    fn collection(&self, name: &str) -> Address {
        Address {
            kind: Kind::Collection,
            name: format!("collection {}{name}", self.before()),
            path: self.in_group(format!("/v1/collections/{}", encode(name))),
            collection: None,
            id: self.id(name),
        }
    }

    /// How commands name the group.
    fn before(&self) -> String {
        match (self.subscription, self.group) {
            (None, None) => String::new(),
            (subscription, group) => {
                format!("{}/{}/", subscription.unwrap_or(self.home.0), group.unwrap_or(self.home.1))
            }
        }
    }

    fn in_group(&self, path: String) -> String {
        let pair = |name: &str, value: Option<&str>| value.map(|value| format!("{name}={}", encode(value)));
        let pairs = [pair("subscription", self.subscription), pair("group", self.group)];
        let pairs: Vec<_> = pairs.into_iter().flatten().collect();
        if pairs.is_empty() { path } else { format!("{path}?{}", pairs.join("&")) }
    }

    fn id(&self, names: &str) -> String {
        let (subscription, group) = (self.subscription.unwrap_or(self.home.0), self.group.unwrap_or(self.home.1));
        format!("{subscription}/{group}/{names}").to_lowercase()
    }
}

/// A part of a path as it is asked for. Dots stay, since those of the provider are compared.
fn encode_part(part: &str) -> String {
    encode(part).replace("%2E", ".").replace("%2D", "-").replace("%5F", "_")
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use serde_json::{Value, json};

    use super::{Document, Object, Set};

    fn read(value: Value) -> Result<String, Vec<String>> {
        let document = Document { place: "a.yaml:1".to_owned(), directory: PathBuf::new(), value };
        let object = Object::read(document, &Set::default(), ("s", "g"))?;
        Ok(format!("{} {} {}", object.name, object.path, object.body))
    }

    #[test]
    fn a_document_says_what_it_is_about() {
        for (value, expected) in [
            (
                json!({ "kind": "job", "name": "a b", "action": {} }),
                r#"default/a b /v1/collections/default/jobs/a%20b {"action":{}}"#,
            ),
            (
                json!({ "kind": "job", "collection": "ops", "name": "x", "replace": "completed" }),
                "ops/x /v1/collections/ops/jobs/x?replace=completed {}",
            ),
            (
                json!({ "kind": "collection", "name": "ops", "subscription": "s", "group": "g", "tags": { "a": "b" } }),
                r#"collection s/g/ops /v1/collections/ops?subscription=s&group=g {"tags":{"a":"b"}}"#,
            ),
            (
                json!({ "kind": "alert", "name": "team", "when": ["failing"] }),
                r#"alert team /v1/alerts/team {"when":["failing"]}"#,
            ),
            (
                json!({ "type": "Microsoft.Scheduler/jobCollections/jobs", "name": "ops/x", "location": "x", "properties": {} }),
                r#"ops/x /v1/collections/ops/jobs/x {"properties":{}}"#,
            ),
            (
                json!({ "path": "/subscriptions/s/resourceGroups/g/providers/Microsoft.Scheduler/jobCollections/ops/jobs/x", "state": "enabled" }),
                r#"s/g/ops/x /subscriptions/s/resourceGroups/g/providers/Microsoft.Scheduler/jobCollections/ops/jobs/x?api-version=2016-03-01 {"state":"enabled"}"#,
            ),
        ] {
            assert_eq!(read(value).unwrap(), expected);
        }
        for (value, expected) in [
            (json!([]), "a.yaml:1: a document is an object, such as one that punctual export writes"),
            (json!({}), "a.yaml:1: name: this document says no name"),
            (json!({ "name": "x" }), "a.yaml:1: kind: this document does not say what it is: collection, job or alert"),
            (
                json!({ "kind": "jobs", "name": "x" }),
                r#"a.yaml:1: kind: given "jobs", expected collection, job or alert"#,
            ),
            (json!({ "kind": "job", "name": 1 }), "a.yaml:1: name: expected a text"),
        ] {
            assert_eq!(read(value).unwrap_err(), [expected]);
        }
    }
}

//! A job as JSON: what the form, the JSON view and the other pages write and read.

use punctual_store::{CollectionEntry, JobEntry};
use serde_json::ser::{PrettyFormatter, Serializer};

use crate::routes::jobs;
use crate::status::JobStatus;
use crate::wire::view::Writer;
use crate::wire::{Dialect, Extent, Json};

/// The definition of a job as `/v1` writes it, without what only the server says.
pub(super) fn definition(collection: &CollectionEntry, job: &JobEntry, status: &JobStatus, may_write: bool) -> Json {
    let writer = Writer::for_reader(Dialect::PLAIN, Extent::One, may_write);
    let server = ["name", "collection", "path", "status", "etag", "id", "type", "warnings"];
    match jobs::view(collection, job, status, &writer) {
        Json::Object(members) => {
            Json::Object(members.into_iter().filter(|(name, _)| !server.contains(&&**name)).collect())
        }
        other => other,
    }
}

/// The same as text, with lines.
pub(super) fn json_of(collection: &CollectionEntry, job: &JobEntry, status: &JobStatus, may_write: bool) -> String {
    pretty(&definition(collection, job, status, may_write))
}

/// JSON with lines and two blanks for each level.
pub(super) fn pretty(json: &Json) -> String {
    let mut text = Vec::new();
    let mut writer = Serializer::with_formatter(&mut text, PrettyFormatter::with_indent(b"  "));
    match serde::Serialize::serialize(json, &mut writer) {
        Ok(()) => String::from_utf8_lossy(&text).into_owned(),
        Err(_) => compact(json),
    }
}

/// JSON in one line, without blanks.
pub(super) fn compact(json: &Json) -> String {
    serde_json::to_string(json).unwrap_or_default()
}

/// What stands at a path, such as `action.request.uri`.
pub(super) fn get<'a>(json: &'a Json, path: &str) -> Option<&'a Json> {
    path.split('.').try_fold(json, |json, name| match json {
        Json::Object(members) => members.iter().find(|(known, _)| known == name).map(|(_, value)| value),
        _ => None,
    })
}

/// Puts a value at a path, and the objects on the way there; none removes what is there, and objects that are empty then.
pub(super) fn set(json: &mut Json, path: &str, value: Option<Json>) {
    if !matches!(json, Json::Object(_)) {
        if value.is_none() {
            return;
        }
        *json = Json::Object(Vec::new());
    }
    let Json::Object(members) = json else { return };
    let (name, rest) = path.split_once('.').map_or((path, None), |(name, rest)| (name, Some(rest)));
    let at = members.iter().position(|(known, _)| known == name);
    match (rest, at, value) {
        (None, Some(at), Some(value)) => members[at].1 = value,
        (None, None, Some(value)) => members.push((name.to_owned().into(), value)),
        (None, Some(at), None) => drop(members.remove(at)),
        (Some(rest), Some(at), value) => {
            set(&mut members[at].1, rest, value);
            if matches!(&members[at].1, Json::Object(inner) if inner.is_empty()) {
                members.remove(at);
            }
        }
        (Some(rest), None, Some(value)) => {
            let mut inner = Json::Object(Vec::new());
            set(&mut inner, rest, Some(value));
            members.push((name.to_owned().into(), inner));
        }
        (_, None, None) => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn members_are_put_and_taken_by_their_path() {
        let mut json = Json::Object(Vec::new());
        set(&mut json, "action.request.uri", Some(Json::Text("https://a".to_owned())));
        set(&mut json, "action.request.method", Some(Json::Text("GET".to_owned())));
        assert_eq!(compact(&json), r#"{"action":{"request":{"uri":"https://a","method":"GET"}}}"#);
        assert_eq!(get(&json, "action.request.method"), Some(&Json::Text("GET".to_owned())));
        set(&mut json, "action.request.uri", None);
        set(&mut json, "action.request.nothing.here", None);
        set(&mut json, "action.request.method", None);
        assert_eq!(compact(&json), "{}");
    }
}

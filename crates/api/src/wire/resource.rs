//! What every resource has around what is its own.

use super::findings::Unknown;
use super::json::Json;
use super::object::Object;

/// Members that identify a resource. The path of the request does, so that they are read over.
pub(super) const IDENTITY: [&str; 3] = ["id", "type", "name"];

/// Members of flat answers, which may come back as they are.
pub(super) const ANSWERED: [&str; 4] = ["collection", "path", "status", "warnings"];

/// The `properties` of a resource, or the resource itself if it has none and one of `members` at its top.
pub(super) fn properties<'a>(mut root: Object<'a>, members: &[&'static str]) -> Option<Object<'a>> {
    root.skip(&IDENTITY);
    root.skip(&ANSWERED);
    if root.findings().unknown() == Unknown::Refused {
        // Elsewhere clients of the original are told that it means nothing.
        root.skip(&["etag"]);
    }
    if !root.has("properties") && members.iter().any(|name| root.has(name)) {
        return Some(root);
    }
    let properties = root.object("properties");
    root.ignore_rest();
    properties
}

/// How much of a body is what the server has said about the resource, and not what the resource is.
pub(crate) fn answered_bytes(json: &Json) -> usize {
    let Json::Object(members) = json else { return 0 };
    let is_answered = |name: &str| ANSWERED.iter().any(|known| known.eq_ignore_ascii_case(name));
    let answered = members.iter().filter(|(name, _)| is_answered(name));
    answered.map(|(_, value)| value.written_bytes()).sum()
}

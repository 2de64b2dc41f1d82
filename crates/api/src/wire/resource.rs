//! What every resource has around what is its own.

use super::findings::Unknown;
use super::object::Object;

/// Members that identify a resource. The path of the request does, so that they are read over.
pub(super) const IDENTITY: [&str; 3] = ["id", "type", "name"];

/// Members of answers on the short path, which may come back as they are.
pub(super) const ANSWERED: [&str; 5] = ["collection", "path", "etag", "status", "warnings"];

/// The `properties` of a resource, or the resource itself if it has none and one of `members` at its top.
pub(super) fn properties<'a>(mut root: Object<'a>, members: &[&'static str]) -> Option<Object<'a>> {
    root.skip(&IDENTITY);
    if root.findings().unknown() == Unknown::Refused {
        root.skip(&ANSWERED);
    }
    if !root.has("properties") && members.iter().any(|name| root.has(name)) {
        return Some(root);
    }
    let properties = root.object("properties");
    root.ignore_rest();
    properties
}

//! What every resource has around what is its own.

use super::object::Object;

/// The `properties` of a resource, or the resource itself if it has none and one of `members` at its top.
pub(super) fn properties<'a>(mut root: Object<'a>, members: &[&str]) -> Option<Object<'a>> {
    root.skip(&["id", "type", "name"]);
    if !root.has("properties") && members.iter().any(|name| root.has(name)) {
        return Some(root);
    }
    let properties = root.object("properties");
    root.ignore_rest();
    properties
}

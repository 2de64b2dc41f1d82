//! A partial edit, laid over what is stored.
//!
//! PATCH is a deep merge of objects; a list replaces the one that is there, and `null` removes a member. Three things are
//! not as simple as that, because a client means something else:
//!
//! - a date that is `null` is unchanged: one of the clients sends it always;
//! - a member that rules another one out takes its place: another kind of message, another kind of credentials, `cron`
//!   instead of `frequency` and the other way round;
//! - names are the same in any case.

use super::json::Json;

/// The members whose `null` means "as it was".
const DATES: [&str; 3] = ["startTime", "endTime", "scheduledEnqueueTimeUtc"];

/// Members of an action, of which there is one.
const MESSAGES: [&str; 4] = ["request", "queueMessage", "serviceBusQueueMessage", "serviceBusTopicMessage"];

/// Members of a recurrence that `cron` stands for.
const RULE: [&str; 3] = ["frequency", "interval", "schedule"];

/// Lays `patch` over `stored`.
pub fn merge(stored: Json, patch: Json) -> Json {
    match (stored, patch) {
        (Json::Object(mut stored), Json::Object(patch)) => {
            make_room(&mut stored, &patch);
            for (name, value) in patch {
                merge_member(&mut stored, name, value);
            }
            Json::Object(stored)
        }
        (_, patch) => patch,
    }
}

type Members = Vec<(String, Json)>;

fn merge_member(stored: &mut Members, name: String, value: Json) {
    let at = position(stored, &name);
    match (at, value) {
        (_, Json::Null) if DATES.iter().any(|date| name.eq_ignore_ascii_case(date)) => {}
        (Some(at), Json::Null) => drop(stored.remove(at)),
        (None, Json::Null) => {}
        (Some(at), value) if is_other_credential(&name, &stored[at].1, &value) => stored[at].1 = value,
        (Some(at), value) => {
            let old = std::mem::replace(&mut stored[at].1, Json::Null);
            stored[at].1 = merge(old, value);
        }
        // What is new may hold `null`s, too.
        (None, value @ Json::Object(_)) => stored.push((name, merge(Json::Object(Vec::new()), value))),
        (None, value) => stored.push((name, value)),
    }
}

/// Takes away what the members of the patch rule out.
fn make_room(stored: &mut Members, patch: &Members) {
    let given = |name: &str| patch.iter().any(|(key, value)| key.eq_ignore_ascii_case(name) && *value != Json::Null);
    if let Some(message) = MESSAGES.into_iter().find(|message| given(message) && position(stored, message).is_none()) {
        let is_other = |name: &str| name != message && MESSAGES.contains(&name);
        // The type belongs to the message that goes.
        if stored.iter().any(|(name, _)| is_other(name)) {
            stored.retain(|(name, _)| !is_other(name) && name != "type");
        }
    }
    if given("cron") {
        stored.retain(|(name, _)| !RULE.contains(&name.as_str()));
    } else if given("frequency") {
        stored.retain(|(name, _)| name != "cron");
    }
}

/// Whether both are credentials, and not of the same kind.
fn is_other_credential(name: &str, stored: &Json, patch: &Json) -> bool {
    let kind = |json: &Json| match json {
        Json::Object(members) => members.iter().find_map(|(name, value)| match value {
            Json::Text(kind) if name.eq_ignore_ascii_case("type") => Some(kind.to_ascii_lowercase()),
            _ => None,
        }),
        _ => None,
    };
    name.eq_ignore_ascii_case("authentication") && kind(patch).is_some_and(|new| kind(stored) != Some(new))
}

fn position(members: &Members, name: &str) -> Option<usize> {
    members.iter().position(|(key, _)| key.eq_ignore_ascii_case(name))
}

//! A partial edit, laid over what is stored.
//!
//! PATCH is a deep merge of objects; a list replaces the one that is there, and `null` removes a member. In three places
//! it is not as simple as that, because a client means something else:
//!
//! - a date that is `null` is unchanged: one of the clients sends it always;
//! - what rules another member out takes its place: another kind of message, another kind of credentials, another
//!   certificate, `cron` instead of `frequency` and the other way round;
//! - what may stand in several places, or under several names, is first put where it is stored.

use super::action::MESSAGE_NAMES;
use super::json::{Json, MemberName};
use super::schedule::OTHER_NAMES;
use super::{collection, job, resource};

/// Lays an edit of a job over the stored one, which is written as [`super::view::Writer::of_stored`] does: without secrets.
/// What comes of it is flat if the edit is, so that complaints name the members as the client has written them.
pub fn merge_job(stored: Json, patch: Json) -> Json {
    let (patch, is_flat) = in_envelope(patch, &job::MEMBERS, &[]);
    let merged = merge(Level::Resource, stored, at_home(patch));
    if is_flat { without_envelope(merged) } else { merged }
}

/// Lays an edit of a collection over the stored one, in the same way.
pub fn merge_collection(stored: Json, patch: Json) -> Json {
    let (patch, is_flat) = in_envelope(patch, &collection::MEMBERS, &collection::BESIDE);
    let merged = merge(Level::Plain, stored, patch);
    if is_flat { without_envelope(merged) } else { merged }
}

/// The objects of a job that have rules of their own. In all others, among them those whose members the user named,
/// nothing rules anything out.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Level {
    Resource,
    Properties,
    Action,
    Message,
    Credentials,
    Brokered,
    Recurrence,
    Plain,
}

/// Members of a recurrence that `cron` stands for.
const RULE: [&str; 3] = ["frequency", "interval", "schedule"];

type Members = Vec<(MemberName, Json)>;

impl Level {
    /// What the member `name` of an object at this level is.
    fn member(self, name: &str) -> Self {
        let is = |other: &str| name.eq_ignore_ascii_case(other);
        match self {
            Self::Resource if is("properties") => Self::Properties,
            Self::Properties if is("action") => Self::Action,
            Self::Properties if is("recurrence") => Self::Recurrence,
            Self::Action if is("errorAction") => Self::Action,
            Self::Action if MESSAGE_NAMES.iter().any(|message| is(message)) => Self::Message,
            Self::Message if is("authentication") => Self::Credentials,
            Self::Message if is("brokeredMessageProperties") => Self::Brokered,
            _ => Self::Plain,
        }
    }

    /// Whether `null` means that the member `name` is as it was.
    fn is_date(self, name: &str) -> bool {
        let date = match self {
            Self::Properties => "startTime",
            Self::Recurrence => "endTime",
            Self::Brokered => "scheduledEnqueueTimeUtc",
            _ => return false,
        };
        name.eq_ignore_ascii_case(date)
    }

    /// Takes away what the members of the patch rule out.
    fn make_room(self, stored: &mut Members, patch: &Members) {
        let given =
            |name: &str| patch.iter().any(|(key, value)| key.eq_ignore_ascii_case(name) && *value != Json::Null);
        match self {
            Self::Action => {
                let new = MESSAGE_NAMES.into_iter().find(|name| given(name) && position(stored, name).is_none());
                let is_other = |name: &str| MESSAGE_NAMES.contains(&name);
                if new.is_some() && stored.iter().any(|(name, _)| is_other(name)) {
                    // The type belongs to the message that goes.
                    stored.retain(|(name, _)| !is_other(name) && name != "type");
                }
            }
            Self::Recurrence if given("cron") => stored.retain(|(name, _)| !RULE.contains(&&**name)),
            Self::Recurrence if given("frequency") => {
                stored.retain(|(name, _)| name != "cron" && name != "cronDialect");
            }
            Self::Credentials if kind(patch).is_some_and(|new| kind(stored) != Some(new)) => stored.clear(),
            // These members describe the certificate that is replaced.
            Self::Credentials if given("pfx") => stored.retain(|(name, _)| !name.starts_with("certificate")),
            _ => {}
        }
    }
}

fn merge(level: Level, stored: Json, patch: Json) -> Json {
    match (stored, patch) {
        (Json::Object(mut stored), Json::Object(patch)) => {
            level.make_room(&mut stored, &patch);
            for (name, value) in patch {
                merge_member(level, &mut stored, name, value);
            }
            Json::Object(stored)
        }
        // What is new may hold `null`s, too.
        (_, patch @ Json::Object(_)) => merge(level, Json::Object(Vec::new()), patch),
        (_, patch) => patch,
    }
}

fn merge_member(level: Level, stored: &mut Members, name: MemberName, value: Json) {
    match (position(stored, &name), value) {
        (_, Json::Null) if level.is_date(&name) => {}
        (Some(at), Json::Null) => drop(stored.remove(at)),
        (None, Json::Null) => {}
        (Some(at), value) => {
            let old = std::mem::replace(&mut stored[at].1, Json::Null);
            stored[at].1 = merge(level.member(&name), old, value);
        }
        (None, value) => {
            let value = merge(level.member(&name), Json::Null, value);
            stored.push((name, value));
        }
    }
}

/// The kind of credentials.
fn kind(members: &Members) -> Option<String> {
    match &members[position(members, "type")?].1 {
        Json::Text(kind) => Some(kind.to_ascii_lowercase()),
        _ => None,
    }
}

/// The edit with its members under `properties`, and whether they were beside each other. `members` are those by which a
/// flat edit is recognised; those in `beside` stand beside `properties`, as what identifies a resource does.
fn in_envelope(patch: Json, members: &[&str], beside: &[&str]) -> (Json, bool) {
    let Json::Object(root) = patch else { return (patch, false) };
    let has = |name: &str| position(&root, name).is_some();
    if has("properties") || !members.iter().any(|name| has(name)) {
        return (Json::Object(root), false);
    }
    let is_outside = |name: &str| {
        let mut outside = beside.iter().chain(&resource::IDENTITY).chain(&resource::ANSWERED).chain(&["etag"]);
        outside.any(|known| known.eq_ignore_ascii_case(name))
    };
    let (mut outside, inside): (Members, Members) = root.into_iter().partition(|(name, _)| is_outside(name));
    outside.push(("properties".into(), Json::Object(inside)));
    (Json::Object(outside), true)
}

/// The resource with its `properties` beside all else.
fn without_envelope(resource: Json) -> Json {
    let Json::Object(mut root) = resource else { return resource };
    if let Some(Json::Object(mut properties)) = take(&mut root, "properties") {
        root.append(&mut properties);
    }
    Json::Object(root)
}

/// The edit with everything where it is stored: the retry policy and the error action in the action, the lists of a schedule
/// under their own names. What stands there already stays.
fn at_home(patch: Json) -> Json {
    let Json::Object(mut root) = patch else { return patch };
    if let Some(properties) = member(&mut root, "properties") {
        for name in ["retryPolicy", "errorAction"] {
            move_into(properties, name, "action");
        }
        if let Some(action) = member(properties, "action") {
            let from_request = member(action, "request")
                .map(|request| ["retryPolicy", "errorAction"].map(|name| (name, take(request, name))));
            for (name, found) in from_request.into_iter().flatten() {
                add_if_absent(action, name, found);
            }
        }
        if let Some(schedule) = member(properties, "recurrence").and_then(|recurrence| member(recurrence, "schedule")) {
            for (other, name) in OTHER_NAMES {
                let found = take(schedule, other);
                add_if_absent(schedule, name, found);
            }
        }
    }
    Json::Object(root)
}

fn move_into(from: &mut Members, name: &str, home: &'static str) {
    let found = take(from, name);
    if found.is_some() && position(from, home).is_none() {
        from.push((home.into(), Json::Object(Vec::new())));
    }
    if let Some(home) = member(from, home) {
        add_if_absent(home, name, found);
    }
}

fn add_if_absent(members: &mut Members, name: &str, value: Option<Json>) {
    if let Some(value) = value.filter(|_| position(members, name).is_none()) {
        members.push((name.to_owned().into(), value));
    }
}

fn take(members: &mut Members, name: &str) -> Option<Json> {
    position(members, name).map(|at| members.remove(at).1)
}

fn member<'a>(members: &'a mut Members, name: &str) -> Option<&'a mut Members> {
    let at = position(members, name)?;
    if let Json::Object(inner) = &mut members[at].1 { Some(inner) } else { None }
}

fn position(members: &Members, name: &str) -> Option<usize> {
    members.iter().position(|(key, _)| key.eq_ignore_ascii_case(name))
}

//! `action` and `errorAction`.

use punctual_model::Violation;
use punctual_model::action::{Action, Entity, ErrorAction, HttpType, Secret, Target};

use super::object::Object;
use super::{email, http, retry, service_bus, storage_queue};

pub(super) const EXPECTED: &str =
    "what the job does: an object with request, queueMessage, serviceBusQueueMessage or serviceBusTopicMessage";

/// The same for an alert.
const ALERT_EXPECTED: &str =
    "whom to tell: an object with request, email, queueMessage, serviceBusQueueMessage or serviceBusTopicMessage";

/// The values of `type`.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// By name, or by its request alone.
    Http(Option<HttpType>),
    StorageQueue,
    ServiceBusQueue,
    ServiceBusTopic,
    Email,
}

/// Whose action is read.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Owner {
    /// A job, which sends no e-mail.
    Job,
    /// An alert.
    Alert,
}

/// A kind of action by the name of its type or of its message.
type Named = (&'static str, Kind);

/// What only alerts have stands last: [`Owner::choices`] cuts it off for jobs.
static KINDS: [Named; 6] = [
    ("Http", Kind::Http(Some(HttpType::Http))),
    ("Https", Kind::Http(Some(HttpType::Https))),
    ("StorageQueue", Kind::StorageQueue),
    ("ServiceBusQueue", Kind::ServiceBusQueue),
    ("ServiceBusTopic", Kind::ServiceBusTopic),
    ("Email", Kind::Email),
];

/// The members of which the action of a job has one.
pub(super) const MESSAGE_NAMES: [&str; 4] =
    ["request", "queueMessage", "serviceBusQueueMessage", "serviceBusTopicMessage"];

/// The `type` that each of them means. What only alerts have stands last, as above.
static MESSAGES: [Named; 5] = [
    (MESSAGE_NAMES[0], Kind::Http(None)),
    (MESSAGE_NAMES[1], Kind::StorageQueue),
    (MESSAGE_NAMES[2], Kind::ServiceBusQueue),
    (MESSAGE_NAMES[3], Kind::ServiceBusTopic),
    (EMAIL, Kind::Email),
];

/// The message that only alerts have.
const EMAIL: &str = "email";

/// Reads the action of a job or an alert, with the retry policy and the error action that may stand beside it.
pub(super) fn main(properties: &mut Object<'_>, owner: Owner) -> Option<Action<Option<Secret>>> {
    let Some(mut action) = properties.object("action") else {
        // Without an action they do nothing, but what is wrong with them is said.
        let _ = properties.object("retryPolicy").and_then(retry::read);
        let _ = properties.object("errorAction").and_then(error);
        return None;
    };
    let (kind, mut message) = message(&mut action, owner).unzip();
    let retry = first(&mut action, "retryPolicy", [message.as_mut(), Some(properties)]).and_then(retry::read);
    let error = first(&mut action, "errorAction", [message.as_mut(), Some(properties)]).and_then(error);
    let target = kind.zip(message).and_then(|(kind, message)| target(kind, message));
    action.ignore_rest();
    Some(Action { target: target?, retry, error, sign: None })
}

fn error(mut action: Object<'_>) -> Option<ErrorAction<Option<Secret>>> {
    // An alert has no error action.
    let (kind, mut message) = message(&mut action, Owner::Job).unzip();
    let retry = first(&mut action, "retryPolicy", [message.as_mut(), None]).and_then(retry::read);
    let target = kind.zip(message).and_then(|(kind, message)| target(kind, message));
    action.ignore_rest();
    Some(ErrorAction { target: target?, retry })
}

/// The object `name` where it belongs, else in the first of `others` that has it.
fn first<'a, const N: usize>(
    home: &mut Object<'a>,
    name: &'static str,
    others: [Option<&mut Object<'a>>; N],
) -> Option<Object<'a>> {
    let place = home.path_of(name);
    let mut found = home.object(name);
    for other in others.into_iter().flatten().filter(|other| other.has(name)) {
        if found.is_none() {
            other.warn(name, format!("taken as {place}"));
            found = other.object(name);
        } else {
            other.warn(name, "ignored: there is another one, nearer to the action");
            other.skip(&[name]);
        }
    }
    found
}

/// The one message of an action, and the kind of action it makes.
fn message<'a>(action: &mut Object<'a>, owner: Owner) -> Option<(Kind, Object<'a>)> {
    let [kinds, messages] = owner.choices();
    if owner == Owner::Job && action.holds(EMAIL) {
        let sentence = "e-mail is for alerts only: make an alert (/v1/alerts), or call a mail service by request";
        action.report(Violation::sentence(action.path_of(EMAIL), sentence));
        action.skip(&[EMAIL, "type"]);
        return None;
    }
    let given: Vec<_> = messages.iter().copied().filter(|(name, _)| action.has(name)).collect();
    let named = action.choice("type", kinds);
    let kind = match (named, given.as_slice()) {
        (Some(kind), _) => kind,
        (None, [(_, kind)]) => *kind,
        (None, [(first, _), (second, _), ..]) => {
            let sentence = format!("keep either {first} or {second}, or name the type that is meant");
            action.report(Violation::sentence(action.path_of(second), sentence));
            return None;
        }
        (None, []) => {
            let expected = if owner == Owner::Job { EXPECTED } else { ALERT_EXPECTED };
            action.violation("request", "nothing", expected);
            return None;
        }
    };
    let is_given = given.iter().any(|(name, _)| *name == kind.message());
    for (other, _) in given.iter().filter(|(name, _)| *name != kind.message()) {
        if is_given {
            action.warn(other, format!("ignored: the type is {}", kind.name()));
        } else {
            let (name, message) = (kind.name(), kind.message());
            let sentence = format!("type {name} goes with {message}, not with {other}: change one of them");
            action.report(Violation::sentence(action.path_of(other), sentence));
        }
        action.skip(&[other]);
    }
    if given.is_empty() {
        action.violation(kind.message(), "nothing", format!("an object, since the type is {}", kind.name()));
    }
    action.object(kind.message()).map(|message| (kind, message))
}

fn target(kind: Kind, message: Object<'_>) -> Option<Target<Option<Secret>>> {
    match kind {
        Kind::Http(kind) => http::read(message, kind).map(Target::Http),
        Kind::StorageQueue => storage_queue::read(message).map(Target::StorageQueue),
        Kind::ServiceBusQueue => {
            service_bus::read(message, "queueName", Entity::Queue).map(Box::new).map(Target::ServiceBus)
        }
        Kind::ServiceBusTopic => {
            service_bus::read(message, "topicPath", Entity::Topic).map(Box::new).map(Target::ServiceBus)
        }
        Kind::Email => email::read(message).map(Target::Email),
    }
}

impl Owner {
    /// The values of `type` and the messages that it may have. Those of alerts alone come last.
    fn choices(self) -> [&'static [Named]; 2] {
        match self {
            Self::Job => [&KINDS[..KINDS.len() - 1], &MESSAGES[..MESSAGES.len() - 1]],
            Self::Alert => [&KINDS, &MESSAGES],
        }
    }
}

impl Kind {
    fn name(self) -> &'static str {
        KINDS.iter().find(|(_, kind)| *kind == self).map_or("", |(name, _)| name)
    }

    /// The member that holds its message.
    fn message(self) -> &'static str {
        match self {
            Self::Http(_) => "request",
            Self::StorageQueue => "queueMessage",
            Self::ServiceBusQueue => "serviceBusQueueMessage",
            Self::ServiceBusTopic => "serviceBusTopicMessage",
            Self::Email => EMAIL,
        }
    }
}

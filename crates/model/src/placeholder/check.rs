//! What is wrong with the placeholders of a job.

use super::escape::Format;
use super::fill::{Filling, bare_text, body_format, message_format};
use super::template::{self, Part, has_braces};
use super::values::Values;
use crate::action::{
    Action, BrokeredProperties, HttpAction, ServiceBusAction, Target, check_custom, check_headers, check_message,
};
use crate::job::Definition;
use crate::{Problem, Violation, limits};

/// Where a template stands, for the sentences about it.
#[derive(Clone, Copy)]
struct Place<'a> {
    path: &'a str,
    /// Whether there is a failure to speak of.
    is_after_failure: bool,
}

impl<S> Action<S> {
    /// What is wrong with placeholders: names that nobody knows, values that are not there, places that are not filled in.
    /// Paths are relative to the definition of the job.
    pub fn check_placeholders(&self) -> Vec<Violation> {
        let targets = self.targets();
        targets.flat_map(|(path, target)| target.check_placeholders(path, path != "action")).collect()
    }
}

impl<S> Target<S> {
    /// What is wrong with the placeholders of a target at `path`; `is_after_failure` where there is a failure to speak of.
    pub fn check_placeholders(&self, path: &str, is_after_failure: bool) -> Vec<Violation> {
        let mut violations = Vec::new();
        let mut check = |member: &str, text: &str, format: Format| {
            let path = &format!("{path}.{member}");
            violations.extend(Place { path, is_after_failure }.check(text, format));
        };
        match self {
            Self::Http(http) => check_request(http, &mut check),
            Self::StorageQueue(queue) => {
                check("queueMessage.message", &queue.message, message_format(None, &queue.message));
            }
            Self::ServiceBus(bus) => check_bus(bus, &mut check),
            Self::Email(_) => {}
        }
        let fixed = match self {
            Self::Http(http) => fixed_in_request(http),
            Self::StorageQueue(_) | Self::Email(_) => Vec::new(),
            Self::ServiceBus(bus) => fixed_in_properties(bus),
        };
        violations.extend(fixed.into_iter().map(|violation| violation.under(path)));
        violations
    }
}

fn check_request<S>(http: &HttpAction<S>, check: &mut impl FnMut(&str, &str, Format)) {
    check("request.uri", http.uri.path(), Format::Address);
    check("request.uri", http.uri.query().unwrap_or_default(), Format::Address);
    for (name, value) in &http.headers {
        check(&format!("request.headers.{name}"), value, Format::Header);
    }
    check("request.body", http.body.as_deref().unwrap_or_default(), body_format(http));
}

fn check_bus<S>(bus: &ServiceBusAction<S>, check: &mut impl FnMut(&str, &str, Format)) {
    let member = bus.member();
    let format = message_format(bus.brokered.content_type.as_deref(), &bus.message);
    check(&format!("{member}.message"), &bus.message, format);
    for (name, value) in &bus.custom {
        check(&format!("{member}.customMessageProperties.{name}"), value, Format::Plain);
    }
}

/// Placeholders where they would change who is called, or how the body is written.
fn fixed_in_request<S>(http: &HttpAction<S>) -> Vec<Violation> {
    let mut violations = Vec::new();
    if has_braces(http.uri.before_path()) {
        let text = "placeholders stand in the path and the query only: scheme, user, host and port are fixed when the job \
                    is saved";
        violations.push(Violation::sentence("request.uri", text));
    }
    for (name, value) in &http.headers {
        if name.eq_ignore_ascii_case("content-type") && has_braces(value) {
            let text = "this header takes no placeholders: it decides how those of the body are escaped";
            violations.push(Violation::sentence(format!("request.headers.{name}"), text));
        }
    }
    violations
}

/// Placeholders in what the broker is told, which would be sent as they are.
fn fixed_in_properties<S>(bus: &ServiceBusAction<S>) -> Vec<Violation> {
    let BrokeredProperties { content_type, correlation_id, label, message_id, partition_key, .. } = &bus.brokered;
    let BrokeredProperties { reply_to, reply_to_session_id, session_id, to, via_partition_key, .. } = &bus.brokered;
    let members = [
        ("contentType", content_type),
        ("correlationId", correlation_id),
        ("label", label),
        ("messageId", message_id),
        ("partitionKey", partition_key),
        ("replyTo", reply_to),
        ("replyToSessionId", reply_to_session_id),
        ("sessionId", session_id),
        ("to", to),
        ("viaPartitionKey", via_partition_key),
    ];
    let with_braces = members.into_iter().filter(|(_, text)| text.as_deref().is_some_and(has_braces));
    let violation = |(name, _)| {
        let text = "placeholders stand in message and customMessageProperties only";
        Violation::sentence(format!("{}.brokeredMessageProperties.{name}", bus.member()), text)
    };
    with_braces.map(violation).collect()
}

impl Place<'_> {
    fn check(self, text: &str, format: Format) -> Option<Violation> {
        let sentence = match template::parse(text) {
            Err(sentence) => sentence,
            Ok(parts) => self.misplaced(&parts, text, format)?,
        };
        Some(Violation::sentence(self.path, sentence))
    }

    fn misplaced(self, parts: &[Part<'_>], text: &str, format: Format) -> Option<String> {
        let of_failure = parts.iter().find_map(|part| match part {
            Part::Value(placeholder) if placeholder.is_of_failure() => Some(placeholder),
            _ => None,
        });
        if let Some(placeholder) = of_failure.filter(|_| !self.is_after_failure) {
            let name = placeholder.name();
            return Some(format!("{{{{{name}}}}} is known to an error action only: use it in action.errorAction"));
        }
        let bare = bare_text(text).filter(|_| format == Format::Json)?;
        Some(format!("{{{{{}}}}} is a text: in JSON it stands in quotes", bare.name()))
    }
}

impl<S: Clone> Definition<S> {
    /// What is too long when the job is done: a message in its envelope, and what placeholders can become. `names` are those of
    /// the subscription, the group, the collection and the job. Paths are relative to the definition.
    pub fn check_sizes(&self, names: [&str; 4]) -> Vec<Violation> {
        let [_, _, collection, job] = names;
        if !self.options.has_placeholders() {
            return self.action.check_queue_sizes(collection, job);
        }
        let mut violations: Vec<Violation> = Vec::new();
        Values::each_longest(names, |values| {
            let action = self.action.filled(Filling::Values(values));
            let lengths = action.targets().flat_map(|(path, target)| lengths(path, target));
            for violation in lengths.chain(action.check_queue_sizes(collection, job)) {
                if violations.iter().all(|known| known.path != violation.path) {
                    violations.push(with_longest_values(violation));
                }
            }
        });
        violations
    }
}

impl<S: Clone> Action<S> {
    /// The action with its placeholders replaced, those of its error action, too.
    fn filled(&self, filling: Filling<'_>) -> Self {
        let mut action = self.clone();
        action.target = filling.fill(&self.target);
        if let Some(error) = &mut action.error {
            error.target = filling.fill(&error.target);
        }
        action
    }
}

/// What is too long in a target.
fn lengths<S>(path: &str, target: &Target<S>) -> Vec<Violation> {
    let message = |member: &str, text: &str| {
        let given = || format!("{} characters", text.chars().count());
        check_message(text).map_err(|expected| expected.at(member, given())).err()
    };
    let violations = match target {
        Target::Http(http) => {
            let chars = http.uri.as_str().chars().count();
            let expected = format!("at most {}", limits::URI_CHARS_MAX);
            let uri = Violation::new("request.uri", format!("{chars} characters"), expected);
            let headers = check_headers(&http.headers).err().map(|violation| violation.under("request.headers"));
            let body = message("request.body", http.body.as_deref().unwrap_or_default());
            [(chars > limits::URI_CHARS_MAX).then_some(uri), headers, body]
        }
        Target::StorageQueue(queue) => [message("queueMessage.message", &queue.message), None, None],
        Target::ServiceBus(bus) => {
            let custom = check_custom(&bus.custom).err().map(|it| it.under("customMessageProperties"));
            [message("message", &bus.message), custom, None].map(|it| it.map(|it| it.under(bus.member())))
        }
        Target::Email(_) => [None, None, None],
    };
    violations.into_iter().flatten().map(|violation| violation.under(path)).collect()
}

/// A reader would count less.
fn with_longest_values(mut violation: Violation) -> Violation {
    if let Problem::Value { given, .. } = &mut violation.problem {
        given.push_str(" with the longest values of its placeholders");
    }
    violation
}

//! Filling in: a text, and all texts of a target.

use std::borrow::Cow;

use super::escape::{Format, Quotes};
use super::json::is_json;
use super::template::{self, Part};
use super::values::{Value, Values};
use super::{Placeholder, template::has_braces};
use crate::action::{HttpAction, ServiceBusAction, StorageQueueAction, Target};
use crate::limits;

/// Stands where a value would be: a character that is set aside for use inside of programs, and that XML and JSON can hold.
pub const GAP: char = '\u{fdd0}';

/// What placeholders are replaced by.
#[derive(Clone, Copy, Debug)]
pub enum Filling<'a> {
    /// What they stand for, escaped by where they stand.
    Values(Values<'a>),
    /// [`GAP`]: what is left are the user's own texts. In JSON, a number without quotes becomes 0, and the text stays JSON.
    Gaps,
}

impl Filling<'_> {
    /// A target with its placeholders replaced. A text that is no template stays as it is.
    #[must_use]
    pub fn fill<S: Clone>(&self, target: &Target<S>) -> Target<S> {
        match target {
            Target::Http(http) => Target::Http(self.fill_request(http)),
            Target::StorageQueue(queue) => {
                let message = self.text(&queue.message, message_format(None, &queue.message)).into_owned();
                Target::StorageQueue(StorageQueueAction { message, ..queue.clone() })
            }
            Target::ServiceBus(bus) => {
                let format = message_format(bus.brokered.content_type.as_deref(), &bus.message);
                let message = self.text(&bus.message, format).into_owned();
                let custom = self.pairs(&bus.custom, Format::Plain);
                Target::ServiceBus(Box::new(ServiceBusAction { message, custom, ..(**bus).clone() }))
            }
            // An alert writes what its e-mail says.
            Target::Email(email) => Target::Email(email.clone()),
        }
    }

    /// The request of an HTTP action. Scheme, user, host and port stay what they are, whatever the values.
    fn fill_request<S: Clone>(&self, http: &HttpAction<S>) -> HttpAction<S> {
        let format = body_format(http);
        HttpAction {
            uri: http.uri.map_target(|text| self.text(text, Format::Address).into_owned()),
            headers: self.pairs(&http.headers, Format::Header),
            body: http.body.as_ref().map(|body| self.text(body, format).into_owned()),
            ..http.clone()
        }
    }

    fn pairs(&self, pairs: &[(String, String)], format: Format) -> Vec<(String, String)> {
        let filled = pairs.iter().map(|(name, value)| (name.clone(), self.text(value, format).into_owned()));
        filled.collect()
    }

    pub(super) fn text<'t>(&self, text: &'t str, format: Format) -> Cow<'t, str> {
        match has_braces(text).then(|| template::parse(text)) {
            Some(Ok(parts)) => Cow::Owned(self.parts(&parts, format)),
            Some(Err(_)) | None => Cow::Borrowed(text),
        }
    }

    fn parts(&self, parts: &[Part<'_>], format: Format) -> String {
        let mut written = String::new();
        let mut quotes = Quotes::default();
        for part in parts {
            match part {
                Part::Text(text) => {
                    quotes.pass(text);
                    written.push_str(text);
                }
                Part::Value(placeholder) => {
                    let is_bare = format == Format::Json && !quotes.is_open;
                    self.write(*placeholder, format, is_bare, &mut written);
                }
            }
        }
        written
    }

    /// Writes what a placeholder stands for. A number that is bare in JSON has to be something even if there is none.
    fn write(&self, placeholder: Placeholder, format: Format, is_bare: bool, written: &mut String) {
        let values = match self {
            Self::Gaps => return written.push(if is_bare { '0' } else { GAP }),
            Self::Values(values) => values,
        };
        match values.get(placeholder) {
            Value::Number(Some(number)) => written.push_str(&number.to_string()),
            Value::Number(None) => written.push_str(if is_bare { "null" } else { "" }),
            Value::Text(text) => {
                let is_cut = placeholder == Placeholder::FailureMessage;
                let bytes_max = if is_cut { limits::FAILURE_MESSAGE_BYTES_MAX } else { usize::MAX };
                format.write_text(&text, bytes_max, written);
            }
        }
    }
}

/// The format of the body of a request.
pub(super) fn body_format<S>(http: &HttpAction<S>) -> Format {
    let content_type = http.headers.iter().find(|(name, _)| name.eq_ignore_ascii_case("content-type"));
    message_format(content_type.map(|(_, value)| &**value), http.body.as_deref().unwrap_or_default())
}

/// The format of a message: what its sender says, else JSON if the template is JSON with its texts in strings.
pub(super) fn message_format(content_type: Option<&str>, template: &str) -> Format {
    let is_json_template = || is_object_or_list(template) && is_json(&Filling::Gaps.text(template, Format::Json));
    match content_type {
        Some(content_type) => Format::of_media_type(content_type),
        None if is_json_template() && bare_text(template).is_none() => Format::Json,
        None => Format::Plain,
    }
}

/// The first placeholder in a template of JSON that is a text and stands outside of quotes.
pub(super) fn bare_text(template: &str) -> Option<Placeholder> {
    let mut quotes = Quotes::default();
    for part in template::parse(template).ok()? {
        match part {
            Part::Text(text) => quotes.pass(text),
            Part::Value(placeholder) if !quotes.is_open && !placeholder.is_number() => return Some(placeholder),
            Part::Value(_) => {}
        }
    }
    None
}

fn is_object_or_list(text: &str) -> bool {
    text.trim_start().starts_with(['{', '['])
}

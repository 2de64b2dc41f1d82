//! The text that is put on a storage queue.

use std::borrow::Cow;
use std::fmt::{self, Write as _};

use super::{Action, MessageFormat, StorageQueueAction, Target};
use crate::occurrence::OccurrenceId;
use crate::time::Timestamp;
use crate::{Violation, limits};

/// The original's XML document around a message.
///
/// Its consumers are written in .NET, and take it for a text: they decode base64 and UTF-8 (`AsString`), and parse what
/// they get; some turn the text into UTF-16 first and believe the declaration. So the declaration says `utf-16`, as the
/// original's did, although the bytes on the queue are UTF-8.
#[derive(Clone, Copy, Debug)]
pub struct QueueEnvelope<'a> {
    /// The occurrence.
    pub occurrence: OccurrenceId,
    /// The attempt, as 8-4-4-4-12 hexadecimal digits.
    pub attempt: &'a str,
    /// The time that the occurrence stands for.
    pub nominal: Timestamp,
    /// The name of the job.
    pub job: &'a str,
    /// The name of its collection.
    pub collection: &'a str,
    /// The user's message.
    pub message: &'a str,
}

impl fmt::Display for QueueEnvelope<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // A .NET `DateTime` without a zone, which is UTC.
        let nominal = self.nominal.to_string();
        let elements: [(&str, &str); 7] = [
            ("ExecutionTag", &self.occurrence.to_string()),
            ("ClientRequestId", self.attempt),
            ("ExpectedExecutionTime", nominal.trim_end_matches('Z')),
            ("SchedulerJobId", self.job),
            ("SchedulerJobCollectionId", self.collection),
            ("Region", ""),
            ("Message", self.message),
        ];
        f.write_str("<?xml version=\"1.0\" encoding=\"utf-16\"?>\r\n<StorageQueueMessage ")?;
        f.write_str("xmlns:xsd=\"http://www.w3.org/2001/XMLSchema\" ")?;
        f.write_str("xmlns:xsi=\"http://www.w3.org/2001/XMLSchema-instance\">\r\n")?;
        for (name, text) in elements {
            match text {
                "" => write!(f, "  <{name} />\r\n")?,
                text => write!(f, "  <{name}>{}</{name}>\r\n", escape_xml(text))?,
            }
        }
        f.write_str("</StorageQueueMessage>")
    }
}

/// A text as XML holds it between two tags. A carriage return would be read as a line feed if it were not escaped, and what
/// XML cannot hold at all becomes U+FFFD.
pub fn escape_xml(text: &str) -> Cow<'_, str> {
    let is_plain = |c: char| !matches!(c, '&' | '<' | '>' | '\r') && is_xml(c);
    if text.chars().all(is_plain) {
        return Cow::Borrowed(text);
    }
    let mut escaped = String::with_capacity(text.len() + 32);
    for c in text.chars() {
        match c {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '\r' => escaped.push_str("&#xD;"),
            c if is_xml(c) => escaped.push(c),
            _ => escaped.push(char::REPLACEMENT_CHARACTER),
        }
    }
    Cow::Owned(escaped)
}

/// Checks that a message can be put on a queue in this format: base64 holds everything, XML does not. The path is relative
/// to `queueMessage`.
pub fn check_queue_message(text: &str, format: Option<MessageFormat>) -> Result<(), Violation> {
    match text.chars().find(|c| !is_xml(*c)) {
        Some(c) if format != Some(MessageFormat::Base64) => {
            let given = format!("the character U+{:04X}", u32::from(c));
            Err(Violation::new("message", given, "characters that XML can hold, or the format base64"))
        }
        _ => Ok(()),
    }
}

impl<S> Action<S> {
    /// What is too large for a storage queue when a job of that name in that collection sends it: the envelope holds both
    /// names. Paths are relative to the definition.
    pub fn check_queue_sizes(&self, collection: &str, job: &str) -> Vec<Violation> {
        let queues = self.targets().filter_map(|(path, target)| match target {
            Target::StorageQueue(queue) => Some((path, queue)),
            _ => None,
        });
        let is_too_large = |(path, queue): (&str, &StorageQueueAction<S>)| {
            let bytes = queue.text_bytes(collection, job);
            let expected = format!("at most {}, which is what a storage queue takes", limits::QUEUE_TEXT_BYTES_MAX);
            (bytes > limits::QUEUE_TEXT_BYTES_MAX).then(|| {
                let given = format!("{bytes} bytes in the format {}", queue.format().name());
                Violation::new(format!("{path}.queueMessage.message"), given, expected)
            })
        };
        queues.filter_map(is_too_large).collect()
    }
}

impl<S> StorageQueueAction<S> {
    /// How the message is wrapped.
    pub fn format(&self) -> MessageFormat {
        self.format.unwrap_or(MessageFormat::Envelope)
    }

    /// How many bytes the message has on the queue, at most.
    fn text_bytes(&self, collection: &str, job: &str) -> usize {
        let base64 = |bytes: usize| bytes.div_ceil(3) * 4;
        match self.format() {
            MessageFormat::Raw => self.message.len(),
            MessageFormat::Base64 => base64(self.message.len()),
            MessageFormat::Envelope => {
                let envelope = QueueEnvelope {
                    occurrence: OccurrenceId::from_bytes([0; 16]),
                    attempt: "00000000-0000-0000-0000-000000000000",
                    // No time is written with more digits.
                    nominal: Timestamp::MAX,
                    job,
                    collection,
                    message: &self.message,
                };
                let mut length = Length(0);
                let _ = write!(length, "{envelope}");
                base64(length.0)
            }
        }
    }
}

/// Whether XML 1.0 has the character.
pub(crate) fn is_xml(c: char) -> bool {
    !matches!(c, '\0'..='\u{8}' | '\u{b}' | '\u{c}' | '\u{e}'..='\u{1f}' | '\u{fffe}' | '\u{ffff}')
}

/// Counts what is written.
struct Length(usize);

impl fmt::Write for Length {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        self.0 += text.len();
        Ok(())
    }
}

//! What placeholders stand for.

use std::borrow::Cow;
use std::fmt::Write as _;

use super::Placeholder;
use crate::failure::{Failure, FailureClass};
use crate::limits;
use crate::occurrence::OccurrenceId;
use crate::time::Timestamp;

/// What is known of an attempt.
#[derive(Clone, Copy, Debug)]
pub struct Values<'a> {
    /// The names of the subscription, the group, the collection and the job.
    pub names: [&'a str; 4],
    /// The time that the occurrence stands for.
    pub nominal: Timestamp,
    /// The id of the occurrence, as the target is told it.
    pub tag: OccurrenceId,
    /// The number of the attempt among those of the same action, from 1.
    pub attempt: u32,
    /// Why the last attempt of the main action failed: for error actions, if it is known.
    pub failure: Option<&'a Failure>,
    /// How people reach this server, if the configuration says so: scheme, host and port.
    pub public_url: Option<&'a str>,
    /// How this machine reaches this server: scheme, address and port of its listener.
    pub listen_url: &'a str,
}

/// What a placeholder stands for.
pub(super) enum Value<'a> {
    Text(Cow<'a, str>),
    /// None where there is none: an attempt that got no answer has no status code.
    Number(Option<u32>),
}

impl<'a> Values<'a> {
    pub(super) fn get(&self, placeholder: Placeholder) -> Value<'a> {
        let [_, _, collection, job] = self.names;
        let failure = self.failure;
        match placeholder {
            Placeholder::JobName => Value::Text(job.into()),
            Placeholder::JobCollection => Value::Text(collection.into()),
            Placeholder::OccurrenceNominal => Value::Text(self.nominal.to_string().into()),
            Placeholder::OccurrenceTag => Value::Text(self.tag.to_string().into()),
            Placeholder::Attempt => Value::Number(Some(self.attempt)),
            Placeholder::FailureMessage => Value::Text(failure.map(Failure::sentence).unwrap_or_default().into()),
            Placeholder::FailureCode => Value::Number(failure.and_then(|failure| failure.code).map(u32::from)),
            Placeholder::Link => Value::Text(self.link().into()),
        }
    }

    /// Where the occurrence can be looked at: its page in the console or, where nobody has said at which address people
    /// reach the server, the job's history in the API, at the address on which the server listens.
    fn link(&self) -> String {
        let [subscription, group, collection, job] = self.names.map(percent_encoded);
        match self.public_url {
            Some(url) => format!("{url}/jobs/{collection}/{job}/at/{}", self.nominal),
            None => format!(
                "{}/v1/collections/{collection}/jobs/{job}/history?subscription={subscription}&group={group}",
                self.listen_url
            ),
        }
    }

    /// Looks at the longest values that placeholders of a job can have: what is sent then keeps all limits, whatever happens.
    /// Which ones are the longest depends on where they stand, and on whether the server has an address.
    pub(super) fn each_longest(names: [&str; 4], mut look: impl FnMut(Values<'_>)) {
        let url = format!("https://{}:65535", "x".repeat(limits::HOST_CHARS_MAX));
        // An IPv6 address with the number of its network.
        let listen_url = format!("https://[{}]:65535", "x".repeat(50));
        // In the envelope of a queue, an ampersand is longest; everywhere else as much is filled in of it as of others, or less.
        for letter in ["x", "&"] {
            let failure = Failure {
                class: FailureClass::Status,
                code: Some(u16::MAX),
                host: String::new(),
                // Longer than what is filled in of it.
                detail: letter.repeat(limits::FAILURE_MESSAGE_BYTES_MAX),
            };
            for public_url in [None, Some(&*url)] {
                look(Values {
                    names,
                    nominal: Timestamp::MAX,
                    tag: OccurrenceId::from_bytes([0; 16]),
                    attempt: limits::RETRY_COUNT_MAX + 1,
                    failure: Some(&failure),
                    public_url,
                    listen_url: &listen_url,
                });
            }
        }
    }
}

/// A text in which everything but letters and digits of ASCII and `-._~` is written in percent signs: it means itself in
/// every part of a path and a query, and in a form.
pub(super) fn percent_encoded(text: &str) -> String {
    let mut encoded = String::with_capacity(text.len());
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) {
            encoded.push(byte.into());
        } else {
            let _ = write!(encoded, "%{byte:02X}");
        }
    }
    encoded
}

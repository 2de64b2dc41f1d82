//! What an attempt sends, in words, for those who may read a history and not see secrets.

use super::{Action, MASK, Target, mask_address};
use crate::occurrence::Phase;

impl<S> Action<S> {
    /// What an attempt of `phase` would send: method, address without query, and size; of a message where it goes, and its size.
    pub fn deed(&self, phase: Phase) -> String {
        let (what, bytes) = match self.target_of(phase) {
            Target::Http(http) => {
                let masked = mask_address(http.uri.as_str(), MASK);
                let address = masked.split(['?', '#']).next().unwrap_or_default().to_owned();
                (format!("{} {address}", http.method.to_uppercase()), http.body.as_ref().map_or(0, String::len))
            }
            target @ Target::StorageQueue(queue) => (format!("a message to {}", target.label()), queue.message.len()),
            target @ Target::ServiceBus(bus) => (format!("a message to {}", target.label()), bus.message.len()),
            target @ Target::Email(email) => {
                let bytes = email.message.as_ref().map_or(0, |message| message.text.len());
                (format!("an e-mail to {}", target.label()), bytes)
            }
        };
        format!("{what}, {bytes} bytes")
    }
}

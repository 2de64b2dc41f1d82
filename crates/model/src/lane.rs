//! Which attempts wait in the same queue.
//!
//! A target that hangs must hold up only the jobs that call it. So everything that is due waits in lanes, one for each
//! collection and host, and the lanes take turns.

use sha2::{Digest, Sha256};

use crate::action::{Action, Target};
use crate::occurrence::Phase;

/// A lane, by its number. The number is stored with each row that waits, so that a full lane can be skipped without reading
/// its jobs. The number is a hash: two lanes of the same number would only share their turns. Lanes of the server's own jobs
/// have negative numbers, so that they can be told from all others without reading a job.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Lane(pub i64);

impl Lane {
    /// The number of the collection of the server's own jobs.
    const SERVER: i64 = 0;

    /// The lane in which an attempt of `phase` waits, in a collection with the number `collection`.
    pub fn of<S>(collection: i64, action: &Action<S>, phase: Phase) -> Self {
        Self::new(collection, &Host::of(action.target_of(phase)))
    }

    /// The lane of the calls from a collection, by its number, to a host.
    pub fn new(collection: i64, host: &Host) -> Self {
        let mut hash = Sha256::new();
        hash.update(collection.to_be_bytes());
        hash.update(host.0.as_bytes());
        let mut number = [0; 8];
        number.copy_from_slice(&hash.finalize()[..8]);
        let number = i64::from_be_bytes(number);
        Self(if collection == Self::SERVER { number | i64::MIN } else { number & i64::MAX })
    }

    /// Whether the server's own jobs wait here, which deliver messages.
    pub const fn is_of_server(self) -> bool {
        self.0 < 0
    }
}

/// What fails together: the server, account or namespace that a target belongs to.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Host(String);

impl Host {
    /// The host of a target, however it is spelled: name and port of an address, an account or a namespace. All e-mail goes by
    /// one server, which the operator names.
    pub fn of<S>(target: &Target<S>) -> Self {
        Self(match target {
            Target::Http(http) => http.uri.host_key(),
            Target::StorageQueue(queue) => format!("{}/queue", queue.account.to_ascii_lowercase()),
            Target::ServiceBus(bus) => format!("{}/bus", bus.namespace.to_ascii_lowercase()),
            Target::Email(_) => "server/e-mail".to_owned(),
        })
    }

    /// The name of the host, as logs and messages show it.
    pub fn name(&self) -> &str {
        &self.0
    }
}

//! When what an action is allowed by ends.

use super::{Action, Authentication, SasToken, Target};
use crate::time::Timestamp;

impl Action {
    /// When the first certificate or signature of the action ends, as far as they say so themselves.
    pub fn expires_at(&self) -> Option<Timestamp> {
        self.targets().filter_map(|(_, target)| target.expires_at()).min()
    }
}

impl Target {
    fn expires_at(&self) -> Option<Timestamp> {
        match self {
            Self::Http(http) => match &http.authentication {
                Some(Authentication::ClientCertificate { info, .. }) => info.as_ref().map(|info| info.expires),
                _ => None,
            },
            Self::StorageQueue(queue) => SasToken::new(&queue.sas_token).expires_at(),
            Self::ServiceBus(_) | Self::Email(_) => None,
        }
    }
}

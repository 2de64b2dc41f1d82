//! Which paths are open to who has a role on something inside only.

use punctual_model::access::Role;
use punctual_store::ChangePlace;

use super::Target;

impl Target {
    /// Whether the role on something inside is enough: who may see one collection may ask for the list, and is shown that
    /// one; who may write one may have all that failed in it run again, and have it watched.
    pub(crate) fn is_open_from_inside(&self, role: Role) -> bool {
        match role {
            Role::Reader => self.is_seen_from_inside(),
            Role::Contributor | Role::Owner => matches!(self, Self::Rerun | Self::Bulk | Self::Alerts(_)),
        }
    }

    fn is_seen_from_inside(&self) -> bool {
        matches!(
            self,
            Self::Preview
                | Self::SignInLink
                | Self::Events
                | Self::Failures
                | Self::Due
                | Self::AllHistory
                | Self::Alerts(_)
                | Self::Changes(ChangePlace::Alert(_))
                | Self::Subscriptions
                | Self::Operations
                | Self::Subscription(_)
                | Self::Providers(_)
                | Self::Provider(_)
                | Self::Registration(_)
                | Self::Groups(_)
                | Self::Group(_)
                | Self::CollectionsOfSubscription(_)
                | Self::Collections(_)
                | Self::AllJobs
        )
    }
}

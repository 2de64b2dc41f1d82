//! What the API is told about the targets of jobs.

use punctual_actions::{Foresight, Obstacle};
use punctual_api::{TargetCheck, TargetFlaw};
use punctual_model::access::Scope;
use punctual_model::action::Target;

/// Asks the part that calls targets.
pub(super) struct ForeseenFlaws(pub(super) Foresight);

impl TargetCheck for ForeseenFlaws {
    fn flaw(&self, target: &Target, collection: &Scope) -> Option<TargetFlaw> {
        self.0.obstacle(target, collection).map(|obstacle| match obstacle {
            Obstacle::Forbidden(text) => TargetFlaw::Forbidden(text),
            Obstacle::NoKey(text) => TargetFlaw::NoKey(text),
            Obstacle::NoMailServer(text) => TargetFlaw::NoMailServer(text),
        })
    }
}

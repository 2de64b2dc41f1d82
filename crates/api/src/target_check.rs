//! What the server knows about the targets of jobs before it calls them.

use punctual_model::access::Scope;
use punctual_model::action::{Action, Entity, Target};
use punctual_model::{Violation, Warning};

/// Knows which targets cannot be called as they are. What calls targets is not known here: the program that wires the parts
/// together provides the check.
pub trait TargetCheck: Send + Sync {
    /// Why every attempt at a target of a job in the collection will fail; none if nothing is known against it.
    fn flaw(&self, target: &Target, collection: &Scope) -> Option<TargetFlaw>;
}

/// Why every attempt at a target will fail until the job or the server's settings are changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TargetFlaw {
    /// Calls to the address are refused by policy.
    Forbidden(String),
    /// There is no key for the namespace.
    NoKey(String),
    /// The settings name no mail server.
    NoMailServer(String),
}

/// What is done about a job that lacks its key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum MissingKey {
    /// The examples in the documents of the original have none.
    Warned,
    /// On the short path, which no client of the original uses, unless the job is disabled.
    Refused,
}

/// A target of an action and what is wrong with it.
pub(crate) struct FlawedTarget {
    /// The member to change, from the definition of the job.
    path: String,
    flaw: TargetFlaw,
}

impl FlawedTarget {
    /// Finds what is wrong with the targets of an action.
    pub(crate) fn find(check: &dyn TargetCheck, action: &Action, collection: &Scope) -> Vec<Self> {
        let flawed = action.targets().filter_map(|(path, target)| {
            let flaw = check.flaw(target, collection)?;
            Some(Self { path: format!("{path}.{}", member(target)), flaw })
        });
        flawed.collect()
    }

    pub(crate) fn lacks_key(&self) -> bool {
        matches!(self.flaw, TargetFlaw::NoKey(_))
    }

    pub(crate) fn warning(&self) -> Warning {
        match &self.flaw {
            TargetFlaw::Forbidden(text) | TargetFlaw::NoKey(text) | TargetFlaw::NoMailServer(text) => {
                Warning::new(self.path.clone(), text.clone())
            }
        }
    }

    pub(crate) fn violation(&self) -> Violation {
        match &self.flaw {
            TargetFlaw::Forbidden(text) | TargetFlaw::NoKey(text) | TargetFlaw::NoMailServer(text) => {
                Violation::sentence(self.path.clone(), text.clone())
            }
        }
    }
}

fn member(target: &Target) -> &'static str {
    match target {
        Target::Http(_) => "request.uri",
        Target::StorageQueue(_) => "queueMessage",
        Target::ServiceBus(bus) => match bus.entity {
            Entity::Queue(_) => "serviceBusQueueMessage.authentication.sasKey",
            Entity::Topic(_) => "serviceBusTopicMessage.authentication.sasKey",
        },
        Target::Email(_) => "email",
    }
}

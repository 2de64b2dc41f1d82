//! A part of the server.

use std::fmt;

use crate::{Expected, Name};

/// A part of the server that a role can be given on.
///
/// A scope is written as the path of the resource. Two scopes are compared name by name, never as text: a grant on the group
/// `test` says nothing about the group `test2`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Scope {
    /// Everything.
    Server,
    /// One subscription.
    Subscription(Name),
    /// One resource group.
    Group {
        /// The subscription it belongs to.
        subscription: Name,
        /// Its name.
        group: Name,
    },
    /// One job collection with its jobs.
    Collection {
        /// The subscription it belongs to.
        subscription: Name,
        /// The resource group it belongs to.
        group: Name,
        /// Its name.
        collection: Name,
    },
}

impl Scope {
    /// Reads a path. The fixed words in it may have any case.
    pub fn parse(text: &str) -> Result<Self, Expected> {
        if text == "/" {
            return Ok(Self::Server);
        }
        let segments: Vec<&str> = text.split('/').collect();
        let is = |at: usize, word: &str| segments[at].eq_ignore_ascii_case(word);
        match segments[..] {
            ["", _, subscription] if is(1, "subscriptions") => Ok(Self::Subscription(name(subscription)?)),
            ["", _, subscription, _, group] if is(1, "subscriptions") && is(3, "resourceGroups") => {
                Ok(Self::Group { subscription: name(subscription)?, group: name(group)? })
            }
            ["", _, subscription, _, group, _, _, _, collection]
                if is(1, "subscriptions")
                    && is(3, "resourceGroups")
                    && is(5, "providers")
                    && is(6, "Microsoft.Scheduler")
                    && is(7, "jobCollections") =>
            {
                Ok(Self::Collection {
                    subscription: name(subscription)?,
                    group: name(group)?,
                    collection: name(collection)?,
                })
            }
            _ => Err(Expected::new(
                "/ for the whole server, /subscriptions/S, /subscriptions/S/resourceGroups/G or \
                 /subscriptions/S/resourceGroups/G/providers/Microsoft.Scheduler/jobCollections/C",
            )),
        }
    }

    /// Reads a path, or the name of a collection in a group: people who have one group name their collections alone.
    pub fn parse_within(text: &str, subscription: &Name, group: &Name) -> Result<Self, Expected> {
        if text.is_empty() || text.contains('/') {
            return Self::parse(text);
        }
        let collection = name(text)?;
        Ok(Self::Collection { subscription: subscription.clone(), group: group.clone(), collection })
    }

    /// Whether all of `other` lies within this scope. A scope covers itself.
    pub fn covers(&self, other: &Self) -> bool {
        let mut pairs = self.names().into_iter().zip(other.names());
        pairs.all(|(mine, theirs)| mine.is_none() || mine == theirs)
    }

    /// From the outermost inwards; where the names end, the scope includes everything.
    pub fn names(&self) -> [Option<&Name>; 3] {
        match self {
            Self::Server => [None, None, None],
            Self::Subscription(subscription) => [Some(subscription), None, None],
            Self::Group { subscription, group } => [Some(subscription), Some(group), None],
            Self::Collection { subscription, group, collection } => [Some(subscription), Some(group), Some(collection)],
        }
    }
}

fn name(segment: &str) -> Result<Name, Expected> {
    Name::parse(segment).map_err(|expected| Expected::new(format!("a path of names of {expected}")))
}

/// The path, its names as they were first written.
impl fmt::Display for Scope {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const BEFORE: [&str; 3] =
            ["/subscriptions/", "/resourceGroups/", "/providers/Microsoft.Scheduler/jobCollections/"];
        if *self == Self::Server {
            return f.write_str("/");
        }
        BEFORE.iter().zip(self.names().into_iter().flatten()).try_for_each(|(before, name)| write!(f, "{before}{name}"))
    }
}

//! Paths of the nodes on the store.

use http::Method;
use punctual_model::Name;
use punctual_model::access::Role;

use super::{Misroute, name};

/// What such a path names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum ClusterTarget {
    /// All nodes, and who owns which shards.
    Nodes,
    /// Whether the node of that number or name gives its shards away.
    Drain(Name),
}

impl ClusterTarget {
    /// Reads a path below `/v1`.
    pub(super) fn parse(folded: &[&str], segments: &[&str]) -> Result<Self, Misroute> {
        match folded {
            ["cluster"] => Ok(Self::Nodes),
            ["cluster", "nodes", _, "drain"] => Ok(Self::Drain(name("the node", segments[2])?)),
            _ => Err(Misroute::Unknown),
        }
    }

    /// The methods that mean something here, each with the role it needs.
    pub(super) const fn methods(&self) -> &'static [(Method, Option<Role>)] {
        match self {
            Self::Nodes => &[(Method::GET, Some(Role::Reader))],
            Self::Drain(_) => &[(Method::POST, Some(Role::Owner)), (Method::DELETE, Some(Role::Owner))],
        }
    }
}

//! What can be asked of a job beside its definition and its history. Only the short path has these: the original had none of them.

use http::Method;
use punctual_model::access::Role;

use super::{Misroute, decode};

/// What is asked of a job.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum JobTask {
    Enable,
    /// Disables the job, perhaps with a note and until an instant.
    Disable,
    /// Asks why the job did, or did not, run at a time.
    At(String),
    /// Past times that run now.
    Backfill,
}

impl JobTask {
    /// Reads what stands behind the name of a job; none if that is something else.
    pub(super) fn parse(folded: &[&str], segments: &[&str]) -> Result<Option<Self>, Misroute> {
        Ok(match folded {
            ["enable"] => Some(Self::Enable),
            ["disable"] => Some(Self::Disable),
            ["backfill"] => Some(Self::Backfill),
            ["at", _] => Some(Self::At(decode(segments[1])?)),
            _ => None,
        })
    }

    pub(super) const fn methods(&self) -> &'static [(Method, Option<Role>)] {
        match self {
            Self::Backfill => &[
                (Method::GET, Some(Role::Reader)),
                (Method::POST, Some(Role::Contributor)),
                (Method::DELETE, Some(Role::Contributor)),
            ],
            Self::At(_) => &[(Method::GET, Some(Role::Reader))],
            Self::Enable | Self::Disable => &[(Method::POST, Some(Role::Contributor))],
        }
    }

    /// The name of the route, by which requests are counted.
    pub(crate) const fn name(&self) -> &'static str {
        match self {
            Self::Enable => "enable",
            Self::Disable => "disable",
            Self::At(_) => "at",
            Self::Backfill => "backfill",
        }
    }
}

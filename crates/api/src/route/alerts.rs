//! Paths of alerts, of their messages, and of incidents.

use http::Method;
use punctual_model::access::Role;
use punctual_model::{Name, Violation};
use punctual_store::{DeliveryId, IncidentId};

use super::{Misroute, invalid, name};

/// What such a path names. The role that it needs is one on the scope of the alert, which only the alert itself says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum AlertTarget {
    Alerts,
    Alert(Name),
    /// Sends a message, so that someone sees whether messages arrive.
    Test(Name),
    Mute(Name),
    Unmute(Name),
    Messages(Name),
    Message(Name, DeliveryId),
    Incidents,
    Incident(IncidentId),
    IncidentMute(IncidentId),
    IncidentUnmute(IncidentId),
}

impl AlertTarget {
    /// Reads a path below `/v1`.
    pub(super) fn parse(folded: &[&str], segments: &[&str]) -> Result<Self, Misroute> {
        let alert = || name("the alert", segments[1]);
        match folded {
            ["alerts"] => Ok(Self::Alerts),
            ["alerts", _] => Ok(Self::Alert(alert()?)),
            ["alerts", _, "test"] => Ok(Self::Test(alert()?)),
            ["alerts", _, "mute"] => Ok(Self::Mute(alert()?)),
            ["alerts", _, "unmute"] => Ok(Self::Unmute(alert()?)),
            ["alerts", _, "messages"] => Ok(Self::Messages(alert()?)),
            ["alerts", _, "messages", id] => Ok(Self::Message(alert()?, DeliveryId(number("the message", id)?))),
            ["incidents"] => Ok(Self::Incidents),
            ["incidents", id] => Ok(Self::Incident(IncidentId(number("the incident", id)?))),
            ["incidents", id, "mute"] => Ok(Self::IncidentMute(IncidentId(number("the incident", id)?))),
            ["incidents", id, "unmute"] => Ok(Self::IncidentUnmute(IncidentId(number("the incident", id)?))),
            _ => Err(Misroute::Unknown),
        }
    }

    /// The methods that mean something here, each with the role it needs.
    pub(super) fn methods(&self) -> &'static [(Method, Option<Role>)] {
        match self {
            Self::Alerts | Self::Messages(_) | Self::Message(..) | Self::Incidents | Self::Incident(_) => {
                &[(Method::GET, Some(Role::Reader))]
            }
            Self::Alert(_) => &[
                (Method::GET, Some(Role::Reader)),
                (Method::PUT, Some(Role::Contributor)),
                (Method::DELETE, Some(Role::Contributor)),
            ],
            Self::Test(_) | Self::Mute(_) | Self::Unmute(_) | Self::IncidentMute(_) | Self::IncidentUnmute(_) => {
                &[(Method::POST, Some(Role::Contributor))]
            }
        }
    }

    /// The parameters of the query.
    pub(super) const fn parameters(&self) -> &'static [&'static str] {
        match self {
            Self::Incidents => &["state", "alert", "$skiptoken"],
            Self::Alerts | Self::Messages(_) => &["$skiptoken"],
            Self::Alert(_) => &["dryRun"],
            _ => &[],
        }
    }

    /// The name of the route.
    pub(crate) const fn name(&self) -> &'static str {
        match self {
            Self::Alerts => "alerts",
            Self::Alert(_) | Self::Mute(_) | Self::Unmute(_) => "alert",
            Self::Test(_) => "alertTest",
            Self::Messages(_) | Self::Message(..) => "alertMessages",
            Self::Incidents | Self::Incident(_) | Self::IncidentMute(_) | Self::IncidentUnmute(_) => "incidents",
        }
    }
}

fn number(what: &str, segment: &str) -> Result<i64, Misroute> {
    segment.parse().map_err(|_| invalid(Violation::new(what, format!("{segment:?}"), "a number")))
}

//! Who looks at a page, what they may do, and how they want to see it.

use http::{HeaderMap, request};
use punctual_model::access::{Role, Scope};
use punctual_model::recurrence::Recurrence;
use punctual_model::time::Zone;
use punctual_store::{CollectionKey, JobKey, PauseEntry};

use super::address::Links;
use super::cookies;
use super::times::{Times, TimesIn};
use crate::operations::Caller;

/// Who looks at a page.
pub(crate) struct Visitor {
    pub(crate) caller: Caller,
    /// What the visitor is called: what the token is for, or the subject.
    pub(crate) name: String,
    /// What each form of the page has to send.
    pub(crate) form_token: String,
    /// Whether there is a session that can be ended; without authentication there is none.
    pub(crate) has_session: bool,
    pub(crate) view: View,
    pub(crate) links: Links,
    /// The pause that goes on, if there is one.
    pub(crate) pause: Option<PauseEntry>,
    /// Jobs that are about to be deleted.
    pub(crate) deleting: Vec<JobKey>,
    /// The path and the query of the page.
    pub(crate) here: String,
    /// A sentence about what was just done.
    pub(crate) note: Option<String>,
}

/// How pages are shown.
#[derive(Clone, Copy)]
pub(crate) struct View {
    pub(crate) times_in: TimesIn,
    /// The zone of the reader's clock; UTC as long as it is not known.
    pub(crate) own_zone: Zone,
    pub(crate) theme: Option<Theme>,
}

/// Light or dark, where the reader has chosen.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Theme {
    Light,
    Dark,
}

impl Theme {
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Light => "light",
            Self::Dark => "dark",
        }
    }

    pub(crate) fn parse(text: &str) -> Option<Self> {
        [Self::Light, Self::Dark].into_iter().find(|known| known.name() == text)
    }
}

impl View {
    /// What the cookies of a request say.
    pub(crate) fn of(headers: &HeaderMap) -> Self {
        let read = |name| cookies::read(headers, name);
        Self {
            times_in: read(cookies::TIMES).and_then(|text| TimesIn::parse(&text)).unwrap_or(TimesIn::Mine),
            own_zone: read(cookies::ZONE).and_then(|name| Zone::find(&name).ok()).unwrap_or_else(Zone::utc),
            theme: read(cookies::THEME).and_then(|text| Theme::parse(&text)),
        }
    }
}

impl Visitor {
    /// Writes instants that are of no job.
    pub(crate) fn times(&self) -> Times {
        let zone = match self.view.times_in {
            TimesIn::Mine => self.view.own_zone,
            TimesIn::Jobs | TimesIn::Utc => Zone::utc(),
        };
        Times { now: self.caller.now, zone }
    }

    /// Writes instants of a job.
    pub(crate) fn times_of(&self, recurrence: Option<&Recurrence>) -> Times {
        match self.view.times_in {
            TimesIn::Jobs => Times { zone: recurrence.map_or_else(Zone::utc, Recurrence::zone), ..self.times() },
            _ => self.times(),
        }
    }

    /// Whether the visitor may change a collection and its jobs. Who may not sees no button for it.
    pub(crate) fn may_write(&self, collection: &CollectionKey) -> bool {
        self.caller.may_write(collection)
    }

    /// Whether the visitor may change anything at all.
    pub(crate) fn may_write_something(&self) -> bool {
        self.caller.grants.reaches(Role::Contributor, &Scope::Server)
    }

    /// Whether the visitor owns the server: pauses, tokens, nodes.
    pub(crate) fn is_owner(&self) -> bool {
        self.caller.grants.allows(Role::Owner, &Scope::Server)
    }

    /// Whether the visitor sees the whole server.
    pub(crate) fn sees_all(&self) -> bool {
        self.caller.grants.allows(Role::Reader, &Scope::Server)
    }

    /// The highest role that the visitor has, and where, in words.
    pub(crate) fn role(&self) -> String {
        let best = self.caller.grants.0.iter().max_by_key(|grant| grant.role);
        match best {
            None => "no role".to_owned(),
            Some(grant) if grant.scope == Scope::Server => format!("{} of the server", grant.role),
            Some(grant) => format!("{} of {}", grant.role, grant.scope),
        }
    }
}

/// The path and the query of a request.
pub(super) fn here(parts: &request::Parts) -> String {
    parts.uri.path_and_query().map_or_else(|| "/".to_owned(), ToString::to_string)
}

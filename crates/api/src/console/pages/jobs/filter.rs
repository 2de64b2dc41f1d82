//! Which jobs are listed, as the address says it.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use punctual_model::Name;
use punctual_model::job::State;
use punctual_store::{CollectionKey, GroupKey, JobFilter};

use crate::console::address::encode;
use crate::fault::Fault;
use crate::operations::{JobPlace, JobsWanted};
use crate::query::Query;
use crate::routes::all_jobs::{parse_place, parse_sort, place_names};
use crate::routes::history::parse_outcome;

/// The choices of the bar: what they are called, and the parameter that they set.
pub(super) const STATES: [(&str, &str, &str); 6] = [
    ("All", "", ""),
    ("Failing", "outcome", "failed"),
    ("Not run", "outcome", "notRun"),
    ("Enabled", "state", "enabled"),
    ("Disabled", "state", "disabled"),
    ("Ended", "state", "completed"),
];

/// What is asked for.
pub(super) struct Filter {
    pub(super) text: String,
    pub(super) sort: String,
    pub(super) collection: Option<CollectionKey>,
    state: String,
    outcome: String,
    cursor: Option<String>,
    /// All parameters as they came, without the place in the list.
    parameters: Vec<(String, String)>,
}

impl Filter {
    pub(super) fn read(query: &Query, defaults: &GroupKey) -> Result<Self, Fault> {
        let text = |name: &str| query.get(name).unwrap_or_default().trim().to_owned();
        let name = |parameter: &'static str, default: &Name| match query.get(parameter) {
            None => Ok(default.clone()),
            Some(text) => {
                Name::parse(text).map_err(|expected| Fault::from(expected.at(parameter, format!("{text:?}"))))
            }
        };
        let collection = match query.get("collection").filter(|text| !text.is_empty()) {
            None => None,
            Some(text) => Some(CollectionKey {
                subscription: name("subscription", &defaults.subscription)?,
                group: name("group", &defaults.group)?,
                collection: Name::parse(text).map_err(|expected| expected.at("collection", format!("{text:?}")))?,
            }),
        };
        Ok(Self {
            text: text("q"),
            sort: text("sort"),
            collection,
            state: text("state"),
            outcome: text("outcome"),
            cursor: query.get("cursor").map(ToOwned::to_owned),
            parameters: query.without(&["cursor"]).cloned().collect(),
        })
    }

    pub(super) fn is_empty(&self) -> bool {
        self.text.is_empty() && self.state.is_empty() && self.outcome.is_empty() && self.cursor.is_none()
    }

    pub(super) fn wanted(&self, limit: usize) -> Result<JobsWanted, Fault> {
        let some = |text: &str| (!text.is_empty()).then(|| text.to_owned());
        let sort = some(&self.sort).map(|text| parse_sort(&text)).transpose()?.flatten();
        let state = |text: String| State::ALL.into_iter().find(|state| state.name().eq_ignore_ascii_case(&text));
        let outcome = |text: String| parse_outcome(&text, "succeeded, failed or notRun");
        let after = self.cursor.as_deref().and_then(|cursor| URL_SAFE_NO_PAD.decode(cursor).ok());
        let after = after.and_then(|bytes| String::from_utf8(bytes).ok());
        let names = after.map(|text| text.split('/').map(ToOwned::to_owned).collect::<Vec<_>>());
        let key = self.collection.as_ref();
        Ok(JobsWanted {
            subscription: key.map(|key| key.subscription.clone()),
            group: key.map(|key| key.group.clone()),
            collection: key.map(|key| key.collection.clone()),
            filter: JobFilter {
                state: some(&self.state).and_then(state),
                text: some(&self.text).map(|text| text.to_lowercase()),
                target: None,
                outcome: some(&self.outcome).map(outcome).transpose()?,
                without: None,
            },
            sort,
            after: names.map(|names| parse_place(&names, sort)).transpose()?,
            limit,
        })
    }

    /// The address with one parameter changed; without it if the value is empty.
    pub(super) fn with(&self, parameter: &str, value: &str) -> String {
        let dropped: &[&str] = if parameter == "collection" { &["collection", "subscription", "group"] } else { &[] };
        let kept = self.parameters.iter().filter(|(name, _)| name != parameter && !dropped.contains(&&**name));
        let new = (!value.is_empty()).then(|| (parameter.to_owned(), value.to_owned()));
        link(kept.cloned().chain(new))
    }

    /// The address with another state, which takes the place of an outcome and the other way round.
    pub(super) fn state_link(&self, parameter: &str, value: &str) -> String {
        let kept = self.parameters.iter().filter(|(name, _)| name != "state" && name != "outcome");
        let new = (!parameter.is_empty()).then(|| (parameter.to_owned(), value.to_owned()));
        link(kept.cloned().chain(new))
    }

    pub(super) fn has_state(&self, parameter: &str, value: &str) -> bool {
        match parameter {
            "outcome" => self.outcome.eq_ignore_ascii_case(value),
            "state" => self.state.eq_ignore_ascii_case(value),
            _ => self.outcome.is_empty() && self.state.is_empty(),
        }
    }

    /// The parameters but some, for a form.
    pub(super) fn kept<'a>(&'a self, but: &'a [&str]) -> impl Iterator<Item = &'a (String, String)> {
        self.parameters.iter().filter(|(name, _)| !but.contains(&&**name))
    }

    /// The address of what comes after a place.
    pub(super) fn after(&self, place: &JobPlace) -> String {
        let cursor = URL_SAFE_NO_PAD.encode(place_names(place).join("/"));
        link(self.parameters.iter().cloned().chain([("cursor".to_owned(), cursor)]))
    }
}

fn link(parameters: impl Iterator<Item = (String, String)>) -> String {
    let parameters = parameters.filter(|(_, value)| !value.is_empty());
    let all: Vec<_> = parameters.map(|(name, value)| format!("{}={}", encode(&name), encode(&value))).collect();
    if all.is_empty() { "/jobs".to_owned() } else { format!("/jobs?{}", all.join("&")) }
}

//! A job collection: jobs that share a plan, a quota and a switch.

use std::collections::BTreeMap;

use crate::action::Action;
use crate::name::Name;
use crate::recurrence::Frequency;
use crate::{Expected, Violation, limits};

/// What a user says about a collection.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Collection {
    /// The name of the collection.
    pub name: Name,
    /// A region, echoed as it was sent; regions mean nothing here.
    pub location: Option<String>,
    /// The user's own labels.
    pub tags: BTreeMap<String, String>,
    /// The plan. A collection that never named one has no limits of a plan.
    pub sku: Option<Sku>,
    /// Whether its jobs run.
    pub state: CollectionState,
    /// Limits that the user set, within those of the plan.
    pub quota: Option<Quota>,
}

/// The plans of the original service.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names of the API")]
pub enum Sku {
    Free,
    Standard,
    /// What the API versions before 2016-03-01 call the larger plan.
    Premium,
    P10Premium,
    P20Premium,
}

/// What a plan allows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SkuLimits {
    /// Jobs in a collection.
    pub jobs_max: u32,
    /// The shortest time between two occurrences.
    pub recurrence_min: Spacing,
    /// Collections of this plan in a subscription.
    pub collections_max: u32,
    /// Whether HTTP actions may authenticate.
    pub allows_authentication: bool,
}

impl Sku {
    /// All plans, smallest first.
    pub const ALL: [Self; 5] = [Self::Free, Self::Standard, Self::Premium, Self::P10Premium, Self::P20Premium];

    /// Its name in the API.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Free => "Free",
            Self::Standard => "Standard",
            Self::Premium => "Premium",
            Self::P10Premium => "P10Premium",
            Self::P20Premium => "P20Premium",
        }
    }

    /// What the original allowed in this plan.
    pub const fn limits(self) -> SkuLimits {
        let minutely = Spacing { frequency: Frequency::Minute, interval: 1 };
        let hourly = Spacing { frequency: Frequency::Hour, interval: 1 };
        let paid =
            SkuLimits { jobs_max: 50, recurrence_min: minutely, collections_max: 10_000, allows_authentication: true };
        match self {
            Self::Free => {
                SkuLimits { jobs_max: 5, recurrence_min: hourly, collections_max: 1, allows_authentication: false }
            }
            Self::Standard => SkuLimits { collections_max: 100, ..paid },
            Self::Premium | Self::P10Premium => paid,
            Self::P20Premium => SkuLimits { jobs_max: 1000, ..paid },
        }
    }
}

impl Sku {
    /// What is wrong with the retries of an action in this plan. Paths are relative to the action.
    pub fn check_retries<S>(self, action: &Action<S>) -> Vec<Violation> {
        let error_policy = action.error.as_ref().and_then(|error| error.retry.as_ref());
        let policies = [("retryPolicy", action.retry.as_ref()), ("errorAction.retryPolicy", error_policy)];
        let too_short = policies.into_iter().filter_map(|(member, policy)| {
            let interval =
                policy?.interval().filter(|interval| interval.ticks() < limits::RETRY_INTERVAL_TICKS_FREE)?;
            let expected = "at least 1 hour in a Free collection";
            Some(Violation::new(format!("{member}.retryInterval"), interval, expected))
        });
        if self == Self::Free { too_short.collect() } else { Vec::new() }
    }
}

/// Whether the jobs of a collection run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CollectionState {
    /// The jobs run.
    Enabled,
    /// The user disabled the collection: its jobs do not run.
    Disabled,
    /// The jobs do not run. The original set this state for unpaid bills, and a client may set it.
    Suspended,
}

impl CollectionState {
    /// All states.
    pub const ALL: [Self; 3] = [Self::Enabled, Self::Disabled, Self::Suspended];

    /// Its name in the API.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Enabled => "Enabled",
            Self::Disabled => "Disabled",
            Self::Suspended => "Suspended",
        }
    }
}

/// Limits a user sets for a collection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Quota {
    /// How many jobs the collection may hold.
    pub max_job_count: Option<u32>,
    /// Accepted and echoed; the member never had an effect.
    pub max_job_occurrence: Option<u32>,
    /// The shortest time between two occurrences of a job.
    pub max_recurrence: Option<Spacing>,
}

impl Quota {
    /// The quota, or everything that is wrong with it. Paths are relative to it.
    pub fn new(
        max_job_count: Option<i64>,
        max_job_occurrence: Option<i64>,
        max_recurrence: Option<Spacing>,
    ) -> Result<Self, Vec<Violation>> {
        let mut violations = Vec::new();
        let mut number = |member: &str, given: Option<i64>| {
            let right = given.map(|n| u32::try_from(n).ok().filter(|n| (1..=limits::COUNT_MAX).contains(n)));
            if let (Some(given), Some(None)) = (given, right) {
                violations.push(Violation::new(member, given, format!("1 to {}", limits::COUNT_MAX)));
            }
            right.flatten()
        };
        let max_job_count = number("maxJobCount", max_job_count);
        let max_job_occurrence = number("maxJobOccurrence", max_job_occurrence);
        if violations.is_empty() {
            Ok(Self { max_job_count, max_job_occurrence, max_recurrence })
        } else {
            Err(violations)
        }
    }
}

/// A time between two occurrences: "at most every 5 minutes".
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Spacing {
    frequency: Frequency,
    interval: u16,
}

impl Spacing {
    /// A spacing of `interval` units; the unit's longest interval bounds it.
    pub fn new(frequency: Frequency, interval: i64) -> Result<Self, Violation> {
        let right = u16::try_from(interval).ok().filter(|n| (1..=frequency.interval_max()).contains(n));
        right.map(|interval| Self { frequency, interval }).ok_or_else(|| {
            let expected = format!("1 to {} with frequency {}", frequency.interval_max(), frequency.name());
            Violation::new("interval", interval, expected)
        })
    }

    /// Its unit.
    pub const fn frequency(self) -> Frequency {
        self.frequency
    }

    /// How many units.
    pub const fn interval(self) -> u16 {
        self.interval
    }

    /// The shortest length of the spacing, in ticks: a month is 28 days, a year 365.
    pub const fn ticks_min(self) -> i64 {
        self.interval as i64 * self.frequency.ticks_min()
    }
}

/// Checks the length of a location, which is only echoed.
pub fn check_location(location: &str) -> Result<(), Expected> {
    if location.chars().count() <= limits::LOCATION_CHARS_MAX {
        Ok(())
    } else {
        Err(Expected::new(format!("at most {} characters", limits::LOCATION_CHARS_MAX)))
    }
}

/// Checks tags against the limits of the original.
pub fn check_tags(tags: &BTreeMap<String, String>) -> Vec<Violation> {
    let mut violations = Vec::new();
    if tags.len() > limits::TAGS_MAX {
        let expected = format!("at most {}", limits::TAGS_MAX);
        violations.push(Violation::new("tags", format!("{} tags", tags.len()), expected));
    }
    for (name, value) in tags {
        for (what, text, max) in
            [("name", name, limits::TAG_NAME_CHARS_MAX), ("value", value, limits::TAG_VALUE_CHARS_MAX)]
        {
            let length = text.chars().count();
            if length > max {
                let expected = format!("a {what} of at most {max} characters");
                violations.push(Violation::new(format!("tags.{name}"), format!("{length} characters"), expected));
            }
        }
    }
    violations
}

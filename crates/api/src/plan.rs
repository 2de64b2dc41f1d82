//! What the plan of a collection and its own quota allow.

use punctual_model::Violation;
use punctual_model::action::{Action, Target};
use punctual_model::collection::{Collection, Quota, Sku, SkuLimits, Spacing};
use punctual_model::job::Definition;
use punctual_model::recurrence::Timetable;

use crate::fault::Fault;
use crate::limits;

/// What each plan allows on this server.
#[derive(Clone, Debug)]
pub struct Plans {
    limits: Option<[SkuLimits; Sku::ALL.len()]>,
}

impl Plans {
    /// Plans with these limits.
    pub fn new(limits: impl Fn(Sku) -> SkuLimits) -> Self {
        Self { limits: Some(Sku::ALL.map(limits)) }
    }

    /// Plans that limit nothing. Quotas that users set themselves hold nevertheless.
    pub const fn unlimited() -> Self {
        Self { limits: None }
    }

    /// What this one allows, if it limits anything.
    pub(crate) fn of(&self, sku: Option<Sku>) -> Option<(Sku, SkuLimits)> {
        let (sku, limits) = (sku?, self.limits.as_ref()?);
        let at = Sku::ALL.iter().position(|known| *known == sku)?;
        Some((sku, limits[at]))
    }
}

/// What may be in a collection.
pub(crate) struct Bounds {
    plan: Option<(Sku, SkuLimits)>,
    quota: Option<Quota>,
}

impl Bounds {
    pub(crate) fn of(collection: &Collection, plans: &Plans) -> Self {
        Self { plan: plans.of(collection.sku), quota: collection.quota }
    }

    /// How many jobs it may hold.
    pub(crate) fn jobs_max(&self) -> Option<u32> {
        let quota = self.quota.and_then(|quota| quota.max_job_count);
        quota.into_iter().chain(self.plan.map(|(_, limits)| limits.jobs_max)).min()
    }

    /// The time that must lie between two occurrences of a job, and who says so.
    fn spacing_min(&self) -> Option<(Spacing, String)> {
        let quota = self.quota.and_then(|quota| quota.max_recurrence).map(|it| (it, "its quota".to_owned()));
        let plan = self.plan.map(|(sku, limits)| (limits.recurrence_min, format!("the plan {}", sku.name())));
        quota.into_iter().chain(plan).max_by_key(|(spacing, _)| spacing.ticks_min())
    }

    /// How often a job may run at most: "every hour".
    pub(crate) fn most_often(&self) -> Option<String> {
        self.spacing_min().map(|(spacing, _)| every(spacing))
    }

    /// Refuses the document of a job that is longer than the plan allows.
    pub(crate) fn check_job_bytes(&self, bytes: usize) -> Result<(), Fault> {
        let max = limits::PLAN_JOB_BYTES_MAX;
        match self.plan {
            Some((sku, _)) if bytes > max => {
                let expected = format!("a job of at most {max} bytes in the plan {}", sku.name());
                Err(Violation::new("", format!("{bytes} bytes"), expected).into())
            }
            _ => Ok(()),
        }
    }

    /// Refuses a job that does not fit into the collection. The members of its definition stand under `path`.
    pub(crate) fn check_job(&self, definition: &Definition, timetable: &Timetable, path: &str) -> Result<(), Fault> {
        if let Some((sku, limits)) = self.plan {
            let mut violations = sku.check_retries(&definition.action);
            if !limits.allows_authentication {
                violations.extend(check_authentication(&definition.action, sku));
            }
            violations.extend(check_size(&definition.action, sku));
            if !violations.is_empty() {
                return Err(violations.into_iter().map(|it| it.under("action").under(path)).collect::<Vec<_>>().into());
            }
        }
        match self.spacing_min() {
            Some((spacing, who)) if timetable.is_denser_than(spacing.ticks_min()) => Err(Fault::Conflict {
                target: if path.is_empty() { "recurrence" } else { "properties.recurrence" },
                message: format!("The job recurs more often than {}, the shortest that {who} allows.", every(spacing)),
            }),
            _ => Ok(()),
        }
    }

    /// What is wrong with a quota in the plan.
    pub(crate) fn check_quota(&self) -> Vec<Violation> {
        let (Some((sku, limits)), Some(quota)) = (self.plan, self.quota) else { return Vec::new() };
        let mut violations = Vec::new();
        if let Some(count) = quota.max_job_count.filter(|count| *count > limits.jobs_max) {
            let expected = format!("1 to {} in the plan {}", limits.jobs_max, sku.name());
            violations.push(Violation::new("properties.quota.maxJobCount", count, expected));
        }
        let is_too_fine = |spacing: &Spacing| spacing.ticks_min() < limits.recurrence_min.ticks_min();
        if let Some(spacing) = quota.max_recurrence.filter(is_too_fine) {
            let expected = format!("{} or longer in the plan {}", every(limits.recurrence_min), sku.name());
            violations.push(Violation::new("properties.quota.maxRecurrence", every(spacing), expected));
        }
        violations
    }

    /// Whether these bounds exclude something that the others let in.
    pub(crate) fn are_narrower_than(&self, other: &Self) -> bool {
        let ticks = |bounds: &Self| bounds.spacing_min().map_or(0, |(spacing, _)| spacing.ticks_min());
        ticks(self) > ticks(other) || self.plan.map(|(sku, _)| sku) != other.plan.map(|(sku, _)| sku)
    }
}

fn every(spacing: Spacing) -> String {
    let unit = spacing.frequency().name().to_lowercase();
    match spacing.interval() {
        1 => format!("every {unit}"),
        interval => format!("every {interval} {unit}s"),
    }
}

fn targets(action: &Action) -> impl Iterator<Item = (&'static str, &Target)> {
    let error = action.error.as_ref().map(|error| ("errorAction.request", &error.target));
    [("request", &action.target)].into_iter().chain(error)
}

fn check_authentication(action: &Action, sku: Sku) -> impl Iterator<Item = Violation> {
    let authenticates = |target: &Target| matches!(target, Target::Http(http) if http.authentication.is_some());
    targets(action).filter(move |(_, target)| authenticates(target)).map(move |(path, _)| {
        let expected = format!("none in the plan {}", sku.name());
        Violation::new(format!("{path}.authentication"), "credentials", expected)
    })
}

/// The plans keep the original's limit for what is sent; without one it is larger.
fn check_size(action: &Action, sku: Sku) -> impl Iterator<Item = Violation> {
    let length = |target: &Target| match target {
        Target::Http(http) => http.body.as_ref().map(|body| body.chars().count()),
        Target::StorageQueue(_) | Target::ServiceBus(_) | Target::Email(_) => None,
    };
    let too_long = move |(path, target)| Some((path, length(target).filter(|it| *it > limits::PLAN_BODY_CHARS_MAX)?));
    targets(action).filter_map(too_long).map(move |(path, length)| {
        let expected = format!("at most {} in the plan {}", limits::PLAN_BODY_CHARS_MAX, sku.name());
        Violation::new(format!("{path}.body"), format!("{length} characters"), expected)
    })
}

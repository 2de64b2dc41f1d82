//! Alerts: what they are, muting them, and telling something to see whether it arrives.

use punctual_alerts::{advise, check, compose, same_receiver};
use punctual_model::access::{Role, Scope};
use punctual_model::action::Action;
use punctual_model::alert::{AlertScope, Message, MessageKind, Trouble, delivery_job};
use punctual_model::job::{Job, Uid};
use punctual_model::limits::{ALERTS_MAX, ALERTS_OF_COLLECTION_MAX, ALERTS_OF_GROUP_MAX, ALERTS_OF_SUBSCRIPTION_MAX};
use punctual_model::retry::{RetryKind, RetryPolicy};
use punctual_model::revise::{self, Refusal};
use punctual_model::time::Timestamp;
use punctual_model::{Name, Warning};
use punctual_store::{
    AlertEntry, AlertSource, AlertWrite, CollectionKey, CollectionPage, DeliveryEntry, DeliveryId, DeliveryPage,
    DeliveryWrite, Error, JobKey, Mute, ScopeLimits,
};

use super::last_messages::farewells;
use super::{Caller, Operations};
use crate::condition::{Condition, ETag};
use crate::fault::Fault;
use crate::input::{AlertInput, Parsed};
use crate::limits;
use crate::target_check::FlawedTarget;

/// An alert after it was saved.
pub(crate) struct SavedAlert {
    pub(crate) entry: AlertEntry,
    pub(crate) is_new: bool,
    pub(crate) warnings: Vec<Warning>,
}

/// The alerts that the caller may see, in the order of their names.
pub(crate) async fn list_alerts(operations: &Operations, caller: &Caller) -> Result<Vec<AlertEntry>, Fault> {
    let alerts = operations.alerts.alerts().await?;
    Ok(alerts.iter().filter(|entry| may_see(caller, entry)).cloned().collect())
}

/// The alert of that name. One that the caller may not see is not there.
pub(crate) async fn find_alert(operations: &Operations, caller: &Caller, name: &Name) -> Result<AlertEntry, Fault> {
    let found = operations.alerts.alert(name).await?;
    found.filter(|entry| may_see(caller, entry)).ok_or_else(|| no_alert(name))
}

/// Makes an alert or changes it. The caller must have the role on what it watches now, and on what it has watched.
pub(crate) async fn save_alert(
    operations: &Operations,
    caller: &Caller,
    name: &Name,
    condition: &Condition,
    input: &Parsed<AlertInput>,
) -> Result<SavedAlert, Fault> {
    let alert = &input.value.alert;
    for _ in 0..limits::WRITE_TRIES_MAX {
        let (stored, action, warnings) = prepare_alert(operations, caller, name, condition, input).await?;
        let is_new = stored.is_none();
        // The owner of the server may use up what it has.
        let is_limited = !caller.grants.allows(Role::Owner, &Scope::Server);
        let is_there = stored.as_ref().is_some_and(|stored| alert.scope.scope.covers(&stored.alert.scope.scope));
        let scope_limits = (is_limited && !is_there).then_some(SCOPE_LIMITS);
        let last = match &stored {
            Some(stored) if !same_receiver((&stored.action, stored.alert.form), (&action, alert.form)) => {
                farewells(operations, stored, caller.now).await?
            }
            _ => Vec::new(),
        };
        let source = match stored {
            None => AlertSource::New { uid: Uid::from_bytes(operations.random()), alerts_max: ALERTS_MAX },
            Some(entry) if entry.alert == *alert && entry.action == action => {
                return Ok(SavedAlert { entry, is_new, warnings });
            }
            Some(AlertEntry { id, uid, revision, .. }) => AlertSource::Edited { id, uid, revision },
        };
        let (name, alert) = (name.clone(), alert.clone());
        let write = AlertWrite { name, source, alert, action, stamp: caller.stamp(), scope_limits, last };
        match operations.alerts.put_alert(write).await {
            Ok(entry) => return Ok(SavedAlert { entry, is_new, warnings }),
            Err(Error::Stale) => {}
            Err(Error::Full { max }) => {
                let place = match max {
                    ALERTS_OF_COLLECTION_MAX => " of this collection",
                    ALERTS_OF_GROUP_MAX => " of this resource group",
                    ALERTS_OF_SUBSCRIPTION_MAX => " of this subscription",
                    _ => "",
                };
                let message = format!("There are {max} alerts{place} already, of {max} at most; delete some first.");
                return Err(Fault::Conflict { target: "alerts", message });
            }
            Err(error) => return Err(error.into()),
        }
    }
    Err(Fault::Busy)
}

/// The alert as it is, its action as it shall be, and what the user should know; or why the caller may not have it so.
pub(super) async fn prepare_alert(
    operations: &Operations,
    caller: &Caller,
    name: &Name,
    condition: &Condition,
    input: &Parsed<AlertInput>,
) -> Result<(Option<AlertEntry>, Action, Vec<Warning>), Fault> {
    let AlertInput { alert, action } = &input.value;
    require_writer(caller, &alert.scope.scope)?;
    let stored = operations.alerts.alert(name).await?;
    if let Some(stored) = &stored {
        if !may_see(caller, stored) {
            let message = format!("The name '{name}' is taken by an alert that you may not see; choose another.");
            return Err(Fault::Conflict { target: "name", message });
        }
        require_writer(caller, &stored.alert.scope.scope)?;
    }
    condition.check(stored.as_ref().map(ETag::of_alert).as_ref())?;
    let known = stored.as_ref().map(|stored| &stored.action);
    let action = action.clone().complete(known)?;
    revise::check_certificates(known, &action, caller.now)?;
    // What a mask stood for is known only now.
    let violations = check(&action, alert.form);
    if !violations.is_empty() {
        return Err(violations.into());
    }
    let flawed = operations.target_check.as_deref();
    let flawed = flawed.map_or_else(Vec::new, |it| FlawedTarget::find(it, &action, &alert.scope.scope));
    let lacking: Vec<_> = flawed.iter().filter(|it| it.lacks_key()).map(FlawedTarget::violation).collect();
    if !lacking.is_empty() {
        return Err(lacking.into());
    }
    let mut warnings = input.warnings.clone();
    warnings.extend(flawed.iter().map(FlawedTarget::warning));
    warnings.extend(advise(&action, alert.form));
    warnings.extend(warn_of_nothing(operations, &alert.scope).await?);
    Ok((stored, action, warnings))
}

/// A message that is to be delivered.
pub(super) fn write_of(entry: &AlertEntry, message: &Message, uid: Uid, job: Job) -> DeliveryWrite {
    DeliveryWrite {
        alert: entry.id,
        incident: None,
        kind: message.kind,
        headline: message.headline(),
        at: message.at,
        uid,
        job,
        alert_revision: entry.revision,
        form: entry.alert.form,
        supersedes: Vec::new(),
    }
}

/// Mutes an alert until an instant, or lets it speak again where none is given.
pub(crate) async fn mute_alert(
    operations: &Operations,
    caller: &Caller,
    name: &Name,
    until: Option<Timestamp>,
) -> Result<AlertEntry, Fault> {
    let entry = find_writable(operations, caller, name).await?;
    match operations.alerts.mute_alert(entry.id, mute(caller, until), caller.stamp()).await {
        Err(Error::Stale) => Err(no_alert(name)),
        Err(error) => Err(error.into()),
        Ok(()) => find_alert(operations, caller, name).await,
    }
}

/// Has a message delivered that says it is a test. It is tried once, so that its outcome is soon known.
pub(crate) async fn test_alert(
    operations: &Operations,
    caller: &Caller,
    name: &Name,
) -> Result<(AlertEntry, DeliveryEntry), Fault> {
    let entry = find_writable(operations, caller, name).await?;
    let page = DeliveryPage { alert: Some(entry.id), before: None, limit: limits::TESTS_MAX };
    let latest = operations.alerts.deliveries(page).await?;
    let waits = |it: &DeliveryEntry| it.kind == MessageKind::Test && it.outcome.is_none();
    if latest.len() == limits::TESTS_MAX && latest.iter().all(waits) {
        let message = format!("{} tests of the alert '{name}' are on their way already.", limits::TESTS_MAX);
        return Err(Fault::Conflict { target: "test", message });
    }
    let uid = Uid::from_bytes(operations.random());
    let message = test_message(&entry, uid, caller.now);
    let mut action = compose(&entry.action, entry.alert.form, &message);
    action.retry = Some(RetryPolicy::new(Some(RetryKind::None), None, None, None)?);
    let job = delivery_job(action, &entry.alert.scope, uid, caller.now).map_err(|refusal| match refusal {
        Refusal::Invalid(violations) => violations.into(),
        Refusal::Ended(state) => Fault::Ended { job: name.to_string(), state },
    })?;
    let id = match operations.alerts.deliver(write_of(&entry, &message, uid, job)).await {
        Err(Error::Stale) => return Err(no_alert(name)),
        delivered => delivered?,
    };
    let message = find_message(operations, caller, name, id).await?.1;
    Ok((entry, message))
}

/// Messages of an alert before that one, the latest first.
pub(crate) async fn list_messages(
    operations: &Operations,
    caller: &Caller,
    name: &Name,
    before: Option<DeliveryId>,
    limit: usize,
) -> Result<(AlertEntry, Vec<DeliveryEntry>), Fault> {
    let entry = find_alert(operations, caller, name).await?;
    let messages = operations.alerts.deliveries(DeliveryPage { alert: Some(entry.id), before, limit }).await?;
    Ok((entry, messages))
}

/// One message of an alert.
pub(crate) async fn find_message(
    operations: &Operations,
    caller: &Caller,
    name: &Name,
    id: DeliveryId,
) -> Result<(AlertEntry, DeliveryEntry), Fault> {
    let entry = find_alert(operations, caller, name).await?;
    let found = operations.alerts.delivery(id).await?.filter(|message| message.alert == entry.id);
    let missing = || Fault::Missing { what: "Message", name: id.0.to_string() };
    Ok((entry, found.ok_or_else(missing)?))
}

/// The mute that the caller asks for.
pub(super) fn mute(caller: &Caller, until: Option<Timestamp>) -> Option<Mute> {
    until.map(|until| Mute { until, by: caller.principal.clone() })
}

/// Whether the caller may see an alert: who may read all that it watches.
pub(super) fn may_see(caller: &Caller, entry: &AlertEntry) -> bool {
    caller.grants.allows(Role::Reader, &entry.alert.scope.scope)
}

/// Whether the caller may change an alert; who may not is shown less of it.
pub(crate) fn may_write(caller: &Caller, entry: &AlertEntry) -> bool {
    caller.grants.allows(Role::Contributor, &entry.alert.scope.scope)
}

/// The alert of that name, if the caller may change it.
pub(super) async fn find_writable(operations: &Operations, caller: &Caller, name: &Name) -> Result<AlertEntry, Fault> {
    let entry = find_alert(operations, caller, name).await?;
    require_writer(caller, &entry.alert.scope.scope)?;
    Ok(entry)
}

/// Refuses who may not write what an alert watches.
pub(super) fn require_writer(caller: &Caller, scope: &Scope) -> Result<(), Fault> {
    if caller.grants.allows(Role::Contributor, scope) {
        return Ok(());
    }
    let has = caller.grants.role_on(scope).map_or("no role", Role::name);
    let sentence = "This needs the role contributor on what the alert watches";
    Err(Fault::Forbidden(format!("{sentence}, '{scope}'; the caller has {has} there.")))
}

/// How many alerts there may be of parts of the server.
const SCOPE_LIMITS: ScopeLimits = ScopeLimits {
    collection: ALERTS_OF_COLLECTION_MAX,
    group: ALERTS_OF_GROUP_MAX,
    subscription: ALERTS_OF_SUBSCRIPTION_MAX,
};

/// Warns of a scope in which there is nothing that could be watched.
async fn warn_of_nothing(operations: &Operations, scope: &AlertScope) -> Result<Option<Warning>, Fault> {
    let store = &operations.store;
    let of_subscription = |subscription: &Name, group: Option<&Name>| CollectionPage {
        subscription: subscription.clone(),
        group: group.cloned(),
        after: None,
        limit: 1,
    };
    let missing = match &scope.scope {
        Scope::Server => None,
        Scope::Subscription(name) => {
            let is_empty = store.collections(&of_subscription(name, None)).await?.is_empty();
            is_empty.then(|| format!("the subscription {name} has no collections"))
        }
        Scope::Group { subscription, group } => {
            let is_empty = store.collections(&of_subscription(subscription, Some(group))).await?.is_empty();
            is_empty.then(|| format!("the resource group {group} has no collections"))
        }
        Scope::Collection { subscription, group, collection } => {
            let [subscription, group, collection] = [subscription, group, collection].map(Name::clone);
            let key = CollectionKey { subscription, group, collection };
            match (store.collection(&key).await?, &scope.job) {
                (None, _) => Some(format!("there is no collection {}", key.collection)),
                (Some(_), None) => None,
                (Some(_), Some(job)) => {
                    let key = JobKey { collection: key, job: job.clone() };
                    let is_there = store.find_job(&key).await?.is_some();
                    (!is_there)
                        .then(|| format!("there is no job {job} in the collection {}", key.collection.collection))
                }
            }
        }
    };
    Ok(missing.map(|missing| Warning::new("scope", format!("{missing}: nothing is watched until there is"))))
}

pub(super) fn test_message(entry: &AlertEntry, uid: Uid, now: Timestamp) -> Message {
    let incident = format!("test-{:032x}", u128::from_be_bytes(uid.bytes()));
    Message {
        kind: MessageKind::Test,
        alert: entry.name.clone(),
        scope: entry.alert.scope.clone(),
        incident,
        trouble: Trouble::Failing,
        target: String::new(),
        cause: String::new(),
        is_over: true,
        failure: None,
        detail: String::new(),
        jobs: Vec::new(),
        troubled: 0,
        well: 0,
        well_jobs: Vec::new(),
        gone: 0,
        gone_jobs: Vec::new(),
        since: now,
        until: now,
        at: now,
        excerpt: String::new(),
        link: None,
        home: String::new(),
    }
}

pub(super) fn no_alert(name: &Name) -> Fault {
    Fault::Missing { what: "Alert", name: name.to_string() }
}

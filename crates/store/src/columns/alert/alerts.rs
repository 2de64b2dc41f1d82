//! What the columns of an alert hold, and say.

use punctual_model::Name;
use punctual_model::access::Scope;
use punctual_model::action::Action;
use punctual_model::alert::Alert;
use punctual_model::job::Uid;
use punctual_model::time::Span;

use crate::alert::{AlertEntry, AlertWrite, FoundAlert, Mute};
use crate::cells::{Cells, Fields};
use crate::change::Stamp;
use crate::columns::job;
use crate::error::Error;
use crate::key::{AlertId, Revision};
use crate::record;
use crate::seal::Keyring;

/// What the columns of an alert hold, made before a transaction begins.
pub(crate) struct AlertColumns {
    pub(crate) record: String,
    /// Sealed.
    pub(crate) action: Vec<u8>,
    /// The action with fingerprints instead of secrets, sealed: what the log of changes keeps.
    pub(crate) kept_action: Vec<u8>,
    pub(crate) failing_after: Option<u32>,
    pub(crate) late_after: Option<i64>,
}

impl AlertColumns {
    /// The columns of an alert that is written. `stored` are record and action, which is sealed, of the alert that it replaces: what
    /// this version does not know of it stays.
    pub(crate) fn of(write: &AlertWrite, keyring: &Keyring, stored: Option<&(String, Vec<u8>)>) -> Result<Self, Error> {
        let (uid, conditions) = (write.source.uid(), &write.alert.conditions);
        let (record, action) = match stored {
            None => (record::write_alert(&write.alert), record::write_action(&write.action)),
            Some((old, sealed)) => (
                record::rewrite_alert(old, &write.alert)?,
                keyring.open(uid, sealed).map_or_else(
                    |_| Ok(record::write_action(&write.action)),
                    |old_action| record::rewrite_action(&old_action, &write.action),
                )?,
            ),
        };
        Ok(Self {
            record,
            action: keyring.seal(uid, action.as_bytes()).map_err(Error::unavailable)?,
            kept_action: kept_action(&write.action, uid, keyring)?,
            // The settlement looks for the first failure on behalf of those who want to hear what was given up.
            failing_after: conditions.failing.or(conditions.given_up.then_some(1)),
            late_after: conditions.late.as_ref().map(Span::ticks),
        })
    }
}

/// What the log of changes keeps of an action.
pub(crate) fn kept_action(action: &Action, uid: Uid, keyring: &Keyring) -> Result<Vec<u8>, Error> {
    let kept = record::write_action(&action.clone().with_fingerprints(uid));
    keyring.seal(uid, kept.as_bytes()).map_err(Error::unavailable)
}

pub(crate) fn read(row: &dyn Fields, keyring: &Keyring) -> Result<AlertEntry, Error> {
    let mut cells = Cells::of(row);
    let name = job::read_name(&mut cells)?;
    let about = |error: Error| error.about(format_args!("the alert {name}"));
    let (id, revision) = (AlertId(cells.next()?), Revision(cells.next()?));
    let uid = Uid::from_bytes(cells.next()?);
    let alert = record::read_alert(cells.next_text()?).map_err(|reason| about(reason.into()))?;
    let action = keyring.open(uid, cells.next_blob()?).map_err(|reason| about(Error::corrupt(reason.to_string())))?;
    let action = record::read_action(&action).map_err(|reason| about(reason.into()))?;
    let (until, by): (_, Option<String>) = (cells.next_instant()?, cells.next()?);
    let mute = until.zip(by).map(|(until, by)| Mute { until, by });
    let stamp = Stamp { at: cells.next_required_instant()?, who: cells.next()?, request_id: cells.next()? };
    Ok(AlertEntry { id, revision, uid, name, alert, action, mute, stamp })
}

/// Reads number, revision and the names of what an alert watches: what is in clear columns, whether its records can be read or not.
pub(crate) fn read_found(row: &dyn Fields) -> Result<FoundAlert, Error> {
    let mut cells = Cells::of(row);
    let (id, revision) = (AlertId(cells.next()?), Revision(cells.next()?));
    let mut part = || cells.next_optional_text()?.map(read_part).transpose();
    let scope = match (part()?, part()?, part()?) {
        (None, ..) => Scope::Server,
        (Some(subscription), None, _) => Scope::Subscription(subscription),
        (Some(subscription), Some(group), None) => Scope::Group { subscription, group },
        (Some(subscription), Some(group), Some(collection)) => Scope::Collection { subscription, group, collection },
    };
    Ok(FoundAlert { id, revision, scope })
}

/// A name in what an alert watches.
fn read_part(name: &str) -> Result<Name, Error> {
    Name::parse(name).map_err(|reason| Error::corrupt(reason.to_string()))
}

/// A part of the subscription of an alert, and how many alerts there may be of it: group, collection, and the most.
pub(crate) type Room<'a> = (Option<&'a str>, Option<&'a str>, u32);

/// Where there must be room for an alert that is written: in what it watches, and in what that is in. Else many collections, which
/// need not exist, would hold all alerts that there may be.
pub(crate) fn rooms(write: &AlertWrite) -> impl Iterator<Item = Room<'_>> {
    let [subscription, group, collection, _] = scope_names(&write.alert);
    let rooms = write.scope_limits.map(|limits| {
        [
            subscription.map(|_| (None, None, limits.subscription)),
            group.map(|_| (group, None, limits.group)),
            collection.map(|_| (group, collection, limits.collection)),
        ]
    });
    rooms.into_iter().flatten().flatten()
}

/// The names of what an alert watches, as they are compared; none from where it watches all.
pub(crate) fn scope_names(alert: &Alert) -> [Option<&str>; 4] {
    let [subscription, group, collection] = alert.scope.scope.names();
    [subscription, group, collection, alert.scope.job.as_ref()].map(|name| name.map(Name::folded))
}

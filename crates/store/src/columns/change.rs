//! What the columns of a change say.

use punctual_model::action::Action;
use punctual_model::event::{Edit, Event, EventKind};
use punctual_model::job::{Definition, Uid};
use punctual_model::time::Timestamp;

use super::alert::alerts::AlertColumns;
use super::definition::Columns;
use super::job::{read_annotations, read_state};
use crate::alert::AlertEntry;
use crate::cells::{Cells, Fields};
use crate::change::{ChangeEntry, Stamp, Version};
use crate::error::Error;
use crate::record::{self, ScheduleRecord, codes};
use crate::seal::Keyring;

/// What [`read`] takes.
pub(crate) const COLUMNS: &str = "id, at, who, request, edit, record, uid, state, action, note, labels, muted_until";

/// What is kept of a job or an alert after a change.
#[derive(Default)]
pub(crate) struct ActionColumns<'a> {
    pub(crate) uid: [u8; 16],
    /// Of a job only.
    pub(crate) state: Option<i64>,
    pub(crate) note: Option<&'a str>,
    pub(crate) labels: Option<&'a str>,
    /// The action with fingerprints instead of secrets, sealed.
    pub(crate) action: &'a [u8],
    /// Of an alert only.
    pub(crate) muted_until: Option<i64>,
}

impl<'a> ActionColumns<'a> {
    /// Those of a job.
    pub(crate) fn of(columns: &'a Columns) -> Self {
        Self {
            uid: columns.uid.bytes(),
            state: Some(columns.state),
            note: columns.note.as_deref(),
            labels: columns.labels.as_deref(),
            action: &columns.kept_action,
            muted_until: None,
        }
    }

    /// Those of an alert, at that instant.
    pub(crate) fn of_alert(kept: &KeptAlert<'a>, at: Timestamp) -> Self {
        let muted_until = kept.muted_until.filter(|until| *until > at).map(Timestamp::ticks);
        Self { uid: kept.uid.bytes(), action: kept.action, muted_until, ..Self::default() }
    }
}

/// What is kept of an alert after a change.
pub(crate) struct KeptAlert<'a> {
    pub(crate) uid: Uid,
    pub(crate) record: &'a str,
    /// The action with fingerprints instead of secrets, sealed.
    pub(crate) action: &'a [u8],
    /// Until when it is to tell nothing, as of now.
    pub(crate) muted_until: Option<Timestamp>,
}

impl<'a> KeptAlert<'a> {
    /// What is kept of an alert that was just written.
    pub(crate) fn of(columns: &'a AlertColumns, written: &AlertEntry) -> Self {
        let muted_until = written.mute.as_ref().map(|mute| mute.until);
        Self { uid: written.uid, record: &columns.record, action: &columns.kept_action, muted_until }
    }
}

/// Reads a row of what is told.
pub(crate) fn read_told(row: &dyn Fields) -> Result<(u64, Event), Error> {
    let mut cells = Cells::of(row);
    let id: i64 = cells.next()?;
    let path = Some(cells.next_text()?).filter(|path| !path.is_empty()).map(Into::into);
    let (at, kind) = (cells.next_required_instant()?, EventKind::Edited(read_edit(cells.next()?)?));
    Ok((id.unsigned_abs(), Event { at, path, kind }))
}

pub(crate) fn read_edit(code: i64) -> Result<Edit, Error> {
    codes::read_edit(code).ok_or_else(|| Error::corrupt(format!("there is no edit {code}")))
}

/// Reads a row of [`COLUMNS`].
pub(crate) fn read(row: &dyn Fields, keyring: &Keyring, is_alert: bool) -> Result<ChangeEntry, Error> {
    let mut cells = Cells::of(row);
    let id: i64 = cells.next()?;
    let mut read = || {
        let stamp = Stamp { at: cells.next_required_instant()?, who: cells.next()?, request_id: cells.next()? };
        let edit = read_edit(cells.next()?)?;
        let after = match (cells.next_optional_text()?, cells.next::<Option<[u8; 16]>>()?) {
            (None, _) => None,
            (Some(record), None) => Some(Version::Collection(record::read_collection(record)?.1)),
            (Some(record), Some(uid)) if is_alert => {
                cells.skip(1);
                let (alert, action) = (Box::new(record::read_alert(record)?), read_action(&mut cells, keyring, uid)?);
                cells.skip(2);
                Some(Version::Alert { alert, action: Box::new(action), muted_until: cells.next_instant()? })
            }
            (Some(record), Some(uid)) => {
                let state = read_state(cells.next()?)?;
                let action = read_action(&mut cells, keyring, uid)?;
                let ScheduleRecord { start, recurrence, options } = record::read_schedule(record)?;
                let definition = Box::new(Definition { start, action, recurrence, options });
                Some(Version::Job { definition, state, annotations: read_annotations(&mut cells)? })
            }
        };
        Ok(ChangeEntry { id, stamp, edit, after })
    };
    read().map_err(|error: Error| error.about(format_args!("change number {id}")))
}

/// Opens the action in the next column.
fn read_action(cells: &mut Cells<'_>, keyring: &Keyring, uid: [u8; 16]) -> Result<Action, Error> {
    let action = keyring.open(Uid::from_bytes(uid), cells.next_blob()?);
    Ok(record::read_action(&action.map_err(|reason| Error::corrupt(reason.to_string()))?)?)
}

//! The small numbers that stand for states, phases, origins and outcomes in columns: the same in every database.
//!
//! A number is never given another meaning. `None` is answered to a number that this version does not know.

use punctual_model::event::Edit;
use punctual_model::failure::FailureClass;
use punctual_model::history::{Reason, StatusKind};
use punctual_model::job::State;
use punctual_model::occurrence::{Origin, Original, Phase};

/// The number of a job's state.
pub(crate) const fn state(state: State) -> i64 {
    match state {
        State::Enabled => 0,
        State::Disabled => 1,
        State::Completed => 2,
        State::Faulted => 3,
    }
}

/// The state of that number.
pub(crate) fn read_state(code: i64) -> Option<State> {
    State::ALL.into_iter().find(|known| state(*known) == code)
}

/// The number of what was done to a job or a collection.
pub(crate) const fn edit(edit: Edit) -> i64 {
    match edit {
        Edit::Created => 0,
        Edit::Changed => 1,
        Edit::Deleted => 2,
        Edit::Enabled => 3,
        Edit::Disabled => 4,
        Edit::Paused => 5,
        Edit::Resumed => 6,
        Edit::Muted => 7,
        Edit::Unmuted => 8,
    }
}

/// What was done, by its number.
pub(crate) const fn read_edit(code: i64) -> Option<Edit> {
    match code {
        0 => Some(Edit::Created),
        1 => Some(Edit::Changed),
        2 => Some(Edit::Deleted),
        3 => Some(Edit::Enabled),
        4 => Some(Edit::Disabled),
        5 => Some(Edit::Paused),
        6 => Some(Edit::Resumed),
        7 => Some(Edit::Muted),
        8 => Some(Edit::Unmuted),
        _ => None,
    }
}

/// The number of a phase.
pub(crate) const fn phase(phase: Phase) -> i64 {
    match phase {
        Phase::Main => 0,
        Phase::Error => 1,
    }
}

/// The phase of that number.
pub(crate) const fn read_phase(code: i64) -> Option<Phase> {
    match code {
        0 => Some(Phase::Main),
        1 => Some(Phase::Error),
        _ => None,
    }
}

/// The number of an origin, with the number of the manual run.
pub(crate) const fn origin(origin: Origin) -> (i64, Option<u32>) {
    match origin {
        Origin::Schedule => (0, None),
        Origin::Manual(number) => (1, Some(number)),
        Origin::Backfill => (2, None),
        Origin::Test => (3, None),
        Origin::Rerun(Original::Schedule) => (4, None),
        Origin::Rerun(Original::Manual(number)) => (5, Some(number)),
        Origin::Rerun(Original::Backfill) => (6, None),
    }
}

/// The origin of that number. Only manual runs look at `manual`.
pub(crate) const fn read_origin(code: i64, manual: Option<u32>) -> Option<Origin> {
    match (code, manual) {
        (0, _) => Some(Origin::Schedule),
        (1, Some(number)) => Some(Origin::Manual(number)),
        (2, _) => Some(Origin::Backfill),
        (3, _) => Some(Origin::Test),
        (4, _) => Some(Origin::Rerun(Original::Schedule)),
        (5, Some(number)) => Some(Origin::Rerun(Original::Manual(number))),
        (6, _) => Some(Origin::Rerun(Original::Backfill)),
        _ => None,
    }
}

/// The number of an outcome.
pub(crate) const fn status(status: StatusKind) -> i64 {
    match status {
        StatusKind::Completed => 0,
        StatusKind::Failed => 1,
        StatusKind::Postponed => 2,
    }
}

/// The outcome of that number.
pub(crate) const fn read_status(code: i64) -> Option<StatusKind> {
    match code {
        0 => Some(StatusKind::Completed),
        1 => Some(StatusKind::Failed),
        2 => Some(StatusKind::Postponed),
        _ => None,
    }
}

/// The number of the reason why something was not run.
pub(crate) const fn reason(reason: Reason) -> i64 {
    match reason {
        Reason::Overlap => 0,
        Reason::Missed => 1,
        Reason::Disabled => 2,
        Reason::Paused => 3,
        Reason::Shadow => 4,
    }
}

/// The reason of that number.
pub(crate) const fn read_reason(code: i64) -> Option<Reason> {
    match code {
        0 => Some(Reason::Overlap),
        1 => Some(Reason::Missed),
        2 => Some(Reason::Disabled),
        3 => Some(Reason::Paused),
        4 => Some(Reason::Shadow),
        _ => None,
    }
}

/// The number of a class of failures: its place among all of them, of which new ones come last.
pub(crate) fn failure_class(class: FailureClass) -> i64 {
    let place = FailureClass::ALL.iter().position(|known| *known == class);
    i64::try_from(place.unwrap_or_default()).unwrap_or_default()
}

/// The class of failures of that number.
pub(crate) fn read_failure_class(code: i64) -> Option<FailureClass> {
    FailureClass::ALL.get(usize::try_from(code).ok()?).copied()
}

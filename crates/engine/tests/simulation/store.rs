//! What the store of a simulation does when an engine asks it for something, and what it answers.

use punctual_engine::{Effect, Input};
use punctual_model::time::Timestamp;
use punctual_simulated_store::Tables;
use punctual_store::{BatchOutcome, Error, WorkPage};

use crate::dice::Dice;

/// Does what an engine asked of the store, or fails. None where the effect is not for the store.
pub(crate) fn answer(
    tables: &mut Tables,
    effect: Effect,
    fails: bool,
    now: Timestamp,
    dice: &mut Dice,
) -> Option<Input> {
    let fail = || Error::Unavailable("the simulation says so".to_owned());
    Some(match effect {
        Effect::ReadDue(page) => Input::Due(page, if fails { Err(fail()) } else { Ok(tables.due(&page)) }),
        Effect::PollDue(page) => Input::Polled(page, if fails { Err(fail()) } else { Ok(tables.due(&page)) }),
        Effect::ReadDueOf(jobs) => {
            let keys = if fails { Err(fail()) } else { Ok(tables.due_of(&jobs)) };
            Input::DueOf(jobs, keys)
        }
        Effect::ReadWork(ids, mut jobs) => {
            // A store may leave out what it has no time for, and definitions are asked for again by the rows that need them.
            jobs.retain(|job| job.0 % 2 == 0);
            let page = || WorkPage { rows: tables.work(&ids), definitions: tables.definitions(&jobs) };
            let page = if fails { Err(fail()) } else { Ok(page()) };
            Input::Work(ids, page)
        }
        Effect::ReadDefinitions(jobs) => {
            let definitions = if fails { Err(fail()) } else { Ok(tables.definitions(&jobs)) };
            Input::Definitions(jobs, definitions)
        }
        Effect::SetWatermark(node, until) => {
            let is_alone = tables.cluster.nodes.is_empty();
            let is_refused = fails || !(is_alone || tables.cluster.is_alive(node, now));
            if !is_refused {
                tables.set_watermark(node, until);
            }
            Input::Watermark(node, if is_refused { Err(fail()) } else { Ok(()) })
        }
        Effect::Write(batch) => {
            let id = batch.id;
            // A fault is known to have written nothing, or nobody knows: the batch landed, or it did not.
            let outcome = match dice.number(0, 3) {
                _ if !fails => BatchOutcome::Written(tables.write_work(batch)),
                0 => BatchOutcome::NotWritten(fail()),
                1 => BatchOutcome::Unknown(fail()),
                _ => {
                    tables.write_work(batch);
                    BatchOutcome::Unknown(fail())
                }
            };
            Input::Written(id, outcome)
        }
        Effect::AskLanded(node, batch) => {
            let landed = if fails { Err(fail()) } else { Ok(tables.has_landed(node, batch)) };
            Input::Landed(batch, landed)
        }
        Effect::Start(..)
        | Effect::GaveUp(_)
        | Effect::Rechecked
        | Effect::WentBack
        | Effect::Forget(_)
        | Effect::Publish(_) => return None,
    })
}

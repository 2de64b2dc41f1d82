//! Targets: who is called, what was received, and how it is answered.

use std::collections::BTreeMap;

use punctual_actions::{Call, HostTrouble, Outcome};
use punctual_model::failure::{Failure, FailureClass};
use punctual_model::occurrence::OccurrenceId;
use punctual_model::settle::Verdict;
use punctual_model::time::TICKS_PER_SECOND;

use crate::dice::Dice;

/// An attempt, as its target can tell it from others.
pub(crate) type AttemptKey = (OccurrenceId, u32);

/// What placeholders are filled with, beyond what the key of the attempt decides.
type Values = (u32, Option<Box<Failure>>);

/// All targets.
#[derive(Default)]
pub(crate) struct Targets {
    /// In which process each attempt was received last, and with what for its placeholders.
    received: BTreeMap<[u8; 16], (u32, Values)>,
}

impl Targets {
    /// A call arrives. What is wrong with it, if something is.
    pub(crate) fn receive(&mut self, key: [u8; 16], call: &Call, process: u32) -> Result<(), String> {
        let values = (call.attempt, call.failure.clone());
        let earlier = self.received.insert(key, (process, values.clone()));
        let what = match earlier {
            Some((earlier, _)) if earlier == process => "twice by the same process",
            Some(_) if !call.is_resent => "a second time, and not marked",
            Some((_, earlier)) if earlier != values => "a second time, with other values",
            _ => return Ok(()),
        };
        Err(format!("{} for {} was sent {what}", call.job_path, call.nominal))
    }

    /// How long the answer takes, and what it is.
    pub(crate) fn answer(dice: &mut Dice, call: &Call, is_calm: bool) -> (i64, Outcome) {
        let timeout = call.definition.options.timeout_ticks();
        let quick = dice.number(0, TICKS_PER_SECOND / 4);
        let failed = |retry_after_ticks| Verdict::Failed { retry_after_ticks };
        let (ticks, verdict, trouble) = match dice.number(0, if is_calm { 14 } else { 20 }) {
            0..10 => (quick, Verdict::Succeeded, HostTrouble::None),
            10..13 => (quick, failed(None), HostTrouble::None),
            13 => {
                let seconds = dice.pick(&[1, 40, 400, 8000]);
                (quick, failed(Some(seconds * TICKS_PER_SECOND)), HostTrouble::AskedToWait)
            }
            14..16 => (timeout, failed(None), HostTrouble::Unreachable),
            16 => (dice.number(0, timeout), Verdict::Succeeded, HostTrouble::None),
            17 => (dice.number(0, timeout), failed(None), HostTrouble::None),
            _ => (0, failed(None), HostTrouble::Unreachable),
        };
        let message = "answered".to_owned();
        let is_failure = verdict != Verdict::Succeeded;
        let failure = is_failure.then(|| Failure::new(FailureClass::Connection, "target", "It does not answer."));
        (ticks.min(timeout), Outcome { verdict, message, failure, trouble, trace: None })
    }
}

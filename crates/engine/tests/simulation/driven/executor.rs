//! Targets that answer as the dice say.

use async_trait::async_trait;
use punctual_actions::{Call, Executor, Outcome};
use punctual_model::time::Clock;

use super::{Driven, sleep};
use crate::targets::Targets;

/// Makes attempts at simulated targets, and has each one checked.
pub(super) struct ScriptedTargets(pub(super) Driven);

#[async_trait]
impl Executor for ScriptedTargets {
    async fn execute(&self, call: Call) -> Outcome {
        let (flight, ticks, outcome) = self.begin(&call);
        sleep(ticks).await;
        self.0.rest().witness.see_end_of_flight(flight);
        outcome
    }
}

impl ScriptedTargets {
    /// The call arrives. Returns the number of the attempt, and how it will be answered after how long.
    fn begin(&self, call: &Call) -> (u64, i64, Outcome) {
        let Driven { store, clock, .. } = &self.0;
        let mut guard = self.0.rest();
        let rest = &mut *guard;
        rest.flights += 1;
        rest.witness.note(clock.now(), || {
            let (path, phase, nominal) = (&call.job_path, call.phase, call.nominal);
            format!("  Start {path} {phase:?} for {nominal}, resent {}", call.is_resent)
        });
        let tables = store.tables();
        if rest.disturbed_at != clock.steady()
            && let Err(wrong) = rest.witness.check_start(rest.flights, call, &tables, &**clock)
        {
            rest.wrong.get_or_insert(wrong);
        }
        if let Err(wrong) = rest.witness.receive(call, &tables) {
            rest.wrong.get_or_insert(wrong);
        }
        let (ticks, outcome) = Targets::answer(&mut rest.dice, call, rest.is_calm);
        (rest.flights, ticks, outcome)
    }
}

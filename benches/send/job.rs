//! A job that sends a message.

use std::sync::Arc;

use punctual_actions::egress::Egress;
use punctual_actions::{Actions, Call, Settings};
use punctual_model::action::{Action, Target};
use punctual_model::job::Definition;
use punctual_model::occurrence::{OccurrenceId, Phase};
use punctual_model::options::Options;
use punctual_model::time::Timestamp;

/// A message as people send them.
pub(crate) const MESSAGE: &str = r#"{"report":"daily","recipients":["a@example.com","b@example.com"],"days":7}"#;

/// An attempt of a job with this target.
pub(crate) fn call(target: Target) -> Call {
    let action = Action { target, retry: None, error: None, sign: None };
    let definition = Definition { start: None, action, recurrence: None, options: Options::default() };
    let at = Timestamp::from_seconds(1_800_000_000).expect("a time");
    Call {
        definition: Arc::new(definition),
        phase: Phase::Main,
        job_path: "subscription/group/collection/job".into(),
        occurrence: OccurrenceId::from_bytes([0xab; 16]),
        attempt_id: [0xcd; 16],
        attempt: 1,
        failure: None,
        nominal: at,
        started: at,
        is_resent: false,
        trace: None,
    }
}

/// Actions that may call this machine.
pub(crate) fn actions(settings: Settings) -> Arc<Actions> {
    let egress = Egress { is_loopback_allowed: true, ..Egress::default() };
    Arc::new(Actions::new(Settings { egress, ..settings }).expect("settings"))
}

//! What is told of an attempt once its outcome is on disk, where somebody traces it.

use punctual_actions::{AttemptTrace, ConnectStep};
use punctual_model::action::Target;
use punctual_model::occurrence::{Occurrence, Origin, Phase};
use punctual_model::time::Timestamp;
use punctual_store::WorkId;
use punctual_telemetry::{AttemptSpan, ConnectSpan};

use super::Engine;
use crate::row::{Finished, Row, RowState, WriteReason};

impl Engine {
    /// Tells of the attempt of a row whose settlement has just been written.
    pub(super) fn trace_settled(&self, id: WorkId) {
        let Some(telemetry) = &self.telemetry else { return };
        let RowState::Writing(writing) = self.rows.state(id) else { return };
        let WriteReason::Settled(finished) = &writing.reason else { return };
        let Some(trace) = &finished.outcome.trace else { return };
        let is_last = !writing.next.is_retried;
        telemetry.record_attempt(span(&writing.row, finished, trace, is_last, self.now));
    }
}

fn span(row: &Row, finished: &Finished, trace: &AttemptTrace, is_last: bool, settled: Timestamp) -> AttemptSpan {
    let occurrence = &finished.occurrence;
    let definition = &row.job.definition;
    let target = definition.definition.action.target_of(occurrence.phase);
    let server = match target {
        Target::Http(http) => Some((http.uri.host().to_owned(), http.uri.port())),
        Target::StorageQueue(_) | Target::ServiceBus(_) | Target::Email(_) => None,
    };
    let main = Occurrence { phase: Phase::Main, ..*occurrence };
    AttemptSpan {
        occurrence: trace.occurrence,
        main_occurrence: (occurrence.phase == Phase::Error).then(|| main.id(definition.uid)),
        attempt_id: trace.attempt_id,
        attempt: occurrence.attempt.saturating_add(1),
        phase: occurrence.phase,
        job_path: definition.path.clone(),
        kind: target.type_name(),
        target: target.label(),
        server,
        begins: begin(occurrence),
        due: occurrence.wake_at.min(finished.started),
        started: finished.started,
        ended: finished.ended,
        settled,
        connecting: trace.connecting.iter().map(connect_span).collect(),
        status: trace.status,
        failure: finished.outcome.failure.clone(),
        is_resent: finished.is_resent,
        is_last,
        is_sampled: trace.is_sampled,
    }
}

/// When an occurrence began, as far as its last attempt knows. What makes something good that is long past begins with its
/// last attempt.
fn begin(occurrence: &Occurrence) -> Timestamp {
    let is_of_present = matches!(occurrence.origin, Origin::Schedule | Origin::Manual(_));
    let is_first = occurrence.phase == Phase::Main && occurrence.attempt == 0;
    if is_first || !is_of_present || occurrence.backlog_until.is_some() {
        occurrence.wake_at
    } else {
        occurrence.nominal.min(occurrence.wake_at)
    }
}

fn connect_span(step: &ConnectStep) -> ConnectSpan {
    ConnectSpan { name: step.kind.name(), started: step.started, ended: step.ended }
}

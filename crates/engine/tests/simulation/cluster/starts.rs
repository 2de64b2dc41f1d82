//! What must hold when a node starts an attempt.

use punctual_actions::Call;
use punctual_engine::FlightId;
use punctual_model::time::Clock;
use punctual_store::Shards;

use super::{Cluster, Of};
use crate::witness::row_of;

impl Cluster {
    /// Whether a node may make this attempt now.
    pub(super) fn check_start(&mut self, of: Of, flight: FlightId, call: &Call) -> Result<(), String> {
        let (tables, node) = (&self.tables, &self.nodes[of.place]);
        // A job may be deleted a moment before its node hears of it.
        let Some(job) = tables.find_job(&call.job_path) else { return Ok(()) };
        let wrong = |what: &str| Err(format!("job {} for {} at node {}: {what}", job.0, call.nominal, of.place));
        let Some(id) = node.id else { return wrong("it is started by a node that has not joined") };
        let shard = Shards::of(tables.jobs[&job].uid);
        if tables.cluster.owners[usize::from(shard)] != Some(id) {
            return wrong("it is started by a node that does not own its shard");
        }
        if !tables.cluster.is_alive(id, self.clock.now()) {
            return wrong("it is started by a node whose lease has run out");
        }
        let Some(row) = row_of(tables, job, call) else {
            // What is sent again is written before, and may be settled by another node in between.
            return if call.is_resent { Ok(()) } else { wrong("it is started although it is not open") };
        };
        let Some(open) = row.occurrence() else { return wrong("nothing is open") };
        if open.wake_at > node.clock.now() {
            return wrong("it is started too early");
        }
        if tables.watermarks.get(&id).is_none_or(|watermark| open.wake_at > *watermark) {
            return wrong("it is started beyond the watermark");
        }
        if row.claim.is_some() {
            return wrong("it is started although another node has it in flight");
        }
        if call.is_resent != (row.resends > 0) {
            return wrong("the mark of a resend is wrong");
        }
        if !call.is_resent && call.attempt != open.attempt + 1 {
            return wrong("the number of the attempt is wrong");
        }
        self.witness.see_flight(of.flight(flight), job, open.origin, self.clock.now());
        Ok(())
    }
}

//! The definitions of jobs that ran or will run soon.

use std::collections::VecDeque;
use std::sync::{Arc, OnceLock};

use punctual_metrics::CollectionMetrics;
use punctual_model::lane::{Host, Lane};
use punctual_model::occurrence::Phase;
use punctual_model::recurrence::Timetable;
use punctual_model::terms::Terms;
use punctual_model::time::TICKS_PER_MINUTE;
use punctual_store::{CollectionId, JobDefinition, JobId, OpenWork, Revision, WorkEntry};

use crate::number_map::NumberMap;

/// The definition of a job that wakes later than this is forgotten when its row is written: its memory is then still in the
/// processor's caches for the next definition, and a definition that is displaced by others later on is in none.
pub(crate) const KEPT_TICKS: i64 = 2 * TICKS_PER_MINUTE;

/// Bytes of definitions that are kept.
const BYTES_MAX: usize = 64 << 20;

/// Forgotten versions that may stand in the order of those that are known.
const ORDER_SLACK: usize = 1000;

/// A job, ready to decide about: its definition, with what follows from it.
#[derive(Debug)]
pub(crate) struct LoadedJob {
    pub(crate) definition: JobDefinition,
    pub(crate) timetable: Timetable,
    /// The numbers of the job's collection, once something was counted there.
    pub(crate) counted: OnceLock<Arc<CollectionMetrics>>,
    main_host: Arc<Host>,
    error_host: Option<Arc<Host>>,
}

impl LoadedJob {
    /// Compiles a definition. None if its schedule cannot be compiled, which the API would have refused.
    pub(crate) fn new(definition: JobDefinition) -> Option<Self> {
        let timetable = Timetable::new(definition.definition.recurrence.as_ref(), definition.anchor).ok()?;
        let action = &definition.definition.action;
        let main_host = Arc::new(Host::of(&action.target));
        let error_host = action.error.as_ref().map(|error| Arc::new(Host::of(&error.target)));
        Some(Self { definition, timetable, counted: OnceLock::new(), main_host, error_host })
    }

    /// Whether the job and a row that was read before it belong together. The end of a job does not change its revision: another node may
    /// have closed what the row says is open.
    pub(crate) fn goes_with(&self, entry: &WorkEntry) -> bool {
        let has_ended = self.definition.state.kind().is_final();
        let is_open = matches!(entry.open, OpenWork::Schedule(schedule) if schedule.open.is_some());
        self.definition.revision == entry.job_revision && !(has_ended && is_open)
    }

    /// The terms on which the job runs, in a collection as that of `entry` is.
    pub(crate) fn terms<'a>(&'a self, entry: &WorkEntry) -> Terms<'a> {
        let JobDefinition { uid, definition, series, state, .. } = &self.definition;
        let stopped_at = state.stopped_at(entry.collection_stopped_at);
        Terms::of(*uid, definition, &self.timetable, *series, entry.sku, stopped_at)
    }

    /// The host that an action calls.
    pub(crate) fn host(&self, phase: Phase) -> &Arc<Host> {
        match phase {
            Phase::Main => &self.main_host,
            Phase::Error => self.error_host.as_ref().unwrap_or(&self.main_host),
        }
    }

    /// The lane in which the job waits.
    pub(crate) fn lane(&self, collection: CollectionId, phase: Phase) -> Lane {
        Lane::new(collection.0, self.host(phase))
    }
}

/// Loaded jobs, bounded in bytes. A caller names the version that it needs, so that an old one does no harm.
#[derive(Debug, Default)]
pub(crate) struct DefinitionCache {
    jobs: NumberMap<JobId, Arc<LoadedJob>>,
    /// The longest known first.
    order: VecDeque<(JobId, Revision)>,
    bytes: usize,
}

impl DefinitionCache {
    pub(crate) fn get(&self, id: JobId, revision: Revision) -> Option<Arc<LoadedJob>> {
        self.jobs.get(&id).filter(|job| job.definition.revision == revision).cloned()
    }

    /// Whether some version of a job is known.
    pub(crate) fn has(&self, id: JobId) -> bool {
        self.jobs.contains_key(&id)
    }

    pub(crate) fn put(&mut self, job: Arc<LoadedJob>) {
        self.forget(job.definition.id);
        self.bytes += job.definition.bytes;
        self.order.push_back((job.definition.id, job.definition.revision));
        self.jobs.insert(job.definition.id, job);
        if self.order.len() > 2 * self.jobs.len() + ORDER_SLACK {
            let jobs = &self.jobs;
            self.order.retain(|(id, revision)| jobs.get(id).is_some_and(|job| job.definition.revision == *revision));
        }
        while self.bytes > BYTES_MAX
            && let Some((oldest, revision)) = self.order.pop_front()
        {
            if self.get(oldest, revision).is_some() {
                self.forget(oldest);
            }
        }
    }

    /// Forgets a job, and returns what was known of it.
    pub(crate) fn forget(&mut self, id: JobId) -> Option<Arc<LoadedJob>> {
        let job = self.jobs.remove(&id)?;
        self.bytes -= job.definition.bytes;
        Some(job)
    }
}

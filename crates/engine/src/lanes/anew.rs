//! What has to be read again, because it is no longer true.

use punctual_store::{JobId, WorkId};

use super::{Known, Lanes, Place};

impl<R> Lanes<R> {
    /// Reads everything anew, from the beginning.
    pub(crate) fn read_anew(&mut self) {
        self.reach.begin_anew();
    }

    /// The clock was set. What is far away now must not take the room of what is near: all is forgotten that is not on its
    /// way, and read anew.
    pub(crate) fn clock_was_set(&mut self) {
        let stands = |(id, known): (&WorkId, &Known)| {
            matches!(known.place, Place::Waiting { .. } | Place::Ready { .. }).then_some(*id)
        };
        let standing: Vec<WorkId> = self.places.iter().filter_map(stands).collect();
        for id in standing {
            self.forget(id);
        }
        for queue in self.queues.values_mut() {
            queue.passed = None;
            queue.missed.clear();
        }
        self.hungry.clear();
        self.reach.forget();
    }

    /// A job was edited: what is loaded of it is no longer true.
    pub(crate) fn outdate(&mut self, job: JobId) {
        let beside = self.beside.get(&job).cloned().unwrap_or_default();
        for id in beside.into_iter().chain([job.into()]) {
            self.outdate_row(id);
        }
    }

    /// Anything may have been edited.
    pub(crate) fn outdate_all(&mut self) {
        let read = |(id, known): (&WorkId, &Known)| {
            let is_read = !matches!(known.place, Place::Waiting { .. });
            is_read.then_some(*id)
        };
        let read: Vec<WorkId> = self.places.iter().filter_map(read).collect();
        for id in read {
            self.outdate_row(id);
        }
        self.read_anew();
    }

    fn outdate_row(&mut self, id: WorkId) {
        let Some(known) = self.places.get_mut(&id) else { return };
        match known.place {
            Place::Loading { lane, is_asked, .. } => {
                known.place = Place::Loading { lane, is_asked, is_outdated: is_asked };
            }
            Place::Ready { wake_at, lane } => {
                known.place = Place::Waiting { wake_at, lane };
                if let Some(queue) = self.queues.get_mut(&lane) {
                    self.ready -= usize::from(queue.ready.remove(&(wake_at, id)).is_some());
                    queue.waiting.insert((wake_at, id));
                }
                self.arm(lane);
            }
            Place::Busy => _ = self.outdated.insert(id),
            Place::Waiting { .. } => {}
        }
    }

    /// Whether a busy row was edited since it was taken.
    pub(crate) fn is_outdated(&self, id: WorkId) -> bool {
        self.outdated.contains(&id)
    }
}

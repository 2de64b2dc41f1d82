//! What waits to be sent: a bounded number of things.

use std::collections::VecDeque;
use std::sync::{Mutex, PoisonError};

/// Things that wait to be sent, oldest first.
#[derive(Debug)]
pub(crate) struct Queue<T> {
    max: usize,
    waiting: Mutex<VecDeque<T>>,
}

/// What became of a thing that was to be queued.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Queued {
    /// There was room.
    Taken,
    /// There was room, and the queue has just become half full.
    HalfFull,
    /// There was no room.
    Dropped,
}

impl<T> Queue<T> {
    pub(crate) fn new(max: usize) -> Self {
        Self { max, waiting: Mutex::default() }
    }

    /// Adds a thing, if there is room.
    pub(crate) fn push(&self, thing: T) -> Queued {
        let mut waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        if waiting.len() >= self.max {
            return Queued::Dropped;
        }
        waiting.push_back(thing);
        if waiting.len() == self.max.div_ceil(2) { Queued::HalfFull } else { Queued::Taken }
    }

    /// Takes the oldest things, at most so many.
    pub(crate) fn take(&self, max: usize) -> Vec<T> {
        let mut waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        let number = waiting.len().min(max);
        waiting.drain(..number).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_full_queue_takes_nothing_until_something_was_sent() {
        let queue = Queue::new(3);
        assert_eq!(
            [1, 2, 3, 4].map(|thing| queue.push(thing)),
            [Queued::Taken, Queued::HalfFull, Queued::Taken, Queued::Dropped]
        );
        assert_eq!(queue.take(2), [1, 2]);
        assert_eq!(queue.push(5), Queued::HalfFull);
        assert_eq!(queue.take(9), [3, 5]);
    }
}

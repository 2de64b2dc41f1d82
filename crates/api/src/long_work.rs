//! Work that takes long: opening certificates, previews, audits.
//!
//! Few pieces of it are done at once, on threads that answer nobody else, and each caller can have only some of them waiting:
//! one who asks for more is told so, and others get their turn.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::fault::Fault;
use crate::limits;

/// Does long work, to those first who asked first.
pub(crate) struct LongWork {
    places: Arc<Semaphore>,
    /// How many pieces of work each caller has, those that wait included.
    callers: Arc<Mutex<HashMap<String, usize>>>,
}

/// A place to work at, until this is dropped.
pub(crate) struct Place {
    _permit: Option<OwnedSemaphorePermit>,
    _turn: Turn,
}

/// One of the pieces of work that a caller may have.
struct Turn {
    callers: Arc<Mutex<HashMap<String, usize>>>,
    caller: String,
}

impl LongWork {
    /// Long work, of which so many pieces are done at once.
    pub(crate) fn new(places: usize) -> Self {
        Self { places: Arc::new(Semaphore::new(places)), callers: Arc::default() }
    }

    /// Waits for a place, unless the caller has too much waiting already.
    pub(crate) async fn enter(&self, caller: &str) -> Result<Place, Fault> {
        let turn = self.take_turn(caller)?;
        let permit = Arc::clone(&self.places).acquire_owned().await.ok();
        Ok(Place { _permit: permit, _turn: turn })
    }

    /// Does a piece of work on a thread of its own.
    pub(crate) async fn run<T: Send + 'static>(
        &self,
        caller: &str,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, Fault> {
        let place = self.enter(caller).await?;
        let done = tokio::task::spawn_blocking(move || {
            // The place is left when the work is done, and not when its client goes away.
            let _place = place;
            work()
        });
        done.await.map_err(|_| Fault::Busy)
    }

    fn take_turn(&self, caller: &str) -> Result<Turn, Fault> {
        let mut callers = self.callers.lock().unwrap_or_else(PoisonError::into_inner);
        let number = callers.entry(caller.to_owned()).or_default();
        if *number >= limits::LONG_WORK_PER_CALLER_MAX {
            return Err(Fault::TooMuchWork { max: limits::LONG_WORK_PER_CALLER_MAX });
        }
        *number += 1;
        Ok(Turn { callers: Arc::clone(&self.callers), caller: caller.to_owned() })
    }
}

impl Drop for Turn {
    fn drop(&mut self) {
        let mut callers = self.callers.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(number) = callers.get_mut(&self.caller) {
            *number -= 1;
            if *number == 0 {
                callers.remove(&self.caller);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;

    use super::*;

    #[tokio::test]
    async fn a_caller_with_too_much_work_is_refused_and_others_are_not() {
        let work = Arc::new(LongWork::new(1));
        let (finish, finished) = mpsc::channel::<()>();
        let first = tokio::spawn({
            let work = Arc::clone(&work);
            async move { work.run("mallory", move || finished.recv()).await.is_ok() }
        });
        while work.callers.lock().unwrap().is_empty() {
            tokio::task::yield_now().await;
        }
        let turns: Vec<_> = (1..limits::LONG_WORK_PER_CALLER_MAX).map(|_| work.take_turn("mallory")).collect();
        assert!(turns.iter().all(Result::is_ok));
        assert!(matches!(work.run("mallory", || ()).await, Err(Fault::TooMuchWork { .. })));
        finish.send(()).unwrap();
        assert!(matches!(work.run("ada", || 7).await, Ok(7)));
        assert!(first.await.unwrap());
        drop(turns);
        assert!(work.callers.lock().unwrap().is_empty(), "callers without work are forgotten");
    }
}

//! Where answers are searched for secrets.

use std::sync::Arc;

use tokio::sync::Semaphore;

use crate::limits;

/// Keeps long searches off the threads that start jobs. Whoever writes a job decides how long they take.
#[derive(Clone)]
pub(crate) struct MaskThreads {
    permits: Arc<Semaphore>,
}

impl Default for MaskThreads {
    fn default() -> Self {
        Self { permits: Arc::new(Semaphore::new(limits::MASK_THREADS_MAX)) }
    }
}

impl MaskThreads {
    /// Whether so many bytes, of an answer and of its job, are searched on the thread on which the answer arrived.
    pub(crate) fn is_short(bytes: usize) -> bool {
        bytes <= limits::MASK_INLINE_BYTES_MAX
    }

    /// Does some work on a thread that may be busy for a while, when its turn comes.
    pub(crate) async fn run<T: Send + 'static>(&self, work: impl FnOnce() -> T + Send + 'static) -> T {
        let permit = Arc::clone(&self.permits).acquire_owned().await.expect("the semaphore is never closed");
        // The work holds the permit, since it goes on even if nobody waits for it any more.
        let worked = tokio::task::spawn_blocking(move || {
            let _permit = permit;
            work()
        });
        match worked.await {
            Ok(done) => done,
            Err(error) => match error.try_into_panic() {
                Ok(panic) => std::panic::resume_unwind(panic),
                // The runtime is ending, and this task with it.
                Err(_) => std::future::pending().await,
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn long_searches_leave_their_thread() {
        let threads = MaskThreads::default();
        let id = || std::thread::current().id();
        assert_ne!(threads.run(id).await, id());
        assert!(MaskThreads::is_short(300) && !MaskThreads::is_short(16_000));
    }
}

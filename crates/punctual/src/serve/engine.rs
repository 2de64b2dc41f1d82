//! Starts the engine.

use std::path::Path;

use anyhow::Context;
use punctual_engine::{Deps, Settings};
use punctual_model::plural;
use punctual_store::{NodeId, Shards};
use tokio::sync::oneshot;
use tokio_util::sync::CancellationToken;

use crate::config::Config;

/// Takes over what an earlier process has left, and runs jobs until `stop`. The receiver gets the number of attempts that
/// were still running at the end.
pub(super) async fn start(
    config: &Config,
    deps: Deps,
    is_paused: bool,
    stop: CancellationToken,
) -> anyhow::Result<oneshot::Receiver<u32>> {
    // One of several nodes takes over with each shard what its former owner has left.
    if deps.membership.is_none() {
        let resent = deps.work_store.take_over(NodeId::ONLY, Shards::ALL).await?;
        if resent > 0 {
            tracing::warn!("{}", describe_resent(resent, is_paused));
        }
    }
    let settings = Settings { concurrency: config.concurrency, ..Settings::default() };
    let disk_bytes = if config.store.postgres.is_some() { None } else { disk_bytes(&config.store.data) };
    let retention = config.history.retention(disk_bytes);
    let time_to_finish = config.server.shutdown_time_max;
    spawn_on_own_threads(punctual_engine::run(deps, settings, retention, stop, time_to_finish))
}

/// What becomes of attempts that an earlier process may have sent.
fn describe_resent(resent: u64, is_paused: bool) -> String {
    let when = if is_paused { "after `punctual resume`, since the server is paused" } else { "now" };
    format!(
        "{} may have been sent before the last stop; sent again {when}, marked as resent",
        plural(resent, "attempt")
    )
}

/// Runs the engine on threads of its own, so that due jobs do not wait behind requests of clients: the system lets a thread
/// that has slept run first, and a task in a queue of tasks gets no such preference.
fn spawn_on_own_threads(engine: impl Future<Output = u32> + Send + 'static) -> anyhow::Result<oneshot::Receiver<u32>> {
    let (done, left) = oneshot::channel();
    let threads = tokio::runtime::Builder::new_multi_thread().thread_name("engine").enable_all().build();
    let threads = threads.context("cannot start threads")?;
    let run = move || {
        let _ = done.send(threads.block_on(engine));
    };
    std::thread::Builder::new().name("engine".to_owned()).spawn(run).context("cannot start threads")?;
    Ok(left)
}

/// The size of the disk that holds a directory.
fn disk_bytes(directory: &Path) -> Option<u64> {
    let disk = rustix::fs::statvfs(directory).ok()?;
    Some(disk.f_frsize.saturating_mul(disk.f_blocks))
}

#[cfg(test)]
mod tests {
    use super::describe_resent;

    #[test]
    fn a_paused_server_sends_nothing_again_before_it_is_resumed() {
        let now = "2 attempts may have been sent before the last stop; sent again now, marked as resent";
        assert_eq!(describe_resent(2, false), now);
        let later = "1 attempt may have been sent before the last stop; sent again after `punctual resume`, since the \
                     server is paused, marked as resent";
        assert_eq!(describe_resent(1, true), later);
    }
}

//! Sets the engine going.

use std::net::SocketAddr;
use std::path::Path;
use std::sync::Arc;

use anyhow::Context;
use punctual_actions::egress::Egress;
use punctual_actions::{Actions, LookUp};
use punctual_engine::{Deps, Settings};
use punctual_store::sqlite::Sqlite;
use punctual_store::{Events, NodeId, Shards, WorkStore};
use tokio::sync::oneshot;
use tokio_util::sync::CancellationToken;

use crate::clock::SystemClock;
use crate::config::Config;

/// Takes over what an earlier process has left, and runs jobs until it is told to stop. What is waited for says how many
/// attempts were left on the wire.
pub(super) async fn start(
    config: &Config,
    listener: SocketAddr,
    store: Arc<Sqlite>,
    events: Arc<Events>,
    clock: SystemClock,
    stop: CancellationToken,
) -> anyhow::Result<oneshot::Receiver<u32>> {
    let actions = Actions::new(outbound(config, listener)?).context("[outbound]")?;
    let resent = store.take_over(NodeId::ONLY, Shards::ALL).await?;
    if resent > 0 {
        tracing::warn!("{resent} attempts may have been sent before the last stop; they are sent again, marked");
    }
    let deps = Deps { work_store: store, executor: Arc::new(actions), clock: Arc::new(clock), events };
    let settings = Settings { concurrency: config.concurrency, ..Settings::default() };
    let retention = config.history.retention(disk_bytes(&config.store.data));
    let time_to_finish = config.server.shutdown_time_max;
    on_threads_of_its_own(punctual_engine::run(deps, settings, retention, stop, time_to_finish))
}

/// What is due must not stand in line behind requests of clients: a thread that has slept is let go first by the system,
/// a task in a queue of tasks is not.
fn on_threads_of_its_own(engine: impl Future<Output = u32> + Send + 'static) -> anyhow::Result<oneshot::Receiver<u32>> {
    let (done, left) = oneshot::channel();
    let threads = tokio::runtime::Builder::new_multi_thread().thread_name("engine").enable_all().build();
    let threads = threads.context("cannot start threads")?;
    let run = move || {
        let _ = done.send(threads.block_on(engine));
    };
    std::thread::Builder::new().name("engine".to_owned()).spawn(run).context("cannot start threads")?;
    Ok(left)
}

fn outbound(config: &Config, listener: SocketAddr) -> anyhow::Result<punctual_actions::Settings> {
    let outbound = &config.outbound;
    let ca_pem = outbound
        .ca
        .as_ref()
        .map(|file| std::fs::read(file).with_context(|| format!("outbound.ca: cannot read {}", file.display())));
    Ok(punctual_actions::Settings {
        egress: Egress {
            own_listeners: vec![listener],
            is_loopback_allowed: outbound.allows_loopback,
            denied: outbound.denied.clone(),
            allowed: outbound.allowed.clone(),
        },
        proxy: outbound.proxy.clone(),
        ca_pem: ca_pem.transpose()?,
        look_up: LookUp::default(),
        oauth: config.oauth.clone(),
        storage_queue: config.storage_queue.clone(),
        service_bus: config.service_bus.clone(),
    })
}

/// How large the disk is on which a directory lies.
fn disk_bytes(directory: &Path) -> Option<u64> {
    let disk = rustix::fs::statvfs(directory).ok()?;
    Some(disk.f_frsize.saturating_mul(disk.f_blocks))
}

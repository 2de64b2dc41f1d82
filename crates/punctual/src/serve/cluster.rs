//! Being one of several nodes.

use std::sync::Arc;
use std::time::Duration;

use punctual_api::Nodes;
use punctual_engine::{ClusterStatus, Membership};
use punctual_model::time::{Clock, Timestamp};
use punctual_store::postgres::Postgres;
use punctual_store::{ClusterStore, NewNode, WorkStore};
use tokio::time::{MissedTickBehavior, interval};

use crate::clock::SystemClock;
use crate::config::Config;
use crate::server::Server;

/// How often a node looks for what other nodes have written. The engine starts nothing if it has not looked for twice that long.
const INTERVAL: Duration = Duration::from_millis(300);

/// What this process says of itself to other nodes.
pub(super) fn this_node(config: &Config, server: &Server) -> NewNode {
    let machine = || rustix::system::uname().nodename().to_string_lossy().into_owned();
    NewNode {
        name: config.cluster.name.clone().unwrap_or_else(machine),
        version: env!("CARGO_PKG_VERSION").to_owned(),
        url: config.server.listen_url(server.address()).as_str().to_owned(),
    }
}

/// The nodes as the API knows them.
pub(super) fn nodes(
    store: Option<Arc<dyn ClusterStore>>,
    node: NewNode,
    status: Arc<ClusterStatus>,
    since: Timestamp,
) -> Nodes {
    match store {
        Some(store) => Nodes::Several { store, this_node: Arc::new(move || status.node()) },
        None => Nodes::One { node, since },
    }
}

/// What this process is among the nodes.
pub(super) fn membership(config: &Config, node: NewNode, store: Arc<dyn ClusterStore>) -> Membership {
    Membership { store, node, lease: config.cluster.lease }
}

/// Hears what other nodes have written, until the future is dropped.
pub(super) async fn follow(store: Arc<Postgres>, clock: SystemClock) {
    let mut ticks = interval(INTERVAL);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let mut is_failing = false;
    loop {
        ticks.tick().await;
        let begun = clock.steady();
        let followed = store.follow().await;
        if followed.is_ok() {
            store.bell().ring_for_others(begun);
        }
        match &followed {
            Err(error) if !is_failing => tracing::warn!("what other nodes write is not heard of: {error}"),
            Ok(()) if is_failing => tracing::info!("what other nodes write is heard of again"),
            _ => {}
        }
        is_failing = followed.is_err();
    }
}

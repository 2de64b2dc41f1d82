//! `punctual serve`: puts the rooms together, and keeps them running until it is told to stop.

mod api_adapter;
mod cluster;
mod data_directory;
mod engine;
mod event_body;
mod farewell;
mod fetch;
mod first_start;
mod greeting;
mod heartbeat;
mod log;
mod log_lines;
mod metrics;
mod open_files;
mod outbound;
mod pause;
mod preflight;
mod scrape_token;
mod stores;
mod target_check;
mod telemetry;

use std::sync::Arc;

use anyhow::Context;
use punctual_actions::upkeep::{self, Upkeep};
use punctual_actions::{Actions, Foresight};
use punctual_api::auth::Authentication;
use punctual_api::auth::oidc::{Fetch, Verifier};
use punctual_api::{Api, ApiSettings, Plans};
use punctual_engine::{AlertDeps, ClusterStatus, Deps, Flights};
use punctual_metrics::Metrics;
use punctual_model::time::Clock;
use punctual_store::{GroupKey, Store};
use punctual_telemetry::Telemetry;
use tokio::signal::unix::{SignalKind, signal};
use tokio::time::Duration;
use tokio_util::sync::CancellationToken;

use self::api_adapter::ApiAdapter;
use self::fetch::Fetcher;
use self::first_start::FirstStart;
use self::heartbeat::Heartbeat;
use self::log_lines::LogLines;
use self::metrics::MetricsServer;
use self::outbound::Outbound;
pub(crate) use self::preflight::check;
use self::stores::Stores;
use self::target_check::ForeseenFlaws;
use self::telemetry::Exporting;
use crate::clock::SystemClock;
use crate::config::Config;
use crate::config::server::Tls;
use crate::random::SystemRandom;
use crate::server::{Server, ServerConfig, TlsSource};

/// Serves until the process is told to stop.
pub(crate) fn run(config: Config, clock: SystemClock, starts_paused: bool) -> anyhow::Result<()> {
    let metrics = Arc::new(Metrics::new(config.metrics.collections_max));
    let telemetry = telemetry::recorder(&config.telemetry, &metrics, clock);
    let lines = telemetry.clone().filter(|telemetry| telemetry.has_logs());
    log::start(&config.log, lines.map(|telemetry| LogLines { telemetry, clock }));
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().context("cannot start threads")?;
    runtime.block_on(serve(config, clock, starts_paused, metrics, telemetry))
}

async fn serve(
    mut config: Config,
    clock: SystemClock,
    starts_paused: bool,
    metrics: Arc<Metrics>,
    telemetry: Option<Arc<Telemetry>>,
) -> anyhow::Result<()> {
    open_files::raise_limit(&config);
    // Whoever reads the path later may be in another directory.
    config.store.data = std::path::absolute(&config.store.data).context("cannot find the data directory")?;
    let Stores { store, work_store, alert_store, session_store, cluster_store, shared } =
        Stores::open(&mut config, exit).await?;
    let outbound = Outbound::read(&config)?;
    // An address that is taken is found out before the first start is over.
    let server = Server::bind(server_config(&config, clock)).await?;
    let metrics_server = MetricsServer::bind(&config, &metrics, clock).await?;
    let random = Arc::new(SystemRandom);
    let defaults =
        GroupKey { subscription: config.defaults.subscription.clone(), group: config.defaults.group.clone() };
    let first_start = FirstStart::make(&*store, &config.store.data, &defaults, clock.now(), &*random).await?;
    let pause = pause::find(&*store, starts_paused, clock.now()).await?;
    let settings = api_settings(&config, &server, defaults.clone());
    let authentication = authentication(&config, &outbound)?;
    let metrics_address = metrics_server.as_ref().map(MetricsServer::address);
    let action_settings = outbound.action_settings(&config, server.address(), metrics_address);
    let target_check = Arc::new(ForeseenFlaws(Foresight::new(&action_settings)));
    let tracer = telemetry.clone().filter(|telemetry| telemetry.has_traces());
    let status = Arc::new(if cluster_store.is_some() { ClusterStatus::outside() } else { ClusterStatus::alone() });
    let node = cluster::this_node(&config, &server);
    let nodes = cluster::nodes(cluster_store.clone(), node.clone(), Arc::clone(&status), clock.now());
    let api = Api::new((store.clone(), alert_store.clone()), Arc::new(clock), random, authentication, settings)
        .with_target_check(target_check)
        .with_sessions(session_store)
        .with_metrics(Arc::clone(&metrics))
        .with_nodes(nodes)
        .with_telemetry(tracer.clone());
    let shutdown = CancellationToken::new();
    let exporting = Exporting::start(&config, &outbound, telemetry, clock)?;
    tokio::spawn(shut_down_on_signal(shutdown.clone()));
    let events = store.events().clone();
    let client = outbound.operator_client().context("[outbound]")?;
    let heartbeat =
        Heartbeat::new(&config.heartbeat, client, store.clone(), Arc::clone(&metrics), Arc::clone(&status), clock);
    if let Some(heartbeat) = heartbeat {
        tokio::spawn(shutdown.clone().run_until_cancelled_owned(heartbeat.run()));
    }
    if let Some(shared) = shared {
        tokio::spawn(shutdown.clone().run_until_cancelled_owned(cluster::follow(shared, clock)));
    }
    let flights = Arc::<Flights>::default();
    let alert_deps = AlertDeps {
        alert_store,
        store: store.clone(),
        work_store: work_store.clone(),
        clock: Arc::new(clock),
        metrics: Arc::clone(&metrics),
        flights: Arc::clone(&flights),
        status: Arc::clone(&status),
        public_url: Some(config.server.public_url(server.address()).as_str().to_owned()),
        defaults,
    };
    tokio::spawn(shutdown.clone().run_until_cancelled_owned(punctual_engine::watch_alerts(alert_deps)));
    let sweeping = upkeep::run(DeletedCollections { store: store.clone(), status: Arc::clone(&status), clock });
    let sweeping = tokio::spawn(shutdown.clone().run_until_cancelled_owned(sweeping));
    let actions = Actions::new(action_settings).context("[outbound]")?;
    let (executor, clock) = (Arc::new(actions), Arc::new(clock));
    let membership = cluster_store.map(|store| cluster::membership(&config, node, store));
    let telemetry = tracer;
    let deps = Deps { work_store, store, executor, clock, events, metrics, flights, telemetry, membership, status };
    let engine = engine::start(&config, deps, pause.is_some(), shutdown.clone()).await?;
    let link = greeting::console_link(&config, &server, &api);
    greeting::print(&config, &server, metrics_address, (first_start.as_ref(), pause.as_deref(), link));
    if let Some(metrics_server) = metrics_server {
        tokio::spawn(metrics_server.run(shutdown.clone()));
    }
    let adapter = ApiAdapter { api, trusted_proxies: config.server.trusted_proxies, shutdown: shutdown.clone() };
    let stopped = server.run(Arc::new(adapter), shutdown).await;
    let _ = sweeping.await;
    farewell::log(stopped.cut_count, engine.await.unwrap_or_default());
    exporting.finish().await;
    Ok(())
}

/// How the API answers.
fn api_settings(config: &Config, server: &Server, defaults: GroupKey) -> ApiSettings {
    ApiSettings {
        public_url: config.server.public_url(server.address()).as_str().to_owned(),
        defaults,
        dialect: config.dialect,
        plans: config.plans.as_ref().map_or_else(Plans::unlimited, |plans| Plans::new(|sku| plans.of(sku))),
    }
}

fn server_config(config: &Config, clock: SystemClock) -> ServerConfig {
    let server = &config.server;
    ServerConfig {
        listen: server.listen,
        connections_max: server.connections_max,
        header_time_max: server.header_time_max,
        body_time_max: server.body_time_max,
        body_bytes_max: server.body_bytes_max,
        idle_time_max: server.idle_time_max,
        shutdown_time_max: server.shutdown_time_max,
        tls: match &server.tls {
            Tls::Off => None,
            Tls::SelfSigned => Some(TlsSource::SelfSigned { directory: config.store.data.join("tls"), clock }),
            Tls::Files { certificate, key } => {
                Some(TlsSource::Files { certificate: certificate.clone(), key: key.clone() })
            }
        },
    }
}

fn authentication(config: &Config, outbound: &Outbound) -> anyhow::Result<Authentication> {
    if !config.auth.required {
        return Ok(Authentication::Off);
    }
    let fetch: Arc<dyn Fetch> = Arc::new(Fetcher(outbound.operator_client().context("[outbound]")?));
    Ok(Authentication::Required(Verifier::new(&config.auth.issuers, &fetch)))
}

/// Clears away, bit by bit, what deleted collections have left behind.
struct DeletedCollections {
    store: Arc<dyn Store>,
    status: Arc<ClusterStatus>,
    clock: SystemClock,
}

impl Upkeep for DeletedCollections {
    const INTERVAL: Duration = Duration::from_secs(1);

    async fn pass(&mut self) {
        while self.status.is_leader(&self.clock) && matches!(self.store.sweep().await, Ok(true)) {}
    }
}

/// The first signal to stop lets requests and attempts finish; the second ends the process.
async fn shut_down_on_signal(shutdown: CancellationToken) {
    let (Ok(mut terminate), Ok(mut interrupt)) = (signal(SignalKind::terminate()), signal(SignalKind::interrupt()))
    else {
        tracing::warn!("signals cannot be received; only kill -9 stops this process");
        return;
    };
    for round in 0.. {
        tokio::select! {
            _ = terminate.recv() => {}
            _ = interrupt.recv() => {}
        }
        if round > 0 {
            exit("a second signal to stop came".to_owned());
        }
        tracing::info!("stopping; requests and attempts that have begun are finished first");
        shutdown.cancel();
    }
}

/// Ends the process now. Acknowledged writes are on disk; nothing else may be tried.
#[expect(clippy::needless_pass_by_value, reason = "the store gives the reason away")]
fn exit(reason: String) {
    tracing::error!("stopping at once: {reason}");
    std::process::exit(1);
}

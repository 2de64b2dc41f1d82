//! `punctual serve`: puts the rooms together, and keeps them running until it is told to stop.

mod engine;
mod event_body;
mod fetch;
mod files;
mod first_start;
mod glue;
mod log;

use std::sync::Arc;

use anyhow::Context;
use punctual_api::auth::Authentication;
use punctual_api::auth::oidc::{Fetch, Verifier};
use punctual_api::{Api, Plans, Settings};
use punctual_model::time::Clock;
use punctual_store::sqlite::Sqlite;
use punctual_store::{Events, GroupKey, Store};
use tokio::signal::unix::{SignalKind, signal};
use tokio::time::{Duration, MissedTickBehavior, interval};
use tokio_util::sync::CancellationToken;

use self::fetch::Fetcher;
use self::first_start::FirstStart;
use self::glue::Glue;
use crate::clock::SystemClock;
use crate::config::Config;
use crate::config::server::Tls;
use crate::random::SystemRandom;
use crate::server::{Server, ServerConfig, TlsSource};

/// How often it is looked whether something has to be cleared away.
const HOUSEKEEPING_INTERVAL: Duration = Duration::from_secs(1);

/// Serves until the process is told to stop.
pub(crate) fn run(config: Config, clock: SystemClock) -> anyhow::Result<()> {
    log::start(&config.log);
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().context("cannot start threads")?;
    runtime.block_on(serve(config, clock))
}

async fn serve(mut config: Config, clock: SystemClock) -> anyhow::Result<()> {
    files::take_all(&config);
    let data = config.store.data.clone();
    let sqlite = Arc::new(Sqlite::open(&data, config.secrets.keyring.take(), Box::new(end))?);
    let store: Arc<dyn Store> = sqlite.clone();
    // An address that is taken is found out before the first start is over.
    let server = Server::bind(server_config(&config, clock)).await?;
    let random = Arc::new(SystemRandom);
    let defaults =
        GroupKey { subscription: config.defaults.subscription.clone(), group: config.defaults.group.clone() };
    let first_start = FirstStart::make(&*store, &data, &defaults, clock.now(), &*random).await?;
    let public_url = config.server.public_url(server.address());
    let settings = Settings {
        public_url: public_url.as_str().to_owned(),
        defaults,
        dialect: config.dialect,
        plans: config.plans.as_ref().map_or_else(Plans::unlimited, |plans| Plans::new(|sku| plans.of(sku))),
    };
    let authentication = authentication(&config)?;
    // Greater than any number that an earlier process can have reached.
    let events = Arc::new(Events::new(u64::try_from(clock.now().ticks()).unwrap_or(0)));
    let api = Api::new(store.clone(), events.clone(), Arc::new(clock), random, authentication, settings);
    let shutdown = CancellationToken::new();
    tokio::spawn(shut_down_on_signal(shutdown.clone()));
    let housekeeping = tokio::spawn(shutdown.clone().run_until_cancelled_owned(keep_house(Arc::clone(&store))));
    let engine = engine::start(&config, server.address(), sqlite, events, clock, shutdown.clone()).await?;
    greet(&config, &server, first_start.as_ref());
    let glue = Glue { api, trusted_proxies: config.server.trusted_proxies, shutdown: shutdown.clone() };
    let farewell = server.run(Arc::new(glue), shutdown).await;
    let _ = housekeeping.await;
    let left = engine.await.unwrap_or_default();
    if left > 0 {
        tracing::warn!("{left} attempts took too long; the next start takes them up and marks them as sent before");
    }
    if farewell.cut > 0 {
        tracing::warn!("stopped; {} requests took too long and were cut off", farewell.cut);
    } else {
        tracing::info!("stopped; everything that was accepted is done");
    }
    Ok(())
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

fn authentication(config: &Config) -> anyhow::Result<Authentication> {
    if !config.auth.required {
        return Ok(Authentication::Off);
    }
    let fetch: Arc<dyn Fetch> = Arc::new(Fetcher::new()?);
    Ok(Authentication::Required(Verifier::new(&config.auth.issuers, &fetch)))
}

/// Clears away, bit by bit, what deleted collections have left behind.
async fn keep_house(store: Arc<dyn Store>) {
    let mut ticks = interval(HOUSEKEEPING_INTERVAL);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        ticks.tick().await;
        while let Ok(true) = store.sweep().await {}
    }
}

/// The first signal lets everything finish; the second does not.
async fn shut_down_on_signal(shutdown: CancellationToken) {
    let (Ok(mut terminate), Ok(mut interrupt)) = (signal(SignalKind::terminate()), signal(SignalKind::interrupt()))
    else {
        tracing::warn!("signals cannot be received; kill the process to stop it");
        return;
    };
    for round in 0.. {
        tokio::select! {
            _ = terminate.recv() => {}
            _ = interrupt.recv() => {}
        }
        if round > 0 {
            end("told twice to stop".to_owned());
        }
        tracing::info!("stopping: what was accepted is finished first");
        shutdown.cancel();
    }
}

/// Ends the process now. What was acknowledged is on disk; nothing else may be tried.
#[expect(clippy::needless_pass_by_value, reason = "the store gives the reason away")]
fn end(reason: String) {
    tracing::error!("ending at once: {reason}");
    std::process::exit(1);
}

/// Where it listens, where its data is, and what to try first.
fn greet(config: &Config, server: &Server, first_start: Option<&FirstStart>) {
    let url = config.server.public_url(server.address());
    let (url, data) = (url.as_str(), config.store.data.display());
    let mut lines =
        vec![format!("punctual {} listens on {url}", env!("CARGO_PKG_VERSION")), format!("its data is in {data}")];
    let mut trusting = String::new();
    if matches!(config.server.tls, Tls::SelfSigned) {
        let ca = config.store.data.join("tls").join("ca.pem");
        trusting = format!(" --cacert {}", ca.display());
        lines.push(format!(
            "clients trust it with {0} (curl --cacert {0}, Python connection_verify='{0}')",
            ca.display()
        ));
    }
    if !config.auth.required {
        lines.push("anyone on this machine may do everything (--no-auth)".to_owned());
    }
    if let Some(FirstStart { token, file }) = first_start {
        lines.push(format!("the owner token, shown this once and kept in {}: {}", file.display(), token.expose()));
    }
    let bearer = if config.auth.required {
        format!(" -H \"Authorization: Bearer $(cat {data}/{})\"", first_start::FILE)
    } else {
        String::new()
    };
    lines.push(format!(
        "try: curl{trusting} -X PUT {url}/v1/jobs/hello{bearer} -d \
         '{{\"action\":{{\"request\":{{\"uri\":\"https://example.com\"}}}},\"recurrence\":{{\"frequency\":\"Minute\"}}}}'"
    ));
    for line in lines {
        crate::cli::complain(&line);
    }
}

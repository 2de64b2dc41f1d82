//! What the user has set, from the defaults to the flags.
//!
//! ```text
//!   config.default.toml  <  file  <  environment  <  flags      Settings: keys and values, and where each comes from
//!                                │
//!                                ▼
//!                             SettingsReader                            one value at a time, of its type, or what is wrong
//!                                │
//!                                ▼
//!                             Config                            valid because it exists
//! ```
//!
//! Nothing here looks at the world but for the one file and the environment: whether a port is free or a certificate is
//! there is found out by who uses it.

pub(crate) mod auth;
mod email;
pub(crate) mod engine;
mod environment;
mod file;
mod flags;
mod issuer;
pub(crate) mod log;
pub(crate) mod metrics;
pub(crate) mod nearest;
mod oauth;
pub(crate) mod outbound;
pub(crate) mod plans;
mod queues;
mod reader;
pub(crate) mod server;
mod settings;
pub(crate) mod store;
mod tables;
pub(crate) mod telemetry;
#[cfg(test)]
mod tests;
pub(crate) mod url;

use std::collections::BTreeMap;
use std::path::Path;

use punctual_actions::{Authority, service_bus, storage_queue};
use punctual_api::wire::Dialect;
use punctual_engine::ConcurrencyLimits;
use punctual_model::{Expected, Name, Violation, limits};
use toml::Value;

use self::auth::Auth;
use self::email::Email;
use self::engine::History;
pub(crate) use self::environment::{ignored, variables};
use self::file::SettingsFile;
pub(crate) use self::flags::Flags;
use self::log::Log;
use self::metrics::{Heartbeat, Metrics};
use self::outbound::Outbound;
use self::plans::Plans;
use self::reader::SettingsReader;
use self::server::Server;
pub(crate) use self::settings::{Origin, Setting, Settings};
use self::store::{Cluster, Secrets, Store};
use self::telemetry::Telemetry;

/// Every setting that exists, with its default and what it means.
const DEFAULTS: &str = include_str!("../../../../config.default.toml");

/// How the server is set up.
#[derive(Debug)]
pub(crate) struct Config {
    pub(crate) server: Server,
    pub(crate) store: Store,
    pub(crate) cluster: Cluster,
    pub(crate) secrets: Secrets,
    /// How answers are written for clients that are not known.
    pub(crate) dialect: Dialect,
    pub(crate) defaults: Defaults,
    pub(crate) auth: Auth,
    /// Nothing where the limits of plans do not hold.
    pub(crate) plans: Option<Plans>,
    /// How much runs at once.
    pub(crate) concurrency: ConcurrencyLimits,
    pub(crate) history: History,
    pub(crate) outbound: Outbound,
    /// Who issues the tokens that jobs show.
    pub(crate) oauth: Authority,
    /// Where storage queues are.
    pub(crate) storage_queue: storage_queue::Settings,
    /// Where namespaces are, and the keys of them that this server holds.
    pub(crate) service_bus: service_bus::Settings,
    /// Through whom alerts send e-mail.
    pub(crate) email: Email,
    pub(crate) metrics: Metrics,
    pub(crate) heartbeat: Heartbeat,
    pub(crate) telemetry: Telemetry,
    pub(crate) log: Log,
}

/// What the short paths of the API stand for.
#[derive(Debug)]
pub(crate) struct Defaults {
    pub(crate) subscription: Name,
    pub(crate) group: Name,
}

impl Config {
    /// The configuration and the settings it was made of, or everything that is wrong with it. Reads the file, if one is
    /// named, and nothing else.
    pub(crate) fn load(
        flags: &Flags,
        file: Option<&Path>,
        environment: impl Iterator<Item = (String, String)>,
    ) -> Result<(Self, Settings), Vec<Violation>> {
        let file = file.map(SettingsFile::read).transpose().map_err(|violation| vec![violation])?;
        Self::of_layers(flags, file.as_ref(), environment)
    }

    fn of_layers(
        flags: &Flags,
        file: Option<&SettingsFile>,
        environment: impl Iterator<Item = (String, String)>,
    ) -> Result<(Self, Settings), Vec<Violation>> {
        let mut settings = defaults()?;
        let mut violations = Vec::new();
        let lines = match file {
            Some(file) => apply_file(&mut settings, file, &mut violations)?,
            None => BTreeMap::new(),
        };
        environment::apply(&mut settings, environment, &mut violations);
        flags.apply(&mut settings, &mut violations);
        for tables in std::iter::once(issuer::tables()).chain(queues::tables()) {
            tables.spread(&mut settings, &lines, &mut violations);
        }
        let reader = SettingsReader::new(&settings, violations);
        let config = Self::read(&reader);
        let mut violations = reader.into_violations();
        violations.truncate(limits::FINDINGS_MAX);
        match config {
            Some(config) if violations.is_empty() => Ok((config, settings)),
            _ => Err(violations),
        }
    }

    fn read(reader: &SettingsReader<'_>) -> Option<Self> {
        let listen = reader.parsed("server.listen", server::parse_listen);
        let server = Server::read(reader, listen);
        let store = Store::read(reader);
        let cluster = Cluster::read(reader);
        let secrets = Secrets::read(reader);
        let dialect = reader.parsed("api.dialect", |text| {
            // The setting is for clients of the original, and none of them reads the flat form.
            Dialect::named(text)
                .filter(|dialect| *dialect != Dialect::PLAIN)
                .ok_or_else(|| Expected::new("\"recorded\" or \"openapi\""))
        });
        let subscription = reader.parsed("defaults.subscription", Name::parse);
        let group = reader.parsed("defaults.group", Name::parse);
        let auth = Auth::read(reader, listen);
        // The limits have to be right, whether they hold or not.
        let plans = Plans::read(reader);
        let plans_are_enforced = reader.boolean("plans.enforced");
        let concurrency = engine::read_limits(reader);
        let history = History::read(reader);
        let outbound = Outbound::read(reader, server.as_ref().map(Server::is_local));
        let oauth = oauth::read(reader);
        let storage_queue = queues::read_storage_queue(reader);
        let service_bus = queues::read(reader);
        let email = Email::read(reader);
        let metrics = Metrics::read(reader, listen);
        let heartbeat = Heartbeat::read(reader);
        let telemetry = Telemetry::read(reader);
        let log = Log::read(reader);
        Some(Self {
            server: server?,
            store: store?,
            cluster: cluster?,
            secrets: secrets?,
            dialect: dialect?,
            defaults: Defaults { subscription: subscription?, group: group? },
            auth: auth?,
            plans: plans_are_enforced?.then_some(plans?),
            concurrency: concurrency?,
            history: history?,
            outbound: outbound?,
            oauth: oauth?,
            storage_queue: storage_queue?,
            service_bus: service_bus?,
            email: email?,
            metrics: metrics?,
            heartbeat: heartbeat?,
            telemetry: telemetry?,
            log: log?,
        })
    }
}

/// The lowest layer, which says what can be set at all.
fn defaults() -> Result<Settings, Vec<Violation>> {
    let document = file::parse(DEFAULTS)?;
    Ok(Settings::new(document.entries.into_iter().map(|entry| (entry.key, entry.value))))
}

/// Lays the user's file over `settings`, and gives the lines of what is in its lists. What is no TOML is all that is said:
/// the rest would only be wrong for what could not be read.
fn apply_file(
    settings: &mut Settings,
    file: &SettingsFile,
    violations: &mut Vec<Violation>,
) -> Result<BTreeMap<String, usize>, Vec<Violation>> {
    let in_file = |violation: Violation| Violation { path: format!("{} {}", file.name, violation.path), ..violation };
    let document = file::parse(&file.text).map_err(|wrong| wrong.into_iter().map(in_file).collect::<Vec<_>>())?;
    for entry in document.entries {
        let origin = Origin::File { name: file.name.clone(), line: entry.line };
        let is_section = settings.is_section(&entry.key);
        let laid = match entry.value {
            // A section without a key says nothing.
            Value::Table(_) if is_section => Ok(()),
            // The value is not repeated: it may be a secret that lacks its key.
            _ if is_section => Err(Violation::new(
                origin.place(&entry.key),
                "a value",
                format!("a section: [{}], with keys and values below it", entry.key),
            )),
            value => settings.put(&entry.key, value, origin),
        };
        violations.extend(laid.err());
    }
    Ok(document.lines_in_lists)
}

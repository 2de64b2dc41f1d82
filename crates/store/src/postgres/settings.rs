//! How PostgreSQL is reached.

use std::fmt;
use std::time::Duration;

use tokio_postgres::Config;
use tokio_postgres::config::Host;

use super::tls::{Mode, Tls};
use crate::error::Error;

/// The schema that everything is in, unless the address names another.
const SCHEMA: &str = "punctual";

/// How long a connection may be silent before it is asked whether it still works.
const SILENCE_MAX: Duration = Duration::from_secs(2);

/// How PostgreSQL is reached, and how long anything there may take.
///
/// Between this program and PostgreSQL there may be a pool such as `PgBouncer`, but not one that changes connections between
/// transactions: statements are prepared once for each connection and used again, and the time-outs and the schema are settings
/// of the connection. In its transaction mode a statement would arrive at a connection that does not know it, and the settings at
/// somebody else's. Its session mode works.
#[derive(Clone)]
pub struct Settings {
    config: Config,
    schema: String,
    tls: Tls,
    /// Connections at most. Who needs one while all are in use waits.
    pub connections_max: usize,
    /// How long to wait for a connection at most.
    pub wait_max: Duration,
    /// How long one statement may take. Less than a lease lasts: who was hung up must not go on as if nothing had been.
    pub statement_max: Duration,
    /// How long to wait for rows that another transaction holds.
    pub lock_max: Duration,
}

impl Settings {
    /// Settings for an address such as `postgres://user:password@host/database?search_path=schema&sslmode=verify-full`. With `sslrootcert`,
    /// `sslcert` and `sslkey` it names files in PEM.
    pub fn parse(url: &str) -> Result<Self, Error> {
        let is_url = url.starts_with("postgres://") || url.starts_with("postgresql://");
        if !is_url {
            return Err(Error::refused("the address of PostgreSQL begins with postgres://"));
        }
        let Parameters { rest, schema, tls } = Parameters::take(url)?;
        // The reason may repeat a part of the address, in which there may be a password.
        let config: Config = rest.parse().map_err(|_| Error::refused("the address of PostgreSQL cannot be read"))?;
        let settings = Self {
            config,
            schema,
            tls,
            connections_max: 16,
            wait_max: Duration::from_secs(30),
            statement_max: Duration::from_secs(8),
            lock_max: Duration::from_secs(5),
        };
        Ok(settings)
    }

    /// The same with a password, which takes the place of one in the address.
    #[must_use]
    pub fn with_password(mut self, password: &str) -> Self {
        self.config.password(password);
        self
    }

    /// The same with statements that end before a lease does: who was hung up must not go on as if nothing had been.
    #[must_use]
    pub fn with_lease(mut self, lease: Duration) -> Self {
        self.statement_max = self.statement_max.min(lease * 4 / 5);
        self.lock_max = self.lock_max.min(lease / 2);
        self
    }

    /// Where the store is, without user and password.
    pub fn describe(&self) -> String {
        let host = |host: &Host| match host {
            Host::Tcp(name) => name.clone(),
            #[cfg(unix)]
            Host::Unix(path) => path.display().to_string(),
        };
        let hosts: Vec<String> = self.config.get_hosts().iter().map(host).collect();
        let (hosts, database) = (hosts.join(" or "), self.config.get_dbname().unwrap_or("of the user's name"));
        format!("PostgreSQL on {hosts}, database {database}, schema {}", self.schema)
    }

    /// The schema that everything is in.
    pub(super) fn schema(&self) -> &str {
        &self.schema
    }

    /// What the driver needs to connect.
    pub(super) fn config(&self) -> Config {
        let mut config = self.config.clone();
        let milliseconds = |duration: Duration| duration.as_millis();
        // With the first packet, so that no connection is ever without them.
        let options = format!(
            "{} -c search_path={} -c statement_timeout={} -c lock_timeout={} -c idle_in_transaction_session_timeout={} \
             -c synchronous_commit=on -c timezone=UTC -c client_min_messages=warning",
            config.get_options().unwrap_or_default(),
            self.schema,
            milliseconds(self.statement_max),
            milliseconds(self.lock_max),
            milliseconds(self.statement_max),
        );
        config.options(options.trim());
        if config.get_application_name().is_none() {
            config.application_name("punctual");
        }
        if config.get_connect_timeout().is_none() {
            config.connect_timeout(Duration::from_secs(5));
        }
        // A connection that died without a word, because a machine lost its power or a router forgot it, is noticed within seconds.
        config.keepalives_idle(SILENCE_MAX).keepalives_interval(Duration::from_secs(1)).keepalives_retries(3);
        config.tcp_user_timeout(self.statement_max + SILENCE_MAX);
        config.ssl_mode(self.tls.mode.of_driver());
        config
    }

    /// How connections are encrypted.
    pub(super) const fn tls(&self) -> &Tls {
        &self.tls
    }
}

impl fmt::Debug for Settings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Settings")
            .field("hosts", &self.config.get_hosts())
            .field("database", &self.config.get_dbname())
            .field("schema", &self.schema)
            .field("connections_max", &self.connections_max)
            .finish_non_exhaustive()
    }
}

/// What an address says that the driver does not know, or not all of.
struct Parameters {
    /// The address without it.
    rest: String,
    schema: String,
    tls: Tls,
}

impl Parameters {
    /// Takes them out of an address.
    fn take(url: &str) -> Result<Self, Error> {
        let (before, query) = url.split_once('?').unwrap_or((url, ""));
        let (mut schema, mut tls, mut rest) = (SCHEMA, Tls::default(), Vec::new());
        for part in query.split('&').filter(|part| !part.is_empty()) {
            match part.split_once('=') {
                Some(("search_path", name)) => schema = name,
                Some(("sslmode", mode)) => {
                    let known = "disable, prefer, require, verify-ca or verify-full";
                    tls.mode = Mode::parse(mode).ok_or_else(|| Error::refused(format!("sslmode is {known}")))?;
                }
                Some(("sslrootcert", file)) => tls.root_file = Some(file.into()),
                Some(("sslcert", file)) => tls.client_file = Some(file.into()),
                Some(("sslkey", file)) => tls.key_file = Some(file.into()),
                _ => rest.push(part),
            }
        }
        check_schema(schema)?;
        let separator = if rest.is_empty() { "" } else { "?" };
        Ok(Self { rest: format!("{before}{separator}{}", rest.join("&")), schema: schema.to_owned(), tls })
    }
}

/// The name of a schema is written into statements as it is.
fn check_schema(schema: &str) -> Result<(), Error> {
    let is_right = |at: usize, c: char| c == '_' || c.is_ascii_lowercase() || (at > 0 && c.is_ascii_digit());
    let is_name = (1..=63).contains(&schema.len()) && schema.char_indices().all(|(at, c)| is_right(at, c));
    if is_name {
        return Ok(());
    }
    Err(Error::refused(
        "search_path names one schema: up to 63 small letters, digits and underscores, and no digit first",
    ))
}

#[cfg(test)]
mod tests {
    use super::{Mode, Parameters, Settings};

    #[test]
    fn what_the_driver_does_not_know_is_taken_out_of_the_address() {
        let taken = Parameters::take("postgres://h/d").unwrap();
        assert_eq!(
            (taken.rest.as_str(), taken.schema.as_str(), taken.tls.mode),
            ("postgres://h/d", "punctual", Mode::Prefer)
        );
        let url = "postgres://h/d?sslmode=verify-full&search_path=jobs&connect_timeout=3&sslrootcert=/ca.pem";
        let taken = Parameters::take(url).unwrap();
        assert_eq!((taken.rest.as_str(), taken.schema.as_str()), ("postgres://h/d?connect_timeout=3", "jobs"));
        assert_eq!((taken.tls.mode, taken.tls.root_file), (Mode::VerifyFull, Some("/ca.pem".into())));
        assert!(Parameters::take("postgres://h/d?sslmode=perhaps").is_err());
        for wrong in ["host=h", "postgres://h/d?search_path=a,b", "postgres://h/d?search_path=", "postgres://h:port/d"]
        {
            assert!(Settings::parse(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn the_password_is_not_shown() {
        let settings = Settings::parse("postgres://u:hunter2@h/d").unwrap();
        assert!(!format!("{settings:?}").contains("hunter2"));
        let wrong = Settings::parse("postgres://u:hunter2@h/d?wrong=x").unwrap_err();
        assert!(!format!("{wrong} {wrong:?}").contains("hunter2"));
    }
}

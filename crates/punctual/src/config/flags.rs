//! Settings on the command line.

use clap::Args;
use punctual_model::Violation;
use toml::Value;

use super::settings::{Origin, Settings};

/// The flags that are settings.
#[derive(Args, Clone, Debug, Default)]
pub(crate) struct Flags {
    /// The directory for everything that is kept
    #[arg(long, value_name = "DIRECTORY")]
    pub(crate) data: Option<String>,

    /// Where to serve the API: an address and a port, such as 127.0.0.1:7878, or :7878 for all addresses
    #[arg(long, value_name = "ADDRESS")]
    pub(crate) listen: Option<String>,

    /// The database [default: SQLite in the data directory]
    #[arg(long, value_name = "URL")]
    pub(crate) store: Option<String>,

    /// Let everybody in who reaches the server; only on a loopback address
    #[arg(long)]
    pub(crate) no_auth: bool,

    /// Speak HTTPS with a certificate the server makes for itself
    #[arg(long)]
    pub(crate) tls_self_signed: bool,
}

impl Flags {
    /// Lays what the flags say over `settings`.
    pub(super) fn apply(&self, settings: &mut Settings, violations: &mut Vec<Violation>) {
        let text = |given: &Option<String>| given.clone().map(Value::String);
        let flags = [
            ("--data", "store.data", text(&self.data)),
            ("--listen", "server.listen", text(&self.listen)),
            ("--store", "store.url", text(&self.store)),
            ("--no-auth", "auth.required", self.no_auth.then_some(Value::Boolean(false))),
            ("--tls-self-signed", "server.tls.self_signed", self.tls_self_signed.then_some(Value::Boolean(true))),
        ];
        for (flag, key, value) in flags {
            let laid = value.map_or(Ok(()), |value| settings.put(key, value, Origin::Flag(flag)));
            violations.extend(laid.err());
        }
    }
}

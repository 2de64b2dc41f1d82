//! What the operator decides about outbound calls.

use std::fmt;
use std::io;
use std::net::{IpAddr, ToSocketAddrs};
use std::sync::Arc;

use crate::egress::Egress;
use crate::email::MailServer;
use crate::oauth::Authority;
use crate::proxy::Proxy;
use crate::{service_bus, storage_queue};

/// What the operator decides about outbound calls. The default calls everything but loopback, trusts whom the system
/// trusts, and finds storage accounts and namespaces at Azure.
#[derive(Clone, Debug, Default)]
pub struct Settings {
    /// Which addresses may be called.
    pub egress: Egress,
    /// Through whom calls go; the environment has no say in it.
    pub proxy: Option<Proxy>,
    /// Certificates of authorities in PEM that are trusted beside those of the system.
    pub ca_pem: Option<Vec<u8>>,
    /// Who knows the addresses of names.
    pub look_up: LookUp,
    /// Who issues the tokens that jobs show.
    pub oauth: Authority,
    /// Where storage queues are.
    pub storage_queue: storage_queue::Settings,
    /// Where namespaces are, and the keys of them that this server holds.
    pub service_bus: service_bus::Settings,
    /// Through whom e-mail goes; none is sent where there is no server.
    pub email: Option<MailServer>,
    /// How people reach this server, if the operator has said so: scheme, host and port, for links in what jobs send.
    pub public_url: Option<String>,
    /// How this machine reaches this server, for such links where the operator has not said it.
    pub listen_url: String,
}

/// Why settings cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The file of authorities is not what it should be.
    #[error("the file of certificate authorities: {0}; expected one or more certificates in PEM")]
    Authorities(String),
    /// The proxy is not an address.
    #[error("the proxy {given:?}: expected an address such as http://proxy.example:3128")]
    Proxy {
        /// What was given, without its credentials.
        given: String,
    },
    /// The authority is not an address.
    #[error("the authority {given:?}: expected an address such as https://login.microsoftonline.com")]
    Authority {
        /// What was given, without its credentials.
        given: String,
    },
    /// The cryptographic library refuses its own defaults.
    #[error("TLS cannot be set up: {0}")]
    Tls(#[from] rustls::Error),
}

/// A function that finds the addresses of a name, and may take its time: it is called on a thread that may wait.
#[derive(Clone)]
pub struct LookUp(Arc<Function>);

type Function = dyn Fn(&str) -> io::Result<Vec<IpAddr>> + Send + Sync;

impl LookUp {
    /// A look-up other than the system's.
    pub fn new(function: impl Fn(&str) -> io::Result<Vec<IpAddr>> + Send + Sync + 'static) -> Self {
        Self(Arc::new(function))
    }

    /// Finds the addresses, in the order in which they should be tried.
    pub(crate) fn addresses(&self, name: &str) -> io::Result<Vec<IpAddr>> {
        (self.0)(name)
    }
}

/// The system's: it knows the hosts file, the search list and whatever else an operator has set up for names.
impl Default for LookUp {
    fn default() -> Self {
        Self::new(|name| Ok((name, 0).to_socket_addrs()?.map(|address| address.ip()).collect()))
    }
}

impl fmt::Debug for LookUp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("LookUp(…)")
    }
}

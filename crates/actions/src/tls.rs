//! TLS to targets: whom we trust, and what is wrong if we do not.

use std::io;
use std::sync::Arc;

use punctual_model::time::Timestamp;
use punctual_pfx::Identity;
use rustls::client::Resumption;
use rustls::crypto::CryptoProvider;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivatePkcs8KeyDer, ServerName, UnixTime};
use rustls::{AlertDescription, CertificateError, ClientConfig, RootCertStore};
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream;

use crate::failure::Failure;
use crate::settings::Error;

/// Makes TLS connections. Trusted are the authorities of the system, and those the operator named.
#[derive(Clone)]
pub(crate) struct Tls {
    /// Makes connections on which no certificate of ours is shown.
    pub(crate) connector: TlsConnector,
    /// Makes connections for HTTP/1.1 and AMQP: no protocol is offered.
    pub(crate) bare: TlsConnector,
    roots: Arc<RootCertStore>,
    provider: Arc<CryptoProvider>,
}

/// Sessions that are kept to be resumed, for each client certificate: most have one target.
const SESSIONS_PER_CERTIFICATE: usize = 8;

impl Tls {
    /// Reads the authorities, once.
    pub(crate) fn new(ca_pem: Option<&[u8]>) -> Result<Self, Error> {
        let mut roots = RootCertStore::empty();
        // A system without a store of authorities can still call by plain HTTP, or whom `ca_pem` vouches for.
        roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
        for certificate in authorities(ca_pem)? {
            roots.add(certificate).map_err(|error| Error::Authorities(error.to_string()))?;
        }
        let (roots, provider) = (Arc::new(roots), Arc::new(rustls::crypto::aws_lc_rs::default_provider()));
        let builder =
            ClientConfig::builder_with_provider(Arc::clone(&provider)).with_safe_default_protocol_versions()?;
        let config = builder.with_root_certificates(Arc::clone(&roots)).with_no_client_auth();
        let bare = TlsConnector::from(Arc::new(config.clone()));
        Ok(Self { connector: connector(config), bare, roots, provider })
    }

    /// Makes connections on which a client certificate is shown. Sessions are resumed only among them.
    pub(crate) fn with_certificate(&self, identity: &Identity) -> Result<TlsConnector, rustls::Error> {
        let chain = identity.chain.iter().map(|der| CertificateDer::from(der.clone())).collect();
        let key = PrivatePkcs8KeyDer::from(identity.key.pkcs8_der().to_vec());
        let builder =
            ClientConfig::builder_with_provider(Arc::clone(&self.provider)).with_safe_default_protocol_versions()?;
        let builder = builder.with_root_certificates(Arc::clone(&self.roots));
        let mut config = builder.with_client_auth_cert(chain, key.into())?;
        config.resumption = Resumption::in_memory_sessions(SESSIONS_PER_CERTIFICATE);
        Ok(connector(config))
    }
}

/// Agrees on TLS with the host at the other end.
pub(crate) async fn agree(tls: &TlsConnector, host: &str, stream: TcpStream) -> Result<TlsStream<TcpStream>, Failure> {
    let name = host.strip_suffix('.').unwrap_or(host).to_owned();
    let name = ServerName::try_from(name)
        .map_err(|_| Failure::Address(format!("'{host}' is no name that a certificate can have.").into()))?;
    tls.connect(name, stream).await.map_err(|error| failure(host, &error))
}

/// What the other side said when it ended a connection that was agreed upon already. In TLS 1.3 that is when it says what it
/// thinks of a client certificate.
pub(crate) fn refusal(error: &io::Error) -> Option<Failure> {
    match error.get_ref()?.downcast_ref::<rustls::Error>()? {
        rustls::Error::AlertReceived(alert) => Some(Failure::Tls(format!("The target {}.", refused(*alert)))),
        _ => None,
    }
}

/// Makes the same connections, but for HTTP/1.1 only.
pub(crate) fn without_http2(tls: &TlsConnector) -> TlsConnector {
    let mut config = ClientConfig::clone(tls.config());
    config.alpn_protocols = Vec::new();
    TlsConnector::from(Arc::new(config))
}

fn connector(mut config: ClientConfig) -> TlsConnector {
    config.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
    TlsConnector::from(Arc::new(config))
}

/// Only a client certificate can be meant: ours is the only one that a target sees.
fn refused(alert: AlertDescription) -> String {
    let reason = match alert {
        AlertDescription::CertificateRequired => "demands a client certificate",
        AlertDescription::CertificateExpired => "refused the client certificate, which it says has expired",
        AlertDescription::CertificateRevoked => "refused the client certificate, which it says was revoked",
        AlertDescription::UnknownCA => "refused the client certificate, whose issuer it does not trust",
        AlertDescription::BadCertificate
        | AlertDescription::CertificateUnknown
        | AlertDescription::UnsupportedCertificate
        | AlertDescription::AccessDenied => "refused the client certificate",
        _ => "refused the TLS connection",
    };
    format!("{reason} ({alert:?})")
}

fn authorities(pem: Option<&[u8]>) -> Result<Vec<CertificateDer<'static>>, Error> {
    let Some(pem) = pem else {
        return Ok(Vec::new());
    };
    let certificates: Result<Vec<_>, _> = CertificateDer::pem_slice_iter(pem).collect();
    match certificates {
        Ok(certificates) if certificates.is_empty() => Err(Error::Authorities("no certificate in it".to_owned())),
        Ok(certificates) => Ok(certificates),
        Err(error) => Err(Error::Authorities(error.to_string())),
    }
}

/// What went wrong, for people who have to talk to the owner of the target.
fn failure(host: &str, error: &io::Error) -> Failure {
    let inner = error.get_ref().and_then(|inner| inner.downcast_ref::<rustls::Error>());
    match inner {
        Some(rustls::Error::InvalidCertificate(reason)) => Failure::Trust(distrust(host, reason)),
        Some(rustls::Error::InvalidMessage(_)) => Failure::Tls(format!("'{host}' does not speak TLS on this port.")),
        Some(rustls::Error::AlertReceived(alert)) => Failure::Tls(format!("'{host}' {}.", refused(*alert))),
        Some(error) => Failure::Tls(format!("No TLS connection to '{host}': {error}.")),
        None => Failure::Tls(format!("'{host}' closed the connection before TLS was agreed upon.")),
    }
}

fn distrust(host: &str, reason: &CertificateError) -> String {
    match reason {
        CertificateError::NotValidForNameContext { presented, .. } => {
            let names = presented.iter().take(5).map(|name| readable(name)).collect::<Vec<_>>().join(", ");
            let names = if names.is_empty() { "no name at all".to_owned() } else { names };
            format!("The certificate is not for '{host}'; it is for {names}.")
        }
        CertificateError::NotValidForName => format!("The certificate is not for '{host}'."),
        CertificateError::ExpiredContext { not_after, .. } => {
            format!("The certificate of '{host}' expired at {}.", instant(*not_after))
        }
        CertificateError::Expired => format!("The certificate of '{host}' has expired."),
        CertificateError::NotValidYetContext { not_before, .. } => {
            format!("The certificate of '{host}' is not valid before {}.", instant(*not_before))
        }
        CertificateError::UnknownIssuer => {
            format!("The certificate of '{host}' was issued by nobody this server trusts.")
        }
        CertificateError::BadSignature => {
            format!("The certificate of '{host}' was not signed by the authority that it names.")
        }
        CertificateError::Revoked => format!("The certificate of '{host}' was revoked."),
        other => format!("The certificate of '{host}' is not trusted: {other}."),
    }
}

/// `DnsName("example.com")` without what it is wrapped in.
fn readable(name: &str) -> String {
    let inner = name.split_once('(').and_then(|(_, inner)| inner.strip_suffix(')')).unwrap_or(name);
    let inner: String = inner.chars().filter(|c| *c != '"').take(100).collect();
    format!("'{inner}'")
}

fn instant(at: UnixTime) -> String {
    let at = i64::try_from(at.as_secs()).ok().and_then(Timestamp::from_seconds);
    at.map_or_else(|| "a time beyond all calendars".to_owned(), |at| at.to_string())
}

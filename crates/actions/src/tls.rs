//! TLS to targets: whom we trust, and what is wrong if we do not.

use std::io;
use std::sync::Arc;

use punctual_model::time::Timestamp;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use rustls::{CertificateError, ClientConfig, RootCertStore};
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream;

use crate::failure::Failure;
use crate::settings::Error;

/// Makes TLS connections. Trusted are the authorities of the system, and those the operator named.
pub(crate) struct Tls {
    connector: TlsConnector,
}

impl Tls {
    /// Reads the authorities, once.
    pub(crate) fn new(ca_pem: Option<&[u8]>) -> Result<Self, Error> {
        let mut roots = RootCertStore::empty();
        // A system without a store of authorities can still call by plain HTTP, or whom `ca_pem` vouches for.
        roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
        for certificate in authorities(ca_pem)? {
            roots.add(certificate).map_err(|error| Error::Authorities(error.to_string()))?;
        }
        let provider = Arc::new(rustls::crypto::aws_lc_rs::default_provider());
        let builder = ClientConfig::builder_with_provider(provider).with_safe_default_protocol_versions()?;
        let mut config = builder.with_root_certificates(roots).with_no_client_auth();
        config.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
        Ok(Self { connector: TlsConnector::from(Arc::new(config)) })
    }

    /// Agrees on TLS with the host at the other end.
    pub(crate) async fn connect(&self, host: &str, stream: TcpStream) -> Result<TlsStream<TcpStream>, Failure> {
        let name = host.strip_suffix('.').unwrap_or(host).to_owned();
        let name = ServerName::try_from(name)
            .map_err(|_| Failure::Address(format!("'{host}' is no name that a certificate can have.").into()))?;
        self.connector.connect(name, stream).await.map_err(|error| failure(host, &error))
    }
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

/// What went wrong, for someone who has to talk to whoever runs the target.
fn failure(host: &str, error: &io::Error) -> Failure {
    let inner = error.get_ref().and_then(|inner| inner.downcast_ref::<rustls::Error>());
    match inner {
        Some(rustls::Error::InvalidCertificate(reason)) => Failure::Trust(distrust(host, reason)),
        Some(rustls::Error::InvalidMessage(_)) => Failure::Tls(format!("'{host}' does not speak TLS on this port.")),
        Some(rustls::Error::AlertReceived(alert)) => {
            Failure::Tls(format!("'{host}' refused the TLS connection: {alert:?}."))
        }
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

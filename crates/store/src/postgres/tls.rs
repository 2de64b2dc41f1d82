//! Encryption of connections to PostgreSQL, in the words of its own clients.
//!
//! | `sslmode` | encrypted | the server shows a certificate | of the host that was asked for |
//! |---|---|---|---|
//! | `disable` | no | | |
//! | `prefer` | if the server can | any | |
//! | `require` | yes | any; of an authority, if one is named | |
//! | `verify-ca` | yes | of an authority | |
//! | `verify-full` | yes | of an authority | yes |

use std::path::{Path, PathBuf};
use std::sync::Arc;

use rustls::client::WebPkiServerVerifier;
use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::crypto::{
    CryptoProvider, WebPkiSupportedAlgorithms, aws_lc_rs, verify_tls12_signature, verify_tls13_signature,
};
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer, ServerName, UnixTime};
use rustls::{CertificateError, ClientConfig, DigitallySignedStruct, RootCertStore, SignatureScheme};
use tokio_postgres::config::SslMode;
use tokio_postgres_rustls::MakeRustlsConnect;

use crate::error::Error;

/// What a connection must be like.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Mode {
    Disable,
    /// What clients of PostgreSQL do where nothing is said.
    #[default]
    Prefer,
    Require,
    VerifyCa,
    VerifyFull,
}

/// How connections are encrypted.
#[derive(Clone, Debug, Default)]
pub(super) struct Tls {
    pub(super) mode: Mode,
    /// Certificates of authorities, in PEM; those that the system trusts if none are named.
    pub(super) root_file: Option<PathBuf>,
    /// The certificate that this program shows, and its key, in PEM.
    pub(super) client_file: Option<PathBuf>,
    pub(super) key_file: Option<PathBuf>,
}

impl Mode {
    pub(super) fn parse(name: &str) -> Option<Self> {
        let modes = [
            ("disable", Self::Disable),
            ("prefer", Self::Prefer),
            ("require", Self::Require),
            ("verify-ca", Self::VerifyCa),
            ("verify-full", Self::VerifyFull),
        ];
        modes.into_iter().find(|(known, _)| *known == name).map(|(_, mode)| mode)
    }

    /// As the driver calls it, which looks at no certificates itself.
    pub(super) const fn of_driver(self) -> SslMode {
        match self {
            Self::Disable => SslMode::Disable,
            Self::Prefer => SslMode::Prefer,
            Self::Require | Self::VerifyCa | Self::VerifyFull => SslMode::Require,
        }
    }
}

impl Tls {
    /// What encrypts connections; none if they are not to be.
    pub(super) fn connector(&self) -> Result<Option<MakeRustlsConnect>, Error> {
        if self.mode == Mode::Disable {
            return Ok(None);
        }
        let provider = Arc::new(aws_lc_rs::default_provider());
        let builder = ClientConfig::builder_with_provider(Arc::clone(&provider))
            .with_safe_default_protocol_versions()
            .map_err(Error::unavailable)?
            .dangerous()
            .with_custom_certificate_verifier(self.verifier(&provider)?);
        let config = match (&self.client_file, &self.key_file) {
            (None, None) => builder.with_no_client_auth(),
            (Some(client), Some(key)) => {
                let key = PrivateKeyDer::from_pem_file(key).map_err(|error| unreadable(key, &error))?;
                builder.with_client_auth_cert(certificates(client)?, key).map_err(Error::refused)?
            }
            _ => return Err(Error::refused("sslcert and sslkey are given together")),
        };
        Ok(Some(MakeRustlsConnect::new(config)))
    }

    fn verifier(&self, provider: &Arc<CryptoProvider>) -> Result<Arc<dyn ServerCertVerifier>, Error> {
        let algorithms = provider.signature_verification_algorithms;
        // Who names an authority wants it to be asked, also where a certificate is only required: as other clients have it.
        let asks_authority = matches!(self.mode, Mode::VerifyCa | Mode::VerifyFull)
            || (self.mode == Mode::Require && self.root_file.is_some());
        if !asks_authority {
            return Ok(Arc::new(AnyName { authority: None, algorithms }));
        }
        let roots = Arc::new(self.roots()?);
        let authority = WebPkiServerVerifier::builder_with_provider(roots, Arc::clone(provider)).build();
        let authority = authority.map_err(Error::refused)?;
        if self.mode == Mode::VerifyFull {
            return Ok(authority);
        }
        Ok(Arc::new(AnyName { authority: Some(authority), algorithms }))
    }

    fn roots(&self) -> Result<RootCertStore, Error> {
        let mut roots = RootCertStore::empty();
        let certificates = match &self.root_file {
            Some(file) => certificates(file)?,
            None => rustls_native_certs::load_native_certs().certs,
        };
        roots.add_parsable_certificates(certificates);
        if roots.is_empty() {
            Err(Error::refused("there is no authority to ask for the certificate of PostgreSQL"))
        } else {
            Ok(roots)
        }
    }
}

fn certificates(file: &Path) -> Result<Vec<CertificateDer<'static>>, Error> {
    let found = CertificateDer::pem_file_iter(file).map_err(|error| unreadable(file, &error))?;
    found.collect::<Result<_, _>>().map_err(|error| unreadable(file, &error))
}

fn unreadable(file: &Path, error: &rustls::pki_types::pem::Error) -> Error {
    Error::refused(format!("{}: {error}", file.display()))
}

/// Takes the certificate of any host, of one of our authorities if there are any.
#[derive(Debug)]
struct AnyName {
    authority: Option<Arc<WebPkiServerVerifier>>,
    algorithms: WebPkiSupportedAlgorithms,
}

impl ServerCertVerifier for AnyName {
    fn verify_server_cert(
        &self,
        end_entity: &CertificateDer<'_>,
        intermediates: &[CertificateDer<'_>],
        server_name: &ServerName<'_>,
        ocsp_response: &[u8],
        now: UnixTime,
    ) -> Result<ServerCertVerified, rustls::Error> {
        use CertificateError::{NotValidForName, NotValidForNameContext};
        let Some(authority) = &self.authority else { return Ok(ServerCertVerified::assertion()) };
        match authority.verify_server_cert(end_entity, intermediates, server_name, ocsp_response, now) {
            // The name is looked at last: the rest is right.
            Err(rustls::Error::InvalidCertificate(NotValidForName | NotValidForNameContext { .. })) => {
                Ok(ServerCertVerified::assertion())
            }
            verified => verified,
        }
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        verify_tls12_signature(message, certificate, signature, &self.algorithms)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        verify_tls13_signature(message, certificate, signature, &self.algorithms)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.algorithms.supported_schemes()
    }
}

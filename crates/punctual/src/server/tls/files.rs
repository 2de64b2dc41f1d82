//! A certificate and its key in two files.

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

use rustls::crypto::{CryptoProvider, aws_lc_rs};
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};

use super::TlsError;

/// The paths of a certificate with its chain, and of its private key.
#[derive(Clone, Debug)]
pub(super) struct Files {
    pub(super) certificate: PathBuf,
    pub(super) key: PathBuf,
}

/// What is different after a file was written again or replaced by another one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Stamp([Option<FileStamp>; 2]);

#[derive(Clone, Debug, PartialEq, Eq)]
struct FileStamp {
    modified: Option<SystemTime>,
    inode: u64,
    bytes: u64,
}

impl Files {
    /// Makes of them what a handshake needs: TLS 1.2 and 1.3, HTTP/2 rather than HTTP/1.1.
    pub(super) fn read(&self) -> Result<rustls::ServerConfig, TlsError> {
        let chain = read_certificates(&self.certificate)?;
        let key = self.read_key()?;
        let config = rustls::ServerConfig::builder_with_provider(provider())
            .with_safe_default_protocol_versions()
            .and_then(|builder| builder.with_no_client_auth().with_single_cert(chain, key));
        let mut config = config.map_err(|error| self.explain(&error))?;
        config.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
        Ok(config)
    }

    /// How they look from outside.
    pub(super) fn stamp(&self) -> Stamp {
        Stamp([&self.certificate, &self.key].map(|file| FileStamp::of(file)))
    }

    fn read_key(&self) -> Result<PrivateKeyDer<'static>, TlsError> {
        let text = read(&self.key)?;
        PrivateKeyDer::from_pem_slice(&text).map_err(|_| TlsError::NoKey { file: self.key.clone() })
    }

    fn explain(&self, error: &rustls::Error) -> TlsError {
        let Self { certificate, key } = self.clone();
        match error {
            rustls::Error::InconsistentKeys(_) => TlsError::KeyDoesNotFit { certificate, key },
            other => TlsError::Unusable { certificate, key, reason: other.to_string() },
        }
    }
}

/// Every certificate in the file; there is at least one.
pub(super) fn read_certificates(file: &Path) -> Result<Vec<CertificateDer<'static>>, TlsError> {
    let text = read(file)?;
    let certificates: Result<Vec<_>, _> = CertificateDer::pem_slice_iter(&text).collect();
    certificates
        .ok()
        .filter(|certificates| !certificates.is_empty())
        .ok_or_else(|| TlsError::NoCertificate { file: file.to_owned() })
}

/// The cryptography of the whole project, whatever another library has made the default of the process.
pub(super) fn provider() -> Arc<CryptoProvider> {
    Arc::new(aws_lc_rs::default_provider())
}

pub(super) fn read(file: &Path) -> Result<Vec<u8>, TlsError> {
    fs::read(file).map_err(|reason| TlsError::Unreadable { file: file.to_owned(), reason })
}

impl FileStamp {
    /// A file that is not there has none.
    fn of(file: &Path) -> Option<Self> {
        let metadata = fs::metadata(file).ok()?;
        Some(Self { modified: metadata.modified().ok(), inode: metadata.ino(), bytes: metadata.len() })
    }
}

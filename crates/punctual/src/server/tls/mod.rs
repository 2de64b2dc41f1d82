//! The certificate that the server shows, and where it comes from.
//!
//! Certificates expire, and whatever renews them writes new files. New files are noticed within seconds: the next handshake
//! uses them, and open connections stay open. Files that cannot be used change nothing but the log.

mod error;
mod files;
mod self_signed;

use std::net::IpAddr;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use punctual_actions::upkeep::{self, Upkeep};
use punctual_model::time::{Clock, Timestamp};
use tokio::sync::watch;
use tokio::task::spawn_blocking;

use crate::clock::SystemClock;
pub(crate) use error::TlsError;
use files::{Files, Stamp};
use self_signed::SelfSigned;

/// Where the certificate comes from.
#[derive(Clone, Debug)]
pub(crate) enum TlsSource {
    /// Somebody else takes care of these files.
    Files {
        /// The certificate and those that vouch for it, in this order, as PEM.
        certificate: PathBuf,
        /// Its private key as PEM.
        key: PathBuf,
    },
    /// We make our own, signed by an authority of our own, whose `ca.pem` the clients are told to trust.
    SelfSigned {
        /// Where the files are kept.
        directory: PathBuf,
        /// Tells when the certificate has to be renewed.
        clock: SystemClock,
    },
}

/// The certificate in use.
pub(super) struct Certificates {
    files: Files,
    renewal: Option<(SelfSigned, SystemClock)>,
    current: watch::Sender<Arc<rustls::ServerConfig>>,
    seen: Mutex<Stamp>,
}

/// Reloads the files after they have changed.
struct Reload(Arc<Certificates>);

/// Renews our own certificate, a month before its end.
struct Renewal(Arc<Certificates>);

/// Whether a server could show the certificate in these files. What is self-signed is made when it is needed.
pub(crate) fn check(source: &TlsSource) -> Result<(), TlsError> {
    match source {
        TlsSource::Files { certificate, key } => {
            Files { certificate: certificate.clone(), key: key.clone() }.read().map(drop)
        }
        TlsSource::SelfSigned { .. } => Ok(()),
    }
}

impl Certificates {
    /// Reads the certificate, or makes it. `listen` is the address that our own has to name.
    pub(super) fn load(source: &TlsSource, listen: IpAddr) -> Result<Self, TlsError> {
        let (files, renewal) = match source {
            TlsSource::Files { certificate, key } => {
                (Files { certificate: certificate.clone(), key: key.clone() }, None)
            }
            TlsSource::SelfSigned { directory, clock } => {
                let self_signed = SelfSigned::new(directory, listen);
                renew_or_keep(&self_signed, clock.now())?;
                (self_signed.files(), Some((self_signed, *clock)))
            }
        };
        // Before the reading, so that a change in between is seen as one.
        let seen = Mutex::new(files.stamp());
        let current = watch::Sender::new(Arc::new(files.read()?));
        Ok(Self { files, renewal, current, seen })
    }

    /// What the next handshake uses.
    pub(super) fn current(&self) -> Arc<rustls::ServerConfig> {
        Arc::clone(&self.current.borrow())
    }

    /// Renews and reloads the certificate when it is time, for ever.
    pub(super) async fn keep_current(self: Arc<Self>) {
        tokio::join!(upkeep::run(Renewal(Arc::clone(&self))), upkeep::run(Reload(self)));
    }

    /// Reads the files again if they have changed.
    pub(super) fn reload(&self) {
        let stamp = self.files.stamp();
        let mut seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        if *seen == stamp {
            return;
        }
        *seen = stamp;
        let file = self.files.certificate.display();
        match self.files.read() {
            Ok(config) => {
                // A new configuration remembers no sessions, so nobody goes on with the old certificate.
                self.current.send_replace(Arc::new(config));
                tracing::info!(%file, "the certificate {file} has changed and is used from now on");
            }
            Err(error) => tracing::warn!(%file, %error, "the new certificate is not used, the old one stays: {error}"),
        }
    }

    /// Renews our own certificate if it is time. The next reload finds the new files.
    fn renew(&self) {
        if let Some((self_signed, clock)) = &self.renewal
            && let Err(error) = renew_or_keep(self_signed, clock.now())
        {
            tracing::warn!(%error, "the certificate of this server has expired and cannot be renewed: {error}");
        }
    }
}

// Disks can be slow, so both passes run on a thread that may wait. A panic there is reported where it happens.

impl Upkeep for Reload {
    const INTERVAL: Duration = Duration::from_secs(10);

    async fn pass(&mut self) {
        let certificates = Arc::clone(&self.0);
        let _ = spawn_blocking(move || certificates.reload()).await;
    }
}

impl Upkeep for Renewal {
    const INTERVAL: Duration = Duration::from_hours(12);

    async fn pass(&mut self) {
        let certificates = Arc::clone(&self.0);
        let _ = spawn_blocking(move || certificates.renew()).await;
    }
}

/// Renews our own certificate if it is time. A renewal that fails is an error only once the old certificate has expired.
fn renew_or_keep(self_signed: &SelfSigned, now: Timestamp) -> Result<(), TlsError> {
    match self_signed.renew(now) {
        Err(error) if self_signed.is_good(now, 0) => {
            tracing::warn!(%error, "the certificate of this server expires soon and cannot be renewed: {error}");
            Ok(())
        }
        outcome => outcome,
    }
}

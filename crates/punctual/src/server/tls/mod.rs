//! The certificate that the server shows, and where it comes from.
//!
//! Certificates run out, and whatever renews them writes new files. They are noticed within seconds: the next handshake
//! uses them, and connections that are open stay open. Files that cannot be used change nothing but the log.

mod error;
mod files;
mod self_signed;

use std::net::IpAddr;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use punctual_model::time::{Clock, Timestamp};
use tokio::sync::watch;
use tokio::time::{MissedTickBehavior, interval};

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

/// How soon a new certificate is noticed.
const LOOK_INTERVAL: Duration = Duration::from_secs(10);
/// How often it is asked whether our own certificate has to be renewed, which it is a month before its end.
const RENEWAL_INTERVAL: Duration = Duration::from_hours(12);

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

    /// Looks after the files for ever.
    pub(super) async fn watch(self: Arc<Self>) {
        let [mut looks, mut renewals] = [LOOK_INTERVAL, RENEWAL_INTERVAL].map(interval);
        looks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        // They would begin at once, but everything was just read.
        looks.reset();
        renewals.reset();
        loop {
            let certificates = Arc::clone(&self);
            let work: fn(&Self) = tokio::select! {
                _ = looks.tick() => Self::look,
                _ = renewals.tick() => Self::renew,
            };
            // Disks can be slow. A panic in there is reported where it happens.
            let _ = tokio::task::spawn_blocking(move || work(&certificates)).await;
        }
    }

    /// Takes the files again if they have changed.
    pub(super) fn look(&self) {
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

    /// Looks after our own certificate. The next look at the files finds a new one.
    fn renew(&self) {
        if let Some((self_signed, clock)) = &self.renewal
            && let Err(error) = renew_or_keep(self_signed, clock.now())
        {
            tracing::warn!(%error, "the certificate of this server has run out and is not renewed: {error}");
        }
    }
}

/// Renews our own certificate if it is time. Until its last day it is no reason to stop if that fails.
fn renew_or_keep(self_signed: &SelfSigned, now: Timestamp) -> Result<(), TlsError> {
    match self_signed.renew(now) {
        Err(error) if self_signed.is_good(now, 0) => {
            tracing::warn!(%error, "the certificate of this server runs out soon and is not renewed: {error}");
            Ok(())
        }
        outcome => outcome,
    }
}

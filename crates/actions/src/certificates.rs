//! Client certificates, opened and ready to be shown.
//!
//! Opening a PFX file may take a second or two of a processor, since its maker chose how often its password is hashed. So
//! each file is opened once, on a thread that may be busy, and kept ready for TLS while it is used.

use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use punctual_model::action::Secret;
use punctual_model::time::Timestamp;
use tokio::sync::{OnceCell, Semaphore};
use tokio_rustls::TlsConnector;

use crate::coarse_clock::CoarseClock;
use crate::connect::Connector;
use crate::credential::Credential;
use crate::failure::Failure;
use crate::limits;

/// The certificates in use.
pub(crate) struct Certificates {
    connector: Arc<Connector>,
    cached: Mutex<HashMap<Credential, CachedCertificate>>,
    /// Limits how many are opened at once.
    permits: Semaphore,
    clock: Arc<CoarseClock>,
}

/// A certificate with its key.
pub(crate) struct Certificate {
    /// Tells this certificate from others.
    pub(crate) credential: Credential,
    /// Makes connections on which the certificate is shown.
    pub(crate) tls: TlsConnector,
    thumbprint: String,
    subject: String,
    valid_from: Timestamp,
    expires: Timestamp,
}

type Opened = Result<Arc<Certificate>, Failure>;

struct CachedCertificate {
    /// The first attempt opens the certificate, and the others wait for it.
    opened: Arc<OnceCell<Opened>>,
    used_seconds: u32,
}

impl Certificates {
    pub(crate) fn new(connector: Arc<Connector>, clock: Arc<CoarseClock>) -> Self {
        let permits = Semaphore::new(limits::CERTIFICATES_OPENED_MAX);
        Self { connector, cached: Mutex::default(), permits, clock }
    }

    /// The certificate of an action.
    pub(crate) async fn open(&self, pfx: &Secret, password: &Secret) -> Opened {
        let credential = Credential::of_certificate(pfx, password);
        let opened = self.cached(credential);
        opened.get_or_init(|| self.open_uncached(credential, pfx.clone(), password.clone())).await.clone()
    }

    /// Removes a certificate from the cache; attempts that use it go on.
    pub(crate) fn forget(&self, credential: Credential) {
        self.lock().remove(&credential);
    }

    /// Removes certificates that nobody used for a while.
    pub(crate) fn sweep(&self) {
        let now = self.clock.seconds();
        let is_used = |cached: &CachedCertificate| {
            now.saturating_sub(cached.used_seconds) < limits::CERTIFICATE_UNUSED_SECONDS_MAX
        };
        self.lock().retain(|_, cached| is_used(cached));
    }

    fn cached(&self, credential: Credential) -> Arc<OnceCell<Opened>> {
        let used_seconds = self.clock.seconds();
        let mut certificates = self.lock();
        if certificates.len() >= limits::CERTIFICATES_KEPT_MAX && !certificates.contains_key(&credential) {
            let oldest = certificates.iter().min_by_key(|(_, cached)| cached.used_seconds).map(|(oldest, _)| *oldest);
            oldest.and_then(|oldest| certificates.remove(&oldest));
        }
        let new = || CachedCertificate { opened: Arc::default(), used_seconds };
        let cached = certificates.entry(credential).or_insert_with(new);
        cached.used_seconds = used_seconds;
        Arc::clone(&cached.opened)
    }

    async fn open_uncached(&self, credential: Credential, pfx: Secret, password: Secret) -> Opened {
        let unusable =
            |reason: String| Failure::Credentials(format!("The client certificate cannot be used: {reason}."));
        let _permit = self.permits.acquire().await.map_err(|closed| unusable(closed.to_string()))?;
        let connector = Arc::clone(&self.connector);
        let opened = tokio::task::spawn_blocking(move || {
            let identity = punctual_pfx::read(pfx.expose(), password.expose()).map_err(|error| error.to_string())?;
            let tls = connector.tls.with_certificate(&identity).map_err(|error| error.to_string())?;
            let instant = |seconds| Timestamp::from_seconds(seconds).unwrap_or(Timestamp::MIN);
            Ok::<_, String>(Certificate {
                credential,
                tls,
                valid_from: instant(identity.valid_from_unix_seconds),
                expires: instant(identity.expires_unix_seconds),
                thumbprint: identity.thumbprint,
                subject: identity.subject,
            })
        });
        opened.await.map_err(|error| unusable(error.to_string()))?.map(Arc::new).map_err(unusable)
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<Credential, CachedCertificate>> {
        self.cached.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Certificate {
    /// What is wrong with the certificate at an instant. Whether that matters is for the target to judge.
    pub(crate) fn fault(&self, at: Timestamp) -> Option<String> {
        if self.expires < at {
            Some(format!("expired at {}", self.expires))
        } else if self.valid_from > at {
            Some(format!("is not valid before {}", self.valid_from))
        } else {
            None
        }
    }

    /// Adds the certificate to the failure of an exchange in which it was shown, since it may be the reason.
    pub(crate) fn explain(&self, failure: Failure, at: Timestamp) -> Failure {
        match failure {
            Failure::Tls(text) => Failure::Tls(format!("{text} {}", self.sentence(at))),
            Failure::Closed(text) => Failure::Closed(format!("{text} {}", self.sentence(at)).into()),
            other => other,
        }
    }

    fn sentence(&self, at: Timestamp) -> String {
        let which = format!("The job showed the certificate {self}");
        match self.fault(at) {
            Some(fault) => format!("{which}, which {fault}."),
            None => format!("{which}, valid until {}.", self.expires),
        }
    }
}

impl fmt::Display for Certificate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let subject: String = self.subject.chars().take(200).collect();
        write!(f, "'{subject}' ({})", self.thumbprint)
    }
}

impl fmt::Debug for Certificate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Certificate({self})")
    }
}

//! Client certificates, opened and ready to be shown.
//!
//! To open a file may take a second or two of a processor, by the wish of whoever made it. So each is opened once, on a
//! thread that may be busy, and kept with what TLS needs of it for as long as it is used.

use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use punctual_model::action::Secret;
use punctual_model::time::Timestamp;
use tokio::sync::{OnceCell, Semaphore};
use tokio_rustls::TlsConnector;

use crate::connect::Connector;
use crate::credential::Credential;
use crate::failure::Failure;
use crate::limits;
use crate::pulse::Pulse;

/// The certificates in use.
pub(crate) struct Certificates {
    connector: Arc<Connector>,
    known: Mutex<HashMap<Credential, Known>>,
    /// Those who open one.
    places: Semaphore,
    pulse: Arc<Pulse>,
}

/// A certificate with its key.
pub(crate) struct Certificate {
    /// Which it is.
    pub(crate) credential: Credential,
    /// Makes connections on which it is shown.
    pub(crate) tls: TlsConnector,
    thumbprint: String,
    subject: String,
    valid_from: Timestamp,
    expires: Timestamp,
}

type Opened = Result<Arc<Certificate>, Failure>;

struct Known {
    /// Whoever comes first opens it, and the others wait.
    opened: Arc<OnceCell<Opened>>,
    used_seconds: u32,
}

impl Certificates {
    pub(crate) fn new(connector: Arc<Connector>, pulse: Arc<Pulse>) -> Self {
        let places = Semaphore::new(limits::CERTIFICATES_OPENED_MAX);
        Self { connector, known: Mutex::default(), places, pulse }
    }

    /// The certificate of an action.
    pub(crate) async fn open(&self, pfx: &Secret, password: &Secret) -> Opened {
        let credential = Credential::of_certificate(pfx, password);
        let opened = self.known(credential);
        opened.get_or_init(|| self.open_anew(credential, pfx.clone(), password.clone())).await.clone()
    }

    /// Closes one; who uses it now goes on.
    pub(crate) fn forget(&self, credential: Credential) {
        self.lock().remove(&credential);
    }

    /// Closes those that nobody used for a while.
    pub(crate) fn sweep(&self) {
        let now = self.pulse.seconds();
        let is_used = |known: &Known| now.saturating_sub(known.used_seconds) < limits::CERTIFICATE_UNUSED_SECONDS_MAX;
        self.lock().retain(|_, known| is_used(known));
    }

    fn known(&self, credential: Credential) -> Arc<OnceCell<Opened>> {
        let used_seconds = self.pulse.seconds();
        let mut certificates = self.lock();
        if certificates.len() >= limits::CERTIFICATES_KEPT_MAX && !certificates.contains_key(&credential) {
            let oldest = certificates.iter().min_by_key(|(_, known)| known.used_seconds).map(|(oldest, _)| *oldest);
            oldest.and_then(|oldest| certificates.remove(&oldest));
        }
        let known = certificates.entry(credential).or_insert_with(|| Known { opened: Arc::default(), used_seconds });
        known.used_seconds = used_seconds;
        Arc::clone(&known.opened)
    }

    async fn open_anew(&self, credential: Credential, pfx: Secret, password: Secret) -> Opened {
        let unusable =
            |reason: String| Failure::Credentials(format!("The client certificate cannot be used: {reason}."));
        let _place = self.places.acquire().await.map_err(|closed| unusable(closed.to_string()))?;
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

    fn lock(&self) -> MutexGuard<'_, HashMap<Credential, Known>> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Certificate {
    /// What is wrong with it at an instant, which is for the target to judge.
    pub(crate) fn fault(&self, at: Timestamp) -> Option<String> {
        if self.expires < at {
            Some(format!("expired at {}", self.expires))
        } else if self.valid_from > at {
            Some(format!("is not valid before {}", self.valid_from))
        } else {
            None
        }
    }

    /// The failure of an exchange in which it was shown, and which may be due to it.
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

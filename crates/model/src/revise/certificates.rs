//! The time in which client certificates are valid.
//!
//! A certificate that is sent must be valid now. A stored certificate stays after it has expired: the job must stay
//! changeable, if only to be disabled.

use crate::action::{Action, Authentication, CertificateInfo, Target};
use crate::time::Timestamp;
use crate::{Violation, Warning, limits};

/// What is wrong with the certificates that are not stored yet.
pub fn check(stored: Option<&Action>, wanted: &Action, now: Timestamp) -> Result<(), Vec<Violation>> {
    let is_stored = |certificate: &(String, &Authentication, &CertificateInfo)| {
        stored.is_some_and(|stored| certificates(stored).any(|known| known == *certificate))
    };
    let new = certificates(wanted).filter(|certificate| !is_stored(certificate));
    let violations: Vec<_> = new.filter_map(|(path, _, info)| violation(path, info, now)).collect();
    if violations.is_empty() { Ok(()) } else { Err(violations) }
}

/// Warns of certificates that expire soon or have expired.
pub(super) fn warnings(action: &Action, now: Timestamp) -> impl Iterator<Item = Warning> {
    let expiring = move |info: &CertificateInfo| info.expires <= now.saturating_add(limits::CERTIFICATE_WARNING_TICKS);
    certificates(action).filter(move |(_, _, info)| expiring(info)).map(move |(path, _, info)| {
        let verb = if info.expires < now { "expired" } else { "expires" };
        Warning::new(path, format!("the certificate {verb} at {}", info.expires))
    })
}

fn violation(path: String, info: &CertificateInfo, now: Timestamp) -> Option<Violation> {
    let CertificateInfo { valid_from, expires, .. } = info;
    let given = if *expires < now {
        format!("a certificate that expired at {expires}")
    } else if *valid_from > now {
        format!("a certificate that is not valid before {valid_from}")
    } else {
        return None;
    };
    Some(Violation::new(path, given, format!("one that is valid now, which is {now}")))
}

/// The certificates of an action, each with its path.
fn certificates(action: &Action) -> impl Iterator<Item = (String, &Authentication, &CertificateInfo)> {
    action.targets().filter_map(|(path, target)| {
        let Target::Http(http) = target else { return None };
        let authentication = http.authentication.as_ref()?;
        let Authentication::ClientCertificate { info: Some(info), .. } = authentication else { return None };
        Some((format!("{path}.request.authentication.pfx"), authentication, info))
    })
}

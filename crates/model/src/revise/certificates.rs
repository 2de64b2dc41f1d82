//! The time in which client certificates are valid.
//!
//! One that is sent must be valid now. One that is stored already stays: a job must be changeable, and be it to disable it,
//! when its certificate has expired.

use crate::action::{Action, Authentication, CertificateInfo, Target};
use crate::time::Timestamp;
use crate::{Violation, Warning, limits};

/// What is wrong with the certificates that are not stored yet.
pub(super) fn check(stored: Option<&Action>, wanted: &Action, now: Timestamp) -> Result<(), Vec<Violation>> {
    let is_stored = |certificate: &(&str, &Authentication, &CertificateInfo)| {
        stored.is_some_and(|stored| certificates(stored).any(|known| known == *certificate))
    };
    let new = certificates(wanted).filter(|certificate| !is_stored(certificate));
    let violations: Vec<_> = new.filter_map(|(path, _, info)| violation(path, info, now)).collect();
    if violations.is_empty() { Ok(()) } else { Err(violations) }
}

/// Those that expire soon, or have.
pub(super) fn warnings(action: &Action, now: Timestamp) -> impl Iterator<Item = Warning> {
    let expiring = move |info: &CertificateInfo| info.expires <= now.saturating_add(limits::CERTIFICATE_WARNING_TICKS);
    certificates(action).filter(move |(_, _, info)| expiring(info)).map(move |(path, _, info)| {
        let verb = if info.expires < now { "expired" } else { "expires" };
        Warning::new(path, format!("the certificate {verb} at {}", info.expires))
    })
}

fn violation(path: &str, info: &CertificateInfo, now: Timestamp) -> Option<Violation> {
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
fn certificates(action: &Action) -> impl Iterator<Item = (&'static str, &Authentication, &CertificateInfo)> {
    let main = ("action.request.authentication.pfx", &action.target);
    let error = action.error.as_ref().map(|error| ("action.errorAction.request.authentication.pfx", &error.target));
    [main].into_iter().chain(error).filter_map(|(path, target)| {
        let Target::Http(http) = target else { return None };
        let authentication = http.authentication.as_ref()?;
        let Authentication::ClientCertificate { info: Some(info), .. } = authentication else { return None };
        Some((path, authentication, info))
    })
}

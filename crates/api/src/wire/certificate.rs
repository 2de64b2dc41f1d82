//! The client certificate in `request.authentication`.
//!
//! A file that is sent is opened at once, so that whoever sends it learns what is wrong with it, and what it says of
//! itself can be shown. Without a file the members that describe one name the certificate that is stored.

use punctual_model::action::{Authentication, CertificateInfo, Secret, check_credential, check_pfx};
use punctual_model::time::{DateTime, Timestamp, Zone};
use punctual_pfx::Identity;

use super::json::Json;
use super::object::Object;

const THUMBPRINT: &str = "certificateThumbprint";
const SUBJECT: &str = "certificateSubjectName";
/// The expiration has another name in the OpenAPI file.
const EXPIRATIONS: [&str; 2] = ["certificateExpiration", "certificateExpirationDate"];

pub(super) fn read(object: &mut Object<'_>) -> Authentication<Option<Secret>> {
    let pfx = object.secret("pfx", |text| check_pfx(&without_blanks(text)));
    let pfx = pfx.map(|pfx| Secret::new(without_blanks(pfx.expose())));
    let password = object.secret("password", check_credential);
    let (thumbprint, info) = match &pfx {
        Some(pfx) if !pfx.is_mask() => opened(object, pfx, password.as_ref()).unzip(),
        _ => (named(object, password.as_ref()), None),
    };
    Authentication::ClientCertificate { pfx, password, thumbprint, info }
}

/// The thumbprint by which the stored certificate is named.
fn named(object: &mut Object<'_>, password: Option<&Secret>) -> Option<String> {
    if password.is_some() && !object.has("pfx") {
        object.warn("password", "ignored: it belongs to a pfx, and none was sent");
    }
    let thumbprint = object.text(THUMBPRINT);
    object.skip(&EXPIRATIONS);
    object.skip(&[SUBJECT]);
    thumbprint.map(normal_thumbprint)
}

/// The thumbprint of the certificate in the file, and what else is shown of it.
fn opened(object: &mut Object<'_>, pfx: &Secret, password: Option<&Secret>) -> Option<(String, CertificateInfo)> {
    if object.has("password") && password.is_none() {
        // What is wrong with it was said already, and another one does not open the file.
        return None;
    }
    match punctual_pfx::read(pfx.expose(), password.map_or("", Secret::expose)) {
        Ok(Identity { thumbprint, valid_from_unix_seconds, expires_unix_seconds, subject, .. }) => {
            // Only the year zero of a certificate is no time of ours.
            let instant = |seconds| Timestamp::from_seconds(seconds).unwrap_or(Timestamp::MIN);
            let (valid_from, expires) = (instant(valid_from_unix_seconds), instant(expires_unix_seconds));
            let info = CertificateInfo { valid_from, expires, subject };
            compare(object, &thumbprint, &info);
            Some((thumbprint, info))
        }
        Err(punctual_pfx::Error::WrongPassword) if password.is_none() => {
            object.violation("password", "nothing", "the password of the PFX file");
            None
        }
        Err(error) => {
            let member = if error == punctual_pfx::Error::WrongPassword { "password" } else { "pfx" };
            object.violation(member, error.found(), error.expected());
            None
        }
    }
}

/// Warns of what a client says of the certificate and is not so: it may have sent another file than it meant to.
fn compare(object: &mut Object<'_>, thumbprint: &str, info: &CertificateInfo) {
    let instant = |text: &str| DateTime::parse(text).ok().map(|time| time.resolve(Zone::utc()).instant());
    warn_unless(object, THUMBPRINT, |text| normal_thumbprint(text) == thumbprint);
    warn_unless(object, SUBJECT, |text| text == info.subject);
    for name in EXPIRATIONS {
        warn_unless(object, name, |text| instant(text) == Some(info.expires));
    }
}

fn warn_unless(object: &mut Object<'_>, name: &'static str, is_same: impl Fn(&str) -> bool) {
    let is_other = |json: &Json| !matches!(json, Json::Text(text) if is_same(text));
    if object.value(name).is_some_and(|value| is_other(value.json)) {
        object.warn(name, "ignored: the certificate in the pfx has another one");
    }
}

fn normal_thumbprint(text: &str) -> String {
    without_blanks(text).to_ascii_uppercase()
}

/// Base64 comes in lines, and out of a form with blanks in it.
fn without_blanks(text: &str) -> String {
    text.chars().filter(|c| !c.is_whitespace()).collect()
}

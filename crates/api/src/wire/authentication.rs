//! `request.authentication`.

use punctual_model::Expected;
use punctual_model::action::{Authentication, Secret, check_credential, check_tenant, check_username};

use super::certificate;
use super::object::Object;

#[derive(Clone, Copy)]
enum Kind {
    NotSpecified,
    ClientCertificate,
    Basic,
    OAuth,
}

const CERTIFICATE: (&str, Kind) = ("ClientCertificate", Kind::ClientCertificate);
const OAUTH: (&str, Kind) = ("ActiveDirectoryOAuth", Kind::OAuth);
const BASIC: (&str, Kind) = ("Basic", Kind::Basic);
const KINDS: [(&str, Kind); 4] = [("NotSpecified", Kind::NotSpecified), CERTIFICATE, OAUTH, BASIC];

/// Members that only one type has.
const SIGNS: [(&str, (&str, Kind)); 7] = [
    ("pfx", CERTIFICATE),
    ("certificateThumbprint", CERTIFICATE),
    ("tenant", OAUTH),
    ("audience", OAUTH),
    ("clientId", OAUTH),
    ("secret", OAUTH),
    ("username", BASIC),
];

/// None also for `NotSpecified`, which is how a client says so.
pub(super) fn read(mut object: Object<'_>) -> Option<Authentication<Option<Secret>>> {
    let kind = if object.has("type") { object.choice("type", &KINDS)? } else { inferred(&object)? };
    let authentication = match kind {
        Kind::NotSpecified => None,
        Kind::ClientCertificate => Some(certificate::read(&mut object)),
        Kind::Basic => basic(&mut object),
        Kind::OAuth => oauth(&mut object),
    };
    object.ignore_rest();
    authentication
}

/// Clients older than the discriminator send no type.
fn inferred(object: &Object<'_>) -> Option<Kind> {
    let Some((_, (name, kind))) = SIGNS.into_iter().find(|(member, _)| object.has(member)) else {
        object.violation("type", "nothing", "one of ClientCertificate, ActiveDirectoryOAuth, Basic");
        return None;
    };
    object.warn("type", format!("missing; taken as {name}"));
    Some(kind)
}

fn basic(object: &mut Object<'_>) -> Option<Authentication<Option<Secret>>> {
    object.require("username", "the name of the user");
    let username = object.checked("username", check_username);
    let password = object.secret("password", check_credential);
    Some(Authentication::Basic { username: username?, password })
}

fn oauth(object: &mut Object<'_>) -> Option<Authentication<Option<Secret>>> {
    object.require("tenant", "the directory that issues the token, such as contoso.onmicrosoft.com");
    object.require("audience", "whom the token is for, such as https://management.core.windows.net/");
    object.require("clientId", "who asks for the token");
    let tenant = object.checked("tenant", check_tenant);
    let audience = object.checked("audience", check_name);
    let client_id = object.checked("clientId", check_name);
    let secret = object.secret("secret", check_name);
    Some(Authentication::OAuth { tenant: tenant?, audience: audience?, client_id: client_id?, secret })
}

fn check_name(text: &str) -> Result<(), Expected> {
    if text.trim().is_empty() { Err(Expected::new("a text that is not empty")) } else { check_credential(text) }
}

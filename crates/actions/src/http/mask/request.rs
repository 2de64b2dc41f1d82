//! What a request holds that must not be shown.

use std::borrow::Cow;

use punctual_model::action::{Authentication, HttpAction, Target};
use punctual_model::placeholder::GAP;

use super::Mask;
use super::needles::Needles;
use crate::http::address::Address;
use crate::http::request::Request;

/// The character that stands for a gap, as addresses have it.
const GAP_IN_ADDRESSES: &str = "%EF%B7%90";

/// Values of these headers are no secrets, and often stand in answers.
const PUBLIC_HEADERS: [&str; 8] = [
    "accept",
    "accept-charset",
    "accept-encoding",
    "accept-language",
    "cache-control",
    "content-encoding",
    "content-type",
    "user-agent",
];

impl<'a> Mask<'a> {
    /// Gathers credentials, header values, path, query and body of a request to an address. What was filled in for
    /// placeholders is no secret.
    pub(crate) fn of_request(request: &'a Request<'_>, address: &'a Address) -> Self {
        let Some(Target::Http(with_gaps)) = request.call.target_with_gaps() else {
            return Self::new(gather(request, address, request.action, &address.target));
        };
        let target = match Address::of(&with_gaps.uri) {
            Some(address) => Cow::Owned(address.target.replace(GAP_IN_ADDRESSES, GAP.encode_utf8(&mut [0; 4]))),
            None => Cow::Borrowed(&*address.target),
        };
        Self::new(gather(request, address, &with_gaps, &target).into_owned())
    }
}

/// What a request holds that must not be shown: its action and its target, which may have gaps, and what it was given beside.
fn gather<'a>(request: &'a Request<'_>, address: &'a Address, action: &'a HttpAction, target: &'a str) -> Needles<'a> {
    let mut needles = Needles::default();
    match &action.authentication {
        Some(Authentication::Basic { username, password }) => needles.user(username, password.expose()),
        Some(Authentication::ClientCertificate { pfx, password, .. }) => {
            needles.literal(pfx.expose());
            needles.secret(password.expose());
        }
        Some(Authentication::OAuth { secret, .. }) => needles.secret(secret.expose()),
        None => {}
    }
    request.tokens.iter().for_each(|token| needles.secret(token.expose()));
    if let Some(sign) = &request.call.definition.action.sign {
        needles.secret(sign.key.expose());
    }
    if let Some(credentials) = &address.credentials {
        let (user, password) = credentials.expose().split_once(':').unwrap_or((credentials.expose(), ""));
        needles.user(user, password);
    }
    for (name, value) in &action.headers {
        if !PUBLIC_HEADERS.iter().any(|public| name.eq_ignore_ascii_case(public)) {
            needles.header(value);
        }
    }
    let (path, query) = target.split_once('?').unwrap_or((target, ""));
    needles.path(path);
    needles.query(query);
    if let Some(body) = &action.body {
        needles.body(body);
    }
    needles
}

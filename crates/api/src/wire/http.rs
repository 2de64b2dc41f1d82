//! `request`.

use punctual_model::Violation;
use punctual_model::action::{
    Address, Authentication, HttpAction, HttpType, Secret, check_header, check_headers, check_message, check_method,
    mask_address,
};

use super::authentication;
use super::json::Json;
use super::object::{Object, below};

/// Reads a request of an action of type `kind`; where none was named, the scheme of the address says which.
pub(super) fn read(mut request: Object<'_>, kind: Option<HttpType>) -> Option<HttpAction<Option<Secret>>> {
    request.require("uri", "the address to call, such as https://example.com/path");
    let uri = uri(&mut request);
    let body = body(&mut request);
    let default = if body.is_some() { "POST" } else { "GET" };
    let method = request.has("method").then(|| request.checked("method", check_method));
    let headers = headers(&mut request);
    let authentication = request.object("authentication").and_then(authentication::read);
    let is_https = uri.as_ref().is_some_and(Address::is_https);
    match &authentication {
        Some(Authentication::ClientCertificate { .. }) if uri.is_some() && !is_https => {
            let expected = "an https one: a client certificate is shown while TLS is agreed upon";
            request.violation("uri", "an http address", expected);
        }
        Some(_) if uri.is_some() && !is_https => {
            request.warn("authentication", "the uri is not https: the credentials travel unencrypted");
        }
        _ => {}
    }
    if kind == Some(HttpType::Https) && uri.is_some() && !is_https {
        request.warn("uri", "the type is Https and the address http: the call is not encrypted");
    }
    request.ignore_rest();
    Some(HttpAction {
        kind: kind.unwrap_or(if is_https { HttpType::Https } else { HttpType::Http }),
        uri: uri?,
        method: method.flatten().unwrap_or_else(|| default.to_owned()),
        headers,
        body,
        authentication,
    })
}

fn uri(request: &mut Object<'_>) -> Option<Address> {
    let value = request.value("uri")?;
    let uri = value.text()?;
    match Address::parse(uri) {
        Ok(address) => Some(address),
        Err(expected) => value.hidden(&format!("{:?}", mask_address(uri, "...")), &expected.to_string()),
    }
}

fn body(request: &mut Object<'_>) -> Option<String> {
    match request.value("body")? {
        value if matches!(value.json, Json::Object(_) | Json::List(_)) => {
            value.wrong("a text in quotes; JSON goes into it with its own quotes escaped")
        }
        _ => request.unseen("body", check_message),
    }
}

fn headers(request: &mut Object<'_>) -> Vec<(String, String)> {
    let path = request.path_of("headers");
    let headers = request.texts("headers");
    for (name, value) in &headers {
        if let Err(expected) = check_header(name, value) {
            // A value is often a key, so only the name is repeated, and that stands in the path.
            request.report(Violation::sentence(below(&path, name), format!("this must be {expected}")));
        }
    }
    request.adopt(Some("headers"), check_headers(&headers).err());
    headers
}

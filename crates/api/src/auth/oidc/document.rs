//! The two documents of an issuer: what it is, and its keys.

use serde_json::Value;

use super::super::denied::quoted;
use super::Fetch;
use super::address::{Protection, protection};
use super::key_set::KeySet;
use crate::limits;

/// Asks an issuer where its keys are, and then for the keys.
pub(super) async fn fetch_keys(issuer: &str, fetch: &dyn Fetch) -> Result<KeySet, String> {
    let about = format!("{}/.well-known/openid-configuration", issuer.strip_suffix('/').unwrap_or(issuer));
    let keys = keys_address(issuer, &document(fetch, &about).await?)
        .map_err(|wrong| format!("{}: {wrong}", quoted(&about)))?;
    KeySet::parse(issuer, &document(fetch, &keys).await?).map_err(|wrong| format!("{}: {wrong}", quoted(&keys)))
}

async fn document(fetch: &dyn Fetch, url: &str) -> Result<Value, String> {
    let wrong = |text: String| format!("{}: {text}", quoted(url));
    let bytes = fetch.get(url, limits::OIDC_DOCUMENT_BYTES_MAX).await.map_err(wrong)?;
    if bytes.len() > limits::OIDC_DOCUMENT_BYTES_MAX {
        return Err(wrong(format!("more than {} bytes", limits::OIDC_DOCUMENT_BYTES_MAX)));
    }
    serde_json::from_slice(&bytes).map_err(|error| wrong(format!("not JSON: {error}")))
}

/// Where the keys are. A document that is about another issuer is not believed, and one that came by TLS cannot send us
/// to where there is none.
fn keys_address(issuer: &str, about: &Value) -> Result<String, String> {
    let text = |name: &str| about.get(name).and_then(Value::as_str).unwrap_or_default();
    if text("issuer") != issuer {
        return Err(format!("it is about the issuer {}", quoted(text("issuer"))));
    }
    let keys = text("jwks_uri");
    let is_as_protected = match protection(keys) {
        Ok(Protection::Tls) => true,
        Ok(Protection::Loopback) => protection(issuer) == Ok(Protection::Loopback),
        Err(_) => false,
    };
    if is_as_protected { Ok(keys.to_owned()) } else { Err(format!("its jwks_uri is {}, not https", quoted(keys))) }
}

//! A JWT, taken apart and not yet believed.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde_json::{Map, Value};

use super::super::Denied;
use crate::limits;

/// A JWT, taken apart and not yet believed.
pub(super) struct Jwt<'a> {
    /// What was signed: the first two parts of the text.
    pub(super) message: &'a str,
    /// The third part, in base64url.
    pub(super) signature: &'a str,
    /// How it claims to be signed.
    pub(super) algorithm: String,
    /// The algorithm that the token claims to be signed with.
    pub(super) key_id: Option<String>,
    pub(super) claims: Map<String, Value>,
}

impl<'a> Jwt<'a> {
    pub(super) fn parse(text: &'a str) -> Result<Self, Denied> {
        if text.len() > limits::BEARER_BYTES_MAX {
            return Err(Denied::TooLong { bytes: text.len() });
        }
        let parts = text.rsplit_once('.').and_then(|(message, signature)| {
            let (header, claims) = message.split_once('.')?;
            Some((message, header, claims, signature))
        });
        let Some((message, header, claims, signature)) = parts else {
            return Err(Denied::Malformed("it is neither one of ours nor three parts with dots between them"));
        };
        let header = object(header).ok_or(Denied::Malformed("its first part is not a JSON object in base64url"))?;
        let claims = object(claims).ok_or(Denied::Malformed("its second part is not a JSON object in base64url"))?;
        // `crit` asks every reader to refuse the token that does not know the extensions it lists, and we know none.
        if header.contains_key("crit") {
            return Err(Denied::Malformed("it demands extensions (crit)"));
        }
        if !claims.get("iss").is_some_and(Value::is_string) {
            return Err(Denied::Malformed("it does not say who issued it (iss)"));
        }
        let algorithm = text_of(&header, "alg")?.ok_or(Denied::Malformed("it does not say how it is signed (alg)"))?;
        Ok(Self { message, signature, algorithm, key_id: text_of(&header, "kid")?, claims })
    }

    /// The issuer that the token claims to come from.
    pub(super) fn issuer(&self) -> &str {
        self.claims.get("iss").and_then(Value::as_str).unwrap_or_default()
    }
}

fn object(part: &str) -> Option<Map<String, Value>> {
    serde_json::from_slice(&URL_SAFE_NO_PAD.decode(part).ok()?).ok()
}

fn text_of(header: &Map<String, Value>, name: &str) -> Result<Option<String>, Denied> {
    match header.get(name) {
        None => Ok(None),
        Some(Value::String(text)) => Ok(Some(text.clone())),
        Some(_) => Err(Denied::Malformed("its header has something other than texts (alg, kid)")),
    }
}

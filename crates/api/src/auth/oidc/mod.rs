//! JWTs of the OpenID Connect issuers that this server was told to trust.
//!
//! What is believed comes from the configuration: the issuer, the audience, the algorithms. The token only chooses among
//! that, and the issuer's documents only supply keys. There is no algorithm without a public key, so a token that was not
//! signed, or was signed with what everybody knows, has nothing to be checked with.

mod address;
mod algorithm;
mod document;
mod issuer;
mod jwt;
mod key_cache;
mod key_set;

use std::sync::Arc;

use async_trait::async_trait;
use punctual_model::time::Timestamp;

pub use self::algorithm::Algorithm;
pub use self::issuer::{Issuer, Issuers};
use self::jwt::Jwt;
use self::key_cache::KeyCache;
use super::denied::quoted;
use super::{Claims, Denied};

/// Gets documents from issuers.
#[async_trait]
pub trait Fetch: Send + Sync {
    /// The body of a successful answer of at most `bytes_max`, without following redirects; or why there is none.
    async fn get(&self, url: &str, bytes_max: usize) -> Result<Vec<u8>, String>;
}

/// Checks the JWTs of all configured issuers.
pub struct Verifier {
    trusted: Vec<Trusted>,
}

struct Trusted {
    issuer: Issuer,
    keys: Arc<KeyCache>,
}

impl Verifier {
    /// Trusts these issuers. Nothing is fetched before the first token comes.
    pub fn new(issuers: &Issuers, fetch: &Arc<dyn Fetch>) -> Self {
        let trust = |issuer: Issuer| {
            let keys = Arc::new(KeyCache::new(issuer.issuer.clone(), Arc::clone(fetch)));
            Trusted { issuer, keys }
        };
        Self { trusted: issuers.as_slice().iter().cloned().map(trust).collect() }
    }

    /// What the issuer says about the caller, if all of it is right. It waits for the issuer if the key is not known.
    ///
    /// The claims are looked at before the signature, because that may need a request to the issuer: who comes with an
    /// old token is told that it is old, and not that its key is unknown by now. Nothing is believed until both are right.
    pub async fn verify(&self, text: &str, now: Timestamp) -> Result<Claims, Denied> {
        let jwt = Jwt::parse(text)?;
        let Some(trusted) = self.trusted.iter().find(|trusted| trusted.issuer.issuer == jwt.issuer()) else {
            return Err(Denied::UnknownIssuer { issuer: quoted(jwt.issuer()) });
        };
        let algorithm = trusted.issuer.algorithm(&jwt.algorithm)?;
        trusted.issuer.check_claims(&jwt.claims, now)?;
        let keys = trusted.keys.keys_for(jwt.key_id.as_deref(), algorithm, now).await?;
        keys.check_signature(&jwt, algorithm)?;
        Ok(Claims::new(jwt.claims))
    }
}

#[cfg(test)]
mod tests;

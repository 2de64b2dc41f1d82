//! The gate: who comes in, and with which roles.

use std::sync::Arc;

use http::header::{AUTHORIZATION, HOST, ORIGIN};
use http::request;
use http::uri::Authority;
use punctual_model::access::{Grants, TokenId};
use punctual_model::time::Timestamp;
use punctual_store::Store;

use super::loopback::is_loopback;
use super::oidc::Verifier;
use super::{Bearer, Denied, Token, TokenHash};
use crate::fault::Fault;

/// Who is calling.
#[derive(Default)]
pub(crate) struct Identity {
    /// The public part of a token, or an issuer and a subject.
    pub(crate) principal: String,
    pub(crate) grants: Grants,
}

/// Whether callers have to say who they are.
pub enum Authentication {
    /// Callers send a token: one of ours, or one of a trusted issuer.
    Required(Verifier),
    /// Callers send nothing: every program on this machine, and nobody else, may do everything.
    Off,
}

/// The gate.
pub(crate) struct Gate {
    authentication: Authentication,
    store: Arc<dyn Store>,
}

impl Gate {
    pub(crate) fn new(authentication: Authentication, store: Arc<dyn Store>) -> Self {
        Self { authentication, store }
    }

    /// Says who is calling, or why that is not known.
    pub(crate) async fn identify(&self, request: &request::Parts, now: Timestamp) -> Result<Identity, Fault> {
        let verifier = match &self.authentication {
            Authentication::Off => return local_caller(request),
            Authentication::Required(verifier) => verifier,
        };
        let header = request.headers.get(AUTHORIZATION).ok_or(Denied::NotBearer).map_err(|error| denied(&error))?;
        match Bearer::parse(header.as_bytes()).map_err(|error| denied(&error))? {
            Bearer::Token(token) => self.token_holder(&token, now).await,
            Bearer::Jwt(text) => {
                let claims = verifier.verify(text, now).await.map_err(|error| denied(&error))?;
                let assignments = self.store.assignments().await?;
                let mine = assignments.into_iter().filter(|assignment| claims.is(&assignment.claimants));
                Ok(Identity {
                    principal: format!("{} {}", claims.issuer(), claims.subject()),
                    grants: Grants(mine.map(|assignment| assignment.grant).collect()),
                })
            }
        }
    }

    /// Whether nobody is asked who they are.
    pub(crate) const fn is_off(&self) -> bool {
        matches!(self.authentication, Authentication::Off)
    }

    /// Who asks, where nobody is asked who they are.
    pub(crate) fn anyone_here(request: &request::Parts) -> Result<Identity, Fault> {
        local_caller(request)
    }

    /// Who has signed in with the token of that public part and what the token is for, unless it is revoked or over.
    pub(crate) async fn holder_of(&self, id: &TokenId, now: Timestamp) -> Result<Option<(Identity, String)>, Fault> {
        let known = self.store.token(id).await?.filter(|known| known.expires.is_none_or(|at| at > now));
        Ok(known.map(|known| {
            let principal = format!("token {}", known.id.as_str());
            (Identity { principal, grants: Grants(known.grants) }, known.description)
        }))
    }

    /// Whose token it is, if it is one of ours and good.
    pub(crate) async fn check_token(&self, text: &str, now: Timestamp) -> Result<TokenId, Fault> {
        let token = Token::parse(text.trim()).ok_or(Denied::UnknownToken).map_err(|error| denied(&error))?;
        self.token_holder(&token, now).await.map(|_| token.id())
    }

    async fn token_holder(&self, token: &Token, now: Timestamp) -> Result<Identity, Fault> {
        let known = self.store.token(&token.id()).await?;
        let known = known.filter(|known| TokenHash::from_bytes(known.hash) == token.hash());
        let known = known.ok_or(Denied::UnknownToken).map_err(|error| denied(&error))?;
        if let Some(at) = known.expires.filter(|at| *at <= now) {
            return Err(denied(&Denied::Expired { at, now }));
        }
        Ok(Identity { principal: format!("token {}", known.id.as_str()), grants: Grants(known.grants) })
    }
}

fn denied(denied: &Denied) -> Fault {
    tracing::debug!("not let in: {denied}");
    Fault::Unauthenticated { challenge: denied.challenge(), reason: denied.description().to_owned() }
}

/// Without tokens, a page in a browser on this machine must not reach us: neither by a name of its own that leads here,
/// nor by sending requests from elsewhere.
fn local_caller(request: &request::Parts) -> Result<Identity, Fault> {
    refuse_foreign(request).map_err(Fault::Forbidden)?;
    Ok(Identity { principal: "anyone on this machine".to_owned(), grants: Grants::everything() })
}

/// Says why a request that shows no token does not come from a program on this machine, if it does not.
pub fn refuse_foreign(request: &request::Parts) -> Result<(), String> {
    let text = |name: &str| request.headers.get(name).map(|value| value.to_str().unwrap_or("?"));
    // In HTTP/2 the name stands in the address.
    let names = [text(HOST.as_str()), request.uri.authority().map(Authority::as_str)];
    if let Some(host) = names.into_iter().flatten().find(|host| !is_here(host)) {
        return Err(format!("Without authentication only this machine may call, not '{host}'."));
    }
    let is_foreign = text(ORIGIN.as_str()).is_some_and(|origin| {
        let host = origin.split_once("://").map(|(_, host)| host);
        !host.is_some_and(is_here)
    });
    let is_cross_site = text("sec-fetch-site").is_some_and(|site| site.eq_ignore_ascii_case("cross-site"));
    if is_foreign || is_cross_site {
        return Err("Without authentication pages of other sites may not call.".to_owned());
    }
    Ok(())
}

/// Whether the host of an address, with or without a port, is this machine.
fn is_here(authority: &str) -> bool {
    let host = match authority.rsplit_once(':') {
        // The colons inside brackets are those of an IPv6 address.
        Some((host, port)) if !port.ends_with(']') => host,
        _ => authority,
    };
    is_loopback(host)
}

#[cfg(test)]
mod tests {
    use super::is_here;

    #[test]
    fn this_machine_has_few_names() {
        for host in ["localhost", "LOCALHOST:7878", "127.0.0.1", "127.0.0.1:80", "[::1]:7878", "[::1]"] {
            assert!(is_here(host), "{host}");
        }
        for host in ["", "example.com", "localhost.example.com:80", "10.0.0.1", "[::2]:1", "evil:127.0.0.1", "null"] {
            assert!(!is_here(host), "{host}");
        }
    }
}

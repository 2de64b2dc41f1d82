//! The names of those who did something.

use std::collections::HashMap;

use super::visitor::Visitor;
use crate::api::Api;
use crate::fault::Fault;

/// What principals are called: a token by what it is for. Only owners of the server know tokens of others.
#[derive(Default)]
pub(super) struct People(HashMap<String, String>);

impl People {
    /// Reads the names that the visitor may know.
    pub(super) async fn read(api: &Api, visitor: &Visitor) -> Result<Self, Fault> {
        if !visitor.is_owner() {
            return Ok(Self::default());
        }
        let tokens = api.operations.store.tokens().await?;
        let named = tokens.into_iter().filter(|token| !token.description.is_empty());
        Ok(Self(named.map(|token| (format!("token {}", token.id.as_str()), token.description)).collect()))
    }

    /// What somebody is called.
    pub(super) fn name(&self, visitor: &Visitor, principal: &str) -> String {
        if principal == visitor.caller.principal {
            return "you".to_owned();
        }
        let known = self.0.get(principal).cloned();
        // Of an issuer and a subject the subject is the name.
        known.unwrap_or_else(|| match principal.strip_prefix("token ") {
            Some(_) => principal.to_owned(),
            None => principal.rsplit(' ').next().unwrap_or(principal).to_owned(),
        })
    }
}

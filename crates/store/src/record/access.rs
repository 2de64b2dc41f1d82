//! Tokens and role assignments.

use punctual_model::access::{Claimants, Grant, Role, Scope, TokenId};
use serde::{Deserialize, Serialize};

use super::schedule::{named, timestamp};
use super::{Needs, Unreadable, parse, text};
use crate::access::TokenEntry;
use crate::seal::{from_hex, hex};

/// Writes a token.
pub fn write_token(token: &TokenEntry) -> String {
    text(&TokenRow {
        hash: hex(&token.hash),
        description: token.description.clone(),
        created: token.created.ticks(),
        expires: token.expires.map(punctual_model::time::Timestamp::ticks),
        grants: token.grants.iter().map(GrantRow::write).collect(),
        _needs: Needs,
    })
}

/// Reads a token.
pub fn read_token(id: TokenId, text: &str) -> Result<TokenEntry, Unreadable> {
    let row: TokenRow = parse(text)?;
    Ok(TokenEntry {
        id,
        hash: from_hex(&row.hash).ok_or_else(|| Unreadable::new("the hash of a token has 64 digits"))?,
        description: row.description,
        created: timestamp(row.created)?,
        expires: row.expires.map(timestamp).transpose()?,
        grants: row.grants.into_iter().map(GrantRow::read).collect::<Result<_, _>>()?,
    })
}

/// Writes an assignment to a claim.
pub fn write_assignment(claimants: &Claimants, grant: &Grant) -> String {
    let Claimants { issuer, claim, value } = claimants.clone();
    text(&AssignmentRow { issuer, claim, value, grant: GrantRow::write(grant), _needs: Needs })
}

/// Reads an assignment to a claim.
pub fn read_assignment(text: &str) -> Result<(Claimants, Grant), Unreadable> {
    let AssignmentRow { issuer, claim, value, grant, .. } = parse(text)?;
    Ok((Claimants { issuer, claim, value }, grant.read()?))
}

#[derive(Serialize, Deserialize)]
struct TokenRow {
    #[serde(rename = "needs", default, skip_serializing)]
    _needs: Needs,
    hash: String,
    description: String,
    created: i64,
    #[serde(skip_serializing_if = "Option::is_none")]
    expires: Option<i64>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    grants: Vec<GrantRow>,
}

#[derive(Serialize, Deserialize)]
struct AssignmentRow {
    #[serde(rename = "needs", default, skip_serializing)]
    _needs: Needs,
    issuer: String,
    claim: String,
    value: String,
    grant: GrantRow,
}

#[derive(Serialize, Deserialize)]
struct GrantRow {
    role: String,
    scope: String,
}

impl GrantRow {
    fn write(grant: &Grant) -> Self {
        Self { role: grant.role.name().to_owned(), scope: grant.scope.to_string() }
    }

    fn read(self) -> Result<Grant, Unreadable> {
        let scope = Scope::parse(&self.scope).map_err(|expected| Unreadable::new(expected.at("scope", &self.scope)))?;
        Ok(Grant { role: named(&self.role, &Role::ALL, Role::name)?, scope })
    }
}

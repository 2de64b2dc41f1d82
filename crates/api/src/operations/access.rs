//! Tokens and role assignments.

use punctual_model::access::TokenId;
use punctual_store::{AssignmentEntry, Error, TokenEntry};

use super::{Caller, Operations};
use crate::auth::Token;
use crate::fault::Fault;
use crate::input::{AssignmentInput, TokenInput};
use crate::limits;

/// A token that was made. The store does not keep what proves it: nobody else will ever see it.
pub(crate) struct NewToken {
    pub(crate) token: Token,
    pub(crate) entry: TokenEntry,
}

/// Makes a token.
pub(crate) async fn create_token(
    operations: &Operations,
    caller: &Caller,
    input: TokenInput,
) -> Result<NewToken, Fault> {
    let TokenInput { description, expires, grants } = input;
    let token = Token::generate(operations.random());
    let (id, hash) = (token.id(), token.hash().bytes());
    let entry = TokenEntry { id, hash, description, created: caller.now, expires, grants };
    let stored = operations.store.put_token(entry.clone(), limits::TOKENS_MAX).await;
    stored.map_err(|error| full("tokens", error))?;
    Ok(NewToken { token, entry })
}

/// Revokes a token.
pub(crate) async fn revoke_token(operations: &Operations, id: &TokenId) -> Result<(), Fault> {
    let was_there = operations.store.delete_token(id).await?;
    was_there.then_some(()).ok_or_else(|| Fault::Missing { what: "Token", name: id.as_str().to_owned() })
}

/// Assigns a role to everyone with a claim.
pub(crate) async fn assign_role(operations: &Operations, input: AssignmentInput) -> Result<AssignmentEntry, Fault> {
    let AssignmentInput { claimants, grant } = input;
    let stored = operations.store.put_assignment(claimants, grant, limits::ASSIGNMENTS_MAX).await;
    stored.map_err(|error| full("assignments", error))
}

/// Takes an assignment back.
pub(crate) async fn unassign_role(operations: &Operations, id: i64) -> Result<(), Fault> {
    let was_there = operations.store.delete_assignment(id).await?;
    was_there.then_some(()).ok_or_else(|| Fault::Missing { what: "Assignment", name: id.to_string() })
}

fn full(what: &'static str, error: Error) -> Fault {
    match error {
        Error::Full { max } => {
            Fault::Conflict { target: what, message: format!("There are {max} {what} already; remove some first.") }
        }
        error => error.into(),
    }
}

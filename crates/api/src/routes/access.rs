//! Tokens and role assignments.

use http::StatusCode;
use punctual_model::access::{Claimants, Grant, TokenId};
use punctual_model::limits;
use punctual_store::{AssignmentEntry, Error, TokenEntry};

use crate::answer::Answer;
use crate::api::Api;
use crate::auth::Token;
use crate::fault::Fault;
use crate::page::list;
use crate::request::Request;
use crate::wire::view::members::Members;
use crate::wire::{AssignmentInput, Json, TokenInput, parse_assignment_json, parse_token_json};

/// Makes a token. This answer is the only one that holds it.
pub(super) async fn create_token(api: &Api, request: &Request) -> Result<Answer, Fault> {
    let parsed = parse_token_json(&request.json()?, request.now)?;
    let TokenInput { description, expires, grants } = parsed.value;
    let token = Token::generate(api.random());
    let entry =
        TokenEntry { id: token.id(), hash: token.hash().bytes(), description, created: request.now, expires, grants };
    let body = view_token(&entry, Some(&token));
    api.store.put_token(entry, limits::TOKENS_MAX).await.map_err(|error| full("tokens", error))?;
    Ok(Answer::json(StatusCode::CREATED, body).warnings(&parsed.warnings))
}

/// Lists the tokens, without what makes them tokens.
pub(super) async fn tokens(api: &Api) -> Result<Answer, Fault> {
    Ok(Answer::json(StatusCode::OK, list(api.store.tokens().await?.iter().map(|token| view_token(token, None)))))
}

/// Revokes a token.
pub(super) async fn revoke_token(api: &Api, id: &TokenId) -> Result<Answer, Fault> {
    let was_there = api.store.delete_token(id).await?;
    let missing = || Fault::Missing { what: "Token", name: id.as_str().to_owned() };
    was_there.then(|| Answer::empty(StatusCode::OK)).ok_or_else(missing)
}

/// Assigns a role to everyone with a claim.
pub(super) async fn assign(api: &Api, request: &Request) -> Result<Answer, Fault> {
    let parsed = parse_assignment_json(&request.json()?)?;
    let AssignmentInput { claimants, grant } = parsed.value;
    let stored = api.store.put_assignment(claimants, grant, limits::ASSIGNMENTS_MAX).await;
    let entry = stored.map_err(|error| full("assignments", error))?;
    Ok(Answer::json(StatusCode::CREATED, view_assignment(&entry)).warnings(&parsed.warnings))
}

/// Lists the assignments.
pub(super) async fn assignments(api: &Api) -> Result<Answer, Fault> {
    Ok(Answer::json(StatusCode::OK, list(api.store.assignments().await?.iter().map(view_assignment))))
}

/// Takes an assignment back.
pub(super) async fn remove_assignment(api: &Api, id: i64) -> Result<Answer, Fault> {
    let was_there = api.store.delete_assignment(id).await?;
    let missing = || Fault::Missing { what: "Assignment", name: id.to_string() };
    was_there.then(|| Answer::empty(StatusCode::OK)).ok_or_else(missing)
}

fn full(what: &'static str, error: Error) -> Fault {
    match error {
        Error::Full { max } => {
            Fault::Conflict { target: what, message: format!("There are {max} {what} already; remove some first.") }
        }
        error => error.into(),
    }
}

fn view_token(entry: &TokenEntry, token: Option<&Token>) -> Json {
    let grants = entry.grants.iter().map(|grant| view_grant(Members::new(), grant)).collect();
    Members::new()
        .add("id", entry.id.as_str())
        .add_some("token", token.map(Token::expose))
        .add("description", &entry.description)
        .add("created", entry.created.to_string())
        .add_some("expires", entry.expires.map(|at| at.to_string()))
        .add("grants", Json::List(grants))
        .into_json()
}

fn view_assignment(entry: &AssignmentEntry) -> Json {
    let Claimants { issuer, claim, value } = &entry.claimants;
    let members = Members::new().add("id", entry.id).add("issuer", issuer).add("claim", claim).add("value", value);
    view_grant(members, &entry.grant)
}

fn view_grant(members: Members, grant: &Grant) -> Json {
    members.add("role", grant.role.name()).add("scope", grant.scope.to_string()).into_json()
}

//! Tokens and role assignments.

use http::StatusCode;
use punctual_model::access::{Claimants, Grant, TokenId};
use punctual_store::{AssignmentEntry, TokenEntry};

use crate::answer::ApiAnswer;
use crate::api::Api;
use crate::auth::Token;
use crate::fault::Fault;
use crate::operations::{self, NewToken};
use crate::page::list;
use crate::request::Request;
use crate::wire::view::members::Members;
use crate::wire::{Json, parse_assignment_json, parse_token_json};

/// Makes a token. This answer is the only one that holds it.
pub(super) async fn create_token(api: &Api, request: &Request) -> Result<ApiAnswer, Fault> {
    let parsed = parse_token_json(&request.json()?, &api.settings.defaults, request.caller.now)?;
    let NewToken { token, entry } = operations::create_token(&api.operations, &request.caller, parsed.value).await?;
    Ok(ApiAnswer::json(StatusCode::CREATED, view_token(&entry, Some(&token))).warnings(&parsed.warnings))
}

/// Lists the tokens, without what makes them tokens.
pub(super) async fn tokens(api: &Api) -> Result<ApiAnswer, Fault> {
    let tokens = api.operations.store.tokens().await?;
    Ok(ApiAnswer::json(StatusCode::OK, list(tokens.iter().map(|token| view_token(token, None)))))
}

/// Revokes a token.
pub(super) async fn revoke_token(api: &Api, id: &TokenId) -> Result<ApiAnswer, Fault> {
    operations::revoke_token(&api.operations, id).await?;
    Ok(ApiAnswer::empty(StatusCode::OK))
}

/// Assigns a role to everyone with a claim.
pub(super) async fn assign(api: &Api, request: &Request) -> Result<ApiAnswer, Fault> {
    let parsed = parse_assignment_json(&request.json()?, &api.settings.defaults)?;
    let entry = operations::assign_role(&api.operations, parsed.value).await?;
    Ok(ApiAnswer::json(StatusCode::CREATED, view_assignment(&entry)).warnings(&parsed.warnings))
}

/// Lists the assignments.
pub(super) async fn assignments(api: &Api) -> Result<ApiAnswer, Fault> {
    let assignments = api.operations.store.assignments().await?;
    Ok(ApiAnswer::json(StatusCode::OK, list(assignments.iter().map(view_assignment))))
}

/// Takes an assignment back.
pub(super) async fn remove_assignment(api: &Api, id: i64) -> Result<ApiAnswer, Fault> {
    operations::unassign_role(&api.operations, id).await?;
    Ok(ApiAnswer::empty(StatusCode::OK))
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

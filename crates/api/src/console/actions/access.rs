//! Making and revoking tokens, and taking roles back.

use punctual_model::Violation;
use punctual_model::access::{Grant, Role, Scope, TokenId};
use punctual_model::time::TICKS_PER_DAY;

use super::Done;
use super::job::unknown;
use crate::api::Api;
use crate::console::form::Form;
use crate::console::pages;
use crate::console::reply::Reply;
use crate::console::visitor::Visitor;
use crate::fault::Fault;
use crate::input::TokenInput;
use crate::limits::DESCRIPTION_CHARS_MAX;
use crate::operations;

/// What came of it: a page with a new token, which is shown once and stands in no address, or a sentence.
pub(super) enum Made {
    Page(Reply),
    Done(Done),
}

pub(super) async fn make(api: &Api, visitor: &Visitor, form: &Form) -> Result<Made, Fault> {
    if !visitor.is_owner() {
        return Err(Fault::Forbidden("To give access you need the role owner on the whole server.".to_owned()));
    }
    let note = match form.get("do").unwrap_or_default() {
        "make" => {
            let made = operations::create_token(&api.operations, &visitor.caller, wanted(visitor, form)?).await?;
            return Ok(Made::Page(pages::access::show(api, visitor, Some(&made.token)).await?));
        }
        "revoke" => {
            let id = form.get("token").and_then(|id| TokenId::parse(id).ok()).ok_or_else(unknown)?;
            if visitor.caller.principal == format!("token {}", id.as_str()) {
                let message =
                    "This is the token that you have signed in with; revoke it from the command line.".to_owned();
                return Err(Fault::Conflict { target: "token", message });
            }
            operations::revoke_token(&api.operations, &id).await?;
            "The token is revoked, and its sessions are over."
        }
        "remove" => {
            let id = form.get("assignment").and_then(|id| id.parse().ok()).ok_or_else(unknown)?;
            operations::unassign_role(&api.operations, id).await?;
            "The role is taken back."
        }
        _ => return Err(unknown()),
    };
    Ok(Made::Done(Done::new("/access", note)))
}

fn wanted(visitor: &Visitor, form: &Form) -> Result<TokenInput, Fault> {
    let description: String = form.get("description").unwrap_or_default().trim().to_owned();
    let is_right = !description.is_empty()
        && description.chars().count() <= DESCRIPTION_CHARS_MAX
        && !description.chars().any(char::is_control);
    if !is_right {
        return Err(Violation::sentence("description", "say what the token is for, in at most 256 characters").into());
    }
    let role = Role::parse(form.get("role").unwrap_or_default()).map_err(|expected| expected.at("role", "another"))?;
    let scope =
        Scope::parse(form.get("scope").unwrap_or_default()).map_err(|expected| expected.at("scope", "another"))?;
    let days: Option<i64> =
        form.get("days").and_then(|days| days.parse().ok()).filter(|days| (1..=3650).contains(days));
    let expires = days.map(|days| visitor.caller.now.saturating_add(days * TICKS_PER_DAY));
    Ok(TokenInput { description, expires, grants: vec![Grant { role, scope }] })
}

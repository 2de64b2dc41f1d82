//! Tokens and roles: who may do what. Only owners of the server see those of others.

use maud::{Markup, html};
use punctual_model::access::{Grant, Role, Scope};
use punctual_model::time::TICKS_PER_DAY;
use punctual_store::{AssignmentEntry, CollectionKey, TokenEntry};

use crate::api::Api;
use crate::auth::Token;
use crate::console::frame::{Page, Tab, token};
use crate::console::numbers::counted;
use crate::console::reply::Reply;
use crate::console::visitor::Visitor;
use crate::fault::Fault;
use crate::operations;

/// A token that ends within this time is about to be missed.
const SOON_TICKS: i64 = 30 * TICKS_PER_DAY;

/// Draws the page; with a token that was just made, which is shown this once.
pub(in crate::console) async fn show(api: &Api, visitor: &Visitor, made: Option<&Token>) -> Result<Reply, Fault> {
    if !visitor.is_owner() {
        return Ok(Reply::page(Page::new("Access", Tab::None, own(visitor)).show(visitor)));
    }
    let tokens = api.operations.store.tokens().await?;
    let assignments = api.operations.store.assignments().await?;
    let (collections, _) = operations::list_visible_collections(&api.operations, &visitor.caller).await?;
    let keys: Vec<&CollectionKey> = collections.iter().map(|entry| &entry.key).collect();
    let tokens_word = counted(tokens.len() as u64, "token", "tokens");
    let heading = match assignments.len() as u64 {
        0 if tokens.len() == 1 => "1 token gives access.".to_owned(),
        0 => format!("{tokens_word} give access."),
        number => format!("{tokens_word} and {} give access.", counted(number, "assignment", "assignments")),
    };
    let content = html! {
        div.head { div { h1 { (heading) } } }
        @if let Some(made) = made {
            div.note role="status" { span { "The token is made. Copy it now: " b { "it is not shown again." } " Only its hash is kept." br; code #made { (made.expose()) } } }
        }
        div.two {
            div { (token_table(visitor, &tokens)) (assignment_table(visitor, &assignments)) }
            aside { (new_token(visitor, &keys)) (roles()) }
        }
    };
    Ok(Reply::page(Page::new("Access", Tab::None, content).show(visitor)))
}

pub(super) fn scope_words(scope: &Scope) -> String {
    match scope {
        Scope::Server => "the server".to_owned(),
        Scope::Subscription(name) => format!("subscription {name}"),
        Scope::Group { group, .. } => format!("group {group}"),
        Scope::Collection { collection, .. } => format!("collection {collection}"),
    }
}

fn grants(grants: &[Grant]) -> Markup {
    html! { @for (at, Grant { role, scope }) in grants.iter().enumerate() { @if at > 0 { br; } (role) br; span.dim.s { (scope_words(scope)) } } }
}

fn token_table(visitor: &Visitor, tokens: &[TokenEntry]) -> Markup {
    let times = visitor.times();
    html! {
        section aria-labelledby="tokens" {
            div.sec { h2 #tokens { "Tokens" } span.dim { "for programs, the command line and signing in" } }
            table.cards {
                thead { tr { th { "Token" } th { "May" } th { "Made" } th { "Ends" } th.r { span.vh { "Revoke" } } } }
                tbody {
                    @for entry in tokens {
                        @let is_own = visitor.caller.principal == format!("token {}", entry.id.as_str());
                        tr data-row {
                            th scope="row" { b { @if entry.description.is_empty() { "without a name" } @else { (entry.description) } } @if is_own { " " span.dim.s { "you" } } br; span.dim.m { (entry.id.as_str()) } }
                            td { (grants(&entry.grants)) }
                            td data-l="made" { (times.show(entry.created)) }
                            td data-l="ends" {
                                @match entry.expires {
                                    None => "never",
                                    Some(at) if at <= times.now => span.bad { "ended " (times.short(at)) },
                                    Some(at) => span .warn[at.since(times.now) < SOON_TICKS] { (times.day(at)) ", " (times.distance(at)) },
                                }
                            }
                            td.r {
                                @if !is_own {
                                    form method="post" action="/access" { (token(visitor)) input type="hidden" name="token" value=(entry.id.as_str()); button.sm name="do" value="revoke" aria-label={ "Revoke " (entry.description) } { "Revoke" } }
                                }
                            }
                        }
                    }
                }
            }
            p.dim.s.gap { "Revoking a token ends the sessions of those who signed in with it, at once. Your own cannot be revoked here: you would be out." }
        }
    }
}

fn assignment_table(visitor: &Visitor, assignments: &[AssignmentEntry]) -> Markup {
    html! {
        section aria-labelledby="people" {
            div.sec { h2 #people { "People and programs" } span.dim { "of identity providers" } }
            @if assignments.is_empty() { p.dim { "None. A role can be given to everyone with a claim: " code { "punctual role assign" } "." } } @else {
                table.cards {
                    thead { tr { th { "Who" } th { "May" } th { "Issuer" } th.r { span.vh { "Remove" } } } }
                    tbody {
                        @for it in assignments {
                            tr data-row {
                                th scope="row" { b { (it.claimants.value) } br; span.dim.s { (it.claimants.claim) } }
                                td { (grants(std::slice::from_ref(&it.grant))) }
                                td.full { (it.claimants.issuer) }
                                td.r { form method="post" action="/access" { (token(visitor)) input type="hidden" name="assignment" value=(it.id); button.sm name="do" value="remove" { "Remove" } } }
                            }
                        }
                    }
                }
            }
        }
    }
}

fn new_token(visitor: &Visitor, collections: &[&CollectionKey]) -> Markup {
    html! {
        section aria-labelledby="new" {
            div.sec { h2 #new { "New token" } }
            form method="post" action="/access" {
                (token(visitor))
                label.stacked for="description" { "Name" }
                input #description name="description" placeholder="what uses it, such as ci" required maxlength="256";
                label.stacked for="role" { "It may" }
                select #role name="role" { option value="reader" { "read" } option value="contributor" selected { "read and change" } option value="owner" { "own: tokens, pause, drain" } }
                label.stacked.gap for="scope" { "In" }
                select #scope name="scope" {
                    option value="/" { "the whole server" }
                    @for key in collections { option value=(Scope::Collection { subscription: key.subscription.clone(), group: key.group.clone(), collection: key.collection.clone() }) { "collection " (key.collection) } }
                }
                label.stacked.gap for="days" { "It ends" }
                select #days name="days" { option value="90" { "in 90 days" } option value="365" { "in a year" } option value="" { "never" } }
                p.gap { button.p.w name="do" value="make" { "Make token" } }
            }
        }
    }
}

fn roles() -> Markup {
    html! {
        section { div.sec { h2 { "What roles may do" } }
            dl.kv {
                dt { (Role::Reader) } dd { "sees jobs, history and changes; what may hold secrets is hidden" }
                dt { (Role::Contributor) } dd { "also makes, edits, runs and deletes jobs, collections and alerts of the scope" }
                dt { (Role::Owner) } dd { "of the server: also pauses, drains, and gives access" }
            }
        }
    }
}

/// What somebody sees who does not own the server.
fn own(visitor: &Visitor) -> Markup {
    html! {
        div.lone.wider {
            h1 { "You are " (visitor.name) "." }
            dl.kv { @for Grant { role, scope } in &visitor.caller.grants.0 { dt { (role) } dd { (scope_words(scope)) } } }
            p.dim.gap { "Owners of the server see everyone’s access here, and can give you more." }
        }
    }
}

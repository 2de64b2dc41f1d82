//! The console: pages for people, drawn by the server, which call the same operations as the JSON routes.
//!
//! ```text
//!   request ─▶ Address ─▶ Visitor (session, judged anew) ─┬─ GET ──▶ pages ─▶ operations ─▶ Page
//!                                                         └─ POST ─▶ own origin, form token ─▶ actions ─▶ operations ─▶ 303
//! ```
//!
//! Pages are documents: every view is an address, forms are forms, pictures are links, and nothing needs a script. The script
//! adds what is live, keys and the search box.

mod actions;
mod address;
mod answer_text;
mod assets;
mod codes;
mod cookies;
mod draft;
mod form;
mod frame;
mod glyph;
mod numbers;
mod pages;
mod pending;
mod people;
mod pictures;
mod reply;
mod runs;
mod session;
mod times;
mod visitor;
mod words;

use std::sync::{Arc, OnceLock};

use http::{Method, Response, request};
use punctual_model::time::Timestamp;
use punctual_store::SessionStore;

pub(crate) use self::address::Address;
use self::address::Links;
pub(crate) use self::codes::Codes;
use self::form::Form;
use self::pending::Pending;
use self::reply::Reply;
use self::times::TimesIn;
use self::visitor::{Theme, View, Visitor};
use crate::answer::Body;
use crate::api::Api;
use crate::auth::{Gate, Identity};
use crate::fault::Fault;
use crate::operations::Caller;
use crate::query::Query;
use crate::request::RequestBody;

/// What the console knows beyond a request.
#[derive(Default)]
pub(crate) struct Console {
    /// Who has signed in; nobody can where there is no such store.
    pub(crate) sessions: Option<Arc<dyn SessionStore>>,
    pub(crate) codes: Codes,
    /// Deletions that can still be undone.
    pub(crate) pending: Pending,
    /// Behind the tokens of forms where there are no sessions.
    form_key: OnceLock<[u8; 32]>,
}

/// A request to the console.
pub(crate) struct Asked<'a> {
    pub(crate) parts: &'a request::Parts,
    pub(crate) now: Timestamp,
    pub(crate) request_id: &'a str,
    /// Whether the browser came by TLS, so that its cookies need not go any other way.
    pub(crate) is_secure: bool,
}

/// Answers a request. Says who has asked, if that is known.
pub(crate) async fn answer(
    api: &Api,
    address: &Address,
    asked: &Asked<'_>,
    body: impl RequestBody,
    principal: &mut Option<String>,
) -> Response<Body> {
    let answered = route(api, address, asked, body, principal).await;
    let reply = answered.unwrap_or_else(|fault| failed(None, &fault, asked));
    reply.into_response()
}

/// The page that a request asks for, if it is one of the console's. What programs ask for is told apart at first sight.
pub(crate) fn address_of(api: &Api, parts: &request::Parts) -> Option<Address> {
    let path = parts.uri.path();
    if ["/v1/", "/subscriptions", "/providers"].iter().any(|start| path.starts_with(start)) {
        return None;
    }
    let query = Query::parse(parts.uri.query().unwrap_or_default());
    api.defaults(&query).ok().and_then(|defaults| Address::parse(path, &defaults))
}

/// The page for an address that is nobody's.
pub(crate) fn nothing_here(path: &str, asked: &Asked<'_>) -> Response<Body> {
    failed(None, &Fault::NoSuchPath(path.to_owned()), asked).into_response()
}

fn failed(visitor: Option<&Visitor>, fault: &Fault, asked: &Asked<'_>) -> Reply {
    if let Some(reason) = fault.operators_concern() {
        tracing::error!("{} {}: {reason}", asked.parts.method, asked.parts.uri.path());
    }
    pages::error::page(visitor, fault, asked.request_id)
}

async fn route(
    api: &Api,
    address: &Address,
    asked: &Asked<'_>,
    body: impl RequestBody,
    principal: &mut Option<String>,
) -> Result<Reply, Fault> {
    let query = Query::parse(asked.parts.uri.query().unwrap_or_default());
    let is_read = asked.parts.method == Method::GET || asked.parts.method == Method::HEAD;
    if !is_read && asked.parts.method != Method::POST {
        let (method, allowed) = (asked.parts.method.to_string(), "GET, HEAD, POST".to_owned());
        return Err(Fault::MethodNotAllowed { method, allowed });
    }
    match address {
        Address::Asset(hash, name) => {
            return assets::find(hash, name).ok_or_else(|| Fault::NoSuchPath(asked.parts.uri.path().to_owned()));
        }
        Address::SignIn if is_read => return pages::sign_in::show(api, asked, &query).await,
        Address::SignIn => {
            let body = body.read("nobody").await.map_err(Fault::Body)?;
            return pages::sign_in::begin(api, asked, &Form::parse(&body)).await;
        }
        _ => {}
    }
    let Some(visitor) = visit(api, asked).await? else { return Ok(pages::sign_in::redirect(asked.parts)) };
    *principal = Some(visitor.caller.principal.clone());
    if let Some(reply) = choose_view(asked.parts, &query).filter(|_| is_read) {
        return Ok(reply);
    }
    let answered = if is_read {
        Box::pin(pages::show(api, address, &visitor, &query, asked)).await
    } else {
        let body = body.read(&visitor.caller.principal).await.map_err(Fault::Body)?;
        Box::pin(change(api, address, &visitor, &Form::parse(&body), asked)).await
    };
    let reply = answered.unwrap_or_else(|fault| failed(Some(&visitor), &fault, asked));
    // The sentence was shown.
    Ok(if visitor.note.is_some() && is_read { reply.cookie(&cookies::no_note()) } else { reply })
}

/// Makes a change that a form of ours asks for.
async fn change(
    api: &Api,
    address: &Address,
    visitor: &Visitor,
    form: &Form,
    asked: &Asked<'_>,
) -> Result<Reply, Fault> {
    form::check_origin(asked.parts, &api.settings.public_url)?;
    form.check_token(&visitor.form_token)?;
    actions::make(api, address, visitor, form, asked).await
}

/// Who looks; none if nobody is signed in.
async fn visit(api: &Api, asked: &Asked<'_>) -> Result<Option<Visitor>, Fault> {
    let (Identity { principal, grants }, name, form_token, has_session) = if api.gate.is_off() {
        let key = api.console.form_key.get_or_init(|| api.operations.random());
        let identity = Gate::anyone_here(asked.parts)?;
        (identity, "this machine".to_owned(), form::token_of(key), false)
    } else {
        let Some(found) = session::find(api, &asked.parts.headers, asked.now).await? else { return Ok(None) };
        (found.identity, found.name, form::token_of(&found.secret), true)
    };
    let caller = Caller { principal, grants, request_id: asked.request_id.to_owned(), now: asked.now };
    let pause = api.operations.store.pauses().await?.pop().filter(|last| last.until.is_none());
    Ok(Some(Visitor {
        caller,
        name,
        form_token,
        has_session,
        view: View::of(&asked.parts.headers),
        links: Links { defaults: api.settings.defaults.clone() },
        pause,
        deleting: api.console.pending.jobs(),
        here: visitor::here(asked.parts),
        note: cookies::read(&asked.parts.headers, cookies::NOTE).filter(|note| !note.is_empty()),
    }))
}

/// `?tz=` and `?theme=` set a cookie and go back to the page without them.
fn choose_view(parts: &request::Parts, query: &Query) -> Option<Reply> {
    let zone = query.get("tz").and_then(TimesIn::parse).map(|it| cookies::view(cookies::TIMES, it.name()));
    let theme = query.get("theme").and_then(Theme::parse).map(|it| cookies::view(cookies::THEME, it.name()));
    let cookie = zone.or(theme)?;
    let kept = query.without(&["tz", "theme"]);
    let kept: Vec<_> =
        kept.map(|(name, value)| format!("{}={}", address::encode(name), address::encode(value))).collect();
    let (path, kept) = (parts.uri.path(), kept.join("&"));
    let to = if kept.is_empty() { path.to_owned() } else { format!("{path}?{kept}") };
    Some(Reply::see_other(&to).cookie(&cookie))
}

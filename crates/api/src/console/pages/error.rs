//! What went wrong, that nothing changed, and the id by which the log knows it.

use http::StatusCode;
use maud::{Markup, html};

use crate::console::frame::{Page, Tab, document};
use crate::console::reply::Reply;
use crate::console::visitor::Visitor;
use crate::fault::Fault;

/// The page for a fault, with the frame where it is known who looks.
pub(in crate::console) fn page(visitor: Option<&Visitor>, fault: &Fault, request_id: &str) -> Reply {
    let (status, message) = fault.sentence();
    let heading = match status {
        StatusCode::NOT_FOUND => "There is nothing here.",
        StatusCode::FORBIDDEN => "You may not do that.",
        StatusCode::CONFLICT | StatusCode::PRECONDITION_FAILED => "That cannot be done as things stand.",
        status if status.is_client_error() => "That could not be understood.",
        _ => "The server could not answer.",
    };
    let content = html! {
        div.lone.wider {
            h1 { (heading) }
            p { (message) }
            @if status == StatusCode::FORBIDDEN { (forbidden(visitor)) }
            p.dim { "Nothing was changed." }
            dl.kv {
                dt { "Status" } dd { (status.as_u16()) }
                dt { "Request" } dd.m { (request_id) }
            }
            p { a.b href="/" { "Overview" } " " a.b href="/jobs" { "Jobs" } }
        }
    };
    let shown = match visitor {
        Some(visitor) => Page::new(heading, Tab::None, content).show(visitor),
        None => document(heading, None, &html! { main #main { (content) } }),
    };
    Reply::page_with(status, shown)
}

fn forbidden(visitor: Option<&Visitor>) -> Markup {
    let Some(visitor) = visitor else { return html! {} };
    html! {
        p { "You are signed in as " b { (visitor.name) } ", " (visitor.role()) ". An owner of the server can give you more: Access, or " code { "punctual token create" } "." }
    }
}

//! Signing in and out.

use http::{StatusCode, request};
use maud::{Markup, html};

use crate::api::Api;
use crate::console::form::{self, Form};
use crate::console::frame::{document, mark};
use crate::console::reply::Reply;
use crate::console::visitor::View;
use crate::console::{Asked, cookies, session};
use crate::fault::Fault;
use crate::query::Query;

/// Where somebody goes after signing in: a page of ours, whatever the link says. An address that begins with two slashes, or
/// with one and a backslash, is another site's for a browser.
fn next(text: Option<&str>) -> &str {
    let is_ours = |text: &&str| {
        text.starts_with('/')
            && !text.starts_with("//")
            && !text.starts_with("/\\")
            && !text.starts_with("/sign-")
            && text.bytes().all(|byte| byte.is_ascii_graphic() && byte != b'\\')
    };
    text.filter(is_ours).unwrap_or("/")
}

/// The page. A link with a one-time code leads here: the code is used by the form, since reading a page changes nothing.
pub(in crate::console) async fn show(api: &Api, asked: &Asked<'_>, query: &Query) -> Result<Reply, Fault> {
    let next = next(query.get("next"));
    let is_in = api.gate.is_off() || session::find(api, &asked.parts.headers, asked.now).await?.is_some();
    if is_in && query.get("code").is_none() {
        return Ok(Reply::see_other(next));
    }
    Ok(Reply::page(page(asked, next, query.get("code"), None)))
}

/// Begins a session with a token or a one-time code.
pub(in crate::console) async fn begin(api: &Api, asked: &Asked<'_>, form: &Form) -> Result<Reply, Fault> {
    form::check_origin(asked.parts, &api.settings.public_url)?;
    let next = next(form.get("next"));
    let token = match (form.get("code"), form.get("token")) {
        (Some(code), _) => match api.console.codes.redeem(code, asked.now) {
            Some(token) => Ok(token),
            None => {
                Err("The link was used already, or is older than 10 minutes. Ask for another: punctual open".to_owned())
            }
        },
        (None, Some(text)) => match api.gate.check_token(text, asked.now).await {
            Ok(token) => Ok(token),
            Err(Fault::Unauthenticated { reason, .. }) => Err(format!("That did not work: {reason}.")),
            Err(fault) => return Err(fault),
        },
        (None, None) => Err("Paste a token first.".to_owned()),
    };
    match token {
        Ok(token) => Ok(Reply::see_other(next).cookie(&session::begin(api, token, asked.now, asked.is_secure).await?)),
        Err(reason) => Ok(Reply::page_with(StatusCode::UNAUTHORIZED, page(asked, next, None, Some(&reason)))),
    }
}

/// Ends the session.
pub(in crate::console) async fn end(api: &Api, asked: &Asked<'_>) -> Result<Reply, Fault> {
    session::end(api, &asked.parts.headers).await?;
    Ok(Reply::see_other("/sign-in").cookie(&cookies::session("", asked.is_secure, 0)))
}

/// Sends somebody to sign in, and back to where they were.
pub(in crate::console) fn redirect(parts: &request::Parts) -> Reply {
    let here = crate::console::visitor::here(parts);
    let to = if here == "/" || parts.method != http::Method::GET {
        "/sign-in".to_owned()
    } else {
        format!("/sign-in?next={}", crate::console::address::encode(&here))
    };
    Reply::see_other(&to)
}

fn page(asked: &Asked<'_>, next: &str, code: Option<&str>, wrong: Option<&str>) -> Markup {
    let body = html! {
        main #main {
            div.lone {
                p.brand { (mark()) "Punctual" }
                h1 { "Sign in" }
                @if let Some(wrong) = wrong { div.note.bad role="alert" { span { (wrong) } } }
                form method="post" action="/sign-in" data-submit=[code.map(|_| "")] {
                    input type="hidden" name="next" value=(next);
                    @if let Some(code) = code {
                        input type="hidden" name="code" value=(code);
                        p.dim { "This link signs you in once, without a token." }
                        button.p.w { "Open the console" }
                    } @else {
                        label.stacked for="token" { "Token" }
                        input #token name="token" type="password" autocomplete="current-password" required autofocus spellcheck="false" placeholder="punctual_…" aria-invalid=[wrong.map(|_| "true")];
                        button.p.w { "Sign in" }
                    }
                }
                h2 { "Where is the first token?" }
                p.dim {
                    "The first start has written it to " code { "owner.token" } " in the data directory. On the machine of the server "
                    code { "punctual open" } " prints a link that needs none."
                }
            }
        }
    };
    document("Sign in", View::of(&asked.parts.headers).theme, &body)
}

#[cfg(test)]
mod tests {
    use super::next;

    #[test]
    fn only_pages_of_ours_are_next() {
        for ours in ["/", "/jobs?q=a", "/jobs/billing/close%20it"] {
            assert_eq!(next(Some(ours)), ours);
        }
        let others = [
            "",
            "//evil.example",
            "/\\evil.example",
            "https://evil.example",
            "javascript:alert(1)",
            "/a\nb",
            "/sign-out",
            "jobs",
            "/a\\b",
        ];
        for other in others {
            assert_eq!(next(Some(other)), "/", "{other}");
        }
        assert_eq!(next(None), "/");
    }
}

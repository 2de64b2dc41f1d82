//! A link to the console that signs its reader in.

use http::StatusCode;
use punctual_model::access::TokenId;

use crate::answer::ApiAnswer;
use crate::api::Api;
use crate::fault::Fault;
use crate::limits::SIGN_IN_CODE_TICKS;
use crate::request::Request;
use crate::wire::view::members::Members;

/// Makes a link that signs in who has the token of this request, once. Without authentication the console asks nobody.
pub(super) fn make(api: &Api, request: &Request) -> Result<ApiAnswer, Fault> {
    request.read_empty_body()?;
    if api.gate.is_off() {
        let body = Members::new().add("url", format!("{}/", api.settings.public_url));
        return Ok(ApiAnswer::json(StatusCode::OK, body.into_json()));
    }
    let token = request.caller.principal.strip_prefix("token ").and_then(|id| TokenId::parse(id).ok());
    let token = token.ok_or_else(|| Fault::Conflict {
        target: "token",
        message: "Only a token of this server can be signed in with by a link; sign in to the console instead."
            .to_owned(),
    })?;
    let body = Members::new()
        .add("url", api.sign_in_link(token))
        .add("expires", request.caller.now.saturating_add(SIGN_IN_CODE_TICKS).to_string());
    Ok(ApiAnswer::json(StatusCode::OK, body.into_json()))
}

//! Every kind of caller.

use std::sync::Arc;

use punctual_api::auth::Authentication;
use punctual_api::auth::oidc::Fetch;
use punctual_model::access::Role;
use serde_json::json;

use super::Holding;
use super::issuer::{ADDRESS, TestIssuer};
use crate::server::{NOW, Server, instant, verifier};

/// Somebody, with the token they send.
pub(super) struct Caller {
    pub(super) name: String,
    pub(super) bearer: Option<String>,
    /// What they have; nothing if it is not known who they are.
    pub(super) holds: Option<Vec<Holding>>,
}

/// Scopes and their names: those that hold the things the routes name, and others that do not.
pub(super) const SCOPES: [(&str, &str); 8] = [
    ("server", "/"),
    ("subscription", "/subscriptions/s"),
    ("group", "/subscriptions/s/resourceGroups/g"),
    ("collection", "/subscriptions/s/resourceGroups/g/providers/Microsoft.Scheduler/jobCollections/c"),
    ("other subscription", "/subscriptions/s2"),
    ("other group", "/subscriptions/s/resourceGroups/g2"),
    ("other collection", "/subscriptions/s/resourceGroups/g/providers/Microsoft.Scheduler/jobCollections/c2"),
    ("group elsewhere", "/subscriptions/s2/resourceGroups/g"),
];

/// A server that trusts an issuer, and everyone who might call it.
pub(super) async fn everyone() -> (Server, Vec<Caller>) {
    let issuer = Arc::new(TestIssuer::new());
    let fetch: Arc<dyn Fetch> = Arc::<TestIssuer>::clone(&issuer);
    let trusting = Authentication::Required(verifier(vec![TestIssuer::configured()], &fetch));
    let server = Server::build(trusting, |_| {}).await;
    let mut callers = vec![unknown("nobody", None)];
    for (name, token) in strangers(&server).await.into_iter().chain(forgers(&issuer)) {
        callers.push(unknown(name, Some(token)));
    }
    for role in Role::ALL {
        for (place, scope) in SCOPES {
            let bearer = Some(server.token(role, scope).await);
            let holds = Some(vec![Holding { role: role.name(), scope }]);
            callers.push(Caller { name: format!("{role} on {place}"), bearer, holds });
        }
    }
    assign(&server, &issuer, &mut callers).await;
    (server, callers)
}

fn unknown(name: &str, bearer: Option<String>) -> Caller {
    Caller { name: name.to_owned(), bearer, holds: None }
}

/// Tokens of ours that are not taken.
async fn strangers(server: &Server) -> Vec<(&'static str, String)> {
    let expired = server.token_until(Role::Owner, "/", Some("2026-11-15T11:59:59Z")).await;
    let just_expired = server.token_until(Role::Owner, "/", Some(NOW)).await;
    let revoked = server.token(Role::Owner, "/").await;
    let id = revoked.split('_').nth(1).unwrap().to_owned();
    assert_eq!(server.delete(&format!("/v1/tokens/{id}")).await.status(), 200);
    let secret = server.owner.rsplit_once('_').unwrap().1;
    let no_such = format!("punctual_aaaaaaaaaaaa_{secret}");
    vec![
        ("expired token", expired),
        ("token that expires now", just_expired),
        ("revoked token", revoked),
        ("unknown token", no_such),
        ("half a token", server.owner[..30].to_owned()),
    ]
}

/// Tokens of an issuer that are not taken. Each is for a group that owns the server.
fn forgers(issuer: &TestIssuer) -> Vec<(&'static str, String)> {
    let now = instant(NOW).seconds();
    vec![
        ("JWT, expired", issuer.token("owners", &json!({ "exp": now - 61 }))),
        ("JWT, without an end", issuer.token("owners", &json!({ "exp": null }))),
        ("JWT, not yet valid", issuer.token("owners", &json!({ "nbf": now + 61 }))),
        ("JWT, wrong audience", issuer.token("owners", &json!({ "aud": "somebody else" }))),
        ("JWT, other issuer", issuer.token("owners", &json!({ "iss": "https://evil.example" }))),
        ("JWT, alg none", TestIssuer::unsigned("owners")),
        ("JWT, HMAC with the public key", issuer.signed_with_the_public_key("owners")),
        ("JWT, changed", issuer.changed("nobodies", "owners")),
        ("JWT, of another key", TestIssuer::new().token("owners", &json!({}))),
        ("no JWT", "a.b.c".to_owned()),
    ]
}

/// Members of groups that have roles, and of one that has none.
async fn assign(server: &Server, issuer: &TestIssuer, callers: &mut Vec<Caller>) {
    let groups = [
        ("owners", vec![("owner", SCOPES[0].1)]),
        ("writers", vec![("contributor", SCOPES[2].1)]),
        ("readers", vec![("reader", SCOPES[3].1), ("owner", SCOPES[4].1)]),
        ("nobodies", vec![]),
    ];
    for (group, roles) in groups {
        for (role, scope) in &roles {
            let body = json!({ "issuer": ADDRESS, "claim": "groups", "value": group, "role": role, "scope": scope });
            assert_eq!(server.call("POST", "/v1/assignments").json(&body).send().await.status(), 201);
        }
        let holds = Some(roles.into_iter().map(|(role, scope)| Holding { role, scope }).collect());
        let bearer = Some(issuer.token(group, &json!({})));
        callers.push(Caller { name: format!("JWT of {group}"), bearer, holds });
    }
    // What another issuer, or another claim, says with the same words gives nothing.
    let elsewhere = json!({ "issuer": "https://evil.example", "claim": "groups", "value": "nobodies", "role": "owner", "scope": "/" });
    assert_eq!(server.call("POST", "/v1/assignments").json(&elsewhere).send().await.status(), 201);
    let other = json!({ "issuer": ADDRESS, "claim": "roles", "value": "nobodies", "role": "owner", "scope": "/" });
    assert_eq!(server.call("POST", "/v1/assignments").json(&other).send().await.status(), 201);
}

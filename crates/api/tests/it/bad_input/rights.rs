//! Tokens and assignments. What would be ignored elsewhere is refused here.

use insta::assert_snapshot;
use serde_json::json;

use super::{Table, parsed};

#[tokio::test]
async fn tokens() {
    let mut table = Table::new().await;
    let grant = r#"[{"role": "reader", "scope": "/"}]"#;
    let rows = [
        ("{}".to_owned(), "grants"),
        ("[]".to_owned(), ""),
        (r#"{"grants": []}"#.to_owned(), "grants"),
        (r#"{"grants": "reader"}"#.to_owned(), "grants"),
        (r#"{"grants": [{"role": "reader"}]}"#.to_owned(), "grants[0].scope"),
        (r#"{"grants": [{"scope": "/"}]}"#.to_owned(), "grants[0].role"),
        (r#"{"grants": [{"role": "admin", "scope": "/"}]}"#.to_owned(), "grants[0].role"),
        (r#"{"grants": [{"role": "reader", "scope": ""}]}"#.to_owned(), "grants[0].scope"),
        (r#"{"grants": [{"role": "reader", "scope": "/subscriptions"}]}"#.to_owned(), "grants[0].scope"),
        (
            r#"{"grants": [{"role": "reader", "scope": "/subscriptions/a/resourceGroups/b/c"}]}"#.to_owned(),
            "grants[0].scope",
        ),
        (
            r#"{"grants": [{"role": "reader", "scope": "/subscriptions//resourceGroups/b"}]}"#.to_owned(),
            "grants[0].scope",
        ),
        (r#"{"grants": [{"role": "reader", "scope": "/", "until": "x"}]}"#.to_owned(), "grants[0].until"),
        (format!(r#"{{"grants": {grant}, "expires": "2026-11-15T12:00:00Z"}}"#), "expires"),
        (format!(r#"{{"grants": {grant}, "expires": "2020-01-01"}}"#), "expires"),
        (format!(r#"{{"grants": {grant}, "expires": "soon"}}"#), "expires"),
        (format!(r#"{{"grants": {grant}, "expires": 7}}"#), "expires"),
        (format!(r#"{{"grants": {grant}, "expiry": "2027-01-01"}}"#), "expiry"),
        (format!(r#"{{"grants": {grant}, "description": 7}}"#), "description"),
        (format!(r#"{{"grants": {grant}, "description": "a\nb"}}"#), "description"),
        (format!(r#"{{"grants": {grant}, "token": "mine"}}"#), "token"),
    ];
    for (sent, field) in rows {
        let answer = table.server.call("POST", "/v1/tokens").json(&parsed(&sent)).send().await;
        table.add(&sent, field, &answer);
    }
    let grants = vec![json!({ "role": "reader", "scope": "/" }); 51];
    let answer = table.server.call("POST", "/v1/tokens").json(&json!({ "grants": grants })).send().await;
    table.add("51 grants", "grants", &answer);
    let empty = table.server.post("/v1/tokens").await;
    table.add("nothing", "", &empty);
    assert_snapshot!(table.finish().await, @r#"
    {}
      -> grants: Given nothing, expected a list of roles, such as [{"role": "reader", "scope": "/"}].
    []
      -> body: Given a list of 0, expected an object in braces.
    {"grants": []}
      -> grants: Given 0 roles, expected 1 to 50 roles.
    {"grants": "reader"}
      -> grants[0]: Given a text, expected an object in braces.
    {"grants": [{"role": "reader"}]}
      -> grants[0].scope: Given nothing, expected / for the server, the path of a subscription, a resource group or a collection, or the name of a collection.
    {"grants": [{"scope": "/"}]}
      -> grants[0].role: Given nothing, expected reader, contributor or owner.
    {"grants": [{"role": "admin", "scope": "/"}]}
      -> grants[0].role: Given "admin", expected one of reader, contributor, owner.
    {"grants": [{"role": "reader", "scope": ""}]}
      -> grants[0].scope: Given "", expected / for the whole server, /subscriptions/S, /subscriptions/S/resourceGroups/G or /subscriptions/S/resourceGroups/G/providers/Microsoft.Scheduler/jobCollections/C.
    {"grants": [{"role": "reader", "scope": "/subscriptions"}]}
      -> grants[0].scope: Given "/subscriptions", expected / for the whole server, /subscriptions/S, /subscriptions/S/resourceGroups/G or /subscriptions/S/resourceGroups/G/providers/Microsoft.Scheduler/jobCollections/C.
    {"grants": [{"role": "reader", "scope": "/subscriptions/a/resourceGroups/b/c"}]}
      -> grants[0].scope: Given "/subscriptions/a/resourceGroups/b/c", expected / for the whole server, /subscriptions/S, /subscriptions/S/resourceGroups/G or /subscriptions/S/resourceGroups/G/providers/Microsoft.Scheduler/jobCollections/C.
    {"grants": [{"role": "reader", "scope": "/subscriptions//resourceGroups/b"}]}
      -> grants[0].scope: Given "/subscriptions//resourceGroups/b", expected a path of names of 1 to 260 characters, none of / \ ? # % and no control characters.
    {"grants": [{"role": "reader", "scope": "/", "until": "x"}]}
      -> grants[0].until: There is no such member here, only role, scope.
    {"grants": [{"role": "reader", "scope": "/"}], "expires": "2026-11-15T12:00:00Z"}
      -> expires: Given 2026-11-15T12:00:00Z, expected an instant in the future.
    {"grants": [{"role": "reader", "scope": "/"}], "expires": "2020-01-01"}
      -> expires: Given 2020-01-01T00:00:00Z, expected an instant in the future.
    {"grants": [{"role": "reader", "scope": "/"}], "expires": "soon"}
      -> expires: Given "soon", expected an ISO 8601 date or date-time such as 2026-03-29, 2026-03-29T02:30 or 2026-03-29T02:30:00+01:00.
    {"grants": [{"role": "reader", "scope": "/"}], "expires": 7}
      -> expires: Given 7, expected an ISO 8601 date or date-time such as 2026-03-29, 2026-03-29T02:30 or 2026-03-29T02:30:00+01:00, as a text in quotes.
    {"grants": [{"role": "reader", "scope": "/"}], "expiry": "2027-01-01"}
      -> expiry: There is no such member here, only description, expires, grants.
    {"grants": [{"role": "reader", "scope": "/"}], "description": 7}
      -> description: Given 7, expected a text in quotes.
    {"grants": [{"role": "reader", "scope": "/"}], "description": "a\nb"}
      -> description: Given "a\nb", expected at most 256 characters, none of them control.
    {"grants": [{"role": "reader", "scope": "/"}], "token": "mine"}
      -> token: There is no such member here, only description, expires, grants.
    51 grants
      -> grants: Given 51 roles, expected 1 to 50 roles.
    nothing
      -> body: The body is empty: send a JSON object.
    "#);
}

#[tokio::test]
async fn assignments() {
    let mut table = Table::new().await;
    let right = r#"{"issuer": "https://i.example", "claim": "groups", "value": "ops", "role": "reader", "scope": "/"}"#;
    for (from, to, field) in [
        (right, "{}", "issuer"),
        (right, "7", ""),
        (r#""https://i.example""#, "null", "issuer"),
        (r#""https://i.example""#, r#""""#, "issuer"),
        (r#""groups""#, "5", "claim"),
        (r#""groups""#, r#""""#, "claim"),
        (r#""ops""#, r#"["ops"]"#, "value"),
        (r#""ops""#, r#""""#, "value"),
        (r#""reader""#, r#""root""#, "role"),
        (r#""/""#, r#""/everywhere""#, "scope"),
        (r#""/""#, r#""/", "expires": "2027-01-01""#, "expires"),
    ] {
        let sent = right.replace(from, to);
        let answer = table.server.call("POST", "/v1/assignments").json(&parsed(&sent)).send().await;
        table.add(&sent, field, &answer);
    }
    assert_snapshot!(table.finish().await, @r#"
    {}
      -> issuer: Given nothing, expected the issuer, as it is configured.
      -> claim: Given nothing, expected the name of a claim, such as groups.
      -> value: Given nothing, expected the value that the claim must have or hold.
      -> role: Given nothing, expected reader, contributor or owner.
      -> scope: Given nothing, expected / for the server, the path of a subscription, a resource group or a collection, or the name of a collection.
    7
      -> body: Given 7, expected an object in braces.
    {"issuer": null, "claim": "groups", "value": "ops", "role": "reader", "scope": "/"}
      -> issuer: Given nothing, expected the issuer, as it is configured.
    {"issuer": "", "claim": "groups", "value": "ops", "role": "reader", "scope": "/"}
      -> issuer: Given "", expected a text that is not empty.
    {"issuer": "https://i.example", "claim": 5, "value": "ops", "role": "reader", "scope": "/"}
      -> claim: Given 5, expected a text that is not empty, as a text in quotes.
    {"issuer": "https://i.example", "claim": "", "value": "ops", "role": "reader", "scope": "/"}
      -> claim: Given "", expected a text that is not empty.
    {"issuer": "https://i.example", "claim": "groups", "value": ["ops"], "role": "reader", "scope": "/"}
      -> value: Given a list of 1, expected a text that is not empty, as a text in quotes.
    {"issuer": "https://i.example", "claim": "groups", "value": "", "role": "reader", "scope": "/"}
      -> value: Given "", expected a text that is not empty.
    {"issuer": "https://i.example", "claim": "groups", "value": "ops", "role": "root", "scope": "/"}
      -> role: Given "root", expected one of reader, contributor, owner.
    {"issuer": "https://i.example", "claim": "groups", "value": "ops", "role": "reader", "scope": "/everywhere"}
      -> scope: Given "/everywhere", expected / for the whole server, /subscriptions/S, /subscriptions/S/resourceGroups/G or /subscriptions/S/resourceGroups/G/providers/Microsoft.Scheduler/jobCollections/C.
    {"issuer": "https://i.example", "claim": "groups", "value": "ops", "role": "reader", "scope": "/", "…
      -> expires: There is no such member here, only issuer, claim, value, role, scope.
    "#);
}

//! Options.

use insta::assert_snapshot;

use super::super::parse_job;
use super::{filled, timed};

#[test]
fn all_of_them() {
    assert_snapshot!(timed(r#""options": {"timeout": "PT5M", "jitter": "00:00:10", "overlap": "Allow", "catchUp": "all", "catchUpMax": 10, "catchUpSpacing": "PT2S", "success": {"status": [200, "2xx", "301-303"], "bodyContains": "ok"}}"#), @r#"options Options { timeout: Some(Span { ticks: 3000000000, text: "PT5M" }), jitter: Some(Span { ticks: 100000000, text: "00:00:10" }), overlap: Some(Allow), catch_up: Some(All), catch_up_max: Some(10), catch_up_spacing: Some(Span { ticks: 20000000, text: "PT2S" }), success: Some(Success { status: [StatusRange(200..=200), StatusRange(200..=299), StatusRange(301..=303)], body_contains: Some("ok") }), placeholders: None, shadow: None, key_scope: None }"#);
}

#[test]
fn one_status_for_a_list() {
    assert_snapshot!(timed(r#""options": {"success": {"status": "2XX"}}"#), @"
    options Options { timeout: None, jitter: None, overlap: None, catch_up: None, catch_up_max: None, catch_up_spacing: None, success: Some(Success { status: [StatusRange(200..=299)], body_contains: None }), placeholders: None, shadow: None, key_scope: None }
    ! options.success.status: not a list; taken as a list of one
    ");
    assert_snapshot!(timed(r#""options": {"success": {"status": 204.0}}"#), @"
    options Options { timeout: None, jitter: None, overlap: None, catch_up: None, catch_up_max: None, catch_up_spacing: None, success: Some(Success { status: [StatusRange(204..=204)], body_contains: None }), placeholders: None, shadow: None, key_scope: None }
    ! options.success.status: not a list; taken as a list of one
    ");
}

#[test]
fn unknown_options_are_ignored() {
    assert_snapshot!(timed(r#""options": {"retries": 5, "success": {"header": "x"}}"#), @"
    options Options { timeout: None, jitter: None, overlap: None, catch_up: None, catch_up_max: None, catch_up_spacing: None, success: Some(Success { status: [], body_contains: None }), placeholders: None, shadow: None, key_scope: None }
    ! options.success.header: ignored: it means nothing here
    ! options.retries: ignored: it means nothing here
    ");
}

#[test]
fn options_that_are_wrong() {
    assert_snapshot!(timed(r#""options": []"#), @"✗ options: given a list of 0, expected an object in braces");
    assert_snapshot!(timed(r#""options": {"timeout": "PT0S"}"#), @"✗ options.timeout: given PT0S, expected 1 second to 30 minutes");
    assert_snapshot!(timed(r#""options": {"timeout": "PT31M"}"#), @"✗ options.timeout: given PT31M, expected 1 second to 30 minutes");
    assert_snapshot!(timed(r#""options": {"timeout": 60}"#), @"✗ options.timeout: given 60, expected a duration such as 30s, PT30S, P1DT12H or 00:00:30, as a text in quotes");
    assert_snapshot!(timed(r#""options": {"jitter": "P2D", "catchUpSpacing": "-PT1S"}"#), @r#"
    ✗ options.catchUpSpacing: given "-PT1S", expected a duration such as 30s, PT30S, P1DT12H or 00:00:30
    ✗ options.jitter: given P2D, expected at most 1 day
    "#);
    assert_snapshot!(timed(r#""options": {"overlap": "queue", "catchUp": true}"#), @r#"
    ✗ options.overlap: given "queue", expected one of skip, allow
    ✗ options.catchUp: given true, expected one of latest, all, none
    "#);
    assert_snapshot!(timed(r#""options": {"catchUpMax": 0}"#), @"✗ options.catchUpMax: given 0, expected 1 to 10000");
    assert_snapshot!(timed(r#""options": {"catchUpMax": 100001}"#), @"✗ options.catchUpMax: given 100001, expected 1 to 10000");
    assert_snapshot!(timed(r#""options": {"success": "2xx"}"#), @"✗ options.success: given a text, expected an object in braces");
    assert_snapshot!(timed(r#""options": {"success": {"status": [99, "6xx", 200.5, null, "300-200"]}}"#), @r#"
    ✗ options.success.status[0]: given 99, expected a status code from 100 to 599, a class such as 2xx or a range such as 200-204
    ✗ options.success.status[1]: given "6xx", expected a status code from 100 to 599, a class such as 2xx or a range such as 200-204
    ✗ options.success.status[2]: given 200.5, expected a status code from 100 to 599, a class such as 2xx or a range such as 200-204
    ✗ options.success.status[3]: given null, expected a status code from 100 to 599, a class such as 2xx or a range such as 200-204
    ✗ options.success.status[4]: given "300-200", expected a status code from 100 to 599, a class such as 2xx or a range such as 200-204
    "#);
    assert_snapshot!(timed(r#""options": {"success": {"bodyContains": ["a"]}}"#), @"✗ options.success.bodyContains: given a list of 1, expected a text in quotes");
    assert_snapshot!(timed(&filled(r#""options": {"success": {"bodyContains": "~"}}"#, 1025)), @"✗ options.success.bodyContains: given 1025 characters, expected a text of at most 1024 characters");
}

/// The key is not shown, neither by what was read nor by what is said against it.
#[test]
fn signatures() {
    let sign = |sign: &str| {
        let job = r#"{"action": {"request": {"uri": "https://example.com"}}, "options": {"sign": SIGN}}"#;
        match parse_job(&job.replace("SIGN", sign)) {
            Ok(parsed) => format!("{:?} {:?}", parsed.value.definition.action.sign, parsed.warnings),
            Err(violations) => violations.iter().map(ToString::to_string).collect::<Vec<_>>().join("; "),
        }
    };
    let told = [
        r#"{"secret": "whsec_MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIz"}"#,
        r#""whsec_MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIz""#,
        r#"{"secret": "whsec_MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIz", "algorithm": "md5"}"#,
        "{}",
        "null",
        r#""MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIz""#,
        r#"{"secret": "whsec_short"}"#,
        r#"{"secret": 5}"#,
        "true",
    ];
    assert_snapshot!(told.map(sign).join("\n"), @r#"
    Some(Signing { key: Some(Secret(…)) }) []
    Some(Signing { key: Some(Secret(…)) }) []
    Some(Signing { key: Some(Secret(…)) }) [Warning { path: "options.sign.algorithm", text: "ignored: it means nothing here" }]
    Some(Signing { key: None }) []
    None []
    options.sign: given 32 characters, expected whsec_ and base64 of 24 to 64 bytes
    options.sign.secret: given 11 characters, expected whsec_ and base64 of 24 to 64 bytes
    options.sign.secret: given no text, expected a text in quotes
    options.sign: given true, expected an object in braces
    "#);
}

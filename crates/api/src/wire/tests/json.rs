//! The shape of the text itself.

use insta::assert_snapshot;

use super::{check, filled};

#[test]
fn mistakes_of_syntax_name_their_place() {
    assert_snapshot!(check(""), @"✗ the JSON ends where a value should stand (line 1, column 0)");
    assert_snapshot!(check("{"), @"✗ the JSON ends in the middle of an object (line 1, column 1)");
    assert_snapshot!(check(r#"{"action": }"#), @"✗ no JSON from line 1, column 12 on: expected value");
    assert_snapshot!(check(r#"{"action": {},}"#), @"✗ no JSON from line 1, column 15 on: trailing comma");
    assert_snapshot!(check("{'action': 1}"), @"✗ no JSON from line 1, column 2 on: key must be a string");
    assert_snapshot!(check(r#"{"action": 1} 2"#), @"✗ no JSON from line 1, column 15 on: trailing characters");
    assert_snapshot!(check(r#"{
  // a comment
  "action": {}
}"#), @"✗ no JSON from line 2, column 3 on: key must be a string");
    assert_snapshot!(check(r#"{"action": 01}"#), @"✗ no JSON from line 1, column 13 on: invalid number");
    assert_snapshot!(check(r#"{"action": "\x"}"#), @"✗ no JSON from line 1, column 14 on: invalid escape");
    assert_snapshot!(check(r#"{"action": NaN}"#), @"✗ no JSON from line 1, column 12 on: expected value");
    assert_snapshot!(check(r#"{"count": 1e999}"#), @"✗ no JSON from line 1, column 15 on: number out of range");
    assert_snapshot!(check("[]"), @"✗ given a list of 0, expected an object in braces");
    assert_snapshot!(check(r#""text""#), @"✗ given a text, expected an object in braces");
    assert_snapshot!(check("null"), @"✗ given null, expected an object in braces");
    assert_snapshot!(check("17"), @"✗ given 17, expected an object in braces");
}

#[test]
fn a_member_stands_once_in_any_case() {
    assert_snapshot!(check(r#"{"action": {"request": {"uri": "https://a.example", "URI": "https://b.example"}}}"#), @"✗ action.request.URI: this member stands twice, since names that differ only in case are the same: keep one");
    assert_snapshot!(check(r#"{"recurrence": {"schedule": {"hours": [1], "hours": [2]}}, "Recurrence": {}}"#), @"
    ✗ recurrence.schedule.hours: this member stands twice, since names that differ only in case are the same: keep one
    ✗ Recurrence: this member stands twice, since names that differ only in case are the same: keep one
    ");
    assert_snapshot!(check(r#"{"action": {"request": {"headers": {"Accept": "a", "accept": "b"}}}}"#), @"✗ action.request.headers.accept: this member stands twice, since names that differ only in case are the same: keep one");
    assert_snapshot!(check(r#"{"x": [{"a b": 1, "A B": 2}]}"#), @r#"✗ x[0]["A B"]: this member stands twice, since names that differ only in case are the same: keep one"#);
    assert_snapshot!(check(r#"{"status": {"x": 1, "X": 2}}"#), @"✗ status.X: this member stands twice, since names that differ only in case are the same: keep one");
}

#[test]
fn a_byte_order_mark_is_no_mistake() {
    let job = r#"{"action": {"request": {"uri": "https://example.com"}}}"#;
    assert_snapshot!(check(&format!("\u{feff}{job}")), @r#"does Http(HttpAction { kind: Https, uri: "https://example.com", method: "GET", headers: [], body: None, authentication: None })"#);
}

#[test]
fn names_in_paths_are_short_and_on_one_line() {
    assert_snapshot!(check(&filled(r#"{"action": {"request": {"uri": "https://example.com"}}, "a\nb": 1, "": 2, "~": 3}"#, 200)), @r#"
    does Http(HttpAction { kind: Https, uri: "https://example.com", method: "GET", headers: [], body: None, authentication: None })
    ! ["a\nb"]: ignored: it means nothing here
    ! [""]: ignored: it means nothing here
    ! ["aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"]: ignored: it means nothing here
    "#);
}

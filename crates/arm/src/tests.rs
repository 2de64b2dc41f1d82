use std::collections::BTreeMap;

use proptest::prelude::*;
use punctual_model::time::Timestamp;

use crate::{Inputs, Outcome, Value, evaluate, json};

/// What an expression gives, or what is wrong with it.
fn given(expression: &str) -> String {
    let fills = BTreeMap::from([("listKeys.filled.key".to_owned(), "k".to_owned())]);
    let text = Value::Text(format!("[{expression}]")).to_string();
    let template = format!(
        r#"{{"parameters": {{"hole": {{"type": "string"}}}}, "variables": {{"list": [1, 2, 3], "object": {{"a": {{"b": "c"}}}}}},
            "resources": [{{"type": "Wanted", "name": "x", "properties": {{"x": {text}}}}}]}}"#
    );
    let inputs = Inputs {
        parameters: None,
        fills: &fills,
        subscription: Some("s"),
        group: Some("g"),
        now: Timestamp::from_seconds(1_794_978_000).expect("an instant of our age"),
        wanted: &["wanted"],
    };
    let evaluated = evaluate(&template, &inputs).expect("a template");
    match &evaluated.found[0].outcome {
        Outcome::Made(body) => body.at(&["properties", "x"]).map_or("null".to_owned(), ToString::to_string),
        Outcome::Wrong(violation) => violation.problem.to_string(),
        Outcome::Skipped(why) => why.clone(),
    }
}

#[test]
fn functions() {
    for (expression, expected) in [
        ("concat('a', 'b', 1, true())", r#""ab1True""#),
        ("concat(createArray(1), variables('list'))", "[1,1,2,3]"),
        ("format('{0}-{1} {{x}}', 'a', 2)", r#""a-2 {x}""#),
        ("toUpper(trim('  aß '))", r#""ASS""#),
        ("replace('a-b-c', '-', '')", r#""abc""#),
        ("split('a,b;c', createArray(',', ';'))", r#"["a","b","c"]"#),
        ("join(createArray('a', 'b'), '+')", r#""a+b""#),
        ("substring('one two', 4)", r#""two""#),
        ("indexOf('Testing', 'TING')", "3"),
        ("lastIndexOf(createArray('a', 'b', 'a'), 'a')", "2"),
        ("padLeft(7, 3, '0')", r#""007""#),
        ("startsWith('ABC', 'ab')", "true"),
        ("guid('a', 'b')", r#""2d796349-8c7e-55ec-9624-54ece82ed031""#),
        ("variables('object').a['b']", r#""c""#),
        ("variables('list')[add(0, 1)]", "2"),
        ("last(variables('list'))", "3"),
        ("skip('hello', 2)", r#""llo""#),
        (
            "union(createObject('a', createObject('x', 1)), createObject('a', createObject('y', 2)))",
            r#"{"a":{"x":1,"y":2}}"#,
        ),
        ("intersection(range(1, 3), createArray(3, 2, 9))", "[2,3]"),
        ("items(createObject('b', 1, 'a', 2))", r#"[{"key":"a","value":2},{"key":"b","value":1}]"#),
        ("contains(variables('object'), 'A')", "true"),
        ("empty('')", "true"),
        ("length(variables('object'))", "1"),
        ("max(createArray(1, 5, 3))", "5"),
        ("div(sub(mul(7, 3), 1), 6)", "3"),
        ("int('12')", "12"),
        ("if(less(1, 2), 'yes', variables('nope'))", r#""yes""#),
        ("or(false(), not(equals('a', 'a')))", "false"),
        ("coalesce(null(), 'x')", r#""x""#),
        ("tryGet(variables('object'), 'a', 'z')", "null"),
        ("base64ToString(base64('ü'))", r#""ü""#),
        ("base64ToJson(base64('{\"a\":1}')).a", "1"),
        ("json('[1]')[0]", "1"),
        ("uri('https://a/b/', 'c')", r#""https://a/b/c""#),
        ("uri('https://a/b', '/c')", r#""https://a/c""#),
        ("uriComponentToString(uriComponent('a b/ü'))", r#""a b/ü""#),
        ("dataUriToString(dataUri('x'))", r#""x""#),
        ("utcNow()", r#""20261118T050000Z""#),
        ("utcNow('d')", r#""11/18/2026""#),
        ("dateTimeAdd('2026-01-31T00:00:00Z', 'P1M')", r#""2026-02-28T00:00:00Z""#),
        ("dateTimeAdd(utcNow(), '-PT90M', 'HH:mm')", r#""03:30""#),
        ("dateTimeToEpoch('1970-01-02')", "86400"),
        ("dateTimeFromEpoch(0)", r#""1970-01-01T00:00:00Z""#),
        ("resourceId('A.B/c/d', 'x', 'y')", r#""/subscriptions/s/resourceGroups/g/providers/A.B/c/x/d/y""#),
        ("resourceId('other', 'A.B/c', 'x')", r#""/subscriptions/s/resourceGroups/other/providers/A.B/c/x""#),
        ("subscriptionResourceId('A.B/c', 'x')", r#""/subscriptions/s/providers/A.B/c/x""#),
        ("resourceGroup().name", r#""g""#),
        ("listKeys('filled', 'v').key", r#""k""#),
        ("listKeys('other', 'v').keys[0].value", r#""<listKeys.other.keys.0.value>""#),
        ("concat('a', parameters('hole'), reference('r').x)", r#""<hole, reference.r.x>""#),
        ("createObject('a', parameters('hole')).a", r#""<hole>""#),
        ("if(equals(parameters('hole'), 'x'), 1, 2)", r#""<hole>""#),
        ("or(equals(parameters('hole'), 'x'), true())", "true"),
    ] {
        assert_eq!(given(expression), expected, "{expression}");
    }
}

#[test]
fn what_is_wrong_is_said() {
    let texts = [
        "concat('a'",
        "'a' 'b'",
        "concat('a, 'b')",
        "nope()",
        "parameters('nope')",
        "variables('nope')",
        "copyIndex()",
        "variables('object').z",
        "variables('list')[3]",
        "substring('abc', 2, 5)",
        "div(1, 0)",
        "int('x')",
        "range(0, 10001)",
        "format('{1}', 'a')",
        "utcNow('qq')",
        "dateTimeAdd('x', 'P1D')",
        "base64ToString('%')",
        "json('{')",
        "equals(1)",
        "resourceId('A.B/c', 'x', 'y')",
        "replace('a', '', 'b')",
        "toLower(1)",
        "own.call()",
    ];
    let all: Vec<_> = texts.iter().map(|text| format!("{text}: {}", given(text))).collect();
    insta::assert_snapshot!("what_is_wrong", all.join("\n"));
}

#[test]
fn variables_that_double_each_other_are_stopped() {
    let mut variables = vec![r#""v0": "0123456789abcdef""#.to_owned()];
    variables.extend((1..60).map(|n| format!(r#""v{n}": "[concat(variables('v{0}'), variables('v{0}'))]""#, n - 1)));
    let template = format!(
        r#"{{"variables": {{{}}}, "resources": [{{"type": "Wanted", "name": "[variables('v59')]"}}]}}"#,
        variables.join(", ")
    );
    let fills = BTreeMap::new();
    let inputs = Inputs {
        parameters: None,
        fills: &fills,
        subscription: None,
        group: None,
        now: Timestamp::EPOCH,
        wanted: &["wanted"],
    };
    let evaluated = evaluate(&template, &inputs).expect("a template");
    assert!(matches!(evaluated.found[0].outcome, Outcome::Wrong(_)));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1_000, failure_persistence: None, ..ProptestConfig::default() })]

    /// What is written is read as the same again.
    #[test]
    fn json_is_read_as_it_is_written(text in "\\PC*", number in any::<i64>(), flag in any::<bool>()) {
        let value = json::Json::object(1, [
            ("text", Some(json::Json::new(1, text))),
            ("list", Some(json::Json::new(1, vec![json::Json::new(1, number), json::Json::new(1, flag)]))),
        ]);
        prop_assert!(json::parse(&value.to_string()).expect("JSON").value.is_same(&value.value));
    }

    /// Any text is an expression or is refused; nothing else happens.
    #[test]
    fn any_text_is_an_expression_or_not(text in "[a-z0-9()\\[\\].,' -]{0,40}") {
        let _ = given(&text);
    }
}

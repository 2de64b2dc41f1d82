use super::parse;

fn shown(text: &str) -> String {
    match parse(text) {
        Ok(documents) => documents.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n"),
        Err(violation) => violation.to_string(),
    }
}

#[test]
fn manifests() {
    insta::assert_snapshot!(shown(r#"# a comment
apiVersion: batch/v1
metadata:
  name: nightly # behind
  labels: {app: web, "tier": 'back ''end'''}
spec:
  schedule: "*/5 * * * *"
  n: 12
  yes: true
  none:
  items:
  - a: 1
    b:
      - x
      -   - y
          - z
  - plain text
    goes on
  - "two
    lines\n\u0041"
  list: [1, two, "three",
    {four: 5}]
---
script: |
  set -e
    indented

  last
folded: >-
  one
  two

  three
url: https://example.com/a?b=c#d
...
"#), @r#"
    {"apiVersion":"batch/v1","metadata":{"name":"nightly","labels":{"app":"web","tier":"back 'end'"}},"spec":{"schedule":"*/5 * * * *","n":12,"yes":true,"none":null,"items":[{"a":1,"b":["x",["y","z"]]},"plain text goes on","two lines\nA"],"list":[1,"two","three",{"four":5}]}}
    {"script":"set -e\n  indented\n\nlast\n","folded":"one two\nthree","url":"https://example.com/a?b=c#d"}
    "#);
}

#[test]
fn what_is_not_read_is_said_with_its_line() {
    let texts = [
        "a: &x 1",
        "a: *x",
        "a: !!int 1",
        "a: {{ .Values.x }}",
        "a:\n\tb: 1",
        "a: 1\na: 2",
        "a: 1\n  b: 2",
        "a: \"open",
        "a: [1, 2",
        "a: 1\n b: 2\nc",
    ];
    let all: Vec<_> = texts.iter().map(|text| shown(text)).collect();
    insta::assert_snapshot!(all.join("\n"), @r#"
    line 1: given an anchor or an alias, expected plain YAML; kubectl get -o yaml writes it
    line 1: given an anchor or an alias, expected plain YAML; kubectl get -o yaml writes it
    line 1: given a tag, expected plain YAML; kubectl get -o yaml writes it
    line 1: given {{, expected plain YAML; helm template, or kubectl get -o yaml, writes it
    line 2: given "\tb: 1", expected a name and a colon
    line 2: given "a" twice, expected each name once
    line 2: given "b: 2", expected a line that is indented like those above it
    line 1: given the end, expected the " that ends a text
    line 1: given the end, expected a comma or ]
    line 2: given "b: 2", expected a line that is indented like those above it
    "#);
}

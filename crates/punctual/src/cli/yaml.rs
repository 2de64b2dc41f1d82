//! YAML: read as JSON, and written so that people find first what they look for first.

use serde::ser::{Serialize, SerializeMap, SerializeSeq, Serializer};
use serde_json::{Number, Value};

/// Members that come before others, in this order. What is not named here follows in the order of the alphabet.
const FIRST: [&str; 27] = [
    "kind",
    "name",
    "collection",
    "subscription",
    "group",
    "path",
    "description",
    "state",
    "startTime",
    "recurrence",
    "frequency",
    "interval",
    "cron",
    "schedule",
    "timeZone",
    "type",
    "method",
    "uri",
    "headers",
    "body",
    "action",
    "request",
    "retryPolicy",
    "errorAction",
    "options",
    "outcome",
    "lastOutcome",
];

/// Members that come after all others.
const LAST: &str = "status";

/// Floats beyond it are no exact integers.
const INTEGER_MAX: f64 = 9_007_199_254_740_992.0;

/// Reads one document, or says in a sentence what is wrong with it. `yes` and `on` are texts, as YAML 1.2 has it; a member twice is a
/// mistake, and so is an alias that grows beyond all measure.
pub(crate) fn parse(text: &str) -> Result<Value, String> {
    let options = serde_saphyr::options! { strict_booleans: true, with_snippet: false };
    let parsed: Result<Value, _> = serde_saphyr::from_str_with_options(text, options);
    parsed.map(with_integers).map_err(|error| sentence(&error.to_string()))
}

/// What is wrong, without the advice for who writes programs.
fn sentence(text: &str) -> String {
    let text = text.replace(", set DuplicateKeyPolicy in Options if acceptable", "");
    match text.split_once("; use from_str_multiple") {
        Some((_, rest)) => {
            let place = rest.split_once(" at line").map(|(_, place)| format!(" at line{place}")).unwrap_or_default();
            format!("a second document begins{place}; there is one in a file")
        }
        None => text,
    }
}

/// Writes a value as one document, which ends with its last line.
pub(crate) fn write(value: &Value) -> Result<String, serde_saphyr::ser::Error> {
    // A long line stays one: who edits it should not have to know how lines are put together.
    let options = serde_saphyr::ser_options! { folded_wrap_chars: usize::MAX };
    serde_saphyr::to_string_with_options(&Ordered(value), options).map(|text| text.trim_end().to_owned())
}

/// `08` and `1e3` are integers like others, though YAML reads them as fractions.
fn with_integers(value: Value) -> Value {
    match value {
        Value::Number(number) => Value::Number(as_integer(&number).unwrap_or(number)),
        Value::Array(items) => items.into_iter().map(with_integers).collect(),
        Value::Object(members) => members.into_iter().map(|(name, value)| (name, with_integers(value))).collect(),
        other => other,
    }
}

fn as_integer(number: &Number) -> Option<Number> {
    let float = number.as_f64().filter(|float| number.is_f64() && float.fract() == 0.0 && float.abs() < INTEGER_MAX)?;
    format!("{float:.0}").parse::<i64>().ok().map(Number::from)
}

/// A value whose members come in the order of [`FIRST`].
struct Ordered<'a>(&'a Value);

impl Serialize for Ordered<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.0 {
            Value::Array(items) => {
                let mut list = serializer.serialize_seq(Some(items.len()))?;
                items.iter().try_for_each(|item| list.serialize_element(&Ordered(item)))?;
                list.end()
            }
            Value::Object(members) => {
                let rank = |name: &str| match FIRST.iter().position(|first| *first == name) {
                    Some(rank) => rank,
                    None if name == LAST => usize::MAX,
                    None => FIRST.len(),
                };
                let mut ordered: Vec<_> = members.iter().collect();
                ordered.sort_by_key(|(name, _)| rank(name));
                let mut map = serializer.serialize_map(Some(ordered.len()))?;
                ordered.into_iter().try_for_each(|(name, value)| map.serialize_entry(name, &Ordered(value)))?;
                map.end()
            }
            other => other.serialize(serializer),
        }
    }
}

#[cfg(test)]
mod tests {
    use insta::assert_snapshot;
    use serde_json::json;

    use super::{parse, write};

    #[test]
    fn what_people_write_is_read_as_they_mean_it() {
        let text = "a: yes\nb: 08\nc: 2026-01-01\nd: 'on'\ne: true # a comment\nf: 1.5\ng: 12:30\n";
        let expected = json!({ "a": "yes", "b": 8, "c": "2026-01-01", "d": "on", "e": true, "f": 1.5, "g": "12:30" });
        assert_eq!(parse(text).unwrap(), expected);
        let wrong = ["a: 1\na: 2\n", "a: [1,\n", "a: b: c\n", "x: 1\n---\ny: 2\n"];
        let texts: Vec<_> = wrong.iter().map(|text| parse(text).unwrap_err()).collect();
        assert_snapshot!(texts.join("\n"), @"
        duplicate mapping key: a at line 2, column 1
        unclosed bracket '[' at line 1, column 4
        mapping values are not allowed in this context at line 1, column 5
        a second document begins at line 3, column 1; there is one in a file
        ");
    }

    #[test]
    fn an_alias_cannot_fill_the_memory() {
        let levels: Vec<_> =
            (1..20).map(|level| format!("a{level}: &a{level} [*a{0}, *a{0}, *a{0}]", level - 1)).collect();
        assert!(parse(&format!("a0: &a0 [x, x, x]\n{}\n", levels.join("\n"))).is_err());
    }

    #[test]
    fn what_is_written_is_read_as_the_same() {
        let value = json!({
            "status": { "outcome": "failed" }, "name": "yes", "action": { "uri": "https://a", "body": "line\nline\n" },
            "texts": ["", " x", "# y", "- z", "a: b", "1e3", "true", "~", "null", "08", "é\u{7}\u{2028}", "\n", "*/5 * * * *", "a word ".repeat(30)],
            "numbers": [0, -1, 1.5], "none": null, "empty": [[], {}],
        });
        let text = write(&value).unwrap();
        assert_eq!(parse(&text).unwrap(), value, "{text}");
        assert!(text.starts_with("name: \"yes\"\n") && text.contains("\nstatus:\n"), "{text}");
    }
}

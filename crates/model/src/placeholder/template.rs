//! A text with placeholders, taken apart.

use super::Placeholder;
use crate::edit_distance;

const OPEN: &str = "{{";
const CLOSE: &str = "}}";
/// Between braces, this stands for two braces.
const LITERAL: &str = "'{{'";

/// A piece of a template.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Part<'a> {
    Text(&'a str),
    Value(Placeholder),
}

/// Whether a text may have placeholders in it.
pub(super) fn has_braces(text: &str) -> bool {
    text.contains(OPEN)
}

/// Takes a template apart, or says in a sentence what is wrong with it.
///
/// Of three and more opening braces the last two count: `{{{attempt}}}` is a number in braces.
pub(super) fn parse(text: &str) -> Result<Vec<Part<'_>>, String> {
    let mut parts = Vec::new();
    let mut rest = text;
    while let Some(found) = rest.find(OPEN) {
        let braces = rest[found..].bytes().take_while(|byte| *byte == b'{').count();
        let open = found + braces - OPEN.len();
        let inside = open + OPEN.len();
        let (part, end) = value(&rest[inside..])?;
        parts.extend([Part::Text(&rest[..open]), part]);
        rest = &rest[inside + end..];
    }
    parts.push(Part::Text(rest));
    parts.retain(|part| *part != Part::Text(""));
    Ok(parts)
}

/// Reads what follows opening braces, up to the closing ones. Also gives where the rest begins.
fn value(text: &str) -> Result<(Part<'_>, usize), String> {
    let trimmed = text.trim_start();
    if let Some(rest) = trimmed.strip_prefix(LITERAL).map(str::trim_start)
        && let Some(rest) = rest.strip_prefix(CLOSE)
    {
        return Ok((Part::Text(OPEN), text.len() - rest.len()));
    }
    let end = text.find(CLOSE).ok_or_else(|| {
        format!("{OPEN} opens a placeholder, and no {CLOSE} closes it; for the braces themselves write {OPEN}{LITERAL}{CLOSE}")
    })?;
    let name = text[..end].trim();
    match Placeholder::ALL.into_iter().find(|placeholder| placeholder.name() == name) {
        Some(placeholder) => Ok((Part::Value(placeholder), end + CLOSE.len())),
        None => Err(unknown(name)),
    }
}

/// The sentence about a name that is none of a placeholder. It is repeated if it looks like one: anything else may be part
/// of a secret.
fn unknown(name: &str) -> String {
    /// No name of ours is longer, even with two letters more.
    const CHARS_MAX: usize = 20;
    let is_right = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-');
    let names = Placeholder::ALL.map(|placeholder| format!("{OPEN}{}{CLOSE}", placeholder.name())).join(", ");
    let rest = format!("there are {names}; for the braces themselves write {OPEN}{LITERAL}{CLOSE}");
    if name.is_empty() || name.len() > CHARS_MAX || !name.chars().all(is_right) {
        return format!("what stands between {OPEN} and {CLOSE} is no placeholder: {rest}");
    }
    let distances = Placeholder::ALL.map(|known| (edit_distance(&name.to_lowercase(), known.name()), known.name()));
    let nearest = distances.into_iter().filter(|(distance, _)| *distance <= 2).min_by_key(|(distance, _)| *distance);
    let meant = nearest.map(|(_, known)| format!(" (did you mean {OPEN}{known}{CLOSE}?)")).unwrap_or_default();
    format!("there is no placeholder {OPEN}{name}{CLOSE}{meant}: {rest}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_and_placeholders_take_turns() {
        use Part::{Text, Value};
        use Placeholder::{Attempt, JobName};
        let cases: [(&str, &[Part<'_>]); 9] = [
            ("", &[]),
            ("a } b }} { c", &[Text("a } b }} { c")]),
            ("{{job.name}}", &[Value(JobName)]),
            ("a{{ job.name }}{{attempt}}b", &[Text("a"), Value(JobName), Value(Attempt), Text("b")]),
            (r#"{"n":{"a":{{attempt}}}}"#, &[Text(r#"{"n":{"a":"#), Value(Attempt), Text("}}")]),
            ("{{{attempt}}}", &[Text("{"), Value(Attempt), Text("}")]),
            ("${{'{{'}} github.ref }}", &[Text("$"), Text("{{"), Text(" github.ref }}")]),
            ("{{ '{{' }}", &[Text("{{")]),
            ("ü{{attempt}}ü", &[Text("ü"), Value(Attempt), Text("ü")]),
        ];
        for (text, parts) in cases {
            assert_eq!(parse(text).unwrap(), parts, "{text}");
        }
    }

    #[test]
    fn what_is_no_placeholder_is_said() {
        insta::assert_snapshot!(
            ["{{job.nam}}", "{{Job.Name}}", "{{user}}", "{{}}", "{{job.name", "{{a secret, perhaps}}", "{{job{{attempt}}"]
                .map(|text| parse(text).unwrap_err())
                .join("\n"),
            @"
        there is no placeholder {{job.nam}} (did you mean {{job.name}}?): there are {{job.name}}, {{job.collection}}, {{occurrence.nominal}}, {{occurrence.tag}}, {{attempt}}, {{failure.message}}, {{failure.code}}, {{link}}; for the braces themselves write {{'{{'}}
        there is no placeholder {{Job.Name}} (did you mean {{job.name}}?): there are {{job.name}}, {{job.collection}}, {{occurrence.nominal}}, {{occurrence.tag}}, {{attempt}}, {{failure.message}}, {{failure.code}}, {{link}}; for the braces themselves write {{'{{'}}
        there is no placeholder {{user}}: there are {{job.name}}, {{job.collection}}, {{occurrence.nominal}}, {{occurrence.tag}}, {{attempt}}, {{failure.message}}, {{failure.code}}, {{link}}; for the braces themselves write {{'{{'}}
        what stands between {{ and }} is no placeholder: there are {{job.name}}, {{job.collection}}, {{occurrence.nominal}}, {{occurrence.tag}}, {{attempt}}, {{failure.message}}, {{failure.code}}, {{link}}; for the braces themselves write {{'{{'}}
        {{ opens a placeholder, and no }} closes it; for the braces themselves write {{'{{'}}
        what stands between {{ and }} is no placeholder: there are {{job.name}}, {{job.collection}}, {{occurrence.nominal}}, {{occurrence.tag}}, {{attempt}}, {{failure.message}}, {{failure.code}}, {{link}}; for the braces themselves write {{'{{'}}
        what stands between {{ and }} is no placeholder: there are {{job.name}}, {{job.collection}}, {{occurrence.nominal}}, {{occurrence.tag}}, {{attempt}}, {{failure.message}}, {{failure.code}}, {{link}}; for the braces themselves write {{'{{'}}
        "
        );
    }
}

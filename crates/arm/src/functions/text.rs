//! Texts.

use punctual_model::Violation;

use super::{Answer, Call};
use crate::json::Value;

pub(super) const NAMES: &[&str] = &[
    "concat",
    "format",
    "tolower",
    "toupper",
    "trim",
    "replace",
    "split",
    "join",
    "substring",
    "startswith",
    "endswith",
    "indexof",
    "lastindexof",
    "padleft",
    "string",
    "guid",
];

pub(super) fn call(name: &str, call: &Call<'_>) -> Answer {
    match name {
        // Of lists, it is a function of lists.
        "concat" if !matches!(call.arguments.first(), Some(Value::List(_))) => {
            let texts = call.arguments.iter().map(|value| call.text_of(value)).collect::<Result<Vec<_>, _>>()?;
            call.made(texts.concat())
        }
        "format" => format(call),
        "tolower" => call.made(call.text(0)?.to_lowercase()),
        "toupper" => call.made(call.text(0)?.to_uppercase()),
        "trim" => call.made(call.text(0)?.trim().to_owned()),
        "replace" => {
            let [_, _, _] = call.some()?;
            let (text, old, new) = (call.text(0)?, call.text(1)?, call.text(2)?);
            if old.is_empty() {
                return Err(call.wrong("an empty text to replace", "a text with at least one character"));
            }
            let growth = text.matches(old).count().saturating_mul(new.len());
            call.evaluator.budget.spend(growth / 16, call.place)?;
            call.made(text.replace(old, new))
        }
        "split" => split(call).map(Some),
        "join" => {
            let [list, _] = call.some()?;
            let Value::List(items) = list else { return Err(call.wrong(list.kind(), "a list")) };
            let texts = items.iter().map(|item| call.text_of(&item.value)).collect::<Result<Vec<_>, _>>()?;
            call.made(texts.join(call.text(1)?))
        }
        "substring" => substring(call),
        "startswith" | "endswith" => {
            let (text, part) = (call.text(0)?.to_lowercase(), call.text(1)?.to_lowercase());
            let is_so = if name == "startswith" { text.starts_with(&part) } else { text.ends_with(&part) };
            Ok(Some(Value::Boolean(is_so)))
        }
        "indexof" | "lastindexof" if !matches!(call.arguments.first(), Some(Value::List(_))) => {
            let (text, part) = (call.text(0)?.to_lowercase(), call.text(1)?.to_lowercase());
            let at = if name == "indexof" { text.find(&part) } else { text.rfind(&part) };
            let chars = at.map_or(-1, |at| i64::try_from(text[..at].chars().count()).unwrap_or(i64::MAX));
            Ok(Some(Value::Integer(chars)))
        }
        "padleft" => pad_left(call),
        "string" => {
            let [value] = call.some()?;
            match value {
                Value::Text(text) => call.made(text.clone()),
                Value::Boolean(is_true) => call.made(if *is_true { "True" } else { "False" }.to_owned()),
                other => call.made(other.to_string()),
            }
        }
        "guid" => {
            let texts = call.arguments.iter().map(|value| call.text_of(value)).collect::<Result<Vec<_>, _>>()?;
            Ok(Some(Value::Text(guid(&texts.join("-")))))
        }
        _ => Ok(None),
    }
}

/// `{0}` and its kin, with `{{` and `}}` for the brackets themselves. A width or a format of .NET is not known.
fn format(call: &Call<'_>) -> Answer {
    let pattern = call.text(0)?;
    let mut made = String::new();
    let mut rest = pattern;
    while let Some(at) = rest.find(['{', '}']) {
        made.push_str(&rest[..at]);
        let (bracket, after) = rest[at..].split_at(1);
        if let Some(after) = after.strip_prefix(bracket) {
            made.push_str(bracket);
            rest = after;
            continue;
        }
        let index = after.split_once('}').filter(|_| bracket == "{");
        let index = index.and_then(|(index, after)| Some((index.trim().parse::<usize>().ok()?, after)));
        let Some((index, after)) = index else {
            return Err(call.wrong(format!("{pattern:?}"), "a pattern with {0}, {1}, … (no widths or formats)"));
        };
        let Some(value) = call.arguments.get(index + 1) else {
            return Err(call.wrong(format!("{{{index}}}"), format!("at most {{{}}}", call.arguments.len().max(2) - 2)));
        };
        made.push_str(&call.text_of(value)?);
        call.evaluator.budget.spend(1 + made.len() / 1024, call.place)?;
        rest = after;
    }
    made.push_str(rest);
    call.made(made)
}

fn split(call: &Call<'_>) -> Result<Value, Violation> {
    let [text, delimiters] = call.some()?;
    let Value::Text(text) = text else { return Err(call.wrong(text.kind(), "a text")) };
    let delimiters: Vec<String> = match delimiters {
        Value::Text(delimiter) => vec![delimiter.clone()],
        Value::List(items) => items.iter().map(|item| call.text_of(&item.value)).collect::<Result<_, _>>()?,
        other => return Err(call.wrong(other.kind(), "a text or a list of texts to split at")),
    };
    let delimiters: Vec<_> = delimiters.iter().filter(|delimiter| !delimiter.is_empty()).collect();
    let mut parts = Vec::new();
    let (mut begin, mut at) = (0, 0);
    while at < text.len() {
        match delimiters.iter().find(|delimiter| text[at..].starts_with(delimiter.as_str())) {
            Some(delimiter) => {
                parts.push(call.json(&text[begin..at]));
                at += delimiter.len();
                begin = at;
            }
            None => at += text[at..].chars().next().map_or(1, char::len_utf8),
        }
    }
    parts.push(call.json(&text[begin..]));
    Ok(Value::List(parts))
}

fn substring(call: &Call<'_>) -> Answer {
    let text = call.text(0)?;
    let length = i64::try_from(text.chars().count()).unwrap_or(i64::MAX);
    let start = if call.arguments.len() > 1 { call.integer(1)? } else { 0 };
    let count = if call.arguments.len() > 2 { call.integer(2)? } else { length.saturating_sub(start) };
    let fits = start >= 0 && count >= 0 && start.checked_add(count).is_some_and(|end| end <= length);
    if !fits {
        let given = format!("{count} characters from {start} on");
        return Err(call.wrong(given, format!("a part of a text of {length} characters")));
    }
    let (start, count) = (usize::try_from(start).unwrap_or_default(), usize::try_from(count).unwrap_or_default());
    call.made(text.chars().skip(start).take(count).collect())
}

fn pad_left(call: &Call<'_>) -> Answer {
    let text = call.arguments.first().map(|value| call.text_of(value)).transpose()?.unwrap_or_default();
    let width = call.integer(1)?;
    let filler = if call.arguments.len() > 2 { call.text(2)?.chars().next() } else { None };
    let Some(width) = usize::try_from(width).ok().filter(|width| *width <= 16_000) else {
        return Err(call.wrong(width, "a length from 0 to 16000"));
    };
    let missing = width.saturating_sub(text.chars().count());
    call.made(std::iter::repeat_n(filler.unwrap_or(' '), missing).chain(text.chars()).collect())
}

/// The namespace of the ids that `guid()` makes, which are name-based ones (version 5) of RFC 9562.
const GUID_NAMESPACE: [u8; 16] =
    [0x11, 0xfb, 0x06, 0xfb, 0x71, 0x2d, 0x4d, 0xdd, 0x98, 0xc7, 0xe7, 0x1b, 0xbd, 0x58, 0x88, 0x30];

fn guid(name: &str) -> String {
    use aws_lc_rs::digest::{Context, SHA1_FOR_LEGACY_USE_ONLY};
    let mut hash = Context::new(&SHA1_FOR_LEGACY_USE_ONLY);
    hash.update(&GUID_NAMESPACE);
    hash.update(name.as_bytes());
    let digest = hash.finish();
    let mut bytes = [0; 16];
    bytes.copy_from_slice(&digest.as_ref()[..16]);
    bytes[6] = bytes[6] & 0x0f | 0x50;
    bytes[8] = bytes[8] & 0x3f | 0x80;
    let number = u128::from_be_bytes(bytes);
    let hex = format!("{number:032x}");
    [&hex[..8], &hex[8..12], &hex[12..16], &hex[16..20], &hex[20..]].join("-")
}

//! Other ways to write a text.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use punctual_model::Violation;

use super::{Answer, Call};
use crate::json;

pub(super) const NAMES: &[&str] = &[
    "base64",
    "base64tostring",
    "base64tojson",
    "json",
    "uri",
    "uricomponent",
    "uricomponenttostring",
    "datauri",
    "datauritostring",
];

pub(super) fn call(name: &str, call: &Call<'_>) -> Answer {
    match name {
        "base64" => {
            let text = call.arguments.first().map(|value| call.text_of(value)).transpose()?.unwrap_or_default();
            call.made(STANDARD.encode(text))
        }
        "base64tostring" => call.made(decoded(call.text(0)?, call)?),
        "base64tojson" => parsed(&decoded(call.text(0)?, call)?, call),
        "json" => parsed(call.text(0)?, call),
        "uri" => {
            let [_, _] = call.some()?;
            call.made(joined(call.text(0)?, call.text(1)?))
        }
        "uricomponent" => call.made(percent_encoded(call.text(0)?)),
        "uricomponenttostring" => call.made(percent_decoded(call.text(0)?)),
        "datauri" => {
            let text = call.arguments.first().map(|value| call.text_of(value)).transpose()?.unwrap_or_default();
            call.made(format!("data:text/plain;charset=utf8;base64,{}", STANDARD.encode(text)))
        }
        "datauritostring" => {
            let text = call.text(0)?;
            let parts = text.strip_prefix("data:").and_then(|text| text.split_once(','));
            match parts {
                Some((kind, data)) if kind.ends_with(";base64") => call.made(decoded(data, call)?),
                Some((_, data)) => call.made(percent_decoded(data)),
                None => Err(call.wrong("a text", "an address that begins with data:")),
            }
        }
        _ => Ok(None),
    }
}

fn decoded(text: &str, call: &Call<'_>) -> Result<String, Violation> {
    let bytes = STANDARD.decode(text.trim()).ok();
    bytes.and_then(|bytes| String::from_utf8(bytes).ok()).ok_or_else(|| call.wrong("a text", "text in base64"))
}

fn parsed(text: &str, call: &Call<'_>) -> Answer {
    call.evaluator.budget.spend(1 + text.len() / 4, call.place)?;
    // What is wrong with it is not repeated: it may hold a secret.
    let json = json::parse(text).map_err(|violation| call.wrong("a text", format!("JSON ({})", violation.path)))?;
    Ok(Some(json.value))
}

/// A base and what is relative to it: what follows the last slash of the base is replaced.
fn joined(base: &str, relative: &str) -> String {
    let host = base.find("://").map_or(0, |at| at + 3);
    let path = base[host..].find('/').map(|at| host + at);
    match (path, relative.strip_prefix('/')) {
        _ if relative.contains("://") => relative.to_owned(),
        (None, _) => format!("{base}/{}", relative.trim_start_matches('/')),
        (Some(path), Some(relative)) => format!("{}/{relative}", &base[..path]),
        (Some(_), None) => format!("{}/{relative}", base.rsplit_once('/').map_or(base, |(start, _)| start)),
    }
}

fn percent_encoded(text: &str) -> String {
    use std::fmt::Write;
    let mut made = String::new();
    for byte in text.bytes() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'_' | b'.' | b'~' => made.push(char::from(byte)),
            _ => {
                let _ = write!(made, "%{byte:02X}");
            }
        }
    }
    made
}

fn percent_decoded(text: &str) -> String {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((first, after)) = rest.split_first() {
        let digits = after.get(..2).and_then(|digits| std::str::from_utf8(digits).ok());
        let byte = digits.filter(|_| *first == b'%').and_then(|digits| u8::from_str_radix(digits, 16).ok());
        bytes.push(byte.unwrap_or(*first));
        rest = if byte.is_some() { &after[2..] } else { after };
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

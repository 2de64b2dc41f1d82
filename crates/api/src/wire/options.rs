//! `options`.

use punctual_model::action::{Secret, Signing, check_signing_key};
use punctual_model::labels::Labels;
use punctual_model::options::{CatchUp, Options, OptionsParts, Overlap, StatusRange, Success};

use super::json::Json;
use super::object::Object;
use super::value::Value;

/// The options, and what is one of them only in the API.
#[derive(Default)]
pub(super) struct ReadOptions {
    pub(super) options: Options,
    pub(super) sign: Option<Signing<Option<Secret>>>,
    pub(super) labels: Labels,
}

pub(super) fn read(mut options: Object<'_>) -> ReadOptions {
    let parts = OptionsParts {
        timeout: options.span("timeout"),
        jitter: options.span("jitter"),
        overlap: options.choice("overlap", &Overlap::ALL.map(|overlap| (overlap.name(), overlap))),
        catch_up: options.choice("catchUp", &CatchUp::ALL.map(|catch_up| (catch_up.name(), catch_up))),
        catch_up_max: options.integer("catchUpMax"),
        catch_up_spacing: options.span("catchUpSpacing"),
        success: options.object("success").map(success),
        placeholders: options.boolean("placeholders"),
        shadow: options.boolean("shadow"),
    };
    let built = Options::new(parts).map_err(|violations| options.adopt(None, violations));
    let sign = options.value("sign").and_then(sign);
    let labels = Labels::new(options.texts("labels").into_iter().collect());
    let labels = labels.map_err(|violations| options.adopt(None, violations));
    options.ignore_rest();
    ReadOptions { options: built.unwrap_or_default(), sign, labels: labels.unwrap_or_default() }
}

/// An object with the key, or the key alone. In an object without one, the stored key is meant.
pub(super) fn sign(value: Value<'_>) -> Option<Signing<Option<Secret>>> {
    if matches!(value.json, Json::Text(_)) {
        return Some(Signing { key: value.secret(check_signing_key) });
    }
    let mut sign = value.object()?;
    let read = Signing { key: sign.secret("secret", check_signing_key) };
    sign.ignore_rest();
    Some(read)
}

fn success(mut success: Object<'_>) -> Success {
    let status = success.list("status").unwrap_or_default();
    let read = Success {
        status: status.iter().filter_map(status_range).collect(),
        body_contains: success.text("bodyContains").map(str::to_owned),
    };
    success.ignore_rest();
    read
}

/// A number, or a text that can be more than one.
fn status_range(value: &Value<'_>) -> Option<StatusRange> {
    let text = match value.json {
        Json::Number(number) => number.as_integer().map_or_else(|| number.to_string(), |code| code.to_string()),
        Json::Text(text) => text.trim().to_owned(),
        _ => String::new(),
    };
    StatusRange::parse(&text).map_or_else(|expected| value.wrong(&expected.to_string()), Some)
}

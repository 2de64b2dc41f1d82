//! `options`.

use punctual_model::options::{CatchUp, Options, OptionsParts, Overlap, StatusRange, Success};

use super::json::Json;
use super::object::Object;
use super::value::Value;

pub(super) fn read(mut options: Object<'_>) -> Option<Options> {
    let parts = OptionsParts {
        timeout: options.span("timeout"),
        jitter: options.span("jitter"),
        overlap: options.choice("overlap", &Overlap::ALL.map(|overlap| (overlap.name(), overlap))),
        catch_up: options.choice("catchUp", &CatchUp::ALL.map(|catch_up| (catch_up.name(), catch_up))),
        catch_up_max: options.integer("catchUpMax"),
        catch_up_spacing: options.span("catchUpSpacing"),
        success: options.object("success").map(success),
    };
    let built = Options::new(parts).map_err(|violations| options.adopt(None, violations)).ok();
    options.ignore_rest();
    built
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

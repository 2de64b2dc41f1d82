//! A document in a file that a user names; `-` is standard input. It is JSON, in which comments and trailing commas are passed over,
//! or YAML.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use punctual_api::wire::Json;
use punctual_model::Violation;
use serde_json::Value;

use super::failure::Failure;
use super::yaml;

/// A job with its actions fits many times over; something larger is not a job.
const FILE_BYTES_MAX: u64 = 1 << 20;

/// Reads a file.
pub(super) fn read(name: &str) -> Result<Json, Failure> {
    parse(&read_text(name)?, name)
}

/// Reads a file into a value that can be sent.
pub(super) fn read_value(name: &str) -> Result<Value, Failure> {
    to_value(&read(name)?)
}

/// The same value as it can be sent.
pub(super) fn to_value(json: &Json) -> Result<Value, Failure> {
    serde_json::to_value(json).map_err(|error| Failure::Failed(error.into()))
}

/// Reads the text of a file of that name.
pub(super) fn parse(text: &str, name: &str) -> Result<Json, Failure> {
    if is_yaml(text, name) {
        let value = yaml::parse(text).map_err(|wrong| Failure::Refused(vec![format!("{name}: {wrong}")]))?;
        // Names that are the same but for case are found there.
        return Ok(Json::parse(&value.to_string())?);
    }
    let (json, _) = Json::parse_relaxed(text).map_err(|wrong| in_file(wrong, name))?;
    Ok(json)
}

/// Whether a file is YAML: its name says so, or else JSON would begin otherwise.
pub(super) fn is_yaml(text: &str, name: &str) -> bool {
    let extension = Path::new(name).extension().map(std::ffi::OsStr::to_ascii_lowercase);
    match extension.as_ref().and_then(|extension| extension.to_str()) {
        Some("yaml" | "yml") => true,
        Some("json" | "jsonc") => false,
        _ => {
            let text = text.trim_start_matches('\u{feff}').trim_start();
            !text.is_empty() && !text.starts_with(['{', '[', '/'])
        }
    }
}

pub(super) fn read_text(name: &str) -> Result<String, Failure> {
    let mut bytes = Vec::new();
    let read = if name == "-" {
        io::stdin().take(FILE_BYTES_MAX + 1).read_to_end(&mut bytes)
    } else {
        File::open(name).and_then(|file| file.take(FILE_BYTES_MAX + 1).read_to_end(&mut bytes))
    };
    match read {
        Ok(length) if u64::try_from(length).is_ok_and(|length| length > FILE_BYTES_MAX) => {
            Err(Violation::new(name, "more", format!("at most {FILE_BYTES_MAX} bytes")).into())
        }
        Ok(_) => String::from_utf8(bytes).map_err(|_| Violation::new(name, "other bytes", "text in UTF-8").into()),
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            Err(Failure::NotFound(format!("{name:?}: no such file")))
        }
        Err(error) => Err(Failure::Failed(anyhow::Error::new(error).context(format!("cannot read {name}")))),
    }
}

/// What is wrong with the text of a file; what is wrong with one of its members is named by its path alone.
fn in_file(violations: Vec<Violation>, file: &str) -> Vec<Violation> {
    let place = |violation: Violation| if violation.path.is_empty() { violation.under(file) } else { violation };
    violations.into_iter().map(place).collect()
}

#[cfg(test)]
mod tests {
    use super::is_yaml;

    #[test]
    fn a_document_is_known_by_its_name_or_its_beginning() {
        for (text, name, expected) in [
            ("{}", "-", false),
            (" // a job\n{}", "job", false),
            ("a: 1", "-", true),
            ("# a job\na: 1", "-", true),
            ("{a: 1}", "job.yaml", true),
            ("a: 1", "job.json", false),
            ("", "-", false),
        ] {
            assert_eq!(is_yaml(text, name), expected, "{text:?} in {name}");
        }
    }
}

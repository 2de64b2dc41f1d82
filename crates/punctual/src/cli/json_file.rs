//! JSON in a file that a user names; `-` is standard input. Comments and trailing commas are passed over.

use std::fs::File;
use std::io::{self, Read};

use punctual_api::wire::Json;
use punctual_model::Violation;

use super::failure::Failure;

/// A job with its actions fits many times over; something larger is not a job.
const FILE_BYTES_MAX: u64 = 1 << 20;

/// Reads a file.
pub(super) fn read(name: &str) -> Result<Json, Failure> {
    let (json, _) = Json::parse_relaxed(&read_text(name)?).map_err(|wrong| in_file(wrong, name))?;
    Ok(json)
}

fn read_text(name: &str) -> Result<String, Failure> {
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

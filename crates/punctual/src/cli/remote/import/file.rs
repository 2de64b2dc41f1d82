//! Files that are imported; `-` is standard input.

use std::fs::File;
use std::io::{self, Read};

use punctual_arm::Json;
use punctual_import::limits::FILE_BYTES_MAX;
use punctual_model::Violation;

use crate::cli::failure::Failure;

/// Reads a file.
pub(super) fn text(name: &str) -> Result<String, Failure> {
    let most = u64::try_from(FILE_BYTES_MAX).unwrap_or(u64::MAX);
    let mut bytes = Vec::new();
    let read = if name == "-" {
        io::stdin().take(most + 1).read_to_end(&mut bytes)
    } else {
        File::open(name).and_then(|file| file.take(most + 1).read_to_end(&mut bytes))
    };
    match read {
        Ok(length) if length > FILE_BYTES_MAX => {
            Err(Violation::new(name, "more", format!("at most {FILE_BYTES_MAX} bytes")).into())
        }
        Ok(_) => String::from_utf8(bytes).map_err(|_| Violation::new(name, "other bytes", "text in UTF-8").into()),
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            Err(Failure::NotFound(format!("{name:?}: no such file")))
        }
        Err(error) => Err(Failure::Failed(anyhow::Error::new(error).context(format!("cannot read {name}")))),
    }
}

/// Reads a file of JSON.
pub(super) fn json(name: &str) -> Result<Json, Failure> {
    punctual_arm::json::parse(&text(name)?).map_err(|violation| violation.under(name).into())
}

//! The servers that a person works with, by name, in a file that only that person can read.

use std::collections::BTreeMap;
use std::env;
use std::fs::{self, File};
use std::io::{self, Write};
use std::os::unix::fs::{OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};

use anyhow::{Context as _, anyhow};
use serde::{Deserialize, Serialize};

use super::failure::Failure;
use crate::config::nearest::nearest;

/// Hundreds of servers with their tokens; more is no file of ours.
const FILE_BYTES_MAX: u64 = 1 << 20;

/// The file.
#[derive(Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Contexts {
    /// The context that is meant where none is named.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) current: Option<String>,
    #[serde(default)]
    pub(super) contexts: BTreeMap<String, Context>,
}

/// A server, and how it is asked.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Context {
    pub(super) url: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) token: Option<String>,
    /// A file with the certificate that vouches for the server.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) ca: Option<PathBuf>,
}

impl Contexts {
    /// Reads the file; there is none as long as no context was added.
    pub(super) fn load() -> Result<Self, Failure> {
        match path() {
            Some(path) => Self::read(&path),
            None => Ok(Self::default()),
        }
    }

    fn read(path: &Path) -> Result<Self, Failure> {
        let metadata = match fs::metadata(path) {
            Ok(metadata) => metadata,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Self::default()),
            Err(error) => return Err(cannot("read", path, error)),
        };
        if metadata.permissions().mode() & 0o077 != 0 {
            let place = path.display();
            return Err(anyhow!("{place} has tokens, and others on this machine may read it; chmod 600 {place}").into());
        }
        if metadata.len() > FILE_BYTES_MAX {
            return Err(anyhow!("{} has more than {FILE_BYTES_MAX} bytes", path.display()).into());
        }
        let text = fs::read_to_string(path).map_err(|error| cannot("read", path, error))?;
        Ok(toml::from_str(&text).with_context(|| format!("{} is not as it was written", path.display()))?)
    }

    /// Writes the file in the place of the one that was there: who reads it sees the one or the other.
    pub(super) fn save(&self) -> Result<(), Failure> {
        let path = path().ok_or_else(|| anyhow!("neither XDG_CONFIG_HOME nor HOME says where contexts are kept"))?;
        let text = toml::to_string(self).context("cannot write the contexts")?;
        let write = || {
            let directory = path.parent().unwrap_or(Path::new("."));
            fs::create_dir_all(directory)?;
            let new = path.with_extension("toml.new");
            let _ = fs::remove_file(&new);
            let mut file = File::options().write(true).create_new(true).mode(0o600).open(&new)?;
            file.write_all(text.as_bytes())?;
            file.sync_all()?;
            fs::rename(&new, &path)
        };
        write().map_err(|error| cannot("write", &path, error))
    }

    /// The context of that name.
    pub(super) fn find(&self, name: &str) -> Result<&Context, Failure> {
        self.contexts.get(name).ok_or_else(|| {
            let meant = nearest(name, self.contexts.keys().map(String::as_str));
            let advice = match meant {
                Some(meant) => format!("did you mean {meant:?}?"),
                None => "see: punctual context list".to_owned(),
            };
            Failure::NotFound(format!("there is no context {name:?}; {advice}"))
        })
    }
}

/// Where the file is: as the desktops' standard for such files has it.
pub(super) fn path() -> Option<PathBuf> {
    let named = |name: &str| env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    let directory = named("XDG_CONFIG_HOME").or_else(|| named("HOME").map(|home| home.join(".config")))?;
    Some(directory.join("punctual").join("contexts.toml"))
}

fn cannot(what: &str, path: &Path, error: io::Error) -> Failure {
    Failure::Failed(anyhow::Error::new(error).context(format!("cannot {what} {}", path.display())))
}

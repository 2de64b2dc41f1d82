//! A text in the editor of the user.

use std::fs::{self, File};
use std::io::{self, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::PathBuf;
use std::process::{self, Command};

use anyhow::{Context, anyhow};

use super::failure::Failure;
use super::remote::variable;

/// Where texts are tried to be kept under a name that nobody has.
const TRIES_MAX: u32 = 1000;

/// A file that only its owner can read, and that stays until it is removed.
pub(super) struct Draft {
    pub(super) path: PathBuf,
}

impl Draft {
    /// Writes a text to a new file in the directory for such files.
    pub(super) fn new(text: &str) -> Result<Self, Failure> {
        let (directory, process) = (std::env::temp_dir(), process::id());
        for number in 0..TRIES_MAX {
            let path = directory.join(format!("punctual-edit-{process}-{number}.yaml"));
            match File::options().write(true).create_new(true).mode(0o600).open(&path) {
                Ok(mut file) => {
                    file.write_all(text.as_bytes()).with_context(|| format!("cannot write {}", path.display()))?;
                    return Ok(Self { path });
                }
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                Err(error) => {
                    return Err(anyhow::Error::new(error).context(format!("cannot write {}", path.display())).into());
                }
            }
        }
        Err(anyhow!("{} is full of texts that were edited", directory.display()).into())
    }

    /// Opens the file in the editor, and returns whether the editor was content.
    pub(super) fn open(&self) -> Result<(), Failure> {
        let editor = variable("VISUAL").or_else(|| variable("EDITOR")).unwrap_or_else(|| "vi".to_owned());
        // As other programs do it: what is set may have arguments, and may be quoted for a shell.
        let status = Command::new("sh").args(["-c", &format!("{editor} \"$1\""), "sh"]).arg(&self.path).status();
        let status = status.with_context(|| format!("cannot start the editor {editor:?}"))?;
        if !status.success() {
            return Err(anyhow!("the editor {editor:?} ended with {status}; nothing was changed").into());
        }
        Ok(())
    }

    /// What is in the file.
    pub(super) fn read(&self) -> Result<String, Failure> {
        Ok(fs::read_to_string(&self.path).with_context(|| format!("cannot read {}", self.path.display()))?)
    }

    /// Removes the file.
    pub(super) fn remove(self) {
        // Whoever has removed it already has done what was wanted.
        let _ = fs::remove_file(&self.path);
    }
}

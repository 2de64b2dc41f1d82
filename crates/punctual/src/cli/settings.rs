//! The flags that every command takes which needs the configuration of the server.

use std::path::PathBuf;

use clap::Args;

use super::failure::{Failure, print_note};
use crate::config::{self, Config, Flags, Settings};

/// Names the settings file where no flag does.
const FILE_VARIABLE: &str = "PUNCTUAL_CONFIG";

#[derive(Args)]
pub(crate) struct SettingsArguments {
    /// A file with settings, in TOML [default: the one that PUNCTUAL_CONFIG names, if any]
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,

    #[command(flatten)]
    flags: Flags,
}

impl SettingsArguments {
    /// The configuration of this process, and the settings it was made of.
    pub(crate) fn load(&self) -> Result<(Config, Settings), Failure> {
        let variables = config::variables()?;
        let named = variables.iter().find(|(name, file)| name == FILE_VARIABLE && !file.is_empty());
        let file = self.config.clone().or_else(|| named.map(|(_, file)| PathBuf::from(file)));
        let loaded = Config::load(&self.flags, file.as_deref(), variables.iter().cloned())?;
        for note in config::ignored(&variables) {
            print_note(&note);
        }
        Ok(loaded)
    }
}

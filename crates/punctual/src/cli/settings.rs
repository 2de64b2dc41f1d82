//! The flags that every command takes which needs the configuration of the server.

use std::path::{Path, PathBuf};

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
        load_with(self.config.as_deref(), &self.flags)
    }
}

/// The configuration of this process, for a command that takes no settings as flags.
pub(crate) fn load(file: Option<&Path>) -> Result<Config, Failure> {
    load_with(file, &Flags::default()).map(|(config, _)| config)
}

fn load_with(file: Option<&Path>, flags: &Flags) -> Result<(Config, Settings), Failure> {
    let variables = config::variables()?;
    let named = variables.iter().find(|(name, file)| name == FILE_VARIABLE && !file.is_empty());
    let file = file.or_else(|| named.map(|(_, file)| Path::new(file)));
    let loaded = Config::load(flags, file, variables.iter().cloned())?;
    for note in config::ignored(&variables) {
        print_note(&note);
    }
    Ok(loaded)
}

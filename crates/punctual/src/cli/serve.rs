//! `punctual serve`.

use clap::Args;

use super::failure::Failure;
use super::settings::SettingsArguments;
use crate::clock::SystemClock;
use crate::serve;

#[derive(Args)]
pub(crate) struct Arguments {
    #[command(flatten)]
    settings: SettingsArguments,

    /// Start paused: nothing runs until `punctual resume`, also after further starts without this flag
    #[arg(long)]
    paused: bool,
}

/// Serves until the process is told to stop.
pub(crate) fn run(arguments: &Arguments, clock: SystemClock) -> Result<(), Failure> {
    let (config, _) = arguments.settings.load()?;
    Ok(serve::run(config, clock, arguments.paused)?)
}

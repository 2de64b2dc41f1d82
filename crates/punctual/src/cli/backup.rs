//! `punctual backup`.

use std::path::PathBuf;

use anyhow::Context;
use clap::Args;
use punctual_model::plural;
use punctual_model::time::Timestamp;
use punctual_store::sqlite::backup::back_up;

use super::failure::{Failure, print_note};
use super::settings::SettingsArguments;

/// Write all jobs and their history into one file, while the server runs or not
#[derive(Args)]
#[command(after_help = "\
Run it on the machine of the server, as the user of the server. The file is complete and was read again when it appears.
The key that opens the secrets of jobs is not in it: keep DIRECTORY/secret.key elsewhere. See also: punctual restore.")]
pub(crate) struct Arguments {
    /// The file to write, which must not be there yet
    #[arg(value_name = "FILE")]
    file: PathBuf,

    /// Put secret.key and owner.token into the file, too: whoever has it then has every secret
    #[arg(long)]
    with_keys: bool,

    #[command(flatten)]
    settings: SettingsArguments,
}

/// Writes the backup, and says what is in it.
pub(crate) fn run(arguments: &Arguments, now: Timestamp) -> Result<(), Failure> {
    let (config, _) = arguments.settings.load()?;
    let data = std::path::absolute(&config.store.data).context("cannot find the data directory")?;
    let report =
        back_up(&data, &arguments.file, arguments.with_keys, now, &mut print_note).map_err(anyhow::Error::from)?;
    let (jobs, days) = (plural(report.jobs, "job"), plural(report.segments, "day"));
    let records = plural(report.records, "record");
    print_note(&format!("{} has {jobs}, and {records} of {days} of history", arguments.file.display()));
    let key = data.join("secret.key");
    if !report.has_keys && key.exists() {
        print_note(&format!("the keys are not in it: keep {} elsewhere", key.display()));
    } else if !report.has_keys {
        print_note("the key is not in it: keep the setting secrets.key elsewhere");
    }
    Ok(())
}

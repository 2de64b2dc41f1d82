//! `punctual restore`.

use std::path::PathBuf;

use anyhow::anyhow;
use clap::Args;
use punctual_model::plural;
use punctual_model::time::Timestamp;
use punctual_store::PauseEntry;
use punctual_store::sqlite::backup::{adopt, restore};

use super::failure::{Failure, print_note};

/// Make a data directory from a backup
#[derive(Args)]
#[command(after_help = "\
What was due up to now and is not settled in the backup may have been sent since: the server sends it again, marked with
x-punctual-resent. To try a backup without calling anyone, restore it with --paused, and look at it before you resume.")]
pub(crate) struct Arguments {
    /// The file that `punctual backup` has written
    #[arg(value_name = "FILE", required_unless_present = "as_is", conflicts_with = "as_is")]
    file: Option<PathBuf>,

    /// The data directory to make, which must be empty or not there
    #[arg(long, value_name = "DIRECTORY")]
    data: PathBuf,

    /// Leave the server paused: nothing runs until `punctual resume`
    #[arg(long)]
    paused: bool,

    /// Instead of a backup: go on with a data directory whose database was put back by other means
    #[arg(long)]
    as_is: bool,
}

/// Restores, and says what to do next.
pub(crate) fn run(arguments: &Arguments, now: Timestamp) -> Result<(), Failure> {
    let data = std::path::absolute(&arguments.data).map_err(anyhow::Error::from)?;
    let why = "restored with --paused".to_owned();
    let pause = arguments.paused.then(|| PauseEntry::begin_at_start("restore --paused".to_owned(), why, now));
    let missing = if let Some(file) = &arguments.file {
        let report = restore(file, &data, now, pause, &mut print_note).map_err(|error| anyhow!(error))?;
        let made_at = report.made_at.map(|at| format!(" as of {at}")).unwrap_or_default();
        print_note(&format!("{} has {}{made_at}", data.display(), plural(report.jobs, "job")));
        (!report.has_key).then_some(report.keys)
    } else {
        let jobs = adopt(&data, now, pause).map_err(|error| anyhow!(error))?;
        print_note(&format!("{} has {}, and its history as it is", data.display(), plural(jobs, "job")));
        None
    };
    print_note(&format!("what was due up to {now} may have been sent before, and is marked when it is sent again"));
    if let Some(keys) = missing {
        print_note(&format!(
            "next: put the secret.key of the server, with {}, into {1} (or set secrets.key as it was), and its owner.token if \
             you want it there; then start the server with --data {1}. A key that was made by `punctual secrets rotate` \
             after the backup does not open it",
            describe_keys(&keys),
            data.display()
        ));
    }
    if arguments.paused {
        print_note("the server will start paused: `punctual resume --dry-run` shows what resuming would run");
    }
    Ok(())
}

/// Which keys open the secrets, by their numbers.
fn describe_keys(keys: &[u32]) -> String {
    let numbers: Vec<_> = keys.iter().map(ToString::to_string).collect();
    let noun = if keys.len() == 1 { "key" } else { "keys" };
    format!("{noun} {}", numbers.join(" and "))
}

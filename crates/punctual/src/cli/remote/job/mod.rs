//! `punctual job`.

mod add;
mod backfill;
mod create;
mod definition;
mod delete;
mod describe;
mod disable;
mod edit;
mod explain;
mod history;
mod list;
mod next_runs;
mod rerun;
mod run;
mod set;
mod show;
mod watch;

use clap::Subcommand;
use punctual_model::time::Timestamp;

pub(crate) use self::add::Add;
use self::backfill::Backfill;
use self::create::Create;
pub(super) use self::create::{lay_over, print_warnings};
use self::delete::Delete;
use self::disable::{Disable, Enable};
use self::edit::Edit;
use self::explain::Explain;
use self::history::History;
use self::list::List;
use self::rerun::Rerun;
use self::run::Run;
use self::set::Set;
pub(super) use self::set::overtaken;
use self::show::Show;
use self::watch::Watch;
use crate::cli::failure::Failure;

/// How commands about jobs end.
const EXIT_STATUS: &str =
    "Exit status: 0 done, 1 failed, 2 invalid input, 3 no such job or collection, 4 not allowed, 5 unreachable.";

/// Look at jobs, make them, change them and run them
#[derive(Subcommand)]
pub(crate) enum Command {
    /// List jobs
    #[command(after_help = EXIT_STATUS, visible_alias = "ls")]
    List(List),
    /// Show a job, and what has come of it
    #[command(after_help = EXIT_STATUS)]
    Show(Show),
    /// Make a job, from flags or from a file
    #[command(after_help = create::AFTER_HELP)]
    Create(Box<Create>),
    /// Change what is given of a job
    #[command(after_help = set::AFTER_HELP)]
    Set(Box<Set>),
    /// Change a job in your editor
    #[command(after_help = edit::AFTER_HELP)]
    Edit(Edit),
    /// Delete jobs, with their history
    #[command(after_help = EXIT_STATUS, visible_alias = "rm")]
    Delete(Delete),
    /// Let jobs run again
    #[command(after_help = EXIT_STATUS)]
    Enable(Enable),
    /// Let jobs run no more, until they are enabled or for some time
    #[command(after_help = disable::AFTER_HELP)]
    Disable(Disable),
    /// Run a job now
    #[command(after_help = run::AFTER_HELP)]
    Run(Run),
    /// Show what came of a job, the latest first
    #[command(after_help = EXIT_STATUS)]
    History(History),
    /// Run past times of a job now
    #[command(after_help = backfill::AFTER_HELP)]
    Backfill(Backfill),
    /// Say why a job did, or did not, run at some time
    #[command(after_help = explain::AFTER_HELP)]
    Explain(Explain),
    /// Run again what failed of a job
    #[command(after_help = EXIT_STATUS)]
    Rerun(Rerun),
    /// Print what happens to a job, until interrupted
    #[command(after_help = EXIT_STATUS)]
    Watch(Watch),
}

impl Command {
    /// Does it.
    pub(crate) fn run(&self, now: Timestamp) -> Result<(), Failure> {
        match self {
            Self::List(arguments) => arguments.run(),
            Self::Show(arguments) => arguments.run(),
            Self::Create(arguments) => arguments.run(now),
            Self::Set(arguments) => arguments.run(now),
            Self::Edit(arguments) => arguments.run(),
            Self::Delete(arguments) => arguments.run(),
            Self::Enable(arguments) => arguments.run(),
            Self::Disable(arguments) => arguments.run(now),
            Self::Run(arguments) => arguments.run(),
            Self::History(arguments) => arguments.run(now),
            Self::Backfill(arguments) => arguments.run(now),
            Self::Explain(arguments) => arguments.run(now),
            Self::Rerun(arguments) => arguments.run(now),
            Self::Watch(arguments) => arguments.run(),
        }
    }
}

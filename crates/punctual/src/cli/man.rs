//! `punctual man`: the manual, as the program itself knows it.

use std::fs;
use std::io;
use std::path::PathBuf;

use anyhow::Context;
use clap::{Args, Command};

use super::failure::{Failure, print_note};

/// Write the manual pages of all commands into a directory, or print the first one
#[derive(Args)]
#[command(after_help = "\
Examples:
  punctual man | man -l -
  punctual man /usr/local/share/man/man1

Exit status: 0 written, 1 failed, 2 invalid input.")]
pub(crate) struct Man {
    /// The directory, which is made if it is not there
    #[arg(value_name = "DIRECTORY")]
    directory: Option<PathBuf>,
}

impl Man {
    /// Writes the pages of a command and of all commands below it.
    pub(crate) fn run(&self, command: Command) -> Result<(), Failure> {
        let command = with_lines(command);
        let Some(directory) = &self.directory else {
            return Ok(clap_mangen::Man::new(command).render(&mut io::stdout().lock())?);
        };
        fs::create_dir_all(directory).with_context(|| format!("cannot make {}", directory.display()))?;
        clap_mangen::generate_to(command, directory)
            .with_context(|| format!("cannot write to {}", directory.display()))?;
        print_note(&format!("the manual is in {}", directory.display()));
        Ok(())
    }
}

/// A command whose examples and exit statuses stay on lines of their own: the manual fills lines that have nothing between them.
fn with_lines(command: Command) -> Command {
    let last = command.get_after_help().map(|text| text.to_string().replace("\n\n", "\n").replace('\n', "\n\n"));
    let command = last.into_iter().fold(command, Command::after_help);
    let names: Vec<String> = command.get_subcommands().map(|below| below.get_name().to_owned()).collect();
    names.into_iter().fold(command, |command, name| command.mut_subcommand(name, with_lines))
}

//! `punctual completions`: what a shell is told, so that it asks this program while somebody types.

use std::io;

use clap::{Args, ValueEnum};
use clap_complete::env::{Bash, EnvCompleter, Fish, Zsh};

use super::failure::Failure;

/// The variable by which a shell asks.
pub(super) const VARIABLE: &str = "PUNCTUAL_COMPLETE";

/// Print what makes a shell complete commands, flags and the names of jobs
#[derive(Args)]
#[command(after_help = "\
Add one line to the file that your shell reads first:
  ~/.bashrc                    source <(punctual completions bash)
  ~/.zshrc, below compinit     source <(punctual completions zsh)
  ~/.config/fish/config.fish   punctual completions fish | source

Names of jobs come from the server that commands ask.
Exit status: 0 printed, 1 failed, 2 invalid input.")]
pub(crate) struct Completions {
    /// The shell
    #[arg(value_enum)]
    shell: Shell,
}

#[derive(Clone, Copy, ValueEnum)]
enum Shell {
    Bash,
    Zsh,
    Fish,
}

impl Completions {
    /// Prints the script. It calls the program by its name: where that is may change.
    pub(crate) fn run(&self) -> Result<(), Failure> {
        let completer: &dyn EnvCompleter = match self.shell {
            Shell::Bash => &Bash,
            Shell::Zsh => &Zsh,
            Shell::Fish => &Fish,
        };
        let mut out = io::stdout().lock();
        Ok(completer.write_registration(VARIABLE, "punctual", "punctual", "punctual", &mut out)?)
    }
}

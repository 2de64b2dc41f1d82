//! Why a command failed, and the exit status that says so.

use std::io::{self, Write};
use std::process::ExitCode;

use punctual_model::Violation;

use super::output::visible;

/// Why a command failed.
#[derive(Debug)]
pub(crate) enum Failure {
    /// The command could not be carried out.
    Failed(anyhow::Error),
    /// What was given is wrong.
    Invalid(Vec<Violation>),
    /// The server says that what was given is wrong.
    Refused(Vec<String>),
    /// What was named is not there.
    NotFound(String),
    /// The server does not let us.
    NotAllowed(String),
    /// There is no server, or it does not answer.
    Unreachable(anyhow::Error),
    /// There is something to change, and it was asked whether there is.
    NotEmpty,
}

impl Failure {
    const FAILED: u8 = 1;
    /// The exit status for wrong input.
    pub(crate) const INVALID: u8 = 2;
    const NOT_FOUND: u8 = 3;
    const NOT_ALLOWED: u8 = 4;
    const UNREACHABLE: u8 = 5;
    const NOT_EMPTY: u8 = 6;

    /// Says on stderr what is wrong, all of it, and gives the exit status.
    pub(crate) fn report(self) -> ExitCode {
        match self {
            // Someone who closes the pipe has read enough.
            Self::Failed(error) if is_closed_pipe(&error) => ExitCode::SUCCESS,
            Self::Failed(error) => print_error(&format!("{error:#}"), Self::FAILED),
            Self::Invalid(violations) => {
                for violation in violations {
                    print_note(&format!("error: {violation}"));
                }
                Self::INVALID.into()
            }
            Self::Refused(all) => all.iter().fold(ExitCode::SUCCESS, |_, what| print_error(what, Self::INVALID)),
            Self::NotFound(what) => print_error(&what, Self::NOT_FOUND),
            Self::NotAllowed(what) => print_error(&what, Self::NOT_ALLOWED),
            Self::Unreachable(error) => print_error(&format!("{error:#}"), Self::UNREACHABLE),
            Self::NotEmpty => Self::NOT_EMPTY.into(),
        }
    }
}

/// Prints what went wrong, and returns the exit status.
fn print_error(what: &str, status: u8) -> ExitCode {
    print_note(&format!("error: {}", visible(what)));
    status.into()
}

/// Prints a line for people on stderr. If stderr is closed, there is nobody to tell that either.
pub(crate) fn print_note(text: &str) {
    let _ = writeln!(io::stderr(), "{text}");
}

fn is_closed_pipe(error: &anyhow::Error) -> bool {
    error.root_cause().downcast_ref::<io::Error>().is_some_and(|error| error.kind() == io::ErrorKind::BrokenPipe)
}

impl From<Violation> for Failure {
    fn from(violation: Violation) -> Self {
        Self::Invalid(vec![violation])
    }
}

impl From<Vec<Violation>> for Failure {
    fn from(violations: Vec<Violation>) -> Self {
        Self::Invalid(violations)
    }
}

impl From<anyhow::Error> for Failure {
    fn from(error: anyhow::Error) -> Self {
        Self::Failed(error)
    }
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        Self::Failed(anyhow::Error::new(error).context("cannot write the answer"))
    }
}

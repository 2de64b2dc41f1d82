//! Why a command failed, and the exit status that says so.

use std::io::{self, Write};
use std::process::ExitCode;

use punctual_model::Violation;

/// Why a command failed.
#[derive(Debug)]
pub(crate) enum Failure {
    /// It could not be done.
    Failed(anyhow::Error),
    /// What was given is wrong.
    Invalid(Vec<Violation>),
    /// What was named is not there.
    NotFound(String),
}

impl Failure {
    const FAILED: u8 = 1;
    /// The exit status for wrong input.
    pub(crate) const INVALID: u8 = 2;
    const NOT_FOUND: u8 = 3;

    /// Says on stderr what is wrong, all of it, and gives the exit status.
    pub(crate) fn report(self) -> ExitCode {
        match self {
            // Someone who closes the pipe has read enough.
            Self::Failed(error) if is_closed_pipe(&error) => ExitCode::SUCCESS,
            Self::Failed(error) => {
                complain(&format!("error: {error:#}"));
                Self::FAILED.into()
            }
            Self::Invalid(violations) => {
                for violation in violations {
                    complain(&format!("error: {violation}"));
                }
                Self::INVALID.into()
            }
            Self::NotFound(what) => {
                complain(&format!("error: {what}"));
                Self::NOT_FOUND.into()
            }
        }
    }
}

/// Says something on stderr. If nobody can hear it, there is nobody to tell that either.
pub(crate) fn complain(text: &str) {
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

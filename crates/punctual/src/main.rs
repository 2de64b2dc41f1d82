//! Punctual: calls HTTP endpoints and puts messages on queues, at the times you say.

mod cli;
mod clock;
mod config;
mod random;
mod serve;
mod server;

use std::process::ExitCode;

fn main() -> ExitCode {
    cli::run(clock::SystemClock)
}

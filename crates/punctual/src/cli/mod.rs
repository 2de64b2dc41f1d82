//! The command line. Data goes to stdout, everything else to stderr.

mod backup;
mod check_config;
mod color;
mod completions;
mod context;
mod contexts;
mod copy;
mod document;
mod editor;
mod every;
mod failure;
mod instant;
mod man;
mod next;
mod output;
mod progress;
mod remote;
mod restore;
mod serve;
mod settings;
mod times;
mod yaml;

use std::process::ExitCode;

use clap::{CommandFactory, Parser, Subcommand};
use clap_complete::CompleteEnv;
use punctual_model::time::Clock;

use self::failure::Failure;
pub(crate) use self::failure::print_note;
use crate::clock::SystemClock;

/// A job scheduler you run yourself.
#[derive(Parser)]
#[command(name = "punctual", version, max_term_width = 100)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Run the server
    #[command(after_help = "Exit status: 0 stopped, 1 failed, 2 the configuration is wrong.")]
    Serve(serve::Arguments),
    Add(Box<remote::Add>),
    #[command(subcommand)]
    Job(Box<remote::Job>),
    #[command(subcommand)]
    Collection(Box<remote::Collection>),
    /// Show when a job will run
    Next(Box<next::Arguments>),
    /// Check the configuration of the server and show what is set, and by whom
    CheckConfig(check_config::Arguments),
    Backup(backup::Arguments),
    Restore(restore::Arguments),
    Copy(copy::Arguments),
    Import(Box<remote::Import>),
    Export(remote::Export),
    Diff(Box<remote::Diff>),
    Apply(Box<remote::Apply>),
    Failures(remote::Failures),
    Due(remote::Due),
    Top(remote::Top),
    Incidents(remote::Incidents),
    Rerun(remote::Rerun),
    Events(remote::Events),
    Audit(remote::Audit),
    Open(remote::Open),
    Pause(remote::Pause),
    Resume(remote::Resume),
    #[command(subcommand)]
    Cluster(remote::Cluster),
    #[command(subcommand)]
    Alert(remote::Alert),
    #[command(subcommand)]
    Token(remote::Token),
    #[command(subcommand)]
    Role(remote::Role),
    #[command(subcommand)]
    Secrets(remote::Secrets),
    #[command(subcommand)]
    Context(context::Command),
    Completions(completions::Completions),
    Man(man::Man),
}

/// Runs the command that was asked for and says how it went.
pub(crate) fn run(clock: SystemClock) -> ExitCode {
    // A shell that asks how a word goes on is answered, and that is all.
    CompleteEnv::with_factory(Arguments::command).var(completions::VARIABLE).complete();
    let arguments = match Arguments::try_parse() {
        Ok(arguments) => arguments,
        Err(error) => {
            // Help and version are no errors, and go to stdout; clap knows which is which.
            let _ = error.print();
            return if error.use_stderr() { ExitCode::from(Failure::INVALID) } else { ExitCode::SUCCESS };
        }
    };
    let result = match arguments.command {
        Command::Serve(arguments) => serve::run(&arguments, clock),
        Command::Next(arguments) => next::run(&arguments, &clock),
        Command::CheckConfig(arguments) => check_config::run(&arguments, clock),
        Command::Backup(arguments) => backup::run(&arguments, clock.now()),
        Command::Restore(arguments) => restore::run(&arguments, clock.now()),
        Command::Copy(arguments) => copy::run(&arguments, clock),
        Command::Audit(command) => command.run(clock.now()),
        Command::Import(command) => command.run(clock.now()),
        Command::Export(command) => command.run(),
        Command::Diff(command) => command.run(),
        Command::Apply(command) => command.run(),
        Command::Failures(command) => command.run(|| clock.now()),
        Command::Due(command) => command.run(),
        Command::Top(command) => command.run(|| clock.now()),
        Command::Incidents(command) => command.run(),
        Command::Rerun(command) => command.run(clock.now()),
        Command::Cluster(command) => command.run(),
        Command::Alert(command) => command.run(),
        Command::Events(command) => command.run(),
        Command::Open(command) => command.run(),
        Command::Pause(command) => command.run(),
        Command::Resume(command) => command.run(),
        Command::Token(command) => command.run(),
        Command::Role(command) => command.run(),
        Command::Secrets(command) => command.run(),
        Command::Add(command) => command.run(clock.now()),
        Command::Job(command) => command.run(clock.now()),
        Command::Collection(command) => command.run(),
        Command::Context(command) => command.run(),
        Command::Completions(command) => command.run(),
        Command::Man(command) => command.run(Arguments::command()),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => failure.report(),
    }
}

//! The commands, as a user runs them: what they print, where, and their exit status.

mod check_config;
mod copy;
mod next;

use std::fmt::Write as _;
use std::io::Write as _;
use std::process::{Command, Stdio};

/// Runs the binary and tells everything a user sees.
fn punctual(arguments: &[&str], stdin: &str) -> String {
    told(crate::binary().args(arguments), stdin)
}

/// Everything a user sees of a command.
pub(crate) fn told(command: &mut Command, stdin: &str) -> String {
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    // Who refuses the arguments has gone before it reads.
    let _ = child.stdin.take().unwrap().write_all(stdin.as_bytes());
    let output = child.wait_with_output().unwrap();
    let mut told = String::new();
    for (name, bytes) in [("stdout", output.stdout), ("stderr", output.stderr)] {
        let text = String::from_utf8(bytes).unwrap();
        if !text.is_empty() {
            writeln!(told, "-- {name}\n{}", text.trim_end()).unwrap();
        }
    }
    write!(told, "-- exit status {}", output.status.code().unwrap()).unwrap();
    told
}

//! The README's commands, run as they are written.
//!
//! | block | meaning |
//! |---|---|
//! | `console` | `$ command`, then exactly what it prints on both outputs |
//! | `sh` | only shown, but its commands exist |
//! | `json`, `text`, … under `<!-- file: NAME -->` | written to NAME before the next command |

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use super::source;

/// What the README says to build and run the binary. Here it is built already.
const BUILD_AND_RUN: &str = "cargo run --release --";

#[test]
fn its_commands_print_what_it_says() {
    let directory = fresh_directory("readme");
    let mut wrong = Vec::new();
    let mut commands = 0;
    for block in blocks() {
        if let Some(name) = &block.file {
            fs::write(directory.join(name), block.lines.join("\n") + "\n").expect("a file of the README");
        } else if block.language == "console" {
            for Step { command, expected } in steps(&block.lines) {
                commands += 1;
                let printed = run(&command, &directory);
                if printed.trim_end() != expected.trim_end() {
                    wrong.push(format!("$ {command}\n--- README\n{expected}\n--- printed\n{printed}"));
                }
            }
        }
    }
    assert!(commands > 0, "the README has no command that can be run");
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n\n"));
}

#[test]
fn the_commands_it_only_shows_exist() {
    let missing: Vec<String> = blocks()
        .iter()
        .filter(|block| block.language == "sh")
        .flat_map(|block| joined(&block.lines))
        .filter(|line| !line.is_empty() && !line.starts_with('#') && !exists(line))
        .collect();
    assert!(missing.is_empty(), "commands that do not exist: {missing:#?}");
}

struct Block {
    language: String,
    /// The name it is to be written to.
    file: Option<String>,
    lines: Vec<String>,
}

struct Step {
    command: String,
    expected: String,
}

fn blocks() -> Vec<Block> {
    let text = fs::read_to_string(source::root().join("README.md")).expect("README.md");
    let mut blocks = Vec::new();
    let mut file = None;
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        if let Some(name) = line.strip_prefix("<!-- file: ").and_then(|rest| rest.strip_suffix(" -->")) {
            file = Some(name.to_owned());
        } else if let Some(language) = line.strip_prefix("```") {
            let inside = lines.by_ref().take_while(|line| *line != "```").map(str::to_owned).collect();
            blocks.push(Block { language: language.to_owned(), file: file.take(), lines: inside });
        } else if !line.is_empty() {
            file = None;
        }
    }
    blocks
}

/// Each `$ command` with the lines up to the next one.
fn steps(lines: &[String]) -> Vec<Step> {
    let mut steps: Vec<Step> = Vec::new();
    for line in joined(lines) {
        match (line.strip_prefix("$ "), steps.last_mut()) {
            (Some(command), _) => steps.push(Step { command: command.to_owned(), expected: String::new() }),
            (None, Some(step)) => step.expected += &(line + "\n"),
            (None, None) => panic!("a console block begins with a command, not with {line:?}"),
        }
    }
    steps
}

/// The lines, with those put together that end in a backslash.
fn joined(lines: &[String]) -> Vec<String> {
    let mut joined = Vec::new();
    let mut open = String::new();
    for line in lines {
        match line.strip_suffix('\\') {
            Some(start) => open += start,
            None => joined.push(std::mem::take(&mut open) + line),
        }
    }
    joined
}

fn run(command: &str, directory: &Path) -> String {
    let command = command.replace(BUILD_AND_RUN, "punctual");
    let output = bash(&format!("exec 2>&1; {command}")).current_dir(directory).output().expect("bash runs");
    String::from_utf8_lossy(&output.stdout).into_owned()
}

fn exists(line: &str) -> bool {
    let is_assignment = |word: &&str| word.split_once('=').is_some_and(|(name, _)| !name.contains('/'));
    let Some(word) = line.split_whitespace().find(|word| !is_assignment(word)) else { return true };
    if word.contains('/') {
        return source::root().join(word).is_file();
    }
    bash(&format!("command -v {word}")).stdout(Stdio::null()).status().expect("bash runs").success()
}

/// A shell in which the binary that was built for this test comes first.
fn bash(script: &str) -> Command {
    let programs = Path::new(env!("CARGO_BIN_EXE_punctual")).parent().expect("a directory");
    let path = std::env::var("PATH").unwrap_or_default();
    let mut bash = Command::new("bash");
    bash.args(["-c", script]).env("PATH", format!("{}:{path}", programs.display())).stdin(Stdio::null());
    bash
}

/// A directory of that name, without what an earlier run left there.
fn fresh_directory(name: &str) -> PathBuf {
    let directory = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    if directory.exists() {
        fs::remove_dir_all(&directory).expect("an old directory can be removed");
    }
    fs::create_dir_all(&directory).expect("a directory for temporary files");
    directory
}

//! A whole command line: which command of it makes the call, and what the others mean.

use std::collections::BTreeMap;

use super::command::{self, Prefixes};
use super::token::{Token, Variables, Word, tokens};
use crate::action::Call;
use crate::draft::Draft;
use crate::fill::Fills;
use crate::limits::SHELL_DEPTH_MAX;

/// What a command line can name.
#[derive(Clone, Copy)]
pub(crate) struct Environment<'a> {
    /// Variables that are set.
    pub(crate) variables: &'a BTreeMap<String, String>,
    /// What fills the others.
    pub(crate) fills: &'a Fills<'a>,
}

/// A command line that makes one call.
#[derive(Clone, Debug)]
pub(crate) struct Script {
    pub(crate) call: Call,
    pub(crate) prefixes: Prefixes,
}

/// One command and the operator behind it.
struct Part {
    words: Vec<Word>,
    redirects: Vec<(&'static str, String)>,
    operator: Option<&'static str>,
}

/// Reads a command line, or says why only a shell can carry it out.
pub(crate) fn read(
    text: &str,
    stdin: Option<&str>,
    environment: Environment<'_>,
    draft: &mut Draft,
) -> Result<Script, String> {
    read_deeper(text, stdin, environment, draft, 0)
}

pub(super) fn read_deeper(
    text: &str,
    stdin: Option<&str>,
    environment: Environment<'_>,
    draft: &mut Draft,
    depth: usize,
) -> Result<Script, String> {
    if depth > SHELL_DEPTH_MAX {
        return Err("shells are inside each other too often".to_owned());
    }
    let variables = Variables { known: environment.variables, fills: environment.fills, line: draft.line };
    let mut parts = parts(tokens(text, variables)?)?;
    let mut prefixes = Prefixes::default();
    drop_background(&mut parts, draft);
    drop_endings(&mut parts);
    drop_beginnings(&mut parts, &mut prefixes)?;
    let part = match parts.as_slice() {
        [] => return Err("it has no command".to_owned()),
        [part] => part,
        [first, ..] => return Err(chain(first.operator.unwrap_or(";"))),
    };
    redirects(&part.redirects, draft)?;
    if let Some(command) = part.words.iter().find_map(|word| word.commands.first()) {
        return Err(format!(
            "only a shell can carry out $({command}); for dates and the like jobs have placeholders (options.placeholders)"
        ));
    }
    let words: Vec<String> = part.words.iter().map(|word| word.text.clone()).collect();
    let call = command::of_words(&words, stdin, environment, &mut prefixes, draft, depth)?;
    Ok(Script { call, prefixes })
}

fn chain(operator: &str) -> String {
    match operator {
        "|" => "its answer goes to another command by a pipe (|), and jobs only call".to_owned(),
        "(" | ")" => "it has commands in brackets, which only a shell can carry out".to_owned(),
        "\n" => "it has several lines of commands".to_owned(),
        operator => format!("it is a chain of commands ({operator}): make a job of each call, or a script on a server"),
    }
}

fn parts(tokens: Vec<Token>) -> Result<Vec<Part>, String> {
    let new = || Part { words: Vec::new(), redirects: Vec::new(), operator: None };
    let mut parts = vec![new()];
    let mut redirect = None;
    for token in tokens {
        let part = parts.last_mut().ok_or("it has no command")?;
        match token {
            Token::Word(word) => match redirect.take() {
                Some(kind) => part.redirects.push((kind, word.text)),
                None => part.words.push(word),
            },
            Token::Redirect(kind) => redirect = Some(kind),
            Token::Operator(operator @ ("(" | ")")) => return Err(chain(operator)),
            Token::Operator(operator) => {
                part.operator = Some(operator);
                parts.push(new());
            }
        }
    }
    parts.retain(|part| !part.words.is_empty() || !part.redirects.is_empty());
    Ok(parts)
}

/// A last `&` changes nothing for a job. One in the middle of an address is a trap: the shell ends the address there.
fn drop_background(parts: &mut Vec<Part>, draft: &mut Draft) {
    let is_rest_of_query = |part: &Part| part.words.iter().all(|word| word.text.contains('='));
    let has_query = |part: &Part| part.words.last().is_some_and(|word| word.text.contains('?'));
    let Some(at) = parts.iter().position(|part| part.operator == Some("&")) else { return };
    if has_query(&parts[at]) && at + 1 < parts.len() && parts[at + 1..].iter().all(is_rest_of_query) {
        // The names alone: what they are set to may be secret.
        let name = |word: &Word| format!("{}=…", word.text.split('=').next().unwrap_or_default());
        let rest: Vec<_> = parts[at + 1..].iter().flat_map(|part| &part.words).map(name).collect();
        draft.near(format!(
            "the address is not in quotes: the shell ends it at the first & and never sent {}; put it in quotes if it was meant",
            rest.join("&")
        ));
        parts.truncate(at + 1);
    }
}

/// Takes out what follows the call and does nothing: `|| true`, `; exit 0`.
fn drop_endings(parts: &mut Vec<Part>) {
    while parts.len() > 1 {
        let before = parts[parts.len() - 2].operator;
        let words: Vec<_> = parts[parts.len() - 1].words.iter().map(|word| word.text.as_str()).collect();
        let is_idle = matches!(words.as_slice(), ["true" | ":"] | ["exit", ..]) && before != Some("|");
        if !is_idle {
            return;
        }
        parts.pop();
    }
}

/// Takes out what stands before the call and only prepares it.
fn drop_beginnings(parts: &mut Vec<Part>, prefixes: &mut Prefixes) -> Result<(), String> {
    while parts.len() > 1 {
        let operator = parts[0].operator.unwrap_or(";");
        if !["&&", ";", "\n"].contains(&operator) {
            return Ok(());
        }
        let words: Vec<_> = parts[0].words.iter().map(|word| word.text.as_str()).collect();
        match words.as_slice() {
            ["cd" | "." | "source" | "set" | "umask", ..] => {}
            ["sleep", seconds] => {
                let seconds = seconds.trim_end_matches('s').parse().ok().filter(|seconds| *seconds < 60);
                let random = parts[0].words.iter().any(|word| !word.commands.is_empty());
                match seconds {
                    Some(seconds) => prefixes.sleep_seconds = Some(seconds),
                    None if random => return Err("it sleeps for a random time: options.jitter does that".to_owned()),
                    None => return Err("it sleeps for longer than a minute: give the job another time".to_owned()),
                }
            }
            ["test" | "[" | "[[", ..] if operator == "&&" && is_tomorrow_the_first(&parts[0]) => {
                prefixes.is_last_day = true;
            }
            _ => return Ok(()),
        }
        parts.remove(0);
    }
    Ok(())
}

/// `[ "$(date -d tomorrow +%d)" = "01" ]` and its kin.
fn is_tomorrow_the_first(part: &Part) -> bool {
    let is_date = |command: &String| {
        let command = command.to_ascii_lowercase().replace(['"', '\'', ' '], "");
        let is_tomorrow = ["tomorrow", "+1day", "1day", "nextday", "-v+1d"].iter().any(|word| command.contains(word));
        command.starts_with("date")
            && is_tomorrow
            && (command.ends_with("+%d") || command.contains("+%d") || command.ends_with("+%e"))
    };
    let has_date = part.words.iter().flat_map(|word| &word.commands).any(is_date);
    let is_compared = part.words.iter().any(|word| ["=", "==", "-eq"].contains(&word.text.as_str()));
    let is_first = part.words.iter().any(|word| ["1", "01"].contains(&word.text.as_str()));
    has_date && is_compared && is_first
}

/// Where the answer went. Input from a file is what only the machine has.
fn redirects(redirects: &[(&'static str, String)], draft: &mut Draft) -> Result<(), String> {
    for (kind, target) in redirects {
        match (*kind, target.as_str()) {
            ("<", "/dev/null") => {}
            ("<", file) => return Err(format!("it reads the file {file}")),
            (_, "/dev/null" | "/dev/stdout" | "/dev/stderr") | (">&", _) => {}
            (_, file) => {
                draft.near(format!("the answer went to {file}; here history keeps its first 1,024 characters"));
            }
        }
    }
    Ok(())
}

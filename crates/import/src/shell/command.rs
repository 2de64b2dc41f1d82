//! One command: what stands in front of it, and whether it is a curl or a wget.

use super::curl::{self, milliseconds};
use super::script::{self, Environment};
use super::wget;
use crate::action::Call;
use crate::draft::Draft;

/// What stands in front of a command and says how it is run.
#[derive(Clone, Debug, Default)]
pub(crate) struct Prefixes {
    /// A lock: a run that is due while another one goes on is left out.
    pub(crate) is_locked: bool,
    /// In milliseconds.
    pub(crate) timeout_ms: Option<u64>,
    /// Seconds that it waits before.
    pub(crate) sleep_seconds: Option<u32>,
    /// It runs only if tomorrow is the first day of a month.
    pub(crate) is_last_day: bool,
}

/// Reads the words of one command.
pub(crate) fn of_words(
    words: &[String],
    stdin: Option<&str>,
    environment: Environment<'_>,
    prefixes: &mut Prefixes,
    draft: &mut Draft,
    depth: usize,
) -> Result<Call, String> {
    let words = without_prefixes(words, prefixes, draft)?;
    let Some((program, arguments)) = words.split_first() else { return Err("it has no command".to_owned()) };
    match program.rsplit('/').next().unwrap_or_default() {
        "curl" => curl::call(arguments, stdin, environment.fills, draft),
        "wget" => wget::call(arguments, environment.fills, draft),
        name @ ("sh" | "bash" | "dash" | "ash" | "zsh") => {
            let is_script = |word: &&String| word.starts_with('-') && word.ends_with('c');
            match arguments.iter().position(|word| is_script(&word)) {
                Some(at) if arguments.len() > at + 1 => {
                    let script = script::read_deeper(&arguments[at + 1], stdin, environment, draft, depth + 1)?;
                    prefixes.merge(&script.prefixes);
                    Ok(script.call)
                }
                _ => Err(format!("it runs a script ({name}), and only calls of curl and wget can be read")),
            }
        }
        name => Err(format!("it runs {name:?}, and only calls of curl and wget can be read")),
    }
}

impl Prefixes {
    fn merge(&mut self, inner: &Self) {
        self.is_locked |= inner.is_locked;
        self.is_last_day |= inner.is_last_day;
        self.timeout_ms = self.timeout_ms.or(inner.timeout_ms);
        self.sleep_seconds = self.sleep_seconds.or(inner.sleep_seconds);
    }
}

/// The words behind `nice`, `timeout 30`, `flock -n FILE` and their kin.
fn without_prefixes<'a>(
    words: &'a [String],
    prefixes: &mut Prefixes,
    draft: &mut Draft,
) -> Result<&'a [String], String> {
    let mut words = words;
    loop {
        let Some((first, rest)) = words.split_first() else { return Ok(words) };
        let is_assignment = first
            .split_once('=')
            .is_some_and(|(name, _)| !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_'));
        words = match first.rsplit('/').next().unwrap_or_default() {
            _ if is_assignment => rest,
            "nice" => after_options(rest, &["-n"]),
            "ionice" => after_options(rest, &["-c", "-n"]),
            "sudo" | "doas" => {
                let rest = after_options(rest, &["-u", "-g"]);
                if rest.is_empty() {
                    return Ok(rest);
                }
                rest
            }
            "nohup" | "time" | "chronic" | "cronic" | "exec" | "env" | "command" | "setsid" => after_options(rest, &[]),
            "timeout" => {
                let rest = after_options(rest, &["-k", "-s"]);
                let Some((limit, rest)) = rest.split_first() else { return Err("timeout has no limit".to_owned()) };
                prefixes.timeout_ms = Some(duration_ms(limit)?);
                rest
            }
            "flock" => {
                let is_waiting = !rest.iter().take_while(|word| word.starts_with('-')).any(|word| word.contains('n'));
                if is_waiting {
                    draft.near("a run waited for the one before it (flock without -n); here it is left out");
                }
                prefixes.is_locked = true;
                let rest = after_options(rest, &["-w", "-E"]);
                let Some((_, rest)) = rest.split_first() else { return Err("flock has no file".to_owned()) };
                rest
            }
            _ => return Ok(words),
        };
    }
}

fn after_options<'a>(words: &'a [String], with_value: &[&str]) -> &'a [String] {
    let mut words = words;
    while let Some((first, rest)) = words.split_first().filter(|(first, _)| first.starts_with('-') && first.len() > 1) {
        words = if with_value.contains(&first.as_str()) { rest.get(1..).unwrap_or_default() } else { rest };
    }
    words
}

/// `30`, `30s`, `5m`, `1h`.
fn duration_ms(text: &str) -> Result<u64, String> {
    let (number, factor) = match text.chars().last() {
        Some('m') => (text.trim_end_matches('m'), 60),
        Some('h') => (text.trim_end_matches('h'), 3600),
        Some('d') => (text.trim_end_matches('d'), 86_400),
        _ => (text, 1),
    };
    Ok(milliseconds(number, "timeout")?.saturating_mul(factor))
}

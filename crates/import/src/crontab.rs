//! Crontabs: lines that call curl or wget become jobs.

mod line;
mod time;

use std::collections::BTreeMap;

use crate::draft::Draft;
use crate::fill::without_marks;
use crate::gather::Gather;
use crate::report::Verdict;
use crate::shell::{self, Environment};
use line::Line;

/// What holds for the lines that follow.
#[derive(Default)]
struct State {
    variables: BTreeMap<String, String>,
    zone: Option<String>,
}

pub(crate) fn read(text: &str, gather: &mut Gather<'_>) {
    let text = without_marks(text);
    let lines: Vec<(u32, Line<'_>)> = line::lines(&text).collect();
    let is_system = line::is_system(lines.iter().map(|(_, line)| line));
    if is_system {
        gather.note("the lines name a user before the command, as /etc/crontab does; jobs have no user");
    }
    let mut state = State { zone: gather.settings.time_zone.map(str::to_owned), ..State::default() };
    for (number, line) in lines {
        match line {
            Line::Variable(name, value) => set(number, name, value, &mut state, gather),
            Line::Wrong(text, why) => {
                let words: Vec<_> = text.split_whitespace().take(2).collect();
                gather.refuse(number, shortened(&format!("{} …", words.join(" "))), why);
            }
            Line::Job { time, rest } => job(number, time, rest, is_system, &state, gather),
        }
    }
}

fn set(number: u32, name: &str, value: &str, state: &mut State, gather: &mut Gather<'_>) {
    match name {
        "CRON_TZ" => state.zone = Some(value.to_owned()),
        "TZ" => gather.note("TZ holds for commands, not for their times: only CRON_TZ does"),
        "MAILTO" if !value.is_empty() => {
            let remark = format!(
                "cron mails what commands print to {value}; here an alert tells: punctual alert set NAME --when failing,recovered --email {value}"
            );
            gather.finding(number, format!("MAILTO={value}"), Verdict::ByHand, vec![remark]);
        }
        _ => {}
    }
    state.variables.insert(name.to_owned(), value.to_owned());
}

fn job(number: u32, time: &str, rest: &str, is_system: bool, state: &State, gather: &mut Gather<'_>) {
    let rest = if is_system { rest.split_once([' ', '\t']).map_or("", |(_, rest)| rest.trim_start()) } else { rest };
    let (command, stdin) = line::percent(rest);
    // The command itself is not shown: it may have secrets in it.
    let program = command.split_whitespace().next().unwrap_or_default();
    let mut draft = Draft::new(number, shortened(&format!("{time} {program} …")), format!("line-{number}"));
    let environment = Environment { variables: &state.variables, fills: &gather.fills };
    let script = match shell::read(&command, stdin.as_deref(), environment, &mut draft) {
        Ok(script) => script,
        Err(why) => return gather.refuse(number, draft.item, why),
    };
    if let Err(why) = time::put_into(time, &script.prefixes, state.zone.as_deref(), &mut draft) {
        return gather.refuse(number, draft.item, why);
    }
    if state.zone.is_none() {
        gather.note(
            "the times of a crontab are those of its machine: without CRON_TZ and --time-zone they are taken as UTC",
        );
    }
    let mut call = script.call;
    // cron waits as long as it takes; no job waits longer than half an hour.
    call.timeout_ms = script.prefixes.timeout_ms.or(call.timeout_ms).or(Some(u64::MAX));
    draft.name = call.job_name().unwrap_or(draft.name);
    let method = call.method.as_deref().unwrap_or_default();
    draft.item = shortened(&format!("{time} {method} {}", gather.fills.shown(&call.uri)));
    call.put_into(&mut draft, gather);
    draft.set_in("options", "overlap", if script.prefixes.is_locked { "skip" } else { "allow" });
    draft.set_in("options", "catchUp", "none");
    gather.add(draft);
}

/// A line as a report shows it: it need not be long.
fn shortened(text: &str) -> String {
    match text.char_indices().nth(80) {
        Some((at, _)) => format!("{}…", &text[..at]),
        None => text.to_owned(),
    }
}

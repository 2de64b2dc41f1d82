//! `punctual next`: when will this run?

mod output;
mod source;

use clap::Args;
use punctual_model::Violation;
use punctual_model::time::{Clock, DateTime, Timestamp, Zone};

use super::failure::{Failure, print_note};
use super::output::Output;
use punctual_api::preview::{Preview, Question};

/// How many occurrences are shown where nothing is said.
const COUNT_DEFAULT: usize = 10;
/// More than anyone reads, and few enough to be there at once.
const COUNT_MAX: u64 = 100_000;

#[derive(Args)]
#[command(after_help = "\
Examples:
  punctual next job.json
  punctual next --cron '15 5,17 * * wed#3' --time-zone Europe/Prague
  punctual next --every '2 days' --start 2026-04-07T14:00Z --count 5
  punctual next job.json --from 2027-03-01 --to 2027-04-01 --output json

Instants are ISO 8601; without an offset they are UTC, or in the time zone of the recurrence (--start).
Exit status: 0 shown, 1 failed, 2 something is wrong with the job (every violation is on stderr), 3 no such file.")]
pub(crate) struct Arguments {
    #[command(flatten)]
    source: source::Source,

    /// Take this for the present
    #[arg(long, value_name = "INSTANT")]
    now: Option<String>,

    /// Show so many occurrences [default: 10, or all up to --to]
    #[arg(long, value_name = "N", allow_hyphen_values = true, value_parser = clap::value_parser!(u64).range(1..=COUNT_MAX))]
    count: Option<u64>,

    /// Show none before this
    #[arg(long, value_name = "INSTANT")]
    from: Option<String>,

    /// Show none after this
    #[arg(long, value_name = "INSTANT")]
    to: Option<String>,

    /// Show this zone's time beside UTC [default: the time zone of the recurrence]
    #[arg(long, value_name = "ZONE")]
    zone: Option<String>,

    /// How to show it
    #[arg(long, value_enum, default_value_t = Output::Table)]
    output: Output,
}

/// Reads a job and prints its next occurrences.
pub(crate) fn run(arguments: &Arguments, clock: &dyn Clock) -> Result<(), Failure> {
    let mut violations = Vec::new();
    let now = instant("--now", arguments.now.as_deref(), &mut violations).unwrap_or_else(|| clock.now());
    let from = instant("--from", arguments.from.as_deref(), &mut violations);
    let to = instant("--to", arguments.to.as_deref(), &mut violations);
    let zone = arguments.zone.as_deref().and_then(|name| zone(name, &mut violations));
    if let (Some(from), Some(to)) = (from, to)
        && to < from
    {
        violations.push(Violation::new("--to", to, format!("an instant not before --from, {from}")));
    }
    let timing = match arguments.source.read() {
        Ok(timing) => Some(timing),
        Err(Failure::Invalid(wrong)) => {
            violations.extend(wrong);
            None
        }
        Err(failure) => return Err(failure),
    };
    let Some(timing) = timing.filter(|_| violations.is_empty()) else {
        return Err(violations.into());
    };
    let count = match (arguments.count, to) {
        (Some(count), _) => usize::try_from(count).unwrap_or(usize::MAX),
        (None, Some(_)) => usize::try_from(COUNT_MAX).unwrap_or(usize::MAX),
        (None, None) => COUNT_DEFAULT,
    };
    let question = Question { now, from, to, count };
    let preview = Preview::new(&timing, &question).map_err(|violation| arguments.source.by_flag(violation))?;
    match arguments.output {
        Output::Table => {
            if zone.is_some() && arguments.source.is_rule_without_zone() {
                let text = "the rule itself is in UTC, unless --time-zone says otherwise";
                print_note(&format!("note: --zone only shows the times; {text}"));
            }
            output::table(&preview, zone)
        }
        Output::Json | Output::Yaml | Output::Name => output::data(&preview, arguments.output),
    }
}

fn instant(flag: &str, text: Option<&str>, violations: &mut Vec<Violation>) -> Option<Timestamp> {
    let parsed =
        DateTime::parse(text?).map_err(|expected| expected.at(flag, format!("{:?}", text.unwrap_or_default())));
    parsed.map_err(|violation| violations.push(violation)).ok().map(|written| written.resolve(Zone::utc()).instant())
}

fn zone(name: &str, violations: &mut Vec<Violation>) -> Option<Zone> {
    let found = Zone::find(name).map_err(|expected| expected.at("--zone", format!("{name:?}")));
    found.map_err(|violation| violations.push(violation)).ok()
}

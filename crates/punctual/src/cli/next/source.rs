//! Where the rule of a job comes from: a file, standard input, or flags.

use clap::Args;
use punctual_api::wire::{Parsed, Timing, Unknown, parse_timing};
use punctual_model::recurrence::{CronDialect, Parts, Recurrence};
use punctual_model::time::{DateTime, Zone};
use punctual_model::{Violation, Warning};

use super::super::document;
use super::super::every;
use super::super::failure::Failure;

#[derive(Args)]
pub(super) struct Source {
    /// A file with a job, its properties, or only startTime and recurrence, in JSON (comments are fine); - is stdin
    #[arg(value_name = "FILE", conflicts_with_all = ["cron", "cron_dialect", "every", "start", "time_zone"])]
    file: Option<String>,

    /// A cron expression instead of a file
    #[arg(long, value_name = "EXPRESSION", conflicts_with = "every", allow_hyphen_values = true)]
    cron: Option<String>,

    /// Whose cron --cron is: debian, or quartz with its six or seven fields and weekdays from 1 = Sunday
    #[arg(long, value_name = "DIALECT", requires = "cron")]
    cron_dialect: Option<String>,

    /// An interval instead of a file: 15m, '2 hours', day, 3 weeks, month, year
    #[arg(long, value_name = "INTERVAL", allow_hyphen_values = true)]
    every: Option<String>,

    /// When --cron or --every starts; alone, a job that runs once
    #[arg(long, value_name = "INSTANT")]
    start: Option<String>,

    /// The time zone of --cron, --every and --start: an IANA or Windows name
    #[arg(long, value_name = "ZONE")]
    time_zone: Option<String>,
}

impl Source {
    /// What the user says about time, with what had to be bent for it.
    pub(super) fn read(&self) -> Result<Parsed<Timing>, Failure> {
        match &self.file {
            Some(file) => Ok(parse_timing(&document::read(file)?, Unknown::Warned)?),
            None if self.cron.is_none() && self.every.is_none() && self.start.is_none() => {
                Err(Violation::new("", "nothing", "a FILE (- for standard input), --cron, --every or --start").into())
            }
            None => self.by_flags(),
        }
    }

    /// Whether the rule was given by flags that name no zone.
    pub(super) fn is_rule_without_zone(&self) -> bool {
        (self.cron.is_some() || self.every.is_some()) && self.time_zone.is_none()
    }

    fn by_flags(&self) -> Result<Parsed<Timing>, Failure> {
        let mut violations = Vec::new();
        let parts = match (&self.cron, &self.every) {
            (Some(cron), _) => {
                let cron_dialect = self.dialect().map_err(|violation| violations.push(violation)).unwrap_or_default();
                Some(Parts { cron: Some(cron.clone()), cron_dialect, ..Parts::default() })
            }
            (None, Some(text)) => {
                let parts = every::parse(text).map_err(|expected| expected.at("--every", quoted(text)));
                parts.map_err(|violation| violations.push(violation)).ok()
            }
            (None, None) => None,
        };
        let zone = self.time_zone.as_deref().map(|name| (name, Zone::find(name)));
        let recurrence = parts.and_then(|parts| {
            let made = Recurrence::new(&Parts { time_zone: self.time_zone.clone(), ..parts });
            made.map_err(|wrong| violations.extend(wrong.into_iter().map(|violation| self.by_flag(violation)))).ok()
        });
        let zone = match zone {
            Some((_, Ok(zone))) => zone,
            Some((name, Err(expected))) => {
                let violation = expected.at("--time-zone", quoted(name));
                violations.extend((!violations.contains(&violation)).then_some(violation));
                Zone::utc()
            }
            None => Zone::utc(),
        };
        let start = self.start.as_ref().and_then(|text| {
            let written = DateTime::parse(text).map_err(|expected| expected.at("--start", quoted(text)));
            written.map_err(|violation| violations.push(violation)).ok().map(|written| written.resolve(zone))
        });
        if !violations.is_empty() {
            return Err(violations.into());
        }
        let moved = start.and_then(|start| start.moved_text(zone)).map(|text| Warning::new("--start", text));
        let value = Timing { start, recurrence, ..Timing::default() };
        Ok(Parsed { value, warnings: moved.into_iter().collect() })
    }

    fn dialect(&self) -> Result<Option<CronDialect>, Violation> {
        let Some(name) = &self.cron_dialect else { return Ok(None) };
        let found = CronDialect::ALL.into_iter().find(|dialect| dialect.name().eq_ignore_ascii_case(name));
        let names = CronDialect::ALL.map(CronDialect::name).join(" or ");
        found.map(Some).ok_or_else(|| Violation::new("--cron-dialect", quoted(name), names))
    }

    /// A violation of the rule, by the flag it comes from; that of a file as it is.
    pub(super) fn by_flag(&self, mut violation: Violation) -> Violation {
        if self.file.is_none() {
            violation.path = match violation.path.as_str() {
                "timeZone" => "--time-zone".to_owned(),
                "cronDialect" => "--cron-dialect".to_owned(),
                _ if self.cron.is_some() => "--cron".to_owned(),
                _ => "--every".to_owned(),
            };
        }
        violation
    }
}

fn quoted(text: &str) -> String {
    format!("{text:?}")
}

//! Where the rule of a job comes from: a file, standard input, or flags.

use std::fs::File;
use std::io::{self, Read};

use clap::Args;
use punctual_api::wire::{Json, Parsed, Timing, parse_timing};
use punctual_model::recurrence::{Parts, Recurrence};
use punctual_model::time::{DateTime, Zone};
use punctual_model::{Violation, Warning};

use super::super::failure::Failure;
use super::super::{every, relaxed_json};

/// A job with its actions fits many times over; something larger is not a job.
const FILE_BYTES_MAX: u64 = 1 << 20;

#[derive(Args)]
pub(super) struct Source {
    /// A file with a job, its properties, or only startTime and recurrence, in JSON (comments are fine); - is stdin
    #[arg(value_name = "FILE", conflicts_with_all = ["cron", "every", "start", "time_zone"])]
    file: Option<String>,

    /// A cron expression instead of a file
    #[arg(long, value_name = "EXPRESSION", conflicts_with = "every")]
    cron: Option<String>,

    /// An interval instead of a file: 15m, '2 hours', day, 3 weeks, month, year
    #[arg(long, value_name = "INTERVAL")]
    every: Option<String>,

    /// When --cron or --every starts; alone, a job that runs once
    #[arg(long, value_name = "INSTANT")]
    start: Option<String>,

    /// The time zone --cron or --every is in: an IANA or Windows name
    #[arg(long, value_name = "ZONE")]
    time_zone: Option<String>,
}

impl Source {
    /// What the user says about time, with what had to be bent for it.
    pub(super) fn read(&self) -> Result<Parsed<Timing>, Failure> {
        match &self.file {
            Some(file) => Ok(parse_timing(&Json::parse(&relaxed_json::to_strict(&read_file(file)?))?)?),
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
        let parts = match (&self.cron, &self.every) {
            (Some(cron), _) => Some(Parts { cron: Some(cron.clone()), ..Parts::default() }),
            (None, Some(text)) => Some(every::parse(text).map_err(|expected| expected.at("--every", quoted(text)))?),
            (None, None) => None,
        };
        let recurrence = match parts {
            Some(parts) => Some(recurrence(&Parts { time_zone: self.time_zone.clone(), ..parts })?),
            None => None,
        };
        let zone = recurrence.as_ref().map_or_else(Zone::utc, Recurrence::zone);
        let start = match &self.start {
            Some(text) => {
                Some(DateTime::parse(text).map_err(|expected| expected.at("--start", quoted(text)))?.resolve(zone))
            }
            None => None,
        };
        let moved = start.and_then(|start| start.moved_text(zone)).map(|text| Warning::new("--start", text));
        let warnings = moved.into_iter().collect();
        Ok(Parsed { value: Timing { start, recurrence, state: None }, warnings })
    }
}

fn quoted(text: &str) -> String {
    format!("{text:?}")
}

/// The recurrence, its violations by the flags they come from.
fn recurrence(parts: &Parts) -> Result<Recurrence, Failure> {
    Recurrence::new(parts).map_err(|violations| {
        let by_flag = |mut violation: Violation| {
            violation.path = match violation.path.as_str() {
                "interval" => "--every".to_owned(),
                "timeZone" => "--time-zone".to_owned(),
                member => format!("--{member}"),
            };
            violation
        };
        Failure::Invalid(violations.into_iter().map(by_flag).collect())
    })
}

fn read_file(name: &str) -> Result<String, Failure> {
    let mut text = String::new();
    let read = if name == "-" {
        io::stdin().take(FILE_BYTES_MAX + 1).read_to_string(&mut text)
    } else {
        File::open(name).and_then(|file| file.take(FILE_BYTES_MAX + 1).read_to_string(&mut text))
    };
    match read {
        Ok(_) if u64::try_from(text.len()).is_ok_and(|length| length <= FILE_BYTES_MAX) => Ok(text),
        Ok(_) => Err(Violation::new(name, "more", format!("at most {FILE_BYTES_MAX} bytes")).into()),
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            Err(Failure::NotFound(format!("{name}: no such file")))
        }
        Err(error) if error.kind() == io::ErrorKind::InvalidData => {
            Err(Violation::new(name, "other bytes", "text in UTF-8").into())
        }
        Err(error) => Err(Failure::Failed(anyhow::Error::new(error).context(format!("cannot read {name}")))),
    }
}

//! What flags say about a job, as the API takes it.

use clap::Args;
use punctual_model::Violation;
use punctual_model::recurrence::Frequency;
use punctual_model::time::{Timestamp, Zone};
use serde_json::{Map, Value, json};

use crate::cli::document;
use crate::cli::every;
use crate::cli::failure::Failure;
use crate::cli::instant::{self, Toward};

/// When a job runs.
#[derive(Args, Default)]
#[command(next_help_heading = "When it runs")]
pub(super) struct When {
    /// Run at this interval: 5m, '2 hours', day, 3 weeks, month, year
    #[arg(long, value_name = "INTERVAL", conflicts_with_all = ["cron", "at"])]
    every: Option<String>,

    /// Run when this cron expression says
    #[arg(long, value_name = "EXPRESSION", conflicts_with = "at")]
    cron: Option<String>,

    /// Run once, then: 08:00, 'tomorrow 08:00', monday, 10m, 2026-12-01T08:00
    #[arg(long, value_name = "TIME", conflicts_with = "start")]
    at: Option<String>,

    /// Whose cron --cron is: debian, or quartz with its six or seven fields
    #[arg(long, value_name = "DIALECT", requires = "cron")]
    cron_dialect: Option<String>,

    /// The time zone of all of these: an IANA or Windows name [default: UTC]
    #[arg(long, value_name = "ZONE")]
    zone: Option<String>,

    /// When --every or --cron starts [default: now]
    #[arg(long, value_name = "TIME")]
    start: Option<String>,

    /// When --every or --cron ends
    #[arg(long, value_name = "TIME")]
    end: Option<String>,

    /// How often --every or --cron runs it, at most
    #[arg(long, value_name = "NUMBER")]
    count: Option<u32>,
}

/// What a job does, and how it is dealt with.
#[derive(Args, Default)]
#[command(next_help_heading = "What it does")]
pub(super) struct What {
    /// GET, POST or another one [default: GET, or POST with a body]
    #[arg(long, value_name = "METHOD")]
    method: Option<String>,

    /// A header of the request, as 'Name: value'; 'Name:' takes it away. May be given several times
    #[arg(long, value_name = "HEADER")]
    header: Vec<String>,

    /// The body of the request; @FILE is what is in a file
    #[arg(long, value_name = "TEXT")]
    body: Option<String>,

    /// The address that is called once all attempts have failed
    #[arg(long, value_name = "URL")]
    on_error: Option<String>,

    /// How often a failed attempt is repeated; 0 is never [default: 4]
    #[arg(long, value_name = "NUMBER")]
    retries: Option<u32>,

    /// How long after a failed attempt the next one comes, such as 30s [default: 30s]
    #[arg(long, value_name = "DURATION")]
    retry_interval: Option<String>,

    /// Double the time between attempts up to this, such as 1h
    #[arg(long, value_name = "DURATION")]
    retry_interval_max: Option<String>,

    /// How long an attempt may take, such as 5m [default: 1m]
    #[arg(long, value_name = "DURATION")]
    timeout: Option<String>,

    /// How far runs are spread after their time, such as 30s
    #[arg(long, value_name = "DURATION")]
    jitter: Option<String>,

    /// What happens while a run takes longer than to the next one: skip or allow [default: skip]
    #[arg(long, value_name = "RULE")]
    overlap: Option<String>,

    /// What happens to runs that were missed: latest, all or none [default: latest]
    #[arg(long, value_name = "RULE")]
    catch_up: Option<String>,

    /// Fill in {{placeholders}} in address, headers and body
    #[arg(long)]
    placeholders: bool,

    /// Send nothing, and record what would have been sent: --shadow, or --shadow=false to end it
    #[arg(long, value_name = "TRUTH", num_args = 0..=1, require_equals = true, default_missing_value = "true")]
    shadow: Option<bool>,
}

impl When {
    /// Whether nothing says when the job runs.
    pub(super) const fn is_empty(&self) -> bool {
        self.every.is_none() && self.cron.is_none() && self.at.is_none() && self.start.is_none()
    }

    /// The members `startTime` and `recurrence`. `null` takes a member away that does not go with the new ones. Where no flag names a
    /// zone, times are those of `zone`.
    pub(super) fn overlay(&self, now: Timestamp, zone: Zone) -> Result<Map<String, Value>, Failure> {
        let mut violations = Vec::new();
        let zone = match self.zone.as_deref().map(|name| (name, Zone::find(name))) {
            Some((_, Ok(zone))) => zone,
            Some((name, Err(expected))) => {
                violations.push(expected.at("--zone", format!("{name:?}")));
                zone
            }
            None => zone,
        };
        let mut instant = |flag: &str, text: &Option<String>| {
            let text = text.as_ref()?;
            let at = instant::parse_near(text, now, zone, Toward::Future);
            at.map_err(|expected| violations.push(expected.at(flag, format!("{text:?}")))).ok().map(|at| at.to_string())
        };
        let (at, start, end) =
            (instant("--at", &self.at), instant("--start", &self.start), instant("--end", &self.end));
        let mut recurrence = Map::new();
        if let Some(text) = &self.every {
            match every::parse(text) {
                Ok(parts) => {
                    recurrence.insert("frequency".to_owned(), json!(parts.frequency.map(Frequency::name)));
                    recurrence.insert("interval".to_owned(), json!(parts.interval));
                    nothing(&mut recurrence, &["cron", "cronDialect", "schedule"]);
                }
                Err(expected) => violations.push(expected.at("--every", format!("{text:?}"))),
            }
        }
        if let Some(cron) = &self.cron {
            recurrence.insert("cron".to_owned(), json!(cron));
            recurrence.insert("cronDialect".to_owned(), json!(self.cron_dialect));
            nothing(&mut recurrence, &["frequency", "interval", "schedule"]);
        }
        if !violations.is_empty() {
            return Err(violations.into());
        }
        if self.at.is_none() {
            let given = [("timeZone", json!(self.zone)), ("endTime", json!(end)), ("count", json!(self.count))];
            recurrence.extend(
                given.into_iter().filter(|(_, value)| !value.is_null()).map(|(name, value)| (name.to_owned(), value)),
            );
        }
        let mut members = Map::new();
        if let Some(start) = at.as_ref().or(start.as_ref()) {
            members.insert("startTime".to_owned(), json!(start));
        }
        if at.is_some() {
            members.insert("recurrence".to_owned(), Value::Null);
        } else if !recurrence.is_empty() {
            members.insert("recurrence".to_owned(), Value::Object(recurrence));
        }
        Ok(members)
    }
}

fn nothing(members: &mut Map<String, Value>, names: &[&str]) {
    members.extend(names.iter().map(|name| ((*name).to_owned(), Value::Null)));
}

impl What {
    /// The members `action` and `options`.
    pub(super) fn overlay(&self, uri: Option<&str>) -> Result<Map<String, Value>, Failure> {
        let mut request = Map::new();
        put(&mut request, "uri", uri);
        put(&mut request, "method", self.method.as_deref());
        let headers = self.header.iter().map(|header| parse_header(header)).collect::<Result<Map<_, _>, _>>()?;
        if !headers.is_empty() {
            request.insert("headers".to_owned(), Value::Object(headers));
        }
        put(&mut request, "body", self.read_body()?.as_deref());
        let mut retry = Map::new();
        match self.retries {
            Some(0) => put(&mut retry, "retryType", Some("none")),
            Some(number) => _ = retry.insert("retryCount".to_owned(), json!(number)),
            None => {}
        }
        put(&mut retry, "retryInterval", self.retry_interval.as_deref());
        put(&mut retry, "retryIntervalMax", self.retry_interval_max.as_deref());
        if self.retry_interval_max.is_some() {
            put(&mut retry, "retryType", Some("exponential"));
        } else if !retry.is_empty() && self.retries != Some(0) {
            put(&mut retry, "retryType", Some("fixed"));
        }
        let mut action = Map::new();
        let error = self.on_error.as_ref().map(|uri| json!({ "request": { "uri": uri } }));
        put_members(&mut action, "request", request);
        put_members(&mut action, "retryPolicy", retry);
        action.extend(error.map(|error| ("errorAction".to_owned(), error)));
        let mut options = Map::new();
        let given = [
            ("timeout", &self.timeout),
            ("jitter", &self.jitter),
            ("overlap", &self.overlap),
            ("catchUp", &self.catch_up),
        ];
        for (name, value) in given {
            put(&mut options, name, value.as_deref());
        }
        if self.placeholders {
            options.insert("placeholders".to_owned(), json!(true));
        }
        if let Some(shadow) = self.shadow {
            options.insert("shadow".to_owned(), json!(shadow));
        }
        let mut members = Map::new();
        put_members(&mut members, "action", action);
        put_members(&mut members, "options", options);
        Ok(members)
    }

    fn read_body(&self) -> Result<Option<String>, Failure> {
        match self.body.as_deref().map(|body| (body, body.strip_prefix('@'))) {
            Some((_, Some(file))) => document::read_text(file).map(Some),
            Some((body, None)) => Ok(Some(body.to_owned())),
            None => Ok(None),
        }
    }
}

fn put(members: &mut Map<String, Value>, name: &str, value: Option<&str>) {
    members.extend(value.map(|value| (name.to_owned(), json!(value))));
}

fn put_members(members: &mut Map<String, Value>, name: &str, value: Map<String, Value>) {
    if !value.is_empty() {
        members.insert(name.to_owned(), Value::Object(value));
    }
}

/// A header and its value; no value takes the header away.
fn parse_header(text: &str) -> Result<(String, Value), Violation> {
    let parts = text.split_once(':').map(|(name, value)| (name.trim(), value.trim()));
    match parts.filter(|(name, _)| !name.is_empty()) {
        Some((name, "")) => Ok((name.to_owned(), Value::Null)),
        Some((name, value)) => Ok((name.to_owned(), json!(value))),
        None => Err(Violation::new("--header", format!("{text:?}"), "a name and a value, such as 'X-Team: ops'")),
    }
}

#[cfg(test)]
mod tests {
    use clap::Parser;
    use insta::assert_snapshot;
    use punctual_model::time::{Timestamp, Zone};
    use serde_json::Value;

    use super::{What, When};
    use crate::cli::failure::Failure;

    #[derive(Parser)]
    struct Flags {
        #[command(flatten)]
        when: When,
        #[command(flatten)]
        what: What,
    }

    fn overlay(arguments: &[&str]) -> String {
        let flags = Flags::try_parse_from([&["job"], arguments].concat()).unwrap();
        let now = Timestamp::from_seconds(1_700_000_000).unwrap();
        let made = flags.when.overlay(now, Zone::utc()).and_then(|mut members| {
            members.extend(flags.what.overlay(None)?);
            Ok(members)
        });
        match made {
            Ok(members) => Value::Object(members).to_string(),
            Err(Failure::Invalid(wrong)) => wrong.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n"),
            Err(_) => "another failure".to_owned(),
        }
    }

    #[test]
    fn times_replace_what_does_not_go_with_them() {
        let texts = [
            overlay(&["--every", "5m"]),
            overlay(&["--cron", "30 2 * * *", "--zone", "Europe/Prague", "--end", "2024-01-01", "--count", "9"]),
            overlay(&["--at", "08:00", "--zone", "Europe/Prague"]),
            overlay(&["--start", "tomorrow 08:00", "--every", "day"]),
            overlay(&["--zone", "Europe/Prague"]),
            overlay(&["--every", "5", "--zone", "Mars/Base", "--end", "someday"]),
        ];
        assert_snapshot!(texts.join("\n"), @r#"
        {"recurrence":{"cron":null,"cronDialect":null,"frequency":"Minute","interval":5,"schedule":null}}
        {"recurrence":{"count":9,"cron":"30 2 * * *","cronDialect":null,"endTime":"2023-12-31T23:00:00Z","frequency":null,"interval":null,"schedule":null,"timeZone":"Europe/Prague"}}
        {"recurrence":null,"startTime":"2023-11-15T07:00:00Z"}
        {"recurrence":{"cron":null,"cronDialect":null,"frequency":"Day","interval":1,"schedule":null},"startTime":"2023-11-15T08:00:00Z"}
        {"recurrence":{"timeZone":"Europe/Prague"}}
        --zone: given "Mars/Base", expected an IANA or Windows time zone name such as Europe/Prague or Central Europe Standard Time
        --end: given "someday", expected 08:00, monday, tomorrow 08:00, 10m, a date such as 2026-01-31, or 2026-01-31T08:00:00Z
        --every: given "5", expected a number and a unit such as 15m, 2 hours, day, 3 weeks, 6 months or year
        "#);
    }

    #[test]
    fn actions_and_options() {
        let texts = [
            overlay(&["--method", "POST", "--header", "X-Team: ops: b", "--header", "Y:", "--body", "{}"]),
            overlay(&["--retries", "0"]),
            overlay(&["--retries", "3", "--retry-interval", "1m"]),
            overlay(&["--retry-interval-max", "1h", "--on-error", "https://b.example"]),
            overlay(&[
                "--timeout",
                "5m",
                "--overlap",
                "allow",
                "--catch-up",
                "none",
                "--jitter",
                "10s",
                "--placeholders",
            ]),
            overlay(&["--header", "nothing"]),
        ];
        assert_snapshot!(texts.join("\n"), @r#"
        {"action":{"request":{"body":"{}","headers":{"X-Team":"ops: b","Y":null},"method":"POST"}}}
        {"action":{"retryPolicy":{"retryType":"none"}}}
        {"action":{"retryPolicy":{"retryCount":3,"retryInterval":"1m","retryType":"fixed"}}}
        {"action":{"errorAction":{"request":{"uri":"https://b.example"}},"retryPolicy":{"retryIntervalMax":"1h","retryType":"exponential"}}}
        {"options":{"catchUp":"none","jitter":"10s","overlap":"allow","placeholders":true,"timeout":"5m"}}
        --header: given "nothing", expected a name and a value, such as 'X-Team: ops'
        "#);
    }
}

//! `recurrence`.

use punctual_model::recurrence::{CronDialect, Frequency, Parts, Recurrence};

use super::json::Json;
use super::object::Object;
use super::schedule;
use super::value::Value;

/// Words for the same thing that the original's documents or their readers use.
const ADVERBS: [(&str, Frequency); 6] = [
    ("minutely", Frequency::Minute),
    ("hourly", Frequency::Hour),
    ("daily", Frequency::Day),
    ("weekly", Frequency::Week),
    ("monthly", Frequency::Month),
    ("yearly", Frequency::Year),
];

pub(super) fn read(mut recurrence: Object<'_>) -> Option<Recurrence> {
    let has_cron = recurrence.has("cron");
    let parts = Parts {
        frequency: recurrence.value("frequency").and_then(|value| frequency(&value)),
        interval: recurrence.integer("interval"),
        schedule: recurrence.object("schedule").and_then(schedule::read),
        // One that is no text was reported; the model shall not take it for missing.
        cron: recurrence.text("cron").or(has_cron.then_some("@daily")).map(str::to_owned),
        cron_dialect: recurrence.value("cronDialect").and_then(|value| dialect(&value)),
        time_zone: recurrence.text("timeZone").map(str::to_owned),
        count: recurrence.integer("count"),
        end_time: recurrence.date_time("endTime"),
    };
    let built = Recurrence::new(&parts).map_err(|violations| recurrence.adopt(None, violations)).ok();
    recurrence.refuse_rest();
    built
}

fn dialect(value: &Value<'_>) -> Option<CronDialect> {
    value.choice(&CronDialect::ALL.map(|dialect| (dialect.name(), dialect)))
}

pub(super) fn frequency(value: &Value<'_>) -> Option<Frequency> {
    let adverb = match value.json {
        Json::Text(text) => ADVERBS.iter().find(|(adverb, _)| adverb.eq_ignore_ascii_case(text.trim())),
        _ => None,
    };
    if let Some((_, frequency)) = adverb {
        value.warn(format!("taken as {}", frequency.name()));
        return Some(*frequency);
    }
    value.choice(&Frequency::ALL.map(|frequency| (frequency.name(), frequency)))
}

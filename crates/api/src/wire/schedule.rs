//! `recurrence.schedule`.

use punctual_model::recurrence::ScheduleParts;
use punctual_model::time::Weekday;

use super::object::Object;
use super::value::Value;

/// Other names for the lists; `days` is what the API before the resource manager called `weekDays`.
pub(super) const OTHER_NAMES: [(&str, &str); 7] = [
    ("minute", "minutes"),
    ("hour", "hours"),
    ("weekDay", "weekDays"),
    ("days", "weekDays"),
    ("monthDay", "monthDays"),
    ("monthlyOccurrence", "monthlyOccurrences"),
    ("month", "months"),
];

/// In place of an item that could not be read, so that those after it keep their place in the paths of the model. It is
/// right in every list, and never used: the whole has failed.
const UNREAD: i64 = 1;

/// None for a schedule without any list, which is no schedule.
pub(super) fn read(mut schedule: Object<'_>) -> Option<ScheduleParts> {
    for (other, name) in OTHER_NAMES {
        schedule.rename(other, name);
    }
    let parts = ScheduleParts {
        minutes: numbers(&mut schedule, "minutes"),
        hours: numbers(&mut schedule, "hours"),
        week_days: list(&mut schedule, "weekDays").iter().map(weekday).collect(),
        month_days: numbers(&mut schedule, "monthDays"),
        monthly_occurrences: list(&mut schedule, "monthlyOccurrences").into_iter().map(monthly).collect(),
        months: numbers(&mut schedule, "months"),
    };
    let path = schedule.path().to_owned();
    let findings = schedule.findings();
    schedule.refuse_rest();
    if parts == ScheduleParts::default() {
        findings.warn(path, "without any list; taken as no schedule");
        return None;
    }
    Some(parts)
}

fn list<'a>(schedule: &mut Object<'a>, name: &'static str) -> Vec<Value<'a>> {
    let Some(items) = schedule.list(name) else {
        return Vec::new();
    };
    if items.is_empty() {
        schedule.warn(name, "an empty list; taken as not given");
    }
    items
}

fn numbers(schedule: &mut Object<'_>, name: &'static str) -> Vec<i64> {
    list(schedule, name).iter().map(|item| item.integer().unwrap_or(UNREAD)).collect()
}

fn weekday(item: &Value<'_>) -> Weekday {
    item.choice(&Weekday::ALL.map(|day| (day.name(), day))).unwrap_or(Weekday::Monday)
}

fn monthly(item: Value<'_>) -> (Weekday, Option<i64>) {
    let Some(mut object) = item.object() else {
        return (Weekday::Monday, None);
    };
    object.require("day", "a weekday such as Friday");
    let day = object.value("day").as_ref().map_or(Weekday::Monday, weekday);
    let occurrence = object.integer("occurrence");
    object.refuse_rest();
    (day, occurrence)
}

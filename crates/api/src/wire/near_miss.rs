//! Names that nobody knows: what their writer may have meant.

use punctual_model::edit_distance;

const BESIDE_ACTION: &str = "beside action";

/// Members that decide when a job runs, and where each of them belongs.
const TIMES: [(&str, &str); 28] = [
    ("startTime", BESIDE_ACTION),
    ("recurrence", BESIDE_ACTION),
    ("state", BESIDE_ACTION),
    ("options", BESIDE_ACTION),
    ("frequency", "into recurrence"),
    ("interval", "into recurrence"),
    ("schedule", "into recurrence"),
    ("count", "into recurrence"),
    ("endTime", "into recurrence"),
    ("timeZone", "into recurrence"),
    ("cron", "into recurrence"),
    ("cronDialect", "into recurrence"),
    ("minutes", "into recurrence.schedule"),
    ("hours", "into recurrence.schedule"),
    ("weekDays", "into recurrence.schedule"),
    ("monthDays", "into recurrence.schedule"),
    ("monthlyOccurrences", "into recurrence.schedule"),
    ("months", "into recurrence.schedule"),
    ("timeout", "into options"),
    ("jitter", "into options"),
    ("overlap", "into options"),
    ("catchUp", "into options"),
    ("catchUpMax", "into options"),
    ("catchUpSpacing", "into options"),
    ("success", "into options"),
    ("placeholders", "into options"),
    ("shadow", "into options"),
    ("sign", "into options"),
];

/// Why a member that decides when a job runs must not be ignored: it stands in the wrong place, or is misspelt. None for
/// any other name. `known` are the members of the object in which it stands.
pub(super) fn wrong_time(name: &str, known: &[&str]) -> Option<String> {
    let place = TIMES.iter().find(|(time, _)| name.eq_ignore_ascii_case(time));
    if let Some((time, place)) = place {
        return Some(format!("move {time} {place}"));
    }
    let times = TIMES.map(|(time, _)| time);
    let is_time = |name: &&&str| times.contains(*name);
    let meant = closest(name, known.iter().filter(is_time)).or_else(|| closest(name, times.iter()))?;
    Some(advice("member", meant))
}

/// Which of the known names was meant, as a sentence. `what` says what has these names.
pub(crate) fn did_you_mean(what: &str, name: &str, known: &[&str]) -> Option<String> {
    closest(name, known.iter()).map(|meant| advice(what, meant))
}

/// That a name is none of the known ones, as a sentence.
pub(crate) fn no_such(what: &str, known: &[&str]) -> String {
    format!("there is no such {what} here, only {}", known.join(", "))
}

fn advice(what: &str, meant: &str) -> String {
    format!("there is no such {what} here: did you mean {meant}?")
}

/// The nearest name within one letter, or two from eight letters on.
fn closest<'a>(name: &str, known: impl Iterator<Item = &'a &'a str>) -> Option<&'a str> {
    /// Longer than any name of ours with two letters more.
    const CHARS_MAX: usize = 40;
    if name.len() > CHARS_MAX {
        return None;
    }
    let written = name.to_lowercase();
    let distances = known.map(|known| (edit_distance(&written, &known.to_lowercase()), *known));
    let is_near = |(distance, known): &(usize, &str)| *distance <= if known.len() >= 8 { 2 } else { 1 };
    distances.filter(is_near).min_by_key(|(distance, _)| *distance).map(|(_, known)| known)
}

#[cfg(test)]
mod tests {
    use super::{did_you_mean, wrong_time};

    #[test]
    fn only_members_that_decide_when_are_missed() {
        assert_eq!(wrong_time("timezone", &[]).as_deref(), Some("move timeZone into recurrence"));
        assert!(wrong_time("reccurence", &[]).is_some_and(|text| text.ends_with("did you mean recurrence?")));
        // What clients and templates send with a job.
        for name in ["location", "tags", "kind", "identity", "etag", "dependsOn", "comments", "plan", "zones"] {
            assert_eq!(wrong_time(name, &["startTime", "state"]), None, "{name}");
        }
        assert_eq!(
            did_you_mean("member", "url", &["uri", "method"]).as_deref(),
            Some("there is no such member here: did you mean uri?")
        );
        assert_eq!(did_you_mean("member", &"x".repeat(10_000), &["uri"]), None);
    }
}

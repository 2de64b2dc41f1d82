//! A plan in words and dates.

use serde_json::Value;

use crate::cli::output::visible;
use crate::cli::times::{parse, written, zone_of};

/// Values are cut after this number of characters: enough to recognise them by.
const VALUE_CHARS_MAX: usize = 70;

/// Says what a plan does to something: a line with its name, and lines with what changes.
pub(super) fn describe(name: &str, body: &Value, plan: &Value, warnings: &Value) -> String {
    let change = plan["change"].as_str().unwrap_or_default();
    let word = if change == "update" { "change" } else { change };
    let mut lines = vec![format!("{word:7} {}", visible(name))];
    lines.extend(details(change, body, plan).into_iter().map(|line| format!("        {}", visible(&line))));
    let warnings = warnings.as_array().into_iter().flatten().filter_map(Value::as_str);
    lines.extend(warnings.map(|warning| format!("        warning: {}", visible(warning))));
    lines.join("\n")
}

fn details(change: &str, body: &Value, plan: &Value) -> Vec<String> {
    let show = |instant: &Value| {
        let text = instant.as_str().unwrap_or_default();
        parse(text).map_or_else(|| text.to_owned(), |at| written(at, zone_of(body)))
    };
    let (before, after) = (&plan["nextRun"]["before"], &plan["nextRun"]["after"]);
    let when = plan["when"]["after"].as_str();
    let mut lines = Vec::new();
    if change == "replace" {
        lines.push("the job has ended: it is deleted, and made again".to_owned());
    }
    if matches!(change, "create" | "replace") {
        if let Some(when) = when {
            let first = if after.is_null() { "it never runs".to_owned() } else { format!("first run {}", show(after)) };
            lines.push(format!("{when}; {first}"));
        }
        return lines;
    }
    lines.extend(plan["members"].as_array().into_iter().flatten().map(member));
    if plan["secretsChanged"] == true {
        lines.push("a secret changes".to_owned());
    }
    if change == "delete"
        && let Some(jobs) = plan["jobs"].as_u64()
    {
        lines.push(format!("with {}", punctual_model::plural(jobs, "job")));
    }
    lines.extend(moved(&plan["runs"], &show));
    match (before.is_null(), after.is_null()) {
        (false, false) if before != after => {
            lines.push(format!("next run moves from {} to {}", show(before), show(after)));
        }
        (false, false) => lines.push(format!("next run stays {}", show(after))),
        (true, false) => lines.push(format!("next run: {}", show(after))),
        (false, true) if change != "delete" => lines.push("it does not run any more".to_owned()),
        _ => {}
    }
    lines
}

fn member(member: &Value) -> String {
    let path = member["path"].as_str().unwrap_or_default();
    match (member.get("before"), member.get("after")) {
        (Some(before), Some(after)) => format!("{path}: {} becomes {}", short(before), short(after)),
        (None, Some(after)) => format!("{path}: {} is added", short(after)),
        (Some(before), None) => format!("{path}: {} is removed", short(before)),
        (None, None) => format!("{path} changes"),
    }
}

/// A value, cut where it is long.
fn short(value: &Value) -> String {
    let text = value.to_string();
    if text.chars().count() <= VALUE_CHARS_MAX {
        return text;
    }
    text.chars().take(VALUE_CHARS_MAX - 1).chain(['…']).collect()
}

/// Which runs vanish and which appear. Of a schedule without an end the first of them are enough.
fn moved(runs: &Value, show: &dyn Fn(&Value) -> String) -> Option<String> {
    let is_endless = runs.get("until").is_some();
    let some = |list: &str, number: &str, [one, more]: [&str; 2]| {
        let shown: Vec<_> = runs[list].as_array()?.iter().map(show).collect();
        let (times, number) = (shown.join(", "), runs[number].as_u64().unwrap_or_default());
        let is_all = number == shown.len() as u64;
        Some(match number {
            1 if !is_endless => format!("this run {one}: {times}"),
            _ if is_endless => format!("runs {more}: {times}{}", if is_all { "" } else { ", …" }),
            _ if is_all => format!("these {number} runs {more}: {times}"),
            _ => format!("{number} runs {more}: {times}, …"),
        })
    };
    let vanish = some("vanish", "vanishing", ["vanishes", "vanish"]);
    let appear = some("appear", "appearing", ["appears", "appear"]);
    let sentences: Vec<_> = vanish.into_iter().chain(appear).collect();
    (!sentences.is_empty()).then(|| sentences.join("; "))
}

#[cfg(test)]
mod tests {
    use insta::assert_snapshot;
    use serde_json::{Value, json};

    use super::describe;

    #[test]
    fn a_plan_is_told_in_words_and_dates() {
        let body = json!({ "recurrence": { "timeZone": "Europe/Berlin" } });
        let plan = json!({
            "change": "update",
            "members": [{ "path": "recurrence.schedule.hours", "before": [2, 3], "after": [4] }, { "path": "options.jitter", "after": "PT5M" }],
            "secretsChanged": true,
            "nextRun": { "before": "2026-11-19T01:00:00Z", "after": "2026-11-19T03:00:00Z" },
            "runs": {
                "vanish": ["2026-11-19T01:00:00Z", "2026-11-19T02:00:00Z"], "vanishing": 2,
                "appear": ["2026-11-19T03:00:00Z"], "appearing": 1,
            },
        });
        assert_snapshot!(describe("ops/nightly", &body, &plan, &json!(["action.request.uri: is odd"])), @r#"
        change  ops/nightly
                recurrence.schedule.hours: [2,3] becomes [4]
                options.jitter: "PT5M" is added
                a secret changes
                these 2 runs vanish: 2026-11-19T02:00:00+01:00, 2026-11-19T03:00:00+01:00; this run appears: 2026-11-19T04:00:00+01:00
                next run moves from 2026-11-19T02:00:00+01:00 to 2026-11-19T04:00:00+01:00
                warning: action.request.uri: is odd
        "#);
        let endless = json!({
            "change": "delete", "nextRun": { "before": "2026-11-19T01:00:00Z" },
            "runs": { "vanish": ["2026-11-19T01:00:00Z", "2026-11-20T01:00:00Z", "2026-11-21T01:00:00Z"], "vanishing": 100, "until": "2027-02-26T01:00:00Z" },
        });
        assert_snapshot!(describe("ops/old", &Value::Null, &endless, &Value::Null), @"
        delete  ops/old
                runs vanish: 2026-11-19T01:00:00Z, 2026-11-20T01:00:00Z, 2026-11-21T01:00:00Z, …
        ");
        let created = json!({ "change": "create", "when": { "after": "At 02:00, UTC" }, "nextRun": { "after": "2026-11-19T02:00:00Z" } });
        assert_snapshot!(describe("ops/new\u{1b}", &Value::Null, &created, &Value::Null), @r#"
        create  ops/new\u{1b}
                At 02:00, UTC; first run 2026-11-19T02:00:00Z
        "#);
    }
}

//! Workflows of Azure Logic Apps: a recurrence and one HTTP action.

mod call;
mod text;

use std::collections::BTreeMap;

use punctual_arm::{Inputs, Json, Outcome, Value};
use punctual_model::Violation;

use crate::cron_field;
use crate::draft::Draft;
use crate::gather::Gather;

const WORKFLOW: &str = "Microsoft.Logic/workflows";

pub(crate) fn read(json: &Json, gather: &mut Gather<'_>) -> Result<(), Vec<Violation>> {
    if json.get("resources").is_some() {
        return template(json, gather);
    }
    answer(json, gather);
    if gather.is_empty() {
        let sentence = "this is no workflow: give its definition, what GET answers for it, or a template with it";
        return Err(vec![Violation::sentence("", sentence)]);
    }
    Ok(())
}

fn template(json: &Json, gather: &mut Gather<'_>) -> Result<(), Vec<Violation>> {
    let settings = gather.settings;
    let inputs = Inputs {
        parameters: settings.parameters,
        fills: settings.fills,
        subscription: settings.subscription,
        group: settings.group,
        now: settings.now,
        wanted: &[WORKFLOW],
    };
    let evaluated = punctual_arm::evaluate_json(json, &inputs)?;
    gather.fills.mark_used_all_but(&evaluated.unused_fills);
    evaluated.warnings.iter().for_each(|warning| gather.note(warning.to_string()));
    for found in &evaluated.found {
        let item = format!("{} {}", found.kind, found.name);
        match &found.outcome {
            Outcome::Skipped(reason) => gather.refuse(found.line, item, format!("skipped: {reason}")),
            Outcome::Wrong(violation) => gather.refuse(found.line, item, violation.to_string()),
            Outcome::Made(body) => {
                workflow(&found.name, body.get("properties").unwrap_or(body), found.line, gather);
            }
        }
    }
    Ok(())
}

/// A workflow, or a list of them.
fn answer(json: &Json, gather: &mut Gather<'_>) {
    let list = json.get("value").unwrap_or(json);
    if matches!(list.value, Value::List(_)) {
        return list.items().iter().for_each(|item| answer(item, gather));
    }
    let name = json.get("name").and_then(Json::text).unwrap_or("workflow");
    if json.get("properties").or_else(|| json.get("definition")).or_else(|| json.get("triggers")).is_some() {
        workflow(name, json.get("properties").unwrap_or(json), json.line, gather);
    }
}

fn workflow(name: &str, properties: &Json, line: u32, gather: &mut Gather<'_>) {
    let definition = properties.get("definition").unwrap_or(properties);
    let mut draft = Draft::new(line, name, name);
    let state = properties.get("state").and_then(Json::text).unwrap_or("Enabled");
    draft.is_enabled = state.eq_ignore_ascii_case("Enabled");
    let parameters = text::parameters(definition, properties);
    match made(definition, &parameters, &mut draft, gather) {
        Ok(()) => gather.add(draft),
        Err(why) => gather.refuse(line, name, why),
    }
}

fn made(
    definition: &Json,
    parameters: &BTreeMap<String, Json>,
    draft: &mut Draft,
    gather: &Gather<'_>,
) -> Result<(), String> {
    let trigger = match definition.get("triggers").map(Json::members).unwrap_or_default() {
        [(_, trigger)] => trigger,
        [] => return Err("it has no trigger".to_owned()),
        triggers => return Err(format!("it has {} triggers: make a job of each", triggers.len())),
    };
    when(trigger, draft)?;
    let (_, action) = match definition.get("actions").map(Json::members).unwrap_or_default() {
        [action] => action,
        [] => return Err("it has no action".to_owned()),
        actions => {
            let names: Vec<_> = actions.iter().take(5).map(|(name, _)| name.as_str()).collect();
            return Err(format!("it has {} actions ({}), and a job makes one call", actions.len(), names.join(", ")));
        }
    };
    call::put_into(action, parameters, draft, gather)
}

fn when(trigger: &Json, draft: &mut Draft) -> Result<(), String> {
    let kind = trigger.get("type").and_then(Json::text).unwrap_or_default().to_ascii_lowercase();
    match kind.as_str() {
        "recurrence" => {}
        "slidingwindow" => draft.set_in("options", "catchUp", "all"),
        other => return Err(format!("it is triggered by {other:?}, which is no recurrence")),
    }
    let recurrence = trigger.get("recurrence").ok_or("its trigger has no recurrence")?;
    let line = recurrence.line;
    if let Some(start) = recurrence.get("startTime") {
        draft.set("startTime", start.clone());
    }
    let frequency = recurrence.get("frequency").and_then(Json::text).unwrap_or_default();
    let interval = recurrence.get("interval").and_then(Json::integer).unwrap_or(1);
    let zone = recurrence.get("timeZone").cloned();
    let mut made = if frequency.eq_ignore_ascii_case("second") {
        if !(1..=30).contains(&interval) || 60 % interval != 0 {
            return Err(format!("it runs every {interval} seconds, and seconds are counted within a minute here"));
        }
        draft.near(format!("every {interval} seconds are counted from the full minute, not from the start"));
        Json::object(line, [("cron", Some(Json::new(line, format!("*/{interval} * * * * *"))))])
    } else {
        let mut schedule = recurrence.get("schedule").cloned();
        if let Some(schedule) = &mut schedule {
            texts_to_numbers(schedule);
        }
        let schedule = schedule.filter(|schedule| !schedule.members().is_empty());
        Json::object(
            line,
            [
                ("frequency", Some(Json::new(line, frequency))),
                ("interval", Some(Json::new(line, interval))),
                ("schedule", schedule),
            ],
        )
    };
    for (name, json) in [
        ("timeZone", zone),
        ("endTime", recurrence.get("endTime").cloned()),
        ("count", recurrence.get("count").cloned()),
    ] {
        if let Some(json) = json {
            made.set(name, json);
        }
    }
    draft.set("recurrence", made);
    if trigger.get("conditions").is_some_and(|conditions| !conditions.items().is_empty()) {
        return Err("its trigger has conditions, which only Logic Apps can judge".to_owned());
    }
    Ok(())
}

/// The designer writes hours and minutes as texts.
fn texts_to_numbers(schedule: &mut Json) {
    for name in ["hours", "minutes", "monthDays"] {
        let Some(list) = schedule.get(name) else { continue };
        let number = |item: &Json| {
            let value = item.text().and_then(|text| cron_field::values(text.trim(), -31, 59));
            match value.as_deref() {
                Some([number]) => Json::new(item.line, *number),
                _ => item.clone(),
            }
        };
        let numbers: Vec<_> = list.items().iter().map(number).collect();
        if !numbers.is_empty() {
            schedule.set(name, Json::new(list.line, numbers));
        }
    }
}

//! CronJobs of Kubernetes whose container is a curl or a wget.

use std::collections::BTreeMap;

use punctual_arm::{Json, Value};
use punctual_model::Violation;

use crate::action::{Call, Retry};
use crate::draft::Draft;
use crate::fill::without_marks;
use crate::gather::Gather;
use crate::shell::{self, Environment, Prefixes};
use crate::yaml;

/// Retries of a job of Kubernetes where nothing is said.
const BACKOFF_LIMIT_DEFAULT: i64 = 6;

pub(crate) fn read(text: &str, gather: &mut Gather<'_>) -> Result<(), Vec<Violation>> {
    let text = without_marks(text);
    let is_json = text.trim_start().starts_with(['{', '[']);
    let documents = if is_json {
        vec![punctual_arm::json::parse(&text).map_err(|violation| vec![violation])?]
    } else {
        yaml::parse(&text).map_err(|violation| vec![violation])?
    };
    for document in &documents {
        manifest(document, gather);
    }
    if gather.is_empty() {
        return Err(vec![Violation::sentence("", "there is no manifest in it")]);
    }
    Ok(())
}

fn manifest(json: &Json, gather: &mut Gather<'_>) {
    let kind = json.get("kind").and_then(Json::text).unwrap_or_default();
    match kind {
        "CronJob" => cron_job(json, gather),
        _ if kind.ends_with("List") => {
            json.get("items").map(Json::items).unwrap_or_default().iter().for_each(|item| manifest(item, gather));
        }
        _ if json.value == Value::Null => {}
        _ if matches!(json.value, Value::List(_)) => json.items().iter().for_each(|item| manifest(item, gather)),
        _ => {
            let name = json.at(&["metadata", "name"]).and_then(Json::text).unwrap_or("an object");
            let kind = if kind.is_empty() { "something without a kind" } else { kind };
            gather.refuse(json.line, format!("{kind} {name}"), "skipped: it is no CronJob");
        }
    }
}

fn cron_job(json: &Json, gather: &mut Gather<'_>) {
    let name = json.at(&["metadata", "name"]).and_then(Json::text).unwrap_or("cron-job").to_owned();
    let item = format!("CronJob {name}");
    let mut draft = Draft::new(json.line, item.clone(), name);
    match job(json, &mut draft, gather) {
        Ok(call) => {
            call.put_into(&mut draft, gather);
            gather.add(draft);
        }
        Err(why) => gather.refuse(json.line, item, why),
    }
}

fn job(json: &Json, draft: &mut Draft, gather: &Gather<'_>) -> Result<Call, String> {
    let spec = json.get("spec").ok_or("it has no spec")?;
    let pod = spec
        .at(&["jobTemplate", "spec", "template", "spec"])
        .ok_or("it has no pod (spec.jobTemplate.spec.template.spec)")?;
    let container = match pod.get("containers").map(Json::items).unwrap_or_default() {
        [container] => container,
        containers => return Err(format!("its pod has {} containers, and a job makes one call", containers.len())),
    };
    if pod.get("initContainers").is_some_and(|list| !list.items().is_empty()) {
        return Err("its pod has containers that run before (initContainers)".to_owned());
    }
    let mut prefixes = Prefixes::default();
    let mut call = command(container, &mut prefixes, draft, gather)?;
    when(spec, draft, gather)?;
    if prefixes.is_last_day {
        return Err("it runs if tomorrow is the first: make a job with monthDays: [-1]".to_owned());
    }
    if let Some(seconds) = prefixes.sleep_seconds {
        draft.near(format!("it waited {seconds} s before the call; here it calls at once"));
    }
    policy(spec, &prefixes, draft);
    let job = spec.at(&["jobTemplate", "spec"]);
    let deadline = job.and_then(|job| job.get("activeDeadlineSeconds")?.integer());
    let deadline = deadline.and_then(|seconds| u64::try_from(seconds).ok()).map(|seconds| seconds.saturating_mul(1000));
    call.timeout_ms = prefixes.timeout_ms.or(call.timeout_ms).or(deadline).or(Some(u64::MAX));
    if call.retry == Some(Retry::NONE) {
        let limit = job.and_then(|job| job.get("backoffLimit")?.integer()).unwrap_or(BACKOFF_LIMIT_DEFAULT);
        if limit > 0 {
            draft.near(
                "Kubernetes starts a pod that failed again after 10, 20, 40 s; here retries are at least 15 s apart, and an \
                 answer that is no success is a failure even without curl's -f",
            );
            call.retry = Some(Retry { kind: "exponential", count: limit, seconds: 15, seconds_max: Some(360) });
        }
    }
    Ok(call)
}

/// The command of a container: its own, or that of an image that is known.
fn command(container: &Json, prefixes: &mut Prefixes, draft: &mut Draft, gather: &Gather<'_>) -> Result<Call, String> {
    let variables = variables(container, draft, gather);
    let words = |name: &str| -> Vec<String> {
        let items = container.get(name).map(Json::items).unwrap_or_default();
        let texts = items.iter().map(|item| item.text().map_or_else(|| item.to_string(), str::to_owned));
        texts.map(|text| expanded(&text, &variables)).collect()
    };
    let image = container.get("image").and_then(Json::text).unwrap_or_default();
    let is_curl_image = image.rsplit('/').next().unwrap_or_default().split([':', '@']).next() == Some("curl");
    let mut all = words("command");
    if all.is_empty() && is_curl_image {
        all.push("curl".to_owned());
    }
    all.extend(words("args"));
    if all.is_empty() {
        return Err(format!("it runs what its image {image} runs, and only calls of curl and wget can be read"));
    }
    let environment = Environment { variables: &variables, fills: &gather.fills };
    shell::of_words(&all, None, environment, prefixes, draft, 0)
}

/// The variables of a container. What comes from a secret or a config map is a hole.
fn variables(container: &Json, draft: &Draft, gather: &Gather<'_>) -> BTreeMap<String, String> {
    let mut variables = BTreeMap::new();
    for entry in container.get("env").map(Json::items).unwrap_or_default() {
        let Some(name) = entry.get("name").and_then(Json::text) else { continue };
        let source = |kind: &str| {
            let reference = entry.at(&["valueFrom", kind])?;
            let text = |name: &str| reference.get(name).and_then(Json::text);
            Some((text("name")?.to_owned(), text("key")?.to_owned()))
        };
        let value = if let Some((secret, key)) = source("secretKeyRef") {
            gather.fills.text(&format!("{secret}.{key}"), &format!("the key {key} of the secret {secret}"), entry.line)
        } else if let Some((map, key)) = source("configMapKeyRef") {
            gather.fills.text(&format!("{map}.{key}"), &format!("the key {key} of the config map {map}"), entry.line)
        } else if let Some(value) = entry.value.get("value") {
            value.text().map_or_else(|| value.to_string(), str::to_owned)
        } else if entry.get("valueFrom").is_some() {
            gather.fills.text(name, "a variable that only its pod knows", draft.line)
        } else {
            String::new()
        };
        let value = expanded(&value, &variables);
        variables.insert(name.to_owned(), value);
    }
    variables
}

/// `$(NAME)` is a variable of the container; `$$` is one dollar.
fn expanded(text: &str, variables: &BTreeMap<String, String>) -> String {
    let mut made = String::new();
    let mut rest = text;
    while let Some(at) = rest.find('$') {
        made.push_str(&rest[..at]);
        let after = &rest[at + 1..];
        let name = after.strip_prefix('(').and_then(|after| after.split_once(')'));
        if let Some((value, behind)) = name.and_then(|(name, behind)| Some((variables.get(name)?, behind))) {
            made.push_str(value);
            rest = behind;
        } else {
            made.push('$');
            rest = after.strip_prefix('$').unwrap_or(after);
        }
    }
    made.push_str(rest);
    made
}

fn when(spec: &Json, draft: &mut Draft, gather: &Gather<'_>) -> Result<(), String> {
    let line = draft.line;
    let schedule = spec.get("schedule").and_then(Json::text).ok_or("it has no schedule")?;
    let (zone, schedule) =
        match schedule.trim().strip_prefix("CRON_TZ=").or_else(|| schedule.trim().strip_prefix("TZ=")) {
            Some(rest) => {
                rest.split_once(' ').map(|(zone, rest)| (Some(zone), rest)).ok_or("its schedule has a zone only")?
            }
            None => (None, schedule.trim()),
        };
    let zone = spec.get("timeZone").and_then(Json::text).or(zone).or(gather.settings.time_zone);
    let recurrence = if let Some(every) = schedule.strip_prefix("@every ") {
        every_span(every.trim(), line).ok_or_else(|| format!("@every {every} is no number of minutes or hours"))?
    } else {
        let zone = zone.map(|zone| Json::new(line, zone));
        Json::object(line, [("cron", Some(Json::new(line, schedule))), ("timeZone", zone)])
    };
    let fields: Vec<_> = schedule.split_whitespace().collect();
    if crate::cron_field::is_every_minute_of_an_hour(&fields) {
        draft.near(format!(
            "it runs in every minute of the hour {}, 60 times; if once was meant: 0 {}",
            fields[1],
            fields[1..].join(" ")
        ));
    }
    draft.set("recurrence", recurrence);
    draft.is_enabled = !spec.get("suspend").is_some_and(Json::is_true);
    Ok(())
}

fn every_span(text: &str, line: u32) -> Option<Json> {
    let (number, frequency) = match text.chars().last()? {
        'm' => (text.trim_end_matches('m'), "Minute"),
        'h' => (text.trim_end_matches('h'), "Hour"),
        _ => return None,
    };
    let interval: i64 = number.parse().ok()?;
    Some(Json::object(
        line,
        [("frequency", Some(Json::new(line, frequency))), ("interval", Some(Json::new(line, interval)))],
    ))
}

fn policy(spec: &Json, prefixes: &Prefixes, draft: &mut Draft) {
    let policy = spec.get("concurrencyPolicy").and_then(Json::text).unwrap_or("Allow");
    let overlap = match policy {
        "Allow" if !prefixes.is_locked => "allow",
        "Replace" => {
            draft.near("a run that is due ended the one before it (Replace); here it is left out");
            "skip"
        }
        _ => "skip",
    };
    draft.set_in("options", "overlap", overlap);
    if let Some(seconds) = spec.get("startingDeadlineSeconds").and_then(Json::integer)
        && seconds < 60
    {
        draft.near(
            "what could not start in time was left out (startingDeadlineSeconds); here the last missed run is made up",
        );
        draft.set_in("options", "catchUp", "none");
    }
}

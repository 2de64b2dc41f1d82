//! Jobs of Google Cloud Scheduler: what gcloud exports, or the state of Terraform.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use punctual_arm::Json;
use punctual_model::Violation;

use crate::action::{Call, Retry};
use crate::draft::Draft;
use crate::gather::Gather;
use crate::terraform::{self, block};

/// What Google waits for an answer where nothing is said.
const DEADLINE_MS_DEFAULT: u64 = 180_000;

pub(crate) fn read(json: &Json, gather: &mut Gather<'_>) -> Result<(), Vec<Violation>> {
    if let Some(resources) = terraform::resources(json) {
        for resource in &resources {
            match resource.kind.as_str() {
                "google_cloud_scheduler_job" => job(&resource.attributes, gather),
                _ => gather.refuse(resource.attributes.line, &resource.address, "skipped: a resource of another kind"),
            }
        }
        return Ok(());
    }
    let list = json.get("jobs").unwrap_or(json);
    let jobs = if list.is_object() { std::slice::from_ref(list) } else { list.items() };
    let jobs: Vec<_> = jobs.iter().filter(|job| job.get("schedule").is_some()).collect();
    if jobs.is_empty() {
        let sentence =
            "there is no job in it: give what gcloud scheduler jobs list --format=json prints, or a state of Terraform";
        return Err(vec![Violation::sentence("", sentence)]);
    }
    for one in jobs {
        job(one, gather);
    }
    Ok(())
}

/// A member, as the API or as Terraform calls it.
fn get<'a>(json: &'a Json, api: &str, terraform: &str) -> Option<&'a Json> {
    let found = block(json, api)
        .or_else(|| block(json, terraform))
        .or_else(|| json.get(api))
        .or_else(|| json.get(terraform))?;
    let is_empty =
        found.text() == Some("") || matches!(&found.value, punctual_arm::Value::List(items) if items.is_empty());
    (!is_empty).then_some(found)
}

fn job(json: &Json, gather: &mut Gather<'_>) {
    let name = json.get("name").and_then(Json::text).unwrap_or("job");
    let name = name.rsplit('/').next().unwrap_or(name).to_owned();
    let mut draft = Draft::new(json.line, name.clone(), name.clone());
    match made(json, &mut draft, gather) {
        Ok(call) => {
            call.put_into(&mut draft, gather);
            gather.add(draft);
        }
        Err(why) => gather.refuse(json.line, name, why),
    }
}

fn made(json: &Json, draft: &mut Draft, gather: &Gather<'_>) -> Result<Call, String> {
    if get(json, "pubsubTarget", "pubsub_target").is_some() {
        return Err("it publishes to Pub/Sub, which jobs do not; a push subscription's endpoint can be called instead"
            .to_owned());
    }
    if get(json, "appEngineHttpTarget", "app_engine_http_target").is_some() {
        return Err("it calls App Engine by a path; make a job that calls the address of the service".to_owned());
    }
    let target = get(json, "httpTarget", "http_target").ok_or("it has no httpTarget")?;
    let text = |api: &str, terraform: &str| get(target, api, terraform).and_then(Json::text);
    let mut call = Call {
        uri: text("uri", "uri").ok_or("its httpTarget has no uri")?.to_owned(),
        method: Some(text("httpMethod", "http_method").unwrap_or("POST").to_owned()),
        ..Call::default()
    };
    for (name, value) in get(target, "headers", "headers").map(Json::members).unwrap_or_default() {
        // Google adds this one by itself.
        if !(name.eq_ignore_ascii_case("user-agent") && value.text() == Some("Google-Cloud-Scheduler")) {
            call.add_header(name, value.text().unwrap_or_default());
        }
    }
    if let Some(body) = text("body", "body") {
        let bytes = STANDARD.decode(body.trim()).map_err(|_| "its body is no base64")?;
        call.body = Some(String::from_utf8(bytes).map_err(|_| "its body is no text")?);
        if call.header("content-type").is_none() {
            call.add_header("Content-Type", "application/octet-stream");
        }
    }
    for (api, terraform) in [("oidcToken", "oidc_token"), ("oauthToken", "oauth_token")] {
        if let Some(token) = get(target, api, terraform) {
            let account =
                get(token, "serviceAccountEmail", "service_account_email").and_then(Json::text).unwrap_or_default();
            let hole = gather.fills.text(
                &format!("{}.authorization", draft.name),
                &format!("what the target takes instead of a token of {account}, such as Bearer …"),
                draft.line,
            );
            call.add_header("Authorization", &hole);
            draft.by_hand(format!("Google signs its calls as {account}; the target must take another credential"));
        }
    }
    when(json, draft)?;
    call.timeout_ms = Some(deadline(json));
    call.retry = Some(retry(json, draft));
    Ok(call)
}

fn when(json: &Json, draft: &mut Draft) -> Result<(), String> {
    let line = draft.line;
    let schedule = json.get("schedule").and_then(Json::text).ok_or("it has no schedule")?;
    let zone = get(json, "timeZone", "time_zone").and_then(Json::text).filter(|zone| !zone.is_empty());
    let zone = zone.map(|zone| Json::new(line, zone));
    let recurrence = match schedule.trim().to_ascii_lowercase().strip_prefix("every ") {
        Some(every) => {
            let (frequency, interval) = every_span(every)
                .ok_or_else(|| format!("its schedule {schedule:?} is in the words of App Engine; write it as cron"))?;
            Json::object(
                line,
                [("frequency", Some(Json::new(line, frequency))), ("interval", Some(Json::new(line, interval)))],
            )
        }
        None => Json::object(line, [("cron", Some(Json::new(line, schedule.trim()))), ("timeZone", zone)]),
    };
    draft.set("recurrence", recurrence);
    let state = json.get("state").and_then(Json::text).unwrap_or("ENABLED");
    draft.is_enabled = state.eq_ignore_ascii_case("ENABLED") && !json.get("paused").is_some_and(Json::is_true);
    Ok(())
}

/// `5 minutes`, `2 hours`.
fn every_span(text: &str) -> Option<(&'static str, i64)> {
    let (number, unit) = text.split_once(' ')?;
    let frequency = match unit.trim() {
        "minutes" | "mins" | "minute" => "Minute",
        "hours" | "hour" => "Hour",
        _ => return None,
    };
    Some((frequency, number.parse().ok()?))
}

/// A duration such as `180s` or `3.5s`, in milliseconds.
fn duration(json: Option<&Json>) -> Option<u64> {
    let seconds: f64 = json?.text()?.strip_suffix('s')?.parse().ok()?;
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "clamped to a day")]
    Some((seconds.clamp(0.0, 86_400.0) * 1000.0) as u64)
}

fn deadline(json: &Json) -> u64 {
    duration(get(json, "attemptDeadline", "attempt_deadline")).filter(|ms| *ms > 0).unwrap_or(DEADLINE_MS_DEFAULT)
}

fn retry(json: &Json, draft: &mut Draft) -> Retry {
    let Some(config) = get(json, "retryConfig", "retry_config") else { return Retry::NONE };
    let count = get(config, "retryCount", "retry_count").and_then(Json::integer).unwrap_or_default();
    if count == 0 {
        return Retry::NONE;
    }
    let seconds = |api: &str, terraform: &str, default: i64| {
        let ms = duration(get(config, api, terraform)).filter(|ms| *ms > 0);
        ms.and_then(|ms| i64::try_from(ms / 1000).ok()).unwrap_or(default)
    };
    let (least, most) = (
        seconds("minBackoffDuration", "min_backoff_duration", 5),
        seconds("maxBackoffDuration", "max_backoff_duration", 3600),
    );
    if least < 15 {
        draft.near(format!("Google tries again after {least} s at first; here retries are at least 15 s apart"));
    }
    if duration(get(config, "maxRetryDuration", "max_retry_duration")).is_some_and(|ms| ms > 0) {
        draft.near("Google gives up after a time (maxRetryDuration), here after the retries");
    }
    Retry { kind: "exponential", count, seconds: least, seconds_max: Some(most) }
}

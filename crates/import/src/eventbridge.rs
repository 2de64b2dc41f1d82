//! Schedules and rules of Amazon EventBridge: what AWS CLI exports, or the state of Terraform.

mod source;
mod time;

use punctual_arm::Json;
use punctual_model::Violation;

use crate::action::{Call, Retry};
use crate::draft::Draft;
use crate::gather::Gather;
use source::{Destinations, Schedule, get};

/// Retries of EventBridge where nothing is said.
const RETRIES_DEFAULT: i64 = 185;
/// What EventBridge waits for the answer of an API destination.
const DESTINATION_TIMEOUT_MS: u64 = 5000;

pub(crate) fn read(json: &Json, gather: &mut Gather<'_>) -> Result<(), Vec<Violation>> {
    let source = source::read(json, gather);
    if source.schedules.is_empty() && gather.is_empty() {
        let sentence = "there is no schedule in it: give what aws scheduler get-schedule prints, rules with their Targets, \
                        or a state of Terraform";
        return Err(vec![Violation::sentence("", sentence)]);
    }
    for schedule in &source.schedules {
        let mut draft = Draft::new(schedule.line, schedule.name.clone(), schedule.name.clone());
        draft.is_enabled = schedule.is_enabled;
        match made(schedule, &source.destinations, &mut draft, gather) {
            Ok(call) => {
                call.put_into(&mut draft, gather);
                gather.add(draft);
            }
            Err(why) => gather.refuse(schedule.line, schedule.name.clone(), why),
        }
    }
    Ok(())
}

fn made(
    schedule: &Schedule,
    destinations: &Destinations,
    draft: &mut Draft,
    gather: &Gather<'_>,
) -> Result<Call, String> {
    time::put_into(schedule, draft)?;
    let target = match schedule.targets.as_slice() {
        [] => return Err("it has no target".to_owned()),
        [target] => target,
        targets => return Err(format!("it has {} targets: make a job of each", targets.len())),
    };
    let arn = get(target, "Arn", "arn").and_then(Json::text).unwrap_or_default();
    let mut call = call(arn, target, destinations, draft, gather)?;
    if let Some(input) = get(target, "Input", "input").and_then(Json::text) {
        call.body = Some(input.to_owned());
        if call.header("content-type").is_none() {
            call.add_header("Content-Type", "application/json");
        }
    } else if get(target, "InputTransformer", "input_transformer").is_some() {
        draft.by_hand("its body is made of the event (InputTransformer), which a job does not have: write the body");
    } else if call.method.as_deref() != Some("GET") {
        draft.near("EventBridge sends its event as the body; a job sends none unless it is given one");
    }
    let policy = get(target, "RetryPolicy", "retry_policy");
    let retries = policy.and_then(|policy| get(policy, "MaximumRetryAttempts", "maximum_retry_attempts")?.integer());
    call.retry = Some(match retries.unwrap_or(RETRIES_DEFAULT) {
        0 => Retry::NONE,
        count => {
            if count > 20 {
                draft.near(format!(
                    "EventBridge retries up to {count} times within a day; here 20 times, up to an hour apart"
                ));
            }
            Retry { kind: "exponential", count, seconds: 60, seconds_max: Some(3600) }
        }
    });
    if get(target, "DeadLetterConfig", "dead_letter_config").is_some() {
        draft.by_hand("what failed for good went to a queue (dead letters); here an errorAction or an alert can tell");
    }
    Ok(call)
}

/// What a target is called by. Only API destinations speak HTTP by themselves.
fn call(
    arn: &str,
    target: &Json,
    destinations: &Destinations,
    draft: &mut Draft,
    gather: &Gather<'_>,
) -> Result<Call, String> {
    let service = arn.split(':').nth(2).unwrap_or_default();
    match service {
        "events" if arn.contains(":api-destination/") => {
            let name = arn.split('/').nth(1).unwrap_or_default();
            let mut call = destinations.call(arn, name, draft, gather);
            call.timeout_ms = Some(DESTINATION_TIMEOUT_MS);
            parameters(target, &mut call, draft);
            Ok(call)
        }
        "lambda" => {
            let function = arn.rsplit(':').next().unwrap_or_default();
            let what = format!("the address by which the Lambda function {function} can be called (a function URL)");
            draft.by_hand(format!("AWS calls the function {function} by itself; here its function URL is called"));
            let uri = gather.fills.text(&format!("{function}.url"), &what, draft.line);
            Ok(Call { uri, method: Some("POST".to_owned()), timeout_ms: Some(900_000), ..Call::default() })
        }
        "" => Err(format!("its target {arn:?} is no ARN")),
        service => Err(format!("its target is {service} of AWS, which only AWS calls by itself")),
    }
}

/// Headers, query and path that a target adds to its destination.
fn parameters(target: &Json, call: &mut Call, draft: &mut Draft) {
    let Some(http) = get(target, "HttpParameters", "http_target") else { return };
    for (name, value) in get(http, "HeaderParameters", "header_parameters").map(Json::members).unwrap_or_default() {
        call.add_header(name, value.text().unwrap_or_default());
    }
    let query = get(http, "QueryStringParameters", "query_string_parameters").map(Json::members).unwrap_or_default();
    for (name, value) in query {
        let between = if call.uri.contains('?') { "&" } else { "?" };
        call.uri.extend([between, name, "=", value.text().unwrap_or_default()]);
    }
    for value in get(http, "PathParameterValues", "path_parameter_values").map(Json::items).unwrap_or_default() {
        call.uri = call.uri.replacen('*', value.text().unwrap_or_default(), 1);
    }
    if call.uri.contains('*') {
        draft.by_hand("the address of its destination has a * without a value: write it out");
    }
}

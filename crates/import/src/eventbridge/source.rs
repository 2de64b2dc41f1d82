//! Schedules, rules, targets, destinations and connections, wherever they stand in an export.

use punctual_arm::{Json, Value};

use crate::action::Call;
use crate::draft::Draft;
use crate::gather::Gather;
use crate::terraform;

/// A schedule, or a rule with its targets.
#[derive(Clone, Debug)]
pub(super) struct Schedule {
    pub(super) line: u32,
    pub(super) name: String,
    pub(super) expression: String,
    pub(super) zone: Option<String>,
    pub(super) start: Option<Json>,
    pub(super) end: Option<Json>,
    pub(super) is_enabled: bool,
    /// Minutes within which it starts.
    pub(super) window: Option<i64>,
    pub(super) targets: Vec<Json>,
}

/// API destinations and the connections they use.
#[derive(Clone, Debug, Default)]
pub(super) struct Destinations {
    destinations: Vec<Json>,
    connections: Vec<Json>,
}

/// Everything in an export.
#[derive(Clone, Debug, Default)]
pub(super) struct Source {
    pub(super) schedules: Vec<Schedule>,
    pub(super) destinations: Destinations,
}

/// A member, as the API or as Terraform calls it; a block of Terraform is the one object of a list.
pub(super) fn get<'a>(json: &'a Json, api: &str, terraform: &str) -> Option<&'a Json> {
    let found = terraform::block(json, terraform).or_else(|| json.get(api)).or_else(|| json.get(terraform))?;
    let is_empty = found.text() == Some("") || matches!(&found.value, Value::List(items) if items.is_empty());
    (!is_empty).then_some(found)
}

pub(super) fn read(json: &Json, gather: &mut Gather<'_>) -> Source {
    let mut source = Source::default();
    match terraform::resources(json) {
        Some(resources) => of_terraform(&resources, &mut source, gather),
        None => walk(json, &mut source, gather, 0),
    }
    source
}

fn of_terraform(resources: &[terraform::Resource], source: &mut Source, gather: &mut Gather<'_>) {
    let mut targets = Vec::new();
    for resource in resources {
        let attributes = &resource.attributes;
        match resource.kind.as_str() {
            "aws_scheduler_schedule" | "aws_cloudwatch_event_rule" => source.schedules.extend(schedule(attributes)),
            "aws_cloudwatch_event_target" => targets.push(attributes.clone()),
            "aws_cloudwatch_event_api_destination" => source.destinations.destinations.push(attributes.clone()),
            "aws_cloudwatch_event_connection" => source.destinations.connections.push(attributes.clone()),
            _ => gather.refuse(attributes.line, &resource.address, "skipped: a resource of another kind"),
        }
    }
    for target in targets {
        let rule = target.get("rule").and_then(Json::text).unwrap_or_default();
        if let Some(schedule) = source.schedules.iter_mut().find(|schedule| schedule.name == rule) {
            schedule.targets.push(target);
        }
    }
}

/// Looks through answers of AWS CLI, in lists and objects.
fn walk(json: &Json, source: &mut Source, gather: &mut Gather<'_>, depth: usize) {
    if depth > 8 {
        return;
    }
    json.items().iter().for_each(|item| walk(item, source, gather, depth + 1));
    if json.get("ScheduleExpression").is_some() {
        source.schedules.extend(schedule(json));
    } else if json.get("InvocationEndpoint").is_some() {
        source.destinations.destinations.push(json.clone());
    } else if json.get("AuthorizationType").is_some() {
        source.destinations.connections.push(json.clone());
    } else if json.get("Name").is_some() && json.get("GroupName").is_some() {
        let why = "a list of schedules says too little: give what aws scheduler get-schedule prints for each";
        gather.refuse(json.line, json.get("Name").and_then(Json::text).unwrap_or_default(), why);
    } else if json.get("EventPattern").is_some() {
        let name = json.get("Name").and_then(Json::text).unwrap_or("a rule");
        gather.refuse(json.line, name, "it runs when an event happens, which is no time");
    } else {
        json.members().iter().for_each(|(_, inner)| walk(inner, source, gather, depth + 1));
    }
}

fn schedule(json: &Json) -> Option<Schedule> {
    let text = |api: &str, terraform: &str| get(json, api, terraform).and_then(Json::text).map(str::to_owned);
    let window = get(json, "FlexibleTimeWindow", "flexible_time_window");
    let targets = match (get(json, "Target", "target"), get(json, "Targets", "targets")) {
        (Some(target), _) => vec![target.clone()],
        (None, Some(targets)) => targets.items().to_vec(),
        (None, None) => Vec::new(),
    };
    let state = text("State", "state").unwrap_or_else(|| "ENABLED".to_owned());
    let is_enabled = state.eq_ignore_ascii_case("ENABLED") && json.get("is_enabled").is_none_or(Json::is_true);
    Some(Schedule {
        line: json.line,
        name: text("Name", "name")?,
        expression: text("ScheduleExpression", "schedule_expression")?,
        zone: text("ScheduleExpressionTimezone", "schedule_expression_timezone"),
        start: get(json, "StartDate", "start_date").cloned(),
        end: get(json, "EndDate", "end_date").cloned(),
        is_enabled,
        window: window.and_then(|window| get(window, "MaximumWindowInMinutes", "maximum_window_in_minutes")?.integer()),
        targets,
    })
}

impl Destinations {
    /// The call of an API destination. What is not in the export is a hole.
    pub(super) fn call(&self, arn: &str, name: &str, draft: &mut Draft, gather: &Gather<'_>) -> Call {
        let is_it = |json: &&Json| {
            let text = |api: &str, terraform: &str| get(json, api, terraform).and_then(Json::text);
            text("ApiDestinationArn", "arn") == Some(arn) || text("Name", "name") == Some(name)
        };
        let Some(destination) = self.destinations.iter().find(is_it) else {
            let uri = gather.fills.text(
                &format!("{name}.url"),
                &format!("the address of the API destination {name}"),
                draft.line,
            );
            return Call { uri, method: Some("POST".to_owned()), ..Call::default() };
        };
        let text =
            |api: &str, terraform: &str| get(destination, api, terraform).and_then(Json::text).unwrap_or_default();
        let mut call = Call {
            uri: text("InvocationEndpoint", "invocation_endpoint").to_owned(),
            method: Some(text("HttpMethod", "http_method").to_owned()),
            ..Call::default()
        };
        self.authorize(text("ConnectionArn", "connection_arn"), &mut call, draft, gather);
        call
    }

    /// The credentials of a connection, which AWS keeps to itself.
    fn authorize(&self, arn: &str, call: &mut Call, draft: &mut Draft, gather: &Gather<'_>) {
        let name = arn.split('/').nth(1).unwrap_or("connection").to_owned();
        let is_it = |json: &&Json| {
            let text = |api: &str, terraform: &str| get(json, api, terraform).and_then(Json::text);
            text("ConnectionArn", "arn") == Some(arn) || text("Name", "name") == Some(name.as_str())
        };
        let connection = self.connections.iter().find(is_it);
        let kind = connection.and_then(|json| get(json, "AuthorizationType", "authorization_type")?.text());
        let parameters = connection.and_then(|json| get(json, "AuthParameters", "auth_parameters"));
        let secret = |member: &str| {
            gather.fills.text(&format!("{name}.{member}"), &format!("a secret of the connection {name}"), draft.line)
        };
        match kind {
            Some("BASIC") => {
                let basic = parameters.and_then(|json| get(json, "BasicAuthParameters", "basic"));
                let user = basic.and_then(|json| get(json, "Username", "username")?.text()).unwrap_or_default();
                let password = basic.and_then(|json| get(json, "Password", "password")?.text()).map(str::to_owned);
                call.basic = Some((user.to_owned(), password.unwrap_or_else(|| secret("password"))));
            }
            Some("API_KEY") => {
                let key = parameters.and_then(|json| get(json, "ApiKeyAuthParameters", "api_key"));
                let header = key.and_then(|json| get(json, "ApiKeyName", "key")?.text()).unwrap_or("Authorization");
                let value = key.and_then(|json| get(json, "ApiKeyValue", "value")?.text()).map(str::to_owned);
                call.add_header(header, &value.unwrap_or_else(|| secret("key")));
            }
            _ => {
                let value = secret("authorization");
                call.add_header("Authorization", &value);
                draft.by_hand(format!("the credential of the connection {name} is not in the export"));
            }
        }
    }
}

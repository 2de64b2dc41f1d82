//! `azurerm_scheduler_job` in the state of Terraform.

use punctual_arm::{Json, Value};
use punctual_model::Violation;

use crate::azure::{self, Secrets};
use crate::gather::Gather;
use crate::report::Verdict;
use crate::terraform::{self, Resource, block};

pub(crate) fn read(json: &Json, gather: &mut Gather<'_>) -> Result<(), Vec<Violation>> {
    let Some(resources) = terraform::resources(json) else {
        let sentence = "this is no state of Terraform: give terraform.tfstate, or what terraform show -json prints";
        return Err(vec![Violation::sentence("", sentence)]);
    };
    for resource in &resources {
        match resource.kind.as_str() {
            "azurerm_scheduler_job_collection" => collection(resource, gather),
            "azurerm_scheduler_job" => job(resource, gather),
            _ => gather.refuse(resource.attributes.line, &resource.address, "skipped: a resource of another kind"),
        }
    }
    Ok(())
}

fn collection(resource: &Resource, gather: &mut Gather<'_>) {
    let line = resource.attributes.line;
    let name = resource.text("name").unwrap_or_default().to_owned();
    let text = |name: &str| resource.text(name).map(|text| Json::new(line, text));
    let sku = text("sku").map(|sku| Json::object(line, [("name", Some(sku))]));
    let quota = resource.block("quota").map(|quota| {
        let frequency = quota.get("max_recurrence_frequency").cloned();
        let recurrence = frequency.map(|frequency| {
            Json::object(
                line,
                [("frequency", Some(frequency)), ("interval", quota.get("max_recurrence_interval").cloned())],
            )
        });
        Json::object(line, [("maxJobCount", quota.get("max_job_count").cloned()), ("maxRecurrence", recurrence)])
    });
    let tags = resource.attributes.get("tags").filter(|tags| !tags.members().is_empty()).cloned();
    let body = Json::object(line, [("location", text("location")), ("tags", tags), ("sku", sku), ("quota", quota)]);
    gather.finding(line, format!("collection {name}"), Verdict::Exactly, Vec::new());
    gather.collection(name, body);
}

fn job(resource: &Resource, gather: &mut Gather<'_>) {
    let line = resource.attributes.line;
    let (Some(name), Some(collection)) = (resource.text("name"), resource.text("job_collection_name")) else {
        return gather.refuse(line, &resource.address, "it has no name or no job_collection_name");
    };
    let Some(mut action) = action(&resource.attributes, "", line) else {
        return gather.refuse(line, &resource.address, "it has neither action_web nor action_storage_queue");
    };
    if let Some(error) = self::action(&resource.attributes, "error_", line) {
        action.set("errorAction", error);
    }
    let retry = resource.block("retry").map(|retry| {
        Json::object(
            line,
            [
                ("retryType", Some(Json::new(line, "Fixed"))),
                ("retryInterval", given(retry, "interval")),
                ("retryCount", given(retry, "count")),
            ],
        )
    });
    // The provider sends no retries where nothing is said.
    action.set(
        "retryPolicy",
        retry.unwrap_or_else(|| Json::object(line, [("retryType", Some(Json::new(line, "None")))])),
    );
    let start = resource.text("start_time").map(|text| Json::new(line, text));
    let state = resource.text("state").map(|text| Json::new(line, text));
    let recurrence = resource.block("recurrence").map(|block| recurrence(block, line));
    let properties = Json::object(
        line,
        [("startTime", start), ("action", Some(action)), ("recurrence", recurrence), ("state", state)],
    );
    azure::job(&format!("{collection}/{name}"), line, &properties, Secrets::LeftOut, gather);
}

/// A value that says something: neither empty nor 0.
fn given(json: &Json, name: &str) -> Option<Json> {
    let value = json.get(name)?;
    let is_empty = match &value.value {
        Value::Text(text) => text.is_empty(),
        Value::Integer(integer) => *integer == 0,
        Value::List(items) => items.is_empty(),
        Value::Object(members) => members.is_empty(),
        _ => false,
    };
    (!is_empty).then(|| value.clone())
}

fn action(attributes: &Json, prefix: &str, line: u32) -> Option<Json> {
    if let Some(web) = block(attributes, &format!("{prefix}action_web")) {
        let request = Json::object(
            line,
            [
                ("uri", given(web, "url")),
                ("method", given(web, "method")),
                ("headers", given(web, "headers")),
                ("body", given(web, "body")),
                ("authentication", authentication(web, line)),
            ],
        );
        return Some(Json::object(line, [("request", Some(request))]));
    }
    let queue = block(attributes, &format!("{prefix}action_storage_queue"))?;
    let message = Json::object(
        line,
        [
            ("storageAccount", given(queue, "storage_account_name")),
            ("queueName", given(queue, "storage_queue_name")),
            ("sasToken", given(queue, "sas_token")),
            ("message", given(queue, "message")),
        ],
    );
    Some(Json::object(line, [("queueMessage", Some(message))]))
}

fn authentication(web: &Json, line: u32) -> Option<Json> {
    let kind = |name: &str| Some(Json::new(line, name));
    if let Some(basic) = block(web, "authentication_basic") {
        let members =
            [("type", kind("Basic")), ("username", given(basic, "username")), ("password", given(basic, "password"))];
        return Some(Json::object(line, members));
    }
    if let Some(certificate) = block(web, "authentication_certificate") {
        let members = [
            ("type", kind("ClientCertificate")),
            ("pfx", given(certificate, "pfx")),
            ("password", given(certificate, "password")),
        ];
        return Some(Json::object(line, members));
    }
    let directory = block(web, "authentication_active_directory")?;
    let members = [
        ("type", kind("ActiveDirectoryOAuth")),
        ("tenant", given(directory, "tenant_id")),
        ("clientId", given(directory, "client_id")),
        ("secret", given(directory, "secret")),
        ("audience", given(directory, "audience").or_else(|| kind("https://management.core.windows.net/"))),
    ];
    Some(Json::object(line, members))
}

fn recurrence(block_json: &Json, line: u32) -> Json {
    let occurrences = block_json
        .get("monthly_occurrences")
        .map(Json::items)
        .unwrap_or_default()
        .iter()
        .map(|item| Json::object(line, [("day", given(item, "day")), ("occurrence", given(item, "occurrence"))]));
    let occurrences: Vec<_> = occurrences.collect();
    let list = |name: &str| block_json.get(name).filter(|list| !list.items().is_empty()).cloned();
    let schedule = Json::object(
        line,
        [
            ("minutes", list("minutes")),
            ("hours", list("hours")),
            ("weekDays", list("week_days")),
            ("monthDays", list("month_days")),
            ("monthlyOccurrences", (!occurrences.is_empty()).then(|| Json::new(line, occurrences))),
        ],
    );
    Json::object(
        line,
        [
            ("frequency", given(block_json, "frequency")),
            ("interval", given(block_json, "interval")),
            ("count", given(block_json, "count")),
            ("endTime", given(block_json, "end_time")),
            ("schedule", (!schedule.members().is_empty()).then_some(schedule)),
        ],
    )
}

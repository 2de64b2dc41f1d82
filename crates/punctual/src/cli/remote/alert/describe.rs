//! What an alert is, in few words.

use serde_json::Value;

use super::super::table::text;

/// What is watched: everything, a collection, a job, or the path of something larger.
pub(super) fn scope_of(path: &str) -> String {
    let names: Vec<_> = path.split('/').collect();
    match names[..] {
        ["", ""] => "everything".to_owned(),
        ["", "subscriptions", _, "resourceGroups", _, "providers", _, "jobCollections", collection] => {
            collection.to_owned()
        }
        ["", "subscriptions", _, "resourceGroups", _, "providers", _, "jobCollections", collection, "jobs", job] => {
            format!("{collection}/{job}")
        }
        _ => path.to_owned(),
    }
}

/// The conditions, each with its parameter.
pub(super) fn when_of(when: &Value) -> String {
    let words = when.as_array().into_iter().flatten().flat_map(|word| match word {
        Value::Object(members) => members.iter().map(|(name, parameters)| with_parameter(name, parameters)).collect(),
        name => vec![text(name)],
    });
    words.collect::<Vec<_>>().join(", ")
}

fn with_parameter(name: &str, parameters: &Value) -> String {
    let parameter = parameters.as_object().and_then(|members| members.iter().next());
    match parameter {
        Some((member, value)) if member == "times" => format!("{name} {}x", text(value)),
        Some((_, value)) => format!("{name} {}", text(value)),
        None => name.to_owned(),
    }
}

/// Whom an alert tells, and in which form; e-mail has only one.
pub(super) fn tells_of(alert: &Value) -> String {
    let action = action_of(&alert["action"]);
    if alert["action"]["email"].is_null() { format!("{action} ({})", text(&alert["format"])) } else { action }
}

/// Whom the action calls, without the path and the query of an address: those of webhooks are secrets.
fn action_of(action: &Value) -> String {
    let member = |message: &str, member: &str| action[message][member].as_str().map(ToOwned::to_owned);
    if let Some(uri) = member("request", "uri") {
        let (scheme, rest) = uri.split_once("://").unwrap_or(("", &uri));
        let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
        let host = authority.rsplit('@').next().unwrap_or_default();
        return format!("{scheme}://{host}");
    }
    if let Some(account) = member("queueMessage", "storageAccount") {
        return format!("{account}/{}", member("queueMessage", "queueName").unwrap_or_default());
    }
    if let Some(to) = action["email"]["to"].as_array() {
        return to.iter().map(text).collect::<Vec<_>>().join(", ");
    }
    let buses = [("serviceBusQueueMessage", "queueName"), ("serviceBusTopicMessage", "topicPath")];
    let found = buses
        .iter()
        .find_map(|(message, entity)| Some(format!("{}/{}", member(message, "namespace")?, member(message, entity)?)));
    found.unwrap_or_else(|| "-".to_owned())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn an_alert_in_few_words() {
        let collection = "/subscriptions/s/resourceGroups/g/providers/Microsoft.Scheduler/jobCollections/ops";
        assert_eq!(scope_of("/"), "everything");
        assert_eq!(scope_of(collection), "ops");
        assert_eq!(scope_of(&format!("{collection}/jobs/nightly")), "ops/nightly");
        assert_eq!(scope_of("/subscriptions/s"), "/subscriptions/s");
        let when = json!([{ "failing": { "attempts": 3 } }, { "slow": { "times": 5 } }, { "late": { "after": "PT5M" } }, "ended"]);
        assert_eq!(when_of(&when), "failing 3, slow 5x, late PT5M, ended");
    }

    #[test]
    fn no_path_of_a_webhook_is_shown() {
        let request =
            json!({ "request": { "uri": "https://user:SECRET@hooks.example.com:8443/T0/SECRET?key=SECRET" } });
        assert_eq!(action_of(&request), "https://hooks.example.com:8443");
        let queue = json!({ "queueMessage": { "storageAccount": "acct", "queueName": "tasks" } });
        assert_eq!(action_of(&queue), "acct/tasks");
        let topic = json!({ "serviceBusTopicMessage": { "namespace": "ns", "topicPath": "t" } });
        assert_eq!(action_of(&topic), "ns/t");
        let email = json!({ "email": { "to": ["a@example.com", "b@example.com"] } });
        assert_eq!(action_of(&email), "a@example.com, b@example.com");
    }
}

//! Targets that are known to fail.

use insta::assert_snapshot;
use punctual_api::{TargetCheck, TargetFlaw};
use punctual_model::access::Scope;
use punctual_model::action::Target;
use serde_json::{Value, json};

use crate::server::Server;

const LONG: &str =
    "/subscriptions/local/resourceGroups/default/providers/Microsoft.Scheduler/jobCollections/default/jobs";

/// Refuses one address, and has no keys.
struct Check;

impl TargetCheck for Check {
    fn flaw(&self, target: &Target, collection: &Scope) -> Option<TargetFlaw> {
        assert_eq!(
            collection.to_string(),
            "/subscriptions/local/resourceGroups/default/providers/Microsoft.Scheduler/jobCollections/default"
        );
        match target {
            Target::Http(http) if http.uri.host() == "10.0.0.7" => Some(TargetFlaw::Forbidden("refused".to_owned())),
            Target::ServiceBus(bus) if bus.authentication.as_ref().is_none_or(|own| own.key.is_none()) => {
                Some(TargetFlaw::NoKey("no key".to_owned()))
            }
            _ => None,
        }
    }
}

fn call(uri: &str) -> Value {
    json!({ "request": { "uri": uri } })
}

fn message(key: Option<&str>) -> Value {
    let mut authentication = json!({ "type": "SharedAccessKey", "sasKeyName": "send" });
    if let Some(key) = key {
        authentication["sasKey"] = key.into();
    }
    json!({ "serviceBusQueueMessage": { "queueName": "q", "namespace": "ns", "message": "hello", "authentication": authentication } })
}

fn job(action: &Value) -> Value {
    json!({ "properties": { "action": action } })
}

#[tokio::test]
async fn an_address_that_is_never_called_is_warned_of() {
    let server = Server::start().await.checking(Check);
    let made = server.put("/v1/jobs/a", job(&call("http://10.0.0.7/x"))).await;
    assert_eq!(made.status(), 201, "{made}");
    assert!(made.header("warning").contains("properties.action.request.uri: refused"), "{made}");
    let made = server.put("/v1/jobs/b", job(&call("http://10.0.0.8/x"))).await;
    assert!(made.status() == 201 && !made.header("warning").contains("refused"), "{made}");
    let mut action = call("http://10.0.0.8/x");
    action["errorAction"] = call("http://10.0.0.7/x");
    let made = server.put(&format!("{LONG}/c?api-version=2016-03-01"), job(&action)).await;
    assert!(made.header("warning").contains("properties.action.errorAction.request.uri: refused"), "{made}");
}

#[tokio::test]
async fn a_key_that_is_missing() {
    let server = Server::start().await.checking(Check);
    let warned = "action.serviceBusQueueMessage.authentication.sasKey: no key";
    let long = format!("{LONG}/long?api-version=2016-03-01");
    let made = server.put(&long, job(&message(None))).await;
    assert!(
        made.status() == 201 && made.header("warning").contains(warned),
        "as in the examples of the documents: {made}"
    );
    let shown = server.get(&long).await;
    assert!(shown.status() == 200 && shown.header("warning").contains(warned), "{shown}");

    let refused = server.put("/v1/jobs/short", job(&message(None))).await;
    assert_eq!(refused.status(), 400, "{refused}");
    assert_snapshot!(refused.complaint(), @"400 BadRequest: properties.action.serviceBusQueueMessage.authentication.sasKey: No key.");
    let mut disabled = job(&message(None));
    disabled["properties"]["state"] = "Disabled".into();
    assert_eq!(server.put("/v1/jobs/short", disabled).await.status(), 201);
    let enabled = server.patch("/v1/jobs/short", json!({ "properties": { "state": "Enabled" } })).await;
    assert_eq!(enabled.status(), 400, "{enabled}");
    assert_eq!(server.put("/v1/jobs/other", job(&message(Some("a2V5")))).await.status(), 201);
}

//! Which action is meant.

use insta::assert_snapshot;

use super::{action, check};

#[test]
fn the_type_is_inferred_from_the_one_message() {
    assert_snapshot!(action(r#"{"request": {"uri": "https://example.com"}}"#), @r#"does Http(HttpAction { kind: Https, uri: "https://example.com", method: "GET", headers: [], body: None, authentication: None })"#);
    assert_snapshot!(action(r#"{"request": {"uri": "http://example.com"}}"#), @r#"does Http(HttpAction { kind: Http, uri: "http://example.com", method: "GET", headers: [], body: None, authentication: None })"#);
    assert_snapshot!(action(r#"{"queueMessage": {"storageAccount": "account", "queueName": "queue", "message": ""}}"#), @r#"does StorageQueue(StorageQueueAction { account: "account", queue: "queue", sas_token: None, message: "", format: None, time_to_live: None, visibility_delay: None })"#);
}

#[test]
fn either_scheme_goes_with_either_type() {
    assert_snapshot!(action(r#"{"type": "HTTPS", "request": {"uri": "http://example.com"}}"#), @r#"
    does Http(HttpAction { kind: Https, uri: "http://example.com", method: "GET", headers: [], body: None, authentication: None })
    ! action.request.uri: the type is Https and the address http: the call is not encrypted
    "#);
    assert_snapshot!(action(r#"{"type": "http", "request": {"uri": "https://example.com"}}"#), @r#"does Http(HttpAction { kind: Http, uri: "https://example.com", method: "GET", headers: [], body: None, authentication: None })"#);
}

#[test]
fn a_type_chooses_between_messages() {
    assert_snapshot!(action(r#"{"type": "Http", "request": {"uri": "https://example.com"}, "queueMessage": {"message": 5}}"#), @r#"
    does Http(HttpAction { kind: Http, uri: "https://example.com", method: "GET", headers: [], body: None, authentication: None })
    ! action.queueMessage: ignored: the type is Http
    "#);
}

#[test]
fn a_null_message_is_absent() {
    assert_snapshot!(action(r#"{"request": {"uri": "https://example.com"}, "queueMessage": null, "errorAction": null, "retryPolicy": null}"#), @r#"does Http(HttpAction { kind: Https, uri: "https://example.com", method: "GET", headers: [], body: None, authentication: None })"#);
}

#[test]
fn a_type_that_contradicts_its_message() {
    assert_snapshot!(action(r#"{"type": "StorageQueue", "request": {"uri": "https://example.com"}}"#), @"✗ action.request: type StorageQueue goes with queueMessage, not with request: change one of them");
    assert_snapshot!(action(r#"{"type": "Http", "serviceBusQueueMessage": {}, "serviceBusTopicMessage": {}}"#), @"
    ✗ action.serviceBusQueueMessage: type Http goes with request, not with serviceBusQueueMessage: change one of them
    ✗ action.serviceBusTopicMessage: type Http goes with request, not with serviceBusTopicMessage: change one of them
    ");
    assert_snapshot!(action(r#"{"type": "ServiceBusTopic"}"#), @"✗ action.serviceBusTopicMessage: given nothing, expected an object, since the type is ServiceBusTopic");
    assert_snapshot!(action(r#"{"type": "ftp", "request": {}}"#), @r#"
    ✗ action.type: given "ftp", expected one of Http, Https, StorageQueue, ServiceBusQueue, ServiceBusTopic
    ✗ action.request.uri: given nothing, expected the address to call, such as https://example.com/path
    "#);
    assert_snapshot!(action(r#"{"type": 1}"#), @"
    ✗ action.type: given 1, expected one of Http, Https, StorageQueue, ServiceBusQueue, ServiceBusTopic
    ✗ action.request: given nothing, expected what the job does: an object with request, queueMessage, serviceBusQueueMessage or serviceBusTopicMessage
    ");
    assert_snapshot!(action(r#"{"request": {"uri": "https://example.com"}, "queueMessage": {}}"#), @"✗ action.queueMessage: keep either request or queueMessage, or name the type that is meant");
    assert_snapshot!(action("{}"), @"✗ action.request: given nothing, expected what the job does: an object with request, queueMessage, serviceBusQueueMessage or serviceBusTopicMessage");
    assert_snapshot!(action("[]"), @"✗ action: given a list of 0, expected an object in braces");
    assert_snapshot!(action(r#"{"type": "Http", "request": "https://example.com"}"#), @"✗ action.request: given a text, expected an object in braces");
}

#[test]
fn retry_policy_and_error_action_stand_in_three_places() {
    assert_snapshot!(action(r#"{"request": {"uri": "https://example.com", "retryPolicy": {"retryCount": 2}, "errorAction": {"request": {"uri": "https://b.example"}}}}"#), @r#"
    does Http(HttpAction { kind: Https, uri: "https://example.com", method: "GET", headers: [], body: None, authentication: None })
    retry RetryPolicy { kind: Fixed, interval: None, interval_max: None, count: Some(2) }
    else Http(HttpAction { kind: Https, uri: "https://b.example", method: "GET", headers: [], body: None, authentication: None })
    ! action.request.retryPolicy: taken as action.retryPolicy
    ! action.request.errorAction: taken as action.errorAction
    "#);
    assert_snapshot!(check(r#"{"properties": {"action": {"request": {"uri": "https://example.com"}}, "retryPolicy": {"retryType": "None"}, "errorAction": {"request": {"uri": "https://b.example", "retryPolicy": {"retryCount": 1}}}}}"#), @r#"
    does Http(HttpAction { kind: Https, uri: "https://example.com", method: "GET", headers: [], body: None, authentication: None })
    retry RetryPolicy { kind: None, interval: None, interval_max: None, count: None }
    else Http(HttpAction { kind: Https, uri: "https://b.example", method: "GET", headers: [], body: None, authentication: None })
    else retry RetryPolicy { kind: Fixed, interval: None, interval_max: None, count: Some(1) }
    ! properties.retryPolicy: taken as properties.action.retryPolicy
    ! properties.errorAction: taken as properties.action.errorAction
    ! properties.errorAction.request.retryPolicy: taken as properties.errorAction.retryPolicy
    "#);
    assert_snapshot!(check(r#"{"action": {"retryPolicy": {"retryCount": 1}, "request": {"uri": "https://example.com", "retryPolicy": {"retryCount": 2}}}, "retryPolicy": {"retryCount": 3}}"#), @r#"
    does Http(HttpAction { kind: Https, uri: "https://example.com", method: "GET", headers: [], body: None, authentication: None })
    retry RetryPolicy { kind: Fixed, interval: None, interval_max: None, count: Some(1) }
    ! action.request.retryPolicy: ignored: there is another one, nearer to the action
    ! retryPolicy: ignored: there is another one, nearer to the action
    "#);
    assert_snapshot!(action(r#"{"queueMessage": {"storageAccount": "account", "queueName": "queue", "message": "", "retryPolicy": {"retryType": "None"}}}"#), @r#"
    does StorageQueue(StorageQueueAction { account: "account", queue: "queue", sas_token: None, message: "", format: None, time_to_live: None, visibility_delay: None })
    retry RetryPolicy { kind: None, interval: None, interval_max: None, count: None }
    ! action.queueMessage.retryPolicy: taken as action.retryPolicy
    "#);
}

#[test]
fn an_error_action_has_none_of_its_own() {
    assert_snapshot!(action(r#"{"request": {"uri": "https://example.com"}, "errorAction": {"request": {"uri": "https://example.com"}, "errorAction": {"request": {}}}}"#), @r#"
    does Http(HttpAction { kind: Https, uri: "https://example.com", method: "GET", headers: [], body: None, authentication: None })
    else Http(HttpAction { kind: Https, uri: "https://example.com", method: "GET", headers: [], body: None, authentication: None })
    ! action.errorAction.errorAction: ignored: it means nothing here
    "#);
    assert_snapshot!(action(r#"{"request": {"uri": "https://example.com"}, "errorAction": {"type": "Http"}}"#), @"✗ action.errorAction.request: given nothing, expected an object, since the type is Http");
    assert_snapshot!(action(r#"{"request": {"uri": "https://example.com"}, "errorAction": "mail"}"#), @"✗ action.errorAction: given a text, expected an object in braces");
}

#[test]
fn retry_policies() {
    assert_snapshot!(action(r#"{"request": {"uri": "https://example.com"}, "retryPolicy": {}}"#), @r#"
    does Http(HttpAction { kind: Https, uri: "https://example.com", method: "GET", headers: [], body: None, authentication: None })
    retry RetryPolicy { kind: Fixed, interval: None, interval_max: None, count: None }
    "#);
    assert_snapshot!(action(r#"{"request": {"uri": "https://example.com"}, "retryPolicy": {"retryType": "fixed", "retryInterval": "00:01:00", "retryCount": 2}}"#), @r#"
    does Http(HttpAction { kind: Https, uri: "https://example.com", method: "GET", headers: [], body: None, authentication: None })
    retry RetryPolicy { kind: Fixed, interval: Some(Span { ticks: 600000000, text: "00:01:00" }), interval_max: None, count: Some(2) }
    "#);
    assert_snapshot!(action(r#"{"request": {"uri": "https://example.com"}, "retryPolicy": {"retryInterval": "1.12:00:00.5"}}"#), @r#"
    does Http(HttpAction { kind: Https, uri: "https://example.com", method: "GET", headers: [], body: None, authentication: None })
    retry RetryPolicy { kind: Fixed, interval: Some(Span { ticks: 1296005000000, text: "1.12:00:00.5" }), interval_max: None, count: None }
    "#);
    assert_snapshot!(action(r#"{"request": {"uri": "https://example.com"}, "retryPolicy": {"retryType": "exponential", "retryInterval": "PT30S", "retryIntervalMax": "PT1H"}}"#), @r#"
    does Http(HttpAction { kind: Https, uri: "https://example.com", method: "GET", headers: [], body: None, authentication: None })
    retry RetryPolicy { kind: Exponential, interval: Some(Span { ticks: 300000000, text: "PT30S" }), interval_max: Some(Span { ticks: 36000000000, text: "PT1H" }), count: None }
    "#);
    assert_snapshot!(action(r#"{"request": {"uri": "https://example.com"}, "retryPolicy": {"retryCount": "3", "retries": 4}}"#), @r#"
    does Http(HttpAction { kind: Https, uri: "https://example.com", method: "GET", headers: [], body: None, authentication: None })
    retry RetryPolicy { kind: Fixed, interval: None, interval_max: None, count: Some(3) }
    ! action.retryPolicy.retryCount: the text "3" was taken as the number 3
    ! action.retryPolicy.retries: ignored: it means nothing here
    "#);
    assert_snapshot!(action(r#"{"request": {"uri": "https://example.com"}, "retryPolicy": {"retryCount": 2.0}}"#), @r#"
    does Http(HttpAction { kind: Https, uri: "https://example.com", method: "GET", headers: [], body: None, authentication: None })
    retry RetryPolicy { kind: Fixed, interval: None, interval_max: None, count: Some(2) }
    "#);
}

#[test]
fn retry_policies_that_are_wrong() {
    assert_snapshot!(action(r#"{"request": {"uri": "https://example.com"}, "retryPolicy": {"retryType": "often", "retryInterval": "PT1S", "retryIntervalMax": "PT1H", "retryCount": 21}}"#), @r#"
    ✗ action.retryPolicy.retryType: given "often", expected one of None, Fixed, Exponential
    ✗ action.retryPolicy.retryInterval: given PT1S, expected 15 seconds to 18 months (548 days)
    ✗ action.retryPolicy.retryCount: given 21, expected 0 to 20
    "#);
    assert_snapshot!(action(r#"{"request": {"uri": "https://example.com"}, "retryPolicy": {"retryInterval": "30"}}"#), @r#"✗ action.retryPolicy.retryInterval: given "30", expected a duration such as 30s, PT30S, P1DT12H or 00:00:30"#);
    assert_snapshot!(action(r#"{"request": {"uri": "https://example.com"}, "retryPolicy": {"retryInterval": 30}}"#), @"✗ action.retryPolicy.retryInterval: given 30, expected a duration such as 30s, PT30S, P1DT12H or 00:00:30, as a text in quotes");
    assert_snapshot!(action(r#"{"request": {"uri": "https://example.com"}, "retryPolicy": {"retryInterval": "P19M"}}"#), @"✗ action.retryPolicy.retryInterval: given P19M, expected 15 seconds to 18 months (548 days)");
    assert_snapshot!(action(r#"{"request": {"uri": "https://example.com"}, "retryPolicy": {"retryCount": -1}}"#), @"✗ action.retryPolicy.retryCount: given -1, expected 0 to 20");
    assert_snapshot!(action(r#"{"request": {"uri": "https://example.com"}, "retryPolicy": {"retryCount": 1.5}}"#), @"✗ action.retryPolicy.retryCount: given 1.5, expected a whole number");
    assert_snapshot!(action(r#"{"request": {"uri": "https://example.com"}, "retryPolicy": {"retryCount": 1e30}}"#), @"✗ action.retryPolicy.retryCount: given 1e30, expected a whole number of at most 18 digits");
    assert_snapshot!(action(r#"{"request": {"uri": "https://example.com"}, "retryPolicy": {"retryCount": "many"}}"#), @r#"✗ action.retryPolicy.retryCount: given "many", expected a whole number"#);
    assert_snapshot!(action(r#"{"request": {"uri": "https://example.com"}, "retryPolicy": {"retryIntervalMax": "PT1H"}}"#), @"✗ action.retryPolicy.retryIntervalMax: only retryType Exponential has a longest interval: leave it out, or change the type");
    assert_snapshot!(action(r#"{"request": {"uri": "https://example.com"}, "retryPolicy": {"retryType": null, "retryCount": true}}"#), @"✗ action.retryPolicy.retryCount: given true, expected a whole number");
    assert_snapshot!(action(r#"{"request": {"uri": "https://example.com"}, "retryPolicy": []}"#), @"✗ action.retryPolicy: given a list of 0, expected an object in braces");
}

#[test]
fn email_is_for_alerts_only() {
    let [main, error] = [
        r#"{"type": "Email", "email": {"to": ["ops@example.com"]}}"#,
        r#"{"request": {"uri": "https://example.com"}, "errorAction": {"email": {"to": ["ops@example.com"]}}}"#,
    ];
    assert_snapshot!(format!("{}\n{}", action(main), action(error)), @"
    ✗ action.email: e-mail is for alerts only: make an alert (/v1/alerts), or call a mail service by request
    ✗ action.errorAction.email: e-mail is for alerts only: make an alert (/v1/alerts), or call a mail service by request
    ");
    assert_snapshot!(action(r#"{"type": "Email"}"#), @r#"
    ✗ action.type: given "Email", expected one of Http, Https, StorageQueue, ServiceBusQueue, ServiceBusTopic
    ✗ action.request: given nothing, expected what the job does: an object with request, queueMessage, serviceBusQueueMessage or serviceBusTopicMessage
    "#);
}

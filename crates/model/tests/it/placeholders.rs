//! Placeholders: what is filled in where, and what must hold whatever the values are.

use insta::assert_snapshot;
use proptest::prelude::*;
use punctual_model::action::{
    Action, Address, BrokeredProperties, Entity, ErrorAction, HttpAction, HttpType, Secret, ServiceBusAction,
    StorageQueueAction, Target,
};
use punctual_model::failure::{Failure, FailureClass};
use punctual_model::job::Definition;
use punctual_model::occurrence::OccurrenceId;
use punctual_model::options::{Options, OptionsParts};
use punctual_model::placeholder::{Filling, GAP, Placeholder, Values, is_json};
use punctual_model::time::Timestamp;

const NAMES: [&str; 4] = ["default", "default", "nightly", "täglich & \"so\""];

fn values(failure: Option<&Failure>) -> Values<'_> {
    Values {
        names: NAMES,
        nominal: Timestamp::from_seconds(1_800_000_000).unwrap(),
        tag: OccurrenceId::from_bytes([7; 16]),
        attempt: 2,
        failure,
        public_url: Some("https://scheduler.example.com"),
        listen_url: "http://127.0.0.1:7878",
    }
}

fn request(uri: &str, headers: &[(&str, &str)], body: Option<&str>) -> HttpAction {
    let headers = headers.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
    HttpAction {
        kind: HttpType::Https,
        uri: Address::parse(uri).unwrap(),
        method: "POST".to_owned(),
        headers,
        body: body.map(str::to_owned),
        authentication: None,
    }
}

fn bus(message: &str, brokered: BrokeredProperties, custom: &[(&str, &str)]) -> Target {
    Target::ServiceBus(Box::new(ServiceBusAction {
        entity: Entity::Topic("t".to_owned()),
        namespace: "n".to_owned(),
        transport: None,
        authentication: None,
        message: message.to_owned(),
        brokered,
        custom: custom.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect(),
    }))
}

fn queue(message: &str) -> Target {
    Target::StorageQueue(StorageQueueAction {
        account: "account".to_owned(),
        queue: "queue".to_owned(),
        sas_token: Secret::new("sig=x"),
        message: message.to_owned(),
        format: None,
        time_to_live: None,
        visibility_delay: None,
    })
}

fn filled(http: &HttpAction, filling: Filling<'_>) -> HttpAction {
    match filling.fill(&Target::Http(http.clone())) {
        Target::Http(http) => http,
        other => panic!("{other:?}"),
    }
}

fn with_body(content_type: Option<&str>, body: &str, failure: Option<&Failure>) -> String {
    let headers = content_type.map(|text| ("Content-Type", text));
    let request = request("https://example.com", headers.as_slice(), Some(body));
    filled(&request, Filling::Values(values(failure))).body.unwrap()
}

fn failure() -> Failure {
    Failure::answered(FailureClass::Status, "api.example.com", 503, ": \"try\n<later>\"")
}

#[test]
fn each_of_them() {
    let body: Vec<_> = Placeholder::ALL.iter().map(|it| format!("{} = {{{{{}}}}}", it.name(), it.name())).collect();
    assert_snapshot!(with_body(None, &body.join("\n"), Some(&failure())), @r#"
    job.name = täglich & "so"
    job.collection = nightly
    occurrence.nominal = 2027-01-15T08:00:00Z
    occurrence.tag = 07070707070707070707070707070707
    attempt = 2
    failure.message = api.example.com answered 503 Service Unavailable: "try
    <later>"
    failure.code = 503
    link = https://scheduler.example.com/jobs/nightly/t%C3%A4glich%20%26%20%22so%22/at/2027-01-15T08:00:00Z
    "#);
    let unknown = Values { public_url: None, ..values(None) };
    let request = request("https://example.com", &[], Some("[{{failure.message}}][{{failure.code}}] {{link}}"));
    assert_snapshot!(filled(&request, Filling::Values(unknown)).body.unwrap(), @"[][] http://127.0.0.1:7878/v1/collections/nightly/jobs/t%C3%A4glich%20%26%20%22so%22/history?subscription=default&group=default");
}

#[test]
fn values_are_escaped_by_where_they_stand() {
    let uri = "https://u:p@example.com:8443/hooks/{{job.name}}/x?text={{failure.message}}&n={{attempt}}#{{job.name}}";
    let headers = [("X-Job", "{{job.collection}}/{{job.name}}"), ("X-Why", "{{failure.message}}"), ("X-Not", "{{")];
    let http = filled(&request(uri, &headers, None), Filling::Values(values(Some(&failure()))));
    assert_snapshot!(format!("{}\n{:#?}", http.uri, http.headers), @r#"
    https://u:p@example.com:8443/hooks/t%C3%A4glich%20%26%20%22so%22/x?text=api.example.com%20answered%20503%20Service%20Unavailable%3A%20%22try%0A%3Clater%3E%22&n=2#{{job.name}}
    [
        (
            "X-Job",
            "nightly/täglich & \"so\"",
        ),
        (
            "X-Why",
            "api.example.com answered 503 Service Unavailable: \"try <later>\"",
        ),
        (
            "X-Not",
            "{{",
        ),
    ]
    "#);
    let failed = failure();
    let body = |content_type, body| with_body(content_type, body, Some(&failed));
    let text = r#"{"text": "{{job.name}}: {{failure.message}}", "code": {{failure.code}}, "n": {{ attempt }}}"#;
    assert_snapshot!(body(None, text), @r#"{"text": "täglich & \"so\": api.example.com answered 503 Service Unavailable: \"try\n<later>\"", "code": 503, "n": 2}"#);
    assert_snapshot!(with_body(Some("application/json"), text, None), @r#"{"text": "täglich & \"so\": ", "code": null, "n": 2}"#);
    assert_snapshot!(body(Some("application/soap+xml; charset=utf-8"), r#"<a b="{{job.name}}">{{failure.message}}</a>"#), @r#"<a b="täglich &amp; &quot;so&quot;">api.example.com answered 503 Service Unavailable: &quot;try&#10;&lt;later&gt;&quot;</a>"#);
    assert_snapshot!(body(Some("application/x-www-form-urlencoded"), "text={{failure.message}}&job={{job.name}}"), @"text=api.example.com%20answered%20503%20Service%20Unavailable%3A%20%22try%0A%3Clater%3E%22&job=t%C3%A4glich%20%26%20%22so%22");
    assert_snapshot!(body(Some("text/plain"), "{\"{{job.name}}\"}"), @r#"{"täglich & "so""}"#);
    // Neither of them is JSON, although they look like it.
    assert_snapshot!(body(None, "[{{job.name}}] {{failure.message}}"), @r#"
    [täglich & "so"] api.example.com answered 503 Service Unavailable: "try
    <later>"
    "#);
    assert_snapshot!(body(None, "{{job.name}} failed"), @r#"täglich & "so" failed"#);
}

#[test]
fn messages_of_queues_and_brokers() {
    let failed = failure();
    let fill = |target: &Target| match Filling::Values(values(Some(&failed))).fill(target) {
        Target::StorageQueue(queue) => queue.message,
        Target::ServiceBus(bus) => format!("{} {:?}", bus.message, bus.custom),
        other @ (Target::Http(_) | Target::Email(_)) => panic!("{other:?}"),
    };
    let xml = BrokeredProperties { content_type: Some("text/xml".to_owned()), ..BrokeredProperties::default() };
    let custom = [("why", "{{failure.message}}")];
    let told = [
        queue(r#"{"job": "{{job.name}}"}"#),
        queue("{{job.name}} <{{failure.code}}>"),
        bus(r#"["{{job.name}}"]"#, BrokeredProperties::default(), &custom),
        bus("<job>{{job.name}}</job>", xml, &[]),
    ];
    assert_snapshot!(told.each_ref().map(fill).join("\n"), @r#"
    {"job": "täglich & \"so\""}
    täglich & "so" <503>
    ["täglich & \"so\""] [("why", "api.example.com answered 503 Service Unavailable: \"try\n<later>\"")]
    <job>täglich &amp; &quot;so&quot;</job> []
    "#);
}

#[test]
fn gaps_leave_the_texts_of_the_user() {
    let uri = "https://example.com/{{job.name}}?key=secret&job={{job.name}}";
    let body = r#"{"key": "secret {{job.name}}", "n": {{attempt}}}"#;
    let http = filled(&request(uri, &[("X-Job", "a {{job.name}}")], Some(body)), Filling::Gaps);
    let told = format!("{} {:?} {}", http.uri, http.headers, http.body.unwrap());
    assert_eq!(told.matches(GAP).count() + told.matches("\\u{fdd0}").count(), 4);
    assert_snapshot!(told.replace(GAP, "_").replace("\\u{fdd0}", "_"), @r#"https://example.com/_?key=secret&job=_ [("X-Job", "a _")] {"key": "secret _", "n": 0}"#);
}

fn definition(target: Target, error: Option<Target>) -> Definition {
    let error = error.map(|target| ErrorAction { target, retry: None });
    let options = OptionsParts { placeholders: Some(true), ..OptionsParts::default() };
    Definition {
        start: None,
        action: Action { target, retry: None, error, sign: None },
        recurrence: None,
        options: Options::new(options).unwrap(),
    }
}

#[test]
fn what_is_wrong_is_said_with_its_member() {
    let told = |target: Target, error: Option<Target>| {
        let violations = definition(target, error).action.check_placeholders();
        violations.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n")
    };
    let http = |uri: &str, headers: &[(&str, &str)], body: &str| Target::Http(request(uri, headers, Some(body)));
    assert_snapshot!(told(http("https://{{job.name}}.example.com/", &[], ""), None), @"action.request.uri: placeholders stand in the path and the query only: scheme, user, host and port are fixed when the job is saved");
    assert_snapshot!(told(http("https://{{job.name}}:x@example.com{{attempt}}", &[], ""), None), @"action.request.uri: placeholders stand in the path and the query only: scheme, user, host and port are fixed when the job is saved");
    assert_snapshot!(told(http("https://example.com/{{failure.code}}?{{x}}", &[("A", "{{attempt}")], "{{link}}"), None), @"
    action.request.uri: {{failure.code}} is known to an error action only: use it in action.errorAction
    action.request.uri: there is no placeholder {{x}}: there are {{job.name}}, {{job.collection}}, {{occurrence.nominal}}, {{occurrence.tag}}, {{attempt}}, {{failure.message}}, {{failure.code}}, {{link}}; for the braces themselves write {{'{{'}}
    action.request.headers.A: {{ opens a placeholder, and no }} closes it; for the braces themselves write {{'{{'}}
    ");
    let json = [("content-type", "application/json")];
    assert_snapshot!(told(http("https://example.com/", &json, r#"{"job": {{job.name}}, "n": {{attempt}}}"#), None), @"action.request.body: {{job.name}} is a text: in JSON it stands in quotes");
    assert_snapshot!(told(http("https://example.com/", &[("Content-Type", "{{job.name}}")], "{{link}}"), None), @"action.request.headers.Content-Type: this header takes no placeholders: it decides how those of the body are escaped");
    let label = BrokeredProperties { label: Some("{{job.name}}".to_owned()), ..BrokeredProperties::default() };
    let error = bus("{{failure.message}}{{failures}}", label, &[("p", "{{failure.code}}{{nominal}}")]);
    assert_snapshot!(told(queue("{{failure.message}}"), Some(error)), @"
    action.queueMessage.message: {{failure.message}} is known to an error action only: use it in action.errorAction
    action.errorAction.serviceBusTopicMessage.message: there is no placeholder {{failures}}: there are {{job.name}}, {{job.collection}}, {{occurrence.nominal}}, {{occurrence.tag}}, {{attempt}}, {{failure.message}}, {{failure.code}}, {{link}}; for the braces themselves write {{'{{'}}
    action.errorAction.serviceBusTopicMessage.customMessageProperties.p: there is no placeholder {{nominal}}: there are {{job.name}}, {{job.collection}}, {{occurrence.nominal}}, {{occurrence.tag}}, {{attempt}}, {{failure.message}}, {{failure.code}}, {{link}}; for the braces themselves write {{'{{'}}
    action.errorAction.serviceBusTopicMessage.brokeredMessageProperties.label: placeholders stand in message and customMessageProperties only
    ");
}

#[test]
fn limits_hold_for_the_longest_values() {
    let told = |target: Target, names: [&str; 4]| {
        let violations = definition(queue("x"), Some(target)).check_sizes(names);
        violations.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n")
    };
    let http = |uri: &str, header: &str, body: &str| Target::Http(request(uri, &[("X", header)], Some(body)));
    let three = "https://example.com/?{{failure.message}}&{{failure.message}}&{{failure.message}}";
    assert_eq!(told(http(three, &"{{failure.message}}".repeat(6), "{{failure.message}}"), NAMES), "");
    let four = format!("{three}&{{{{failure.message}}}}");
    assert_snapshot!(told(http(&four, &"{{failure.message}}".repeat(7), &"{{failure.message}}".repeat(110)), NAMES), @"
    action.errorAction.request.uri: given 2424 characters with the longest values of its placeholders, expected at most 2048
    action.errorAction.request.headers: given 4201 characters with the longest values of its placeholders, expected at most 4096 in names and values together
    action.errorAction.request.body: given 66000 characters with the longest values of its placeholders, expected at most 65536 characters
    ");
    let long = "é".repeat(260);
    let names = ["default", "default", &*long, &*long];
    assert_snapshot!(told(http("https://example.com/?{{link}}", "", ""), names), @"action.errorAction.request.uri: given 5384 characters with the longest values of its placeholders, expected at most 2048");
    let padded = |length: usize| "x".repeat(length) + "{{failure.message}}";
    assert_eq!(told(queue(&padded(45_500)), NAMES), "");
    assert_snapshot!(told(queue(&padded(46_500)), NAMES), @"action.errorAction.queueMessage.message: given 66668 bytes in the format envelope with the longest values of its placeholders, expected at most 65536, which is what a storage queue takes");
    let custom = ["a", "b", "c", "d", "e", "f", "g"].map(|name| (name, "{{failure.message}}"));
    assert_snapshot!(told(bus(&padded(65_000), BrokeredProperties::default(), &custom), NAMES), @"
    action.errorAction.serviceBusTopicMessage.message: given 65600 characters with the longest values of its placeholders, expected at most 65536 characters
    action.errorAction.serviceBusTopicMessage.customMessageProperties: given 4207 characters with the longest values of its placeholders, expected at most 4096 in names and values together
    ");
}

/// Texts with all that is special somewhere.
fn nasty() -> impl Strategy<Value = String> + Clone {
    let special = prop::sample::select(vec![
        "{",
        "}",
        "{{",
        "}}",
        "\"",
        "\\",
        "/",
        "?",
        "#",
        "@",
        ":",
        "%",
        "&",
        "=",
        "<",
        ">",
        "'",
        " ",
        "\r\n",
        "\0",
        "\u{7f}",
        "\u{85}",
        "é",
        "\u{1f600}",
        "..",
        "[",
        "]",
        ",",
        "x",
        "7",
    ]);
    prop::collection::vec(special, 0..12).prop_map(|parts| parts.concat())
}

fn any_failure() -> impl Strategy<Value = Failure> {
    (prop::option::of(any::<u16>()), nasty(), nasty(), 1..200_usize).prop_map(|(code, host, detail, times)| Failure {
        class: FailureClass::Status,
        code,
        host,
        detail: detail.repeat(times),
    })
}

fn template() -> impl Strategy<Value = String> + Clone {
    let placeholder = prop::sample::select(Placeholder::ALL.to_vec());
    let part = (nasty(), placeholder).prop_map(|(text, it)| format!("{}{{{{{}}}}}", text.replace('{', ""), it.name()));
    prop::collection::vec(part, 0..4).prop_map(|parts| parts.concat())
}

/// JSON with placeholders in its strings, and numbers outside of them.
fn json_template() -> impl Strategy<Value = String> {
    let text = template().prop_map(|text| serde_json::to_string(&text).unwrap());
    let number = prop::sample::select(vec!["{{attempt}}", "{{failure.code}}", "12", "null"]).prop_map(str::to_owned);
    let list = (text.clone(), number.clone()).prop_map(|(text, number)| format!("[{text}, {number}]"));
    (text, number, list).prop_map(|(text, number, list)| format!("{{{text}: {number}, \"l\": {list}}}"))
}

proptest! {
    #[test]
    fn a_text_without_placeholders_stays_as_it_is(text in nasty(), failure in any_failure()) {
        let text = text.replace("{{", "{");
        let header: String = text.chars().filter(|c| !c.is_control()).collect();
        let request = request("https://example.com/a?b#c", &[("X", &header)], Some(&text));
        prop_assert_eq!(&filled(&request, Filling::Values(values(Some(&failure)))), &request);
        prop_assert_eq!(&filled(&request, Filling::Gaps), &request);
    }

    #[test]
    fn filled_json_is_json(template in json_template(), failure in any_failure()) {
        for content_type in [None, Some("application/json")] {
            let body = with_body(content_type, &template, Some(&failure));
            prop_assert!(serde_json::from_str::<serde_json::Value>(&body).is_ok(), "{} {}", template, body);
        }
    }

    #[test]
    fn headers_have_no_control_characters(template in template(), name in nasty(), failure in any_failure()) {
        let template: String = template.chars().filter(|c| !c.is_control()).collect();
        let values = Values { names: ["s", "g", "c", &name], ..values(Some(&failure)) };
        let http = filled(&request("https://h/", &[("X", &template)], None), Filling::Values(values));
        prop_assert!(!http.headers[0].1.contains(char::is_control), "{:?}", http.headers);
    }

    #[test]
    fn who_is_called_never_changes(template in template(), name in nasty(), failure in any_failure()) {
        let template = template.replace(|c: char| c.is_control() || c.is_whitespace(), "");
        let request = request(&format!("https://user:p@h:8/{template}"), &[], None);
        let values = Values { names: ["s", "g", "c", &name], ..values(Some(&failure)) };
        let uri = filled(&request, Filling::Values(values)).uri;
        prop_assert_eq!(uri.origin(), request.uri.origin());
        prop_assert_eq!(uri.user_info(), Some("user:p"));
        // What is sent is what a reader of the address would make of it.
        if let Ok(read) = Address::parse(uri.as_str()) {
            prop_assert_eq!(&read, &uri);
        } else {
            prop_assert!(uri.as_str().len() > 2048, "{}", uri);
        }
    }

    /// What was checked when the job was saved holds when it runs.
    #[test]
    fn nothing_is_longer_than_the_longest(count in 1..8_usize, failure in any_failure(), is_json in any::<bool>()) {
        let body = if is_json { format!("[\"{}\"]", "{{failure.message}}".repeat(count)) } else { "{{failure.message}}".repeat(count) };
        let uri = format!("https://h/?{}", "{{failure.message}}".repeat(count));
        let http = filled(&request(&uri, &[("X", &body)], Some(&body)), Filling::Values(values(Some(&failure))));
        prop_assert!(http.uri.as_str().len() <= 600 * count + 11);
        prop_assert!(http.headers[0].1.len() <= 600 * count + 4 && http.body.unwrap().len() <= 600 * count + 4);
    }

    #[test]
    fn json_is_what_others_take_for_json(text in r#"([\[\]{},: ]|"[a"\\u0]{0,3}"|-?0?1?\.?[0-9eE+-]{0,3}|true|null){0,8}"#) {
        let theirs = serde_json::from_str::<serde_json::Value>(&text).is_ok();
        prop_assert_eq!(is_json(&text), theirs, "{}", text);
    }
}

//! The description is about the routes that are there, all of them and no others. Whether answers look as it says is
//! checked for every answer in `tests/it`, and by `scripts/schemathesis`, which asks a running server.

use std::collections::BTreeSet;
use std::mem::{Discriminant, discriminant};

use punctual_model::collection::CollectionState;
use punctual_model::{Name, limits as model};
use punctual_store::{ChangePlace, GroupKey};
use serde_json::{Value, json};

use super::DESCRIPTION;
use crate::api::API_VERSIONS;
use crate::route::{AlertTarget, ClusterTarget, JobTask, Misroute, Route, Target, Versioning};
use crate::wire::Json;
use crate::{limits, page};

const SUBSCRIPTION: &str = "/subscriptions/{subscriptionId}";
const GROUP: &str = "/subscriptions/{subscriptionId}/resourceGroups/{resourceGroupName}";
const PROVIDER: &str = "/providers/Microsoft.Scheduler";

/// Where a target is described: by its long path, its short ones, or both. A new target does not compile without a line.
fn places(target: &Target) -> Vec<String> {
    let own = |path: &str| vec![path.to_owned()];
    let in_subscription = |path: &str| vec![format!("{SUBSCRIPTION}{path}")];
    let in_group =
        |path: &str| vec![format!("{GROUP}{PROVIDER}/jobCollections{path}"), format!("/v1/collections{path}")];
    let in_collection = |path: &str| in_group(&format!("/{{jobCollectionName}}{path}"));
    let in_jobs = |path: &str| [in_collection(&format!("/jobs{path}")), own(&format!("/v1/jobs{path}"))].concat();
    match target {
        Target::Health => own("/healthz"),
        Target::Readiness => own("/readyz"),
        Target::Description => own("/openapi.json"),
        Target::Schema => own("/schema.json"),
        Target::Bulk => own("/v1/bulk"),
        Target::Metrics => own("/metrics"),
        Target::Preview => own("/v1/preview"),
        Target::Audit => own("/v1/audit"),
        Target::Events => own("/v1/events"),
        Target::Failures => own("/v1/failures"),
        Target::Due => own("/v1/due"),
        Target::AllHistory => own("/v1/history"),
        Target::Rerun => own("/v1/rerun"),
        Target::Alerts(target) => own(alert_place(target)),
        Target::Cluster(ClusterTarget::Nodes) => own("/v1/cluster"),
        Target::Cluster(ClusterTarget::Drain(_)) => own("/v1/cluster/nodes/{nodeName}/drain"),
        Target::Pause => own("/v1/pause"),
        Target::Resume => own("/v1/resume"),
        Target::SignInLink => own("/v1/sign-in-link"),
        Target::Tokens => own("/v1/tokens"),
        Target::Token(_) => own("/v1/tokens/{tokenId}"),
        Target::Assignments => own("/v1/assignments"),
        Target::Assignment(_) => own("/v1/assignments/{assignmentId}"),
        Target::SecretsRotation => own("/v1/secrets/rotate"),
        Target::Subscriptions => own("/subscriptions"),
        Target::Subscription(_) => in_subscription(""),
        Target::Providers(_) => in_subscription("/providers"),
        Target::Provider(_) => in_subscription(PROVIDER),
        Target::Registration(_) => in_subscription("/providers/Microsoft.Scheduler/register"),
        Target::Operations => own("/providers/Microsoft.Scheduler/operations"),
        Target::Groups(_) => in_subscription("/resourceGroups"),
        Target::Group(_) => own(GROUP),
        Target::CollectionsOfSubscription(_) => in_subscription("/providers/Microsoft.Scheduler/jobCollections"),
        Target::Collections(_) => in_group(""),
        Target::Collection(_) => in_collection(""),
        Target::CollectionSwitch(_, CollectionState::Enabled) => in_collection("/enable"),
        Target::CollectionSwitch(_, _) => in_collection("/disable"),
        Target::AllJobs => own("/v1/jobs"),
        Target::Jobs(_) => in_collection("/jobs"),
        Target::Job(_) => in_jobs("/{jobName}"),
        Target::JobRun(_) => in_jobs("/{jobName}/run"),
        Target::JobHistory(_) => in_jobs("/{jobName}/history"),
        Target::JobRecord(..) => in_jobs("/{jobName}/history/{historyId}"),
        Target::Changes(ChangePlace::Collection(_)) => in_collection("/changes"),
        Target::Changes(ChangePlace::Server) => own("/v1/changes"),
        Target::Changes(ChangePlace::Alert(_)) => own("/v1/alerts/{alertName}/changes"),
        Target::Changes(ChangePlace::Job(_)) => in_jobs("/{jobName}/changes"),
        Target::JobRerun(..) => in_jobs("/{jobName}/history/{historyId}/rerun"),
        Target::JobTask(_, task) => {
            let path = match task {
                JobTask::Enable => "/{jobName}/enable",
                JobTask::Disable => "/{jobName}/disable",
                JobTask::At(_) => "/{jobName}/at/{time}",
                JobTask::Backfill => "/{jobName}/backfill",
            };
            ["/v1/collections/{jobCollectionName}/jobs", "/v1/jobs"].map(|jobs| format!("{jobs}{path}")).to_vec()
        }
    }
}

fn alert_place(target: &AlertTarget) -> &'static str {
    match target {
        AlertTarget::Alerts => "/v1/alerts",
        AlertTarget::Alert(_) => "/v1/alerts/{alertName}",
        AlertTarget::Test(_) => "/v1/alerts/{alertName}/test",
        AlertTarget::Mute(_) => "/v1/alerts/{alertName}/mute",
        AlertTarget::Unmute(_) => "/v1/alerts/{alertName}/unmute",
        AlertTarget::Messages(_) => "/v1/alerts/{alertName}/messages",
        AlertTarget::Message(..) => "/v1/alerts/{alertName}/messages/{messageId}",
        AlertTarget::Incidents => "/v1/incidents",
        AlertTarget::Incident(_) => "/v1/incidents/{incidentId}",
        AlertTarget::IncidentMute(_) => "/v1/incidents/{incidentId}/mute",
        AlertTarget::IncidentUnmute(_) => "/v1/incidents/{incidentId}/unmute",
    }
}

/// How many kinds of target `places` knows.
const TARGETS: usize = 58;

/// The kind of a target.
type Kind = (
    Discriminant<Target>,
    Option<Discriminant<AlertTarget>>,
    Option<Discriminant<ClusterTarget>>,
    Option<Discriminant<JobTask>>,
);

fn kind(target: &Target) -> Kind {
    let of_alert = if let Target::Alerts(target) = target { Some(discriminant(target)) } else { None };
    let of_cluster = if let Target::Cluster(target) = target { Some(discriminant(target)) } else { None };
    let of_job = if let Target::JobTask(_, task) = target { Some(discriminant(task)) } else { None };
    (discriminant(target), of_alert, of_cluster, of_job)
}

fn description() -> Value {
    serde_json::from_str(DESCRIPTION).unwrap()
}

/// The value, or the one it refers to.
fn resolved<'a>(description: &'a Value, value: &'a Value) -> &'a Value {
    match value["$ref"].as_str() {
        Some(reference) => description.pointer(reference.trim_start_matches('#')).expect(reference),
        None => value,
    }
}

/// The parameters that all methods of a path have.
fn parameters<'a>(description: &'a Value, item: &'a Value) -> Vec<&'a Value> {
    item["parameters"].as_array().into_iter().flatten().map(|it| resolved(description, it)).collect()
}

/// The path with the examples of its parameters in it, read as one of a request.
fn route(description: &Value, path: &str, item: &Value) -> Route {
    let filled = parameters(description, item).into_iter().filter(|it| it["in"] == "path").fold(
        path.to_owned(),
        |path, parameter| {
            let example = &parameter["example"];
            let text = example.as_str().map_or_else(|| example.to_string(), ToOwned::to_owned);
            path.replace(&format!("{{{}}}", parameter["name"].as_str().unwrap()), &text)
        },
    );
    let name = |text| Name::parse(text).unwrap();
    let defaults = GroupKey { subscription: name("subscription"), group: name("group") };
    Route::parse(&filled, &defaults).unwrap_or_else(|misroute| match misroute {
        Misroute::Unknown => panic!("there is no path {path}"),
        Misroute::Invalid(violation) => panic!("{path}: {violation}"),
    })
}

/// Every operation, with its path and its method.
fn operations(description: &Value) -> impl Iterator<Item = (String, &Value)> {
    let paths = description["paths"].as_object().unwrap().iter();
    let methods = paths.flat_map(|(path, item)| item.as_object().unwrap().iter().map(move |(key, it)| (path, key, it)));
    methods.filter(|(_, key, _)| *key != "parameters").map(|(path, method, it)| (format!("{method} {path}"), it))
}

#[test]
fn it_can_be_served() {
    assert!(Json::parse(DESCRIPTION).is_ok(), "its own rules for JSON: {:?}", Json::parse(DESCRIPTION));
    assert_eq!(description()["info"]["version"], env!("CARGO_PKG_VERSION"));
}

#[test]
fn every_route_is_described_and_nothing_else() {
    let description = description();
    let (mut described, mut wanted, mut targets) = (BTreeSet::new(), BTreeSet::new(), Vec::new());
    for (path, item) in description["paths"].as_object().unwrap() {
        let target = route(&description, path, item).target;
        let methods: BTreeSet<_> = item.as_object().unwrap().keys().filter(|key| *key != "parameters").collect();
        let known: BTreeSet<_> = target.methods().iter().map(|(method, _)| method.as_str().to_lowercase()).collect();
        assert_eq!(methods, known.iter().collect(), "{path}");
        described.insert(path.clone());
        wanted.extend(places(&target));
        targets.push(kind(&target));
    }
    assert_eq!(described, wanted);
    let distinct = targets.iter().enumerate().filter(|(at, target)| !targets[..*at].contains(target)).count();
    assert_eq!(distinct, TARGETS, "a target is not described, or the number of targets has changed");
}

#[test]
fn versions_and_credentials_are_asked_for_where_they_are_needed() {
    let description = description();
    for (path, item) in description["paths"].as_object().unwrap() {
        let Route { target, versioning, .. } = route(&description, path, item);
        let version = parameters(&description, item).into_iter().find(|it| it["name"] == "api-version");
        let expected = match versioning {
            Versioning::Own => None,
            Versioning::Neighbour => Some("NeighbourVersion"),
            Versioning::Scheduler => Some("ApiVersion"),
        };
        assert_eq!(version, expected.map(|name| &description["components"]["parameters"][name]), "{path}");
        for (method, role) in target.methods() {
            let operation = &item[method.as_str().to_lowercase()];
            assert_eq!(operation["security"] == json!([]), role.is_none(), "{method} {path}");
        }
    }
}

#[test]
fn operations_have_names_of_their_own_and_those_of_the_original() {
    let description = description();
    let names: Vec<_> = operations(&description).map(|(_, it)| it["operationId"].as_str().unwrap()).collect();
    let distinct: BTreeSet<_> = names.iter().collect();
    assert_eq!(distinct.len(), names.len());
    let original: Vec<_> =
        names.iter().filter(|name| name.starts_with("JobCollections_") || name.starts_with("Jobs_")).collect();
    insta::assert_snapshot!(format!("{original:#?}"), @r#"
    [
        "JobCollections_ListBySubscription",
        "JobCollections_ListByResourceGroup",
        "JobCollections_Delete",
        "JobCollections_Get",
        "JobCollections_Patch",
        "JobCollections_CreateOrUpdate",
        "JobCollections_ListChanges",
        "JobCollections_Disable",
        "JobCollections_Enable",
        "Jobs_List",
        "Jobs_Delete",
        "Jobs_Get",
        "Jobs_Patch",
        "Jobs_CreateOrUpdate",
        "Jobs_ListChanges",
        "Jobs_ListJobHistory",
        "Jobs_Run",
    ]
    "#);
}

#[test]
fn every_body_and_every_answer_has_an_example() {
    let description = description();
    for kind in ["requestBodies", "responses"] {
        for (name, holder) in description["components"][kind].as_object().unwrap() {
            for media in holder["content"].as_object().into_iter().flat_map(|content| content.values()) {
                assert!(!media["example"].is_null() && !media["schema"].is_null(), "{kind}/{name}");
            }
        }
    }
}

/// Also shows that nothing refers to what is not there, and that nothing is there in vain.
#[test]
fn everything_is_referred_to() {
    let description = description();
    let mut references = BTreeSet::new();
    collect_references(&description, &mut references);
    let mut components = BTreeSet::new();
    for (kind, members) in description["components"].as_object().unwrap() {
        if kind != "securitySchemes" {
            components.extend(members.as_object().unwrap().keys().map(|name| format!("#/components/{kind}/{name}")));
        }
    }
    assert_eq!(references, components);
}

fn collect_references(value: &Value, into: &mut BTreeSet<String>) {
    match value {
        Value::Array(items) => {
            for item in items {
                collect_references(item, into);
            }
        }
        Value::Object(members) => {
            into.extend(members.get("$ref").and_then(Value::as_str).map(ToOwned::to_owned));
            for member in members.values() {
                collect_references(member, into);
            }
        }
        _ => {}
    }
}

#[test]
fn numbers_are_those_of_the_code() {
    let description = description();
    let numbers = [
        ("/parameters/Top/schema/maximum", json!(page::SIZE)),
        ("/parameters/ApiVersion/schema/enum", json!(API_VERSIONS)),
        ("/parameters/JobFilter/schema/maxLength", json!(limits::FILTER_CHARS_MAX)),
        ("/schemas/Name/maxLength", json!(model::NAME_CHARS_MAX)),
        ("/schemas/Tags/maxProperties", json!(model::TAGS_MAX)),
        ("/schemas/HttpRequestInput/properties/uri/maxLength", json!(model::URI_CHARS_MAX)),
        ("/schemas/HttpRequestInput/properties/headers/maxProperties", json!(model::HEADERS_MAX)),
        ("/schemas/HttpRequestInput/properties/body/maxLength", json!(model::MESSAGE_CHARS_MAX)),
        ("/schemas/RetryPolicyInput/properties/retryCount/maximum", json!(model::RETRY_COUNT_MAX)),
        ("/schemas/RetryPolicyInput/properties/retryCount/default", json!(model::RETRY_COUNT_DEFAULT)),
        ("/schemas/RecurrenceInput/properties/count/maximum", json!(model::COUNT_MAX)),
        ("/schemas/RecurrenceInput/properties/cron/maxLength", json!(model::CRON_CHARS_MAX)),
        ("/schemas/ScheduleInput/properties/hours/maxItems", json!(model::SCHEDULE_ITEMS_MAX)),
        ("/schemas/OptionsInput/properties/catchUpMax/maximum", json!(model::CATCH_UP_MAX)),
        ("/schemas/OptionsInput/properties/success/properties/status/maxItems", json!(model::SUCCESS_STATUS_MAX)),
        ("/schemas/Preview/properties/occurrences/maxItems", json!(limits::PREVIEW_MAX)),
        ("/parameters/FailuresTop/schema/maximum", json!(limits::INCIDENTS_PAGE)),
        (
            "/schemas/AlertConditionsInput/properties/failing/anyOf/1/properties/attempts/maximum",
            json!(model::ALERT_ATTEMPTS_MAX),
        ),
        ("/schemas/EmailActionInput/properties/email/properties/to/maxItems", json!(model::EMAIL_RECIPIENTS_MAX)),
        ("/schemas/Audit/properties/ranges/maxItems", json!(limits::AUDIT_UNEXPLAINED_MAX)),
        ("/schemas/TokenInput/properties/grants/maxItems", json!(limits::GRANTS_MAX)),
        ("/schemas/TokenInput/properties/description/maxLength", json!(limits::DESCRIPTION_CHARS_MAX)),
        ("/schemas/ErrorResponse/properties/error/properties/details/maxItems", json!(model::FINDINGS_MAX)),
    ];
    for (pointer, number) in numbers {
        assert_eq!(description["components"].pointer(pointer), Some(&number), "{pointer}");
    }
}

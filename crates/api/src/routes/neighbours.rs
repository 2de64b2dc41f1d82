//! What the original's clients ask of other services on their way: subscriptions, and what the Scheduler's provider is.

use http::StatusCode;
use punctual_model::Name;

use crate::answer::ApiAnswer;
use crate::api::{API_VERSIONS, Api};
use crate::fault::Fault;
use crate::operations;
use crate::page::{Page, list};
use crate::request::Request;
use crate::wire::Json;
use crate::wire::view::members::Members;

/// Where the original was. Clients compare the location of a new collection with this list; it means nothing here.
const LOCATIONS: [&str; 28] = [
    "North Central US",
    "South Central US",
    "North Europe",
    "West Europe",
    "East Asia",
    "Southeast Asia",
    "East US",
    "West US",
    "Japan East",
    "Japan West",
    "Brazil South",
    "Central US",
    "East US 2",
    "Australia East",
    "Australia Southeast",
    "South India",
    "Central India",
    "West India",
    "Canada Central",
    "Canada East",
    "UK South",
    "UK West",
    "West Central US",
    "West US 2",
    "Korea Central",
    "France Central",
    "Germany West Central",
    "local",
];

/// The subscriptions that hold something, and that the caller may see.
pub(super) async fn subscriptions(api: &Api, request: &Request) -> Result<ApiAnswer, Fault> {
    let page = Page::of(request)?;
    let after = page.after_name()?;
    let items = operations::list_subscriptions(&api.operations, &request.caller, after, page.window()).await?;
    let body = page.answer(request, &api.settings.public_url, items, view_subscription, |name| vec![name.to_string()]);
    Ok(ApiAnswer::json(StatusCode::OK, body))
}

/// Any valid name is a subscription.
pub(super) fn subscription(name: &Name) -> ApiAnswer {
    ApiAnswer::json(StatusCode::OK, view_subscription(name))
}

/// The providers of a subscription: there is one.
pub(super) fn providers(subscription: &Name) -> ApiAnswer {
    ApiAnswer::json(StatusCode::OK, list([view_provider(subscription)]))
}

/// The Scheduler's provider. It is registered, always and everywhere.
pub(super) fn provider(subscription: &Name) -> ApiAnswer {
    ApiAnswer::json(StatusCode::OK, view_provider(subscription))
}

/// What can be done here, in the words of the original's access control.
pub(super) fn operations_list() -> ApiAnswer {
    let kinds = [
        ("jobcollections", "Job collection", &["read", "write", "delete", "enable/action", "disable/action"][..]),
        ("jobcollections/jobs", "Job", &["read", "write", "delete", "run/action", "history/read"][..]),
    ];
    let operation = |(path, resource, verb): (&str, &str, &str)| {
        let display = Members::new()
            .add("provider", "Scheduler")
            .add("resource", resource)
            .add("operation", verb.trim_end_matches("/action"));
        Members::new()
            .add("name", format!("Microsoft.Scheduler/{path}/{verb}"))
            .add("display", display.into_json())
            .into_json()
    };
    let all = kinds.iter().flat_map(|(path, resource, verbs)| verbs.iter().map(move |verb| (*path, *resource, *verb)));
    ApiAnswer::json(StatusCode::OK, list(all.map(operation)))
}

fn view_subscription(name: &Name) -> Json {
    Members::new()
        .add("id", format!("/subscriptions/{name}"))
        .add("subscriptionId", name.as_str())
        .add("displayName", name.as_str())
        .add("state", "Enabled")
        .into_json()
}

fn view_provider(subscription: &Name) -> Json {
    let texts = |items: &[&str]| Json::List(items.iter().map(|item| (*item).into()).collect());
    let kind = |name: &str| {
        Members::new()
            .add("resourceType", name)
            .add("locations", texts(&LOCATIONS))
            .add("apiVersions", texts(&API_VERSIONS))
            .add("capabilities", "None")
            .into_json()
    };
    let kinds = ["jobcollections", "operations", "operationResults"].map(kind);
    Members::new()
        .add("id", format!("/subscriptions/{subscription}/providers/Microsoft.Scheduler"))
        .add("namespace", "Microsoft.Scheduler")
        .add("resourceTypes", Json::List(kinds.to_vec()))
        .add("registrationState", "Registered")
        .into_json()
}

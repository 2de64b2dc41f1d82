//! The nodes on the store.

use http::{Method, StatusCode};
use punctual_model::time::{TICKS_PER_MILLISECOND, TICKS_PER_SECOND};
use punctual_store::{ClusterView, NodeEntry, SHARDS};

use crate::answer::ApiAnswer;
use crate::api::Api;
use crate::fault::Fault;
use crate::operations::{self, Cluster, NodeState};
use crate::request::Request;
use crate::route::ClusterTarget;
use crate::wire::view::members::Members;
use crate::wire::{Json, parse_resume_json};

/// Answers a request about nodes.
pub(super) async fn answer(
    api: &Api,
    method: &Method,
    target: &ClusterTarget,
    request: &Request,
) -> Result<ApiAnswer, Fault> {
    let ClusterTarget::Drain(node) = target else {
        let cluster = operations::read_cluster(&api.operations, request.caller.now).await?;
        return Ok(ApiAnswer::json(StatusCode::OK, view(&cluster)));
    };
    parse_resume_json(&request.json_or_empty()?)?;
    let is_draining = method == Method::POST;
    let (cluster, id) = operations::set_draining(&api.operations, &request.caller, node, is_draining).await?;
    let entry = cluster.view.nodes.iter().find(|entry| entry.id == id);
    let body = entry.map_or(Json::Null, |entry| view_node(&cluster.view, entry));
    Ok(ApiAnswer::json(StatusCode::OK, body))
}

fn view(Cluster { view, this_node, database }: &Cluster) -> Json {
    let nodes = view.nodes.iter().map(|node| view_node(view, node)).collect();
    let owned = view.owners.iter().flatten().filter(|owner| view.is_alive(**owner)).count();
    let shards = Members::new()
        .add("total", SHARDS as u64)
        .add("owned", owned as u64)
        .add("withoutOwner", (SHARDS - owned) as u64)
        .into_json();
    Members::new()
        .add("database", *database)
        .add("now", view.now.to_string())
        .add_some("thisNode", this_node.map(|node| node.0))
        .add("nodes", Json::List(nodes))
        .add("shards", shards)
        .add("claims", view.claims)
        .into_json()
}

fn view_node(view: &ClusterView, entry: &NodeEntry) -> Json {
    Members::new()
        .add("id", entry.id.0)
        .add("name", &entry.node.name)
        .add("state", NodeState::of(view, entry).name())
        .add("shards", view.owned_by(entry.id).len() as u64)
        .add("inFlight", entry.report.unsettled)
        .add("overdueSeconds", entry.report.overdue_ticks / TICKS_PER_SECOND)
        .add("clockOffsetMs", entry.report.clock_offset_ticks / TICKS_PER_MILLISECOND)
        .add("joinedAt", entry.joined_at.to_string())
        .add("seenAt", entry.seen_at.to_string())
        .add_some("watermark", entry.watermark.map(|at| at.to_string()))
        .add("version", &entry.node.version)
        .add("url", &entry.node.url)
        .into_json()
}

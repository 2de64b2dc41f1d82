//! The nodes that run jobs, and how they are.

use maud::{Markup, html};
use punctual_model::time::TICKS_PER_SECOND;
use punctual_store::NodeEntry;

use crate::api::Api;
use crate::console::frame::{Page, Tab, token};
use crate::console::glyph::Glyph;
use crate::console::numbers::{counted, grouped, took};
use crate::console::reply::Reply;
use crate::console::visitor::Visitor;
use crate::fault::Fault;
use crate::operations::{self, Cluster, NodeState};

/// Draws the page.
pub(in crate::console) async fn show(api: &Api, visitor: &Visitor) -> Result<Reply, Fault> {
    if !visitor.sees_all() {
        return Err(Fault::Forbidden("To see the nodes you need the role reader on the whole server.".to_owned()));
    }
    let cluster = operations::read_cluster(&api.operations, visitor.caller.now).await?;
    let is_one = cluster.database == "sqlite";
    let alive = cluster.view.nodes.iter().filter(|node| node.is_alive).count() as u64;
    let heading = if is_one {
        "One server. If it stops, nothing runs until it is back; then the latest of each job does.".to_owned()
    } else {
        let unowned = cluster.view.owners.iter().filter(|owner| owner.is_none()).count();
        let rest = if unowned == 0 {
            "own all shards".to_owned()
        } else {
            format!("run; {unowned} of 256 shards have no owner")
        };
        format!("{} {rest}.", counted(alive, "node", "nodes"))
    };
    let engine = &api.metrics.engine;
    let number = |value: i64| grouped(u64::try_from(value).unwrap_or(0));
    let content = html! {
        div.head { div { h1 #answer data-live { (heading) } p.dim { "Jobs are kept in " @if is_one { "SQLite, in the data directory of the server." } @else { "PostgreSQL: " (cluster.view.server) } } } }
        dl.figs #figures data-live {
            div { dt { "Under way here" } dd { (number(engine.in_flight.value())) } }
            div { dt { "Due here" } dd { (number(engine.due.value())) } }
            div { dt { "Overdue here" } dd .warn[engine.overdue.value() > 0] { (number(engine.overdue.value())) } }
            div { dt { "Started late by" } dd { @match engine.lateness.percentile(99) { Some(ticks) => { "up to " (took(i64::try_from(ticks).unwrap_or(0))) " " small.dim { "99 of 100" } } None => "nothing has run" } } }
            div { dt { "Clock jumps" } dd { (grouped(engine.clock_jumps.value())) } }
        }
        section {
            div.sec { h2 { "Nodes" } }
            table.cards #nodes data-live {
                thead { tr { th { "Node" } th { "State" } th.r { "Shards" } th.r { "Unsettled" } th.r { "Overdue" } th.r { "Clock" } th { "Version" } th { "Since" } th.r { span.vh { "Drain" } } } }
                tbody { @for node in &cluster.view.nodes { (row(visitor, &cluster, node, is_one)) } }
            }
        }
    };
    Ok(Reply::page(Page::new("Cluster", Tab::Cluster, content).show(visitor)))
}

fn row(visitor: &Visitor, cluster: &Cluster, node: &NodeEntry, is_one: bool) -> Markup {
    let state = NodeState::of(&cluster.view, node);
    let glyph = match state {
        NodeState::Running => Glyph::Ran,
        NodeState::Draining | NodeState::Drained => Glyph::Off,
        NodeState::Gone => Glyph::Failed,
    };
    let times = visitor.times();
    let shards = cluster.view.owners.iter().filter(|owner| **owner == Some(node.id)).count();
    let offset = node.report.clock_offset_ticks;
    html! {
        tr data-row {
            th scope="row" { b { (node.node.name) } @if cluster.this_node == Some(node.id) { " " span.dim.s { "answers you" } } br; span.dim.s { (node.node.url) } }
            td { (glyph.plain()) " " (state.name()) @if !node.is_alive { ", seen " (times.distance(node.seen_at)) } }
            td.r data-l="shards" { @if is_one { "all" } @else { (shards) } }
            td.r data-l="unsettled" { (node.report.unsettled) }
            td.r data-l="overdue" .warn[node.report.overdue_ticks > TICKS_PER_SECOND] { (took(node.report.overdue_ticks)) }
            td.r data-l="clock" .bad[node.report.is_clock_off] { @if is_one { "its own" } @else { @if offset < 0 { "−" } @else { "+" } (took(offset.abs())) } }
            td data-l="version" { (node.node.version) }
            td data-l="since" { (times.show(node.joined_at)) }
            td.r {
                @if visitor.is_owner() && !is_one && node.is_alive {
                    form method="post" action="/cluster" {
                        (token(visitor)) input type="hidden" name="node" value=(node.id.0);
                        @if node.is_draining { button.sm name="do" value="keep" { "Keep" } } @else { button.sm name="do" value="drain" { "Drain" } }
                    }
                }
            }
        }
    }
}

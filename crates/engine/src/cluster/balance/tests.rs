use punctual_model::time::Timestamp;
use punctual_store::{NewNode, NodeReport};

use super::*;

fn node(id: u32) -> NodeEntry {
    NodeEntry {
        id: NodeId(id),
        node: NewNode { name: format!("n{id}"), version: String::new(), url: String::new() },
        report: NodeReport::default(),
        is_alive: true,
        is_draining: false,
        joined_at: Timestamp::EPOCH,
        seen_at: Timestamp::EPOCH,
        watermark: None,
        claims: 0,
    }
}

fn view(nodes: Vec<NodeEntry>, owner: impl Fn(usize) -> Option<u32>) -> ClusterView {
    let owners = std::array::from_fn(|shard| owner(shard).map(NodeId));
    ClusterView { now: Timestamp::EPOCH, server: String::new(), nodes, owners, claims: 0 }
}

fn plan(view: &ClusterView, node: u32) -> Plan {
    Plan::of(view, PlanFor { node: NodeId(node), is_leaving: false, can_inherit: true })
}

/// Lets every node that is alive carry its plan out, in turn, until nobody has anything to do. Returns how many shards moved.
fn settle(view: &mut ClusterView) -> usize {
    let mut moved = 0;
    for _ in 0..20 {
        let before = view.owners;
        for entry in view.nodes.clone().into_iter().filter(|entry| entry.is_alive) {
            let Plan { take, give } = plan(view, entry.id.0);
            moved += take.len() + give.len();
            let taken = take.iter().map(|shard| (shard, entry.id));
            for (shard, to) in taken.chain(give) {
                view.owners[usize::from(shard)] = Some(to);
            }
        }
        if view.owners == before {
            break;
        }
    }
    moved
}

fn counts(view: &ClusterView) -> Vec<usize> {
    view.nodes.iter().map(|entry| view.owned_by(entry.id).len()).collect()
}

#[test]
fn the_first_node_takes_all_and_shares_with_those_that_come() {
    let mut view = view(vec![node(1)], |_| None);
    assert_eq!((settle(&mut view), counts(&view)), (256, vec![256]));
    view.nodes.push(node(2));
    assert_eq!((settle(&mut view), counts(&view)), (128, vec![128, 128]));
    view.nodes.push(node(3));
    assert_eq!((settle(&mut view), counts(&view)), (85, vec![86, 85, 85]));
    assert_eq!(settle(&mut view), 0, "nothing moves where nothing has changed");
}

#[test]
fn nodes_that_start_together_take_different_shards() {
    let view = view(vec![node(1), node(2), node(3)], |_| None);
    let taken: Vec<Shards> = (1..=3).map(|id| plan(&view, id).take).collect();
    assert_eq!(taken.iter().map(Shards::len).sum::<usize>(), 256);
    assert_eq!(taken.into_iter().fold(Shards::NONE, Shards::or), Shards::ALL);
}

#[test]
fn what_a_dead_node_leaves_is_taken_when_that_is_safe() {
    let dead = NodeEntry { is_alive: false, ..node(1) };
    let mut view = view(vec![dead, node(2), node(3)], |shard| Some(u32::try_from(shard % 2 + 1).unwrap()));
    let careful = Plan::of(&view, PlanFor { node: NodeId(2), is_leaving: false, can_inherit: false });
    assert!(careful.take.is_empty(), "another server of the database has just answered");
    settle(&mut view);
    assert_eq!(counts(&view), [0, 128, 128]);
}

#[test]
fn who_drains_or_leaves_gives_all_away_and_keeps_it_where_nobody_is_left() {
    let mut draining = view(vec![NodeEntry { is_draining: true, ..node(1) }, node(2), node(3)], |_| Some(1));
    settle(&mut draining);
    assert_eq!(counts(&draining), [0, 128, 128]);
    let leaving = PlanFor { node: NodeId(1), is_leaving: true, can_inherit: true };
    let two = view(vec![node(1), node(2)], |_| Some(1));
    assert_eq!(Plan::of(&two, leaving).give.len(), 256);
    let alone = view(vec![node(1)], |_| Some(1));
    assert_eq!(Plan::of(&alone, leaving), Plan::default());
}

#[test]
fn a_node_whose_clock_is_wrong_runs_nothing_while_another_clock_is_right() {
    let wrong = NodeReport { is_clock_off: true, ..NodeReport::default() };
    let mut one_wrong = view(vec![node(1), NodeEntry { report: wrong, ..node(2) }], |_| Some(2));
    settle(&mut one_wrong);
    assert_eq!(counts(&one_wrong), [256, 0]);
    let mut all_wrong = view(vec![NodeEntry { report: wrong, ..node(2) }], |_| None);
    settle(&mut all_wrong);
    assert_eq!(counts(&all_wrong), [256]);
}

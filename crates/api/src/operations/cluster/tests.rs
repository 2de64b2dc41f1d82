use super::*;

fn node(id: u32, name: &str) -> NodeEntry {
    NodeEntry {
        id: NodeId(id),
        node: NewNode { name: name.to_owned(), version: String::new(), url: String::new() },
        report: NodeReport::default(),
        is_alive: true,
        is_draining: false,
        joined_at: Timestamp::EPOCH,
        seen_at: Timestamp::EPOCH,
        watermark: None,
        claims: 0,
    }
}

/// A cluster in which these nodes have no shards.
fn view(nodes: Vec<NodeEntry>) -> ClusterView {
    ClusterView { now: Timestamp::EPOCH, server: String::new(), nodes, owners: [None; SHARDS], claims: 0 }
}

fn state(view: &ClusterView) -> &'static str {
    NodeState::of(view, &view.nodes[0]).name()
}

#[test]
fn a_node_is_drained_when_it_has_nothing_left() {
    let mut cluster = view(vec![node(3, "a"), node(4, "b")]);
    assert_eq!(state(&cluster), "running", "a node without shards runs: it may get some");
    cluster.nodes[0].is_draining = true;
    assert_eq!(state(&cluster), "drained");
    cluster.owners[7] = Some(NodeId(4));
    assert_eq!(state(&cluster), "drained", "shards of others are not its own");
    cluster.owners[8] = Some(NodeId(3));
    assert_eq!(state(&cluster), "draining");
    cluster.owners[8] = None;
    cluster.nodes[0].report.unsettled = 1;
    assert_eq!(state(&cluster), "draining");
    cluster.nodes[0].report.unsettled = 0;
    (cluster.claims, cluster.nodes[1].claims) = (1, 1);
    assert_eq!(state(&cluster), "drained", "claims of others are not its own");
    (cluster.claims, cluster.nodes[0].claims) = (2, 1);
    assert_eq!(state(&cluster), "draining", "what is claimed is in flight there, and may not be in its report yet");
}

#[test]
fn a_node_whose_lease_has_run_out_is_gone_whatever_it_was() {
    let mut cluster = view(vec![node(3, "a")]);
    cluster.nodes[0].is_alive = false;
    assert_eq!(state(&cluster), "gone");
    cluster.nodes[0].is_draining = true;
    assert_eq!(state(&cluster), "gone");
}

/// The number of the node that is meant, or what is said instead.
fn find(view: &ClusterView, wanted: &str) -> String {
    match find_node(view, &Name::parse(wanted).unwrap()) {
        Ok(node) => node.0.to_string(),
        Err(Fault::NoNode { node, known }) => format!("no {node} among {known}"),
        Err(Fault::Conflict { message, .. }) => message,
        Err(other) => panic!("{other:?}"),
    }
}

#[test]
fn nodes_are_found_by_number_and_by_name() {
    let mut gone = node(2, "gone");
    gone.is_alive = false;
    let cluster = view(vec![gone, node(3, "Alpha"), node(4, "twin"), node(5, "twin"), node(6, "3")]);
    assert_eq!(find(&cluster, "alpha"), "3");
    assert_eq!(find(&cluster, "4"), "4");
    assert_eq!(find(&cluster, "3"), "3", "a number comes before a name");
    assert_eq!(find(&cluster, "twin"), "Several nodes are called 'twin': say which by its number, 4, 5.");
    assert_eq!(find(&cluster, "gone"), "no gone among 3 (Alpha), 4 (twin), 5 (twin), 6 (3)");
    assert_eq!(find(&cluster, "2"), "no 2 among 3 (Alpha), 4 (twin), 5 (twin), 6 (3)");
    assert_eq!(find(&view(Vec::new()), "a"), "no a among none");
}

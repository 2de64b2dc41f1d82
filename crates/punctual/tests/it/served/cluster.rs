//! `punctual cluster` against a server on SQLite, which is the only node.

use insta::assert_snapshot;

use super::Served;
use super::cli::punctual;
use super::metrics::ask;
use super::receiver::Receiver;

#[test]
fn the_only_node_is_shown_and_cannot_be_drained() {
    let directory = tempfile::tempdir().unwrap();
    let config = directory.path().join("punctual.toml");
    std::fs::write(&config, "cluster.name = \"alpha\"\n").unwrap();
    let served = Served::start_with(&directory.path().join("data"), &["--config", config.to_str().unwrap()]);
    let version = env!("CARGO_PKG_VERSION");
    assert_snapshot!(punctual(&served, "cluster status").replace(version, "VERSION"), @"
    -- stdout
    ID NAME STATE SHARDS IN FLIGHT OVERDUE CLOCK SEEN VERSION URL
    0 alpha running 256 0 - +0 ms now VERSION URL
    -- exit status 0
    ");
    let refused = punctual(&served, "cluster drain alpha");
    assert_snapshot!(refused, @"
    -- stderr
    error: This server keeps its jobs in SQLite and is the only node: nobody is there to take its shards. Stop it when it suits you, or serve from PostgreSQL with several nodes.
    -- exit status 1
    ");
    for command in ["cluster drain 0 --no-wait", "cluster undrain 0"] {
        assert_eq!(punctual(&served, command), refused, "{command}");
    }
}

#[test]
fn the_only_node_counts_itself_and_all_shards() {
    let (data, target) = (tempfile::tempdir().unwrap(), Receiver::start(&[200]));
    let served = Served::start(data.path());
    let body = format!(r#"{{"action": {{"request": {{"uri": "http://127.0.0.1:{}"}}}}}}"#, target.port);
    assert_eq!(served.client().call("PUT", "/v1/jobs/a", &body).unwrap().status, 201);
    // An engine that has called somebody has started.
    target.wait_for(1);
    let shown = ask(served.port, "/metrics", &format!("host: localhost\r\nauthorization: Bearer {}\r\n", served.token));
    for line in ["punctual_cluster_shards 256", "punctual_cluster_nodes 1"] {
        assert!(shown.lines().any(|shown| shown == line), "{line}: {shown}");
    }
}

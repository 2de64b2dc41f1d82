//! The dashboard, the alert rules and the documentation speak of metrics that exist.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use punctual_metrics::{Format, Metrics};
use punctual_model::time::Timestamp;

/// How the names of our metrics begin.
const PREFIXES: [&str; 2] = ["punctual_", "process_"];

/// The families that the server writes.
fn families() -> BTreeSet<String> {
    let text = Metrics::default().render(Format::Prometheus, Timestamp::EPOCH);
    let heads = text.lines().filter_map(|line| line.strip_prefix("# TYPE ")?.split(' ').next());
    heads.map(str::to_owned).collect()
}

/// The families that a file of the repository speaks of.
fn named_in(file: &str) -> BTreeSet<String> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(file);
    let text = fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let words = text.split(|character: char| !character.is_ascii_alphanumeric() && character != '_');
    let names = words.filter(|word| PREFIXES.iter().any(|prefix| word.starts_with(prefix)));
    let family = |name: &str| {
        let suffix = ["_bucket", "_sum", "_count"].into_iter().find_map(|suffix| name.strip_suffix(suffix));
        suffix.unwrap_or(name).to_owned()
    };
    names.map(family).collect()
}

#[test]
fn dashboard_and_rules_ask_for_metrics_that_exist() {
    let families = families();
    for file in ["deploy/grafana/dashboard.json", "deploy/prometheus/alerts.yml", "deploy/prometheus/alerts.test.yml"] {
        let unknown: Vec<String> = named_in(file).difference(&families).cloned().collect();
        assert!(unknown.is_empty(), "{file} asks for {unknown:?}");
    }
}

#[test]
fn every_metric_has_a_panel_and_a_description() {
    let families = families();
    assert_eq!(
        named_in("deploy/grafana/dashboard.json"),
        families,
        "left: the dashboard, right: what the server writes"
    );
    assert_eq!(named_in("docs/metrics.md"), families, "left: docs/metrics.md, right: what the server writes");
}

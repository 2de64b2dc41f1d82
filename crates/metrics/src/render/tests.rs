//! What the text says, and what it never says.

use std::collections::BTreeSet;

use punctual_model::failure::FailureClass;
use punctual_model::history::Reason;
use punctual_model::time::{TICKS_PER_SECOND, Timestamp};

use crate::{EngineMetrics, Format, Metrics};

/// A quarter of an hour after 1970 began.
fn now() -> Timestamp {
    Timestamp::EPOCH.saturating_add(900 * TICKS_PER_SECOND)
}

fn lines(metrics: &Metrics, format: Format) -> Vec<String> {
    metrics.render(format, now()).lines().map(str::to_owned).collect()
}

#[track_caller]
fn assert_has(metrics: &Metrics, line: &str) {
    let text = metrics.render(Format::Prometheus, now());
    assert!(text.lines().any(|known| known == line), "{line} is not in:\n{text}");
}

#[test]
fn what_is_counted_is_shown() {
    let metrics = Metrics::new(1);
    let collection = metrics.collections.of_job("s/g/c/job");
    collection.fires.increment();
    collection.failed.add(2);
    collection.not_run[Reason::Paused.index()].add(7);
    metrics.collections.of_job("s/g/d/job").fires.add(3);
    metrics.engine.lateness.observe(TICKS_PER_SECOND / 5);
    metrics.engine.store_errors[4].increment();
    metrics.engine.due_since_ticks.set(840 * TICKS_PER_SECOND);
    metrics.engine.history_from_ticks.set(TICKS_PER_SECOND);
    metrics.api.count("jobs", "GET", 200, 5);
    for line in [
        r#"punctual_fires_total{subscription="s",group="g",collection="c"} 1"#,
        r#"punctual_fires_total{subscription="",group="",collection="other"} 3"#,
        r#"punctual_attempts_total{subscription="s",group="g",collection="c",outcome="failed"} 2"#,
        r#"punctual_not_run_total{subscription="s",group="g",collection="c",reason="paused"} 7"#,
        r#"punctual_lateness_seconds_bucket{le="0.1"} 0"#,
        r#"punctual_lateness_seconds_bucket{le="0.25"} 1"#,
        "punctual_lateness_seconds_sum 0.2",
        "punctual_lateness_seconds_count 1",
        r#"punctual_store_errors_total{task="write"} 1"#,
        "punctual_overdue_oldest_seconds 60",
        "punctual_history_age_seconds 899",
        r#"punctual_api_requests_total{route="jobs",method="GET",code="200"} 1"#,
    ] {
        assert_has(&metrics, line);
    }
    metrics.engine.due_since_ticks.set(EngineMetrics::NOTHING_DUE);
    assert_has(&metrics, "punctual_overdue_oldest_seconds 0");
}

#[test]
fn every_family_has_a_meaning_a_type_and_a_name_by_the_rules() {
    let lines = lines(&Metrics::default(), Format::Prometheus);
    let mut families = BTreeSet::new();
    for pair in lines.windows(2).filter(|pair| pair[0].starts_with("# HELP ")) {
        let (name, help) = pair[0]["# HELP ".len()..].split_once(' ').unwrap();
        assert!(families.insert(name.to_owned()), "{name} is there twice");
        assert!(help.ends_with('.'), "{name}: {help}");
        let kind = pair[1].strip_prefix(&format!("# TYPE {name} ")).expect("a type after the meaning");
        assert_eq!(name.ends_with("_total"), kind == "counter", "{name} is a {kind}");
        assert!(name.starts_with("punctual_") || name.starts_with("process_"), "{name}");
    }
    assert!(families.len() > 35, "only {} families", families.len());
}

#[test]
fn both_formats_have_the_same_series() {
    let metrics = Metrics::default();
    let samples = |format| -> Vec<String> {
        let lines = lines(&metrics, format).into_iter().filter(|line| !line.starts_with('#'));
        // What the process uses differs each time.
        lines.filter(|line| !line.starts_with("process_")).collect()
    };
    assert_eq!(samples(Format::Prometheus), samples(Format::OpenMetrics));
    assert_eq!(lines(&metrics, Format::OpenMetrics).last().unwrap(), "# EOF");
}

#[test]
fn the_number_of_series_is_bounded() {
    let metrics = Metrics::new(10);
    let fill = |from: u32, to: u32| {
        for number in from..to {
            metrics.collections.of_job(&format!("s/g/c{number}/job{number}")).fires.increment();
        }
        lines(&metrics, Format::Prometheus).len()
    };
    let lines_max = fill(0, 10);
    assert_eq!(fill(10, 1000), lines_max);
}

#[test]
fn counting_allocates_nothing() {
    let metrics = Metrics::default();
    let collection = metrics.collections.of_job("s/g/c/job");
    let measured = allocation_counter::measure(|| {
        for ticks in 0..1000 {
            collection.fires.increment();
            collection.succeeded.increment();
            metrics.engine.lateness.observe(ticks);
            metrics.engine.attempt_duration.observe(ticks * TICKS_PER_SECOND);
            metrics.engine.in_flight.set(ticks);
        }
        // Also the look-up of a collection that is known.
        metrics.collections.of_job("s/g/c/other").fires.increment();
    });
    assert_eq!(measured.count_total, 0);
    assert_eq!(collection.fires.value(), 1001);
}

#[test]
fn indexes_are_places_in_the_lists() {
    for (at, class) in FailureClass::ALL.into_iter().enumerate() {
        assert_eq!(class as usize, at, "{class:?}");
    }
    for (at, reason) in Reason::ALL.into_iter().enumerate() {
        assert_eq!(reason.index(), at, "{reason:?}");
    }
}

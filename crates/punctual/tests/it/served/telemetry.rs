//! Traces, metrics and logs of the real server, as a collector gets them.

use std::fs;
use std::io::{Read, Write};
use std::net::TcpStream;

use punctual_telemetry::otlp::{MetricData, NumberValue, Span, SpanKind};
use tempfile::TempDir;

use super::Served;
use super::collector::{Collector, attribute};
use super::receiver::Receiver;

/// A server that sends telemetry there.
fn serve(data: &TempDir, port: u16, settings: &str) -> Served {
    let file = data.path().join("settings.toml");
    let endpoint = format!("endpoint = \"http://127.0.0.1:{port}/\"");
    fs::write(&file, format!("[telemetry]\n{endpoint}\n{settings}\n")).unwrap();
    Served::start_with(&data.path().join("data"), &["--config", file.to_str().unwrap()])
}

/// Makes a job that runs once, now, and is not retried.
fn put_job(served: &Served, name: &str, uri: &str) {
    let body = format!(r#"{{"action": {{"request": {{"uri": "{uri}"}}, "retryPolicy": {{"retryType": "None"}}}}}}"#);
    let answer = served.client().call("PUT", &format!("/v1/jobs/{name}"), &body).unwrap();
    assert_eq!(answer.status, 201, "{:?}", answer.body);
}

/// Waits until the run of a job is in its history.
fn wait_for_record(served: &Served, name: &str) {
    let path = format!("/v1/jobs/{name}/history");
    while !served.client().call("GET", &path, "").unwrap().body.to_string().contains("startTime") {}
}

/// Asks for the list of jobs with a header, and gives the status line.
fn ask_with(served: &Served, header: &str) -> String {
    let mut stream = TcpStream::connect(("127.0.0.1", served.port)).unwrap();
    let token = &served.token;
    let head = format!("host: localhost\r\nauthorization: Bearer {token}\r\nconnection: close\r\n{header}\r\n");
    write!(stream, "GET /v1/jobs HTTP/1.1\r\n{head}\r\n").unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    answer.lines().next().unwrap_or_default().to_owned()
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |text, byte| format!("{text}{byte:02x}"))
}

fn named<'a>(spans: &'a [Span], trace: &str, name: &str) -> &'a Span {
    let found: Vec<&Span> = spans.iter().filter(|span| hex(&span.trace_id) == trace && span.name == name).collect();
    assert_eq!(found.len(), 1, "{name} in {spans:#?}");
    found[0]
}

#[test]
fn an_occurrence_is_a_trace_that_its_target_continues() {
    let (data, target, collector) = (TempDir::new().unwrap(), Receiver::start(&[200]), Collector::start());
    let served = serve(&data, collector.port, "sample = 1.0\nheaders = \"x-tenant=blue\"");
    put_job(&served, "hello", &format!("http://localhost:{}/", target.port));
    wait_for_record(&served, "hello");
    let run = served.client().call("POST", "/v1/jobs/hello/run", "").unwrap().body["executionTag"].clone();
    target.wait_for(2);
    assert_eq!(served.stop(), Some(0));

    let parent = target.header("traceparent").remove(0);
    let [_, trace, request, flags] = parent.split('-').collect::<Vec<_>>()[..] else { panic!("{parent}") };
    assert_eq!((trace, flags), (target.header("x-ms-execution-tag")[0].as_str(), "01"));
    let spans = collector.spans();
    let root = named(&spans, trace, "occurrence");
    assert_eq!(root.parent_span_id, b"");
    assert_eq!(attribute(&root.attributes, "punctual.job"), "hello");
    assert_eq!(attribute(&root.attributes, "punctual.collection"), "default");
    assert_eq!(attribute(&root.attributes, "http.response.status_code"), "200");
    let children = ["wait", "name", "connect", "request", "settle"].map(|name| named(&spans, trace, name));
    for child in children {
        assert_eq!(child.parent_span_id, root.span_id, "{}", child.name);
        assert!(child.start_time_unix_nano >= root.start_time_unix_nano, "{}", child.name);
        assert!(child.start_time_unix_nano <= child.end_time_unix_nano, "{}", child.name);
        assert!(child.end_time_unix_nano <= root.end_time_unix_nano, "{}", child.name);
    }
    let sent = named(&spans, trace, "request");
    assert_eq!((hex(&sent.span_id).as_str(), sent.kind), (request, SpanKind::Client.into()));
    assert_eq!(attribute(&sent.attributes, "server.address"), "localhost");
    assert_eq!(attribute(&sent.attributes, "punctual.attempt"), "1");
    assert_eq!(spans.iter().filter(|span| hex(&span.trace_id) == trace).count(), 6);
    let asked = spans.iter().find(|span| !span.links.is_empty()).expect("a request that is linked to its run");
    assert_eq!(
        (asked.kind, hex(&asked.links[0].trace_id)),
        (SpanKind::Server.into(), run.as_str().unwrap().to_owned())
    );
    assert_eq!(named(&spans, run.as_str().unwrap(), "occurrence").span_id, asked.links[0].span_id);
    assert!(collector.requests("/v1/traces")[0].head.contains("\r\nx-tenant: blue\r\n"));
}

#[test]
fn requests_to_the_api_are_spans_of_their_callers_traces() {
    let (data, collector) = (TempDir::new().unwrap(), Collector::start());
    let served = serve(&data, collector.port, "sample = 0.0");
    let trace = "0af7651916cd43dd8448eb211c80319c";
    assert_eq!(ask_with(&served, &format!("traceparent: 00-{trace}-b7ad6b7169203331-01\r\n")), "HTTP/1.1 200 OK");
    assert_eq!(ask_with(&served, &format!("traceparent: 00-{trace}-b7ad6b7169203332-00\r\n")), "HTTP/1.1 200 OK");
    assert_eq!(ask_with(&served, ""), "HTTP/1.1 200 OK");
    assert_eq!(served.stop(), Some(0));
    let spans = collector.spans();
    let [span] = &spans[..] else { panic!("one is sampled by its caller: {spans:#?}") };
    assert_eq!((hex(&span.trace_id).as_str(), hex(&span.parent_span_id).as_str()), (trace, "b7ad6b7169203331"));
    assert_eq!(span.kind, i32::from(SpanKind::Server));
    assert_eq!(attribute(&span.attributes, "http.request.method"), "GET");
    assert_eq!(attribute(&span.attributes, "http.response.status_code"), "200");
    assert!(!attribute(&span.attributes, "http.route").is_empty());
}

#[test]
fn failures_are_sent_although_they_are_not_sampled() {
    let (data, collector) = (TempDir::new().unwrap(), Collector::start());
    let (well, broken) = (Receiver::start(&[200]), Receiver::start(&[404]));
    let served = serve(&data, collector.port, "sample = 0");
    put_job(&served, "well", &format!("http://127.0.0.1:{}/", well.port));
    put_job(&served, "broken", &format!("http://127.0.0.1:{}/", broken.port));
    // Nobody listens there.
    put_job(&served, "away", "http://127.0.0.1:1/");
    for name in ["well", "broken", "away"] {
        wait_for_record(&served, name);
    }
    assert_eq!(served.stop(), Some(0));
    for target in [&well, &broken] {
        assert!(target.header("traceparent")[0].ends_with("-00"), "the decision is made at the start");
    }
    let spans = collector.spans();
    let mut roots: Vec<(String, String, String)> = spans
        .iter()
        .filter(|span| span.name == "occurrence")
        .map(|root| {
            let [job, class] = ["punctual.job", "error.type"].map(|key| attribute(&root.attributes, key));
            (job, class, root.status.clone().unwrap().message)
        })
        .collect();
    roots.sort();
    let told: Vec<_> = roots.iter().map(|(job, class, _)| (job.as_str(), class.as_str())).collect();
    assert_eq!(told, [("away", "connection"), ("broken", "status")]);
    assert!(roots[1].2.contains("404"), "{roots:?}");
    let failed: Vec<&str> = spans
        .iter()
        .filter(|span| span.status.is_some() && span.name != "occurrence")
        .map(|span| &*span.name)
        .collect();
    assert!(failed.contains(&"connect") && failed.contains(&"request") && failed.len() == 2, "{failed:?}");
}

#[test]
fn metrics_and_logs_arrive_while_the_server_runs() {
    let (data, target, collector) = (TempDir::new().unwrap(), Receiver::start(&[200]), Collector::start());
    let served = serve(&data, collector.port, "service_name = \"nightly\"\nresource_attributes = \"team=ops\"");
    put_job(&served, "hello", &format!("http://127.0.0.1:{}/", target.port));
    wait_for_record(&served, "hello");
    while collector.requests("/v1/metrics").is_empty() {
        wait_for_record(&served, "hello");
    }
    let (resource, metrics) = collector.metrics();
    assert_eq!(attribute(&resource.attributes, "service.name"), "nightly");
    assert_eq!(attribute(&resource.attributes, "team"), "ops");
    let find = |name: &str| metrics.iter().find(|metric| metric.name == name).and_then(|metric| metric.data.clone());
    let Some(MetricData::Sum(fires)) = find("punctual_fires_total") else { panic!("{metrics:#?}") };
    let of_default = fires.data_points.iter().find(|point| attribute(&point.attributes, "collection") == "default");
    assert_eq!(of_default.unwrap().value, Some(NumberValue::Whole(1)));
    let Some(MetricData::Histogram(lateness)) = find("punctual_lateness_seconds") else { panic!("{metrics:#?}") };
    assert_eq!(lateness.data_points[0].count, 1);
    assert_eq!(served.stop(), Some(0));
    let lines = collector.lines();
    let is_said = |text: &str| lines.iter().any(|line| format!("{:?}", line.body).contains(text));
    assert!(is_said("stopping; requests and attempts"), "{lines:#?}");
    assert!(lines.iter().all(|line| line.severity_number >= 9));
}

#[test]
fn without_a_collector_jobs_run_and_what_is_lost_is_counted() {
    let (data, target) = (TempDir::new().unwrap(), Receiver::start(&[200]));
    // Nobody listens there.
    let served = serve(&data, 1, "sample = 1.0");
    put_job(&served, "hello", &format!("http://127.0.0.1:{}/", target.port));
    wait_for_record(&served, "hello");
    let metrics = || {
        let mut stream = TcpStream::connect(("127.0.0.1", served.port)).unwrap();
        let head = format!("host: localhost\r\nauthorization: Bearer {}\r\nconnection: close", served.token);
        write!(stream, "GET /metrics HTTP/1.1\r\n{head}\r\n\r\n").unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        answer
    };
    while metrics().contains("punctual_telemetry_dropped_total{signal=\"metrics\"} 0\n") {}
    assert_eq!(served.stop(), Some(0));
}

//! `[telemetry]` in files, and in the variables that OpenTelemetry has for it.

use insta::assert_snapshot;

use super::{Flags, load, wrong_in_each};

const ENDPOINT: &str = "OTEL_EXPORTER_OTLP_ENDPOINT";

#[test]
fn standard_variables_are_understood_and_ours_win() {
    let variables = [
        (ENDPOINT, "http://collector:4318/"),
        ("OTEL_EXPORTER_OTLP_HEADERS", "authorization=Bearer%20abc"),
        ("OTEL_SERVICE_NAME", ""),
        ("OTEL_RESOURCE_ATTRIBUTES", "team=ops"),
        ("PUNCTUAL_TELEMETRY__SAMPLE", "0.5"),
    ];
    let (config, settings) = load("", &variables, &Flags::default()).unwrap();
    let telemetry = &config.telemetry;
    assert_eq!(telemetry.endpoint.as_deref(), Some("http://collector:4318"));
    assert_eq!((telemetry.headers[0].0.as_str(), telemetry.headers[0].1.expose()), ("authorization", "Bearer abc"));
    assert!((telemetry.settings.sample - 0.5).abs() < 1e-9);
    let names: Vec<&str> = telemetry.settings.resource.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(names, ["service.name", "service.version", "team"]);
    assert_eq!(telemetry.settings.resource[0].1, "punctual", "an empty variable says nothing");
    assert_eq!(settings.get("telemetry.headers").unwrap().line(), "telemetry.headers = \"(set)\"");
    let both = [(ENDPOINT, "http://a"), ("PUNCTUAL_TELEMETRY__ENDPOINT", "http://b")];
    let (config, _) = load("", &both, &Flags::default()).unwrap();
    assert_eq!(config.telemetry.endpoint.as_deref(), Some("http://b"));
    assert_eq!(load("", &[], &Flags::default()).unwrap().0.telemetry.endpoint, None);
}

#[test]
fn what_is_wrong_is_named_and_headers_are_not_repeated() {
    let told = wrong_in_each(&[
        "telemetry.endpoint = \"collector:4317\"",
        "telemetry.protocol = \"grpc\"",
        "telemetry.sample = 1.5",
        "telemetry.headers = \"secret\"",
        "telemetry.service_name = \"\"",
        "telemetry.sample = 1",
    ]);
    assert_snapshot!(told, @r#"
    telemetry.endpoint = "collector:4317"
    => telemetry.endpoint (punctual.toml line 1): given "collector:4317", expected the address of a collector that takes OTLP over HTTP, such as http://127.0.0.1:4318

    telemetry.protocol = "grpc"
    => telemetry.protocol (punctual.toml line 1): given "grpc", expected "http/protobuf"; a collector takes it at another port than gRPC, mostly 4318

    telemetry.sample = 1.5
    => telemetry.sample (punctual.toml line 1): given 1.5, expected a number from 0 to 1, such as 0.01

    telemetry.headers = "secret"
    => telemetry.headers (punctual.toml line 1): given (set), expected pairs such as name=value,other=value, with %2C for a comma in a value

    telemetry.service_name = ""
    => telemetry.service_name (punctual.toml line 1): given "", expected a name, such as punctual

    telemetry.sample = 1
    => nothing is wrong
    "#);
}

//! `[telemetry]`: where traces, metrics and logs are sent.

use percent_encoding::percent_decode_str;
use punctual_model::Expected;
use punctual_model::action::{Address, Secret};
use punctual_telemetry::Settings;

use super::reader::{SettingsReader, optional};

/// Where telemetry is sent, and what of it.
#[derive(Debug)]
pub(crate) struct Telemetry {
    /// The address of a collector, without a slash at the end. Nothing where nothing is sent.
    pub(crate) endpoint: Option<String>,
    /// Headers of each request to the collector.
    pub(crate) headers: Vec<(String, Secret)>,
    /// What is recorded.
    pub(crate) settings: Settings,
}

impl Telemetry {
    pub(super) fn read(reader: &SettingsReader<'_>) -> Option<Self> {
        let endpoint = reader.parsed("telemetry.endpoint", optional(parse_endpoint));
        let headers = reader.parsed("telemetry.headers", |text| parse_pairs(text, is_header));
        let protocol = reader.parsed("telemetry.protocol", parse_protocol);
        let has_traces = reader.boolean("telemetry.traces");
        let has_metrics = reader.boolean("telemetry.metrics");
        let has_logs = reader.boolean("telemetry.logs");
        let sample = reader.fraction("telemetry.sample");
        let service_name = reader.parsed("telemetry.service_name", parse_service_name);
        let attributes = reader.parsed("telemetry.resource_attributes", |text| parse_pairs(text, |_, _| true));
        protocol?;
        let headers = headers?.into_iter().map(|(name, value)| (name, Secret::new(value))).collect();
        let settings = Settings {
            has_traces: has_traces?,
            has_metrics: has_metrics?,
            has_logs: has_logs?,
            sample: sample?,
            resource: resource(service_name?, attributes?),
        };
        Some(Self { endpoint: endpoint?, headers, settings })
    }
}

/// The attributes of this server: those of the operator win.
fn resource(service_name: String, attributes: Vec<(String, String)>) -> Vec<(String, String)> {
    let version = env!("CARGO_PKG_VERSION").to_owned();
    let own = [("service.name".to_owned(), service_name), ("service.version".to_owned(), version)];
    let is_set = |name: &str| attributes.iter().any(|(set, _)| set == name);
    // The name has a setting of its own, which has a default: an attribute of that name was surely meant.
    let own: Vec<_> = own.into_iter().filter(|(name, _)| !is_set(name)).collect();
    own.into_iter().chain(attributes).collect()
}

fn parse_endpoint(text: &str) -> Result<String, Expected> {
    let is_http = ["http://", "https://"].iter().any(|scheme| text.starts_with(scheme));
    let is_right = is_http && !text.contains(['?', '#', '@', ' ']) && Address::parse(text).is_ok();
    let expected = "the address of a collector that takes OTLP over HTTP, such as http://127.0.0.1:4318";
    is_right.then(|| text.trim_end_matches('/').to_owned()).ok_or_else(|| Expected::new(expected))
}

fn parse_protocol(text: &str) -> Result<(), Expected> {
    let expected = || Expected::new("\"http/protobuf\"; a collector takes it at another port than gRPC, mostly 4318");
    (text == "http/protobuf").then_some(()).ok_or_else(expected)
}

fn parse_service_name(text: &str) -> Result<String, Expected> {
    let expected = || Expected::new("a name, such as punctual");
    (!text.trim().is_empty()).then(|| text.to_owned()).ok_or_else(expected)
}

/// Pairs as the variables of OpenTelemetry have them: `name=value,name=value`, with `%20` for a space.
fn parse_pairs(text: &str, is_right: impl Fn(&str, &str) -> bool) -> Result<Vec<(String, String)>, Expected> {
    let expected = || Expected::new("pairs such as name=value,other=value, with %2C for a comma in a value");
    let items = text.split(',').map(str::trim).filter(|item| !item.is_empty());
    let pairs = items.map(|item| {
        let (name, value) = item.split_once('=').ok_or_else(expected)?;
        let value = percent_decode_str(value.trim()).decode_utf8().map_err(|_| expected())?;
        let name = name.trim();
        let is_pair = !name.is_empty() && is_right(name, &value);
        is_pair.then(|| (name.to_owned(), value.into_owned())).ok_or_else(expected)
    });
    pairs.collect()
}

/// Whether name and value can stand in a header, and the header is not one of ours.
fn is_header(name: &str, value: &str) -> bool {
    const OURS: [&str; 6] = ["host", "content-length", "content-type", "connection", "transfer-encoding", "user-agent"];
    let is_ours = OURS.iter().any(|ours| name.eq_ignore_ascii_case(ours));
    let is_name = name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte));
    is_name && !is_ours && value.bytes().all(|byte| byte == b' ' || byte.is_ascii_graphic())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs_are_read_as_the_variables_have_them() {
        let read = |text: &str| parse_pairs(text, is_header).ok();
        let pair = |name: &str, value: &str| (name.to_owned(), value.to_owned());
        assert_eq!(read(""), Some(vec![]));
        let two = "authorization=Bearer%20a=b, x-tenant=blue";
        assert_eq!(read(two), Some(vec![pair("authorization", "Bearer a=b"), pair("x-tenant", "blue")]));
        for wrong in ["authorization", "=x", "a b=c", "x=%0d%0ay: z", "content-length=1", "x=%ff"] {
            assert_eq!(read(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn the_operators_attributes_win() {
        let set = vec![("service.name".to_owned(), "own".to_owned()), ("team".to_owned(), "ops".to_owned())];
        let names = resource("punctual".to_owned(), set);
        assert_eq!(names[0].0, "service.version");
        assert_eq!(names[1], ("service.name".to_owned(), "own".to_owned()));
        assert_eq!(names[2].0, "team");
    }
}

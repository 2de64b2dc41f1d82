//! `punctual check-config`.

use std::fs;
use std::path::{Path, PathBuf};

use insta::assert_snapshot;

use super::told;

const SECRET: &str = "1 000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f";

/// Runs the command where the files are, with this environment and nothing else of the one the tests run in.
fn check_config(arguments: &[&str], environment: &[(&str, &str)]) -> String {
    let mut command = crate::binary();
    command.arg("check-config").args(arguments).current_dir(directory());
    told(command.env_clear().envs(environment.iter().copied()), "")
}

fn directory() -> PathBuf {
    let directory = Path::new(env!("CARGO_TARGET_TMPDIR")).join("check_config");
    fs::create_dir_all(&directory).unwrap();
    directory
}

fn file(name: &str, text: impl AsRef<[u8]>) {
    fs::write(directory().join(name), text).unwrap();
}

/// The settings that are not as they are by default.
fn changed(told: &str) -> String {
    told.lines().filter(|line| !line.ends_with("# default")).collect::<Vec<_>>().join("\n")
}

#[test]
fn shows_where_each_value_comes_from() {
    file("mine.toml", "[server]\nlisten = \":1\"\n\n[[auth.issuers]]\nissuer = \"https://a\"\naudience = \"b\"\n");
    let variables = [("PUNCTUAL_SECRETS__KEY", SECRET), ("PUNCTUAL_PLANS__FREE__JOBS_MAX", "6")];
    assert_snapshot!(changed(&check_config(&["--config", "mine.toml", "--data", "/data"], &variables)), @r#"
    -- stdout
    server.listen = ":1"  # file: mine.toml line 2
    store.data = "/data"  # flag: --data
    secrets.key = "(set)"  # environment: PUNCTUAL_SECRETS__KEY
    auth.issuers[0].issuer = "https://a"  # file: mine.toml line 5
    auth.issuers[0].audience = "b"  # file: mine.toml line 6
    plans.free.jobs_max = 6  # environment: PUNCTUAL_PLANS__FREE__JOBS_MAX
    -- exit status 0
    "#);
}

#[test]
fn shows_every_default() {
    assert_snapshot!(check_config(&[], &[]), @r#"
    -- stdout
    server.listen = "127.0.0.1:7878"  # default
    server.public_url = ""  # default
    server.trusted_proxies = []  # default
    server.connections_max = 4096  # default
    server.header_seconds_max = 10  # default
    server.body_seconds_max = 30  # default
    server.body_bytes_max = 1048576  # default
    server.idle_seconds_max = 120  # default
    server.shutdown_seconds_max = 30  # default
    server.tls.certificate = ""  # default
    server.tls.key = ""  # default
    server.tls.self_signed = false  # default
    store.data = "./punctual-data"  # default
    store.url = ""  # default
    store.password_file = ""  # default
    store.connections_max = 16  # default
    cluster.name = ""  # default
    cluster.lease_seconds = 6  # default
    secrets.key = ""  # default
    api.dialect = "recorded"  # default
    defaults.subscription = "00000000-0000-0000-0000-000000000000"  # default
    defaults.group = "default"  # default
    auth.required = true  # default
    auth.issuers = []  # default
    plans.enforced = true  # default
    plans.free.jobs_max = 5  # default
    plans.free.collections_max = 1  # default
    plans.free.recurrence_min = "1 hour"  # default
    plans.free.authentication = false  # default
    plans.standard.jobs_max = 50  # default
    plans.standard.collections_max = 100  # default
    plans.standard.recurrence_min = "1 minute"  # default
    plans.standard.authentication = true  # default
    plans.premium.jobs_max = 50  # default
    plans.premium.collections_max = 10000  # default
    plans.premium.recurrence_min = "1 minute"  # default
    plans.premium.authentication = true  # default
    plans.p10_premium.jobs_max = 50  # default
    plans.p10_premium.collections_max = 10000  # default
    plans.p10_premium.recurrence_min = "1 minute"  # default
    plans.p10_premium.authentication = true  # default
    plans.p20_premium.jobs_max = 1000  # default
    plans.p20_premium.collections_max = 10000  # default
    plans.p20_premium.recurrence_min = "1 minute"  # default
    plans.p20_premium.authentication = true  # default
    engine.in_flight_max = 2048  # default
    engine.in_flight_per_collection_max = 512  # default
    engine.in_flight_per_host_max = 64  # default
    history.days = 60  # default
    history.failures_days = 0  # default
    history.megabytes_max = 0  # default
    outbound.loopback = "auto"  # default
    outbound.deny = []  # default
    outbound.allow = []  # default
    outbound.proxy = ""  # default
    outbound.ca = ""  # default
    oauth.authority = "https://login.microsoftonline.com"  # default
    storage_queue.endpoint = "https://{account}.queue.core.windows.net"  # default
    service_bus.endpoint = "https://{namespace}.servicebus.windows.net"  # default
    service_bus.amqp_endpoint = "amqps://{namespace}.servicebus.windows.net:5671"  # default
    service_bus.keys = []  # default
    service_bus.namespaces = []  # default
    email.server = ""  # default
    email.tls = "starttls"  # default
    email.user = ""  # default
    email.password = ""  # default
    email.password_file = ""  # default
    email.from = ""  # default
    metrics.listen = ""  # default
    metrics.token_file = ""  # default
    metrics.collections_max = 100  # default
    heartbeat.url = ""  # default
    heartbeat.overdue_seconds_max = 60  # default
    telemetry.endpoint = ""  # default
    telemetry.headers = ""  # default
    telemetry.protocol = "http/protobuf"  # default
    telemetry.traces = true  # default
    telemetry.metrics = true  # default
    telemetry.logs = true  # default
    telemetry.sample = 0.01  # default
    telemetry.service_name = "punctual"  # default
    telemetry.resource_attributes = ""  # default
    log.level = "info"  # default
    log.format = "text"  # default
    log.access = true  # default
    log.runs = "failures"  # default
    -- exit status 0
    "#);
}

#[test]
fn in_json() {
    let told = check_config(&["--output", "json", "--no-auth"], &[("PUNCTUAL_SECRETS__KEY", SECRET)]);
    let json = told.strip_prefix("-- stdout\n").unwrap().strip_suffix("\n-- exit status 0").unwrap();
    let settings: Vec<serde_json::Value> = serde_json::from_str(json).unwrap();
    let lines: Vec<String> = settings.iter().map(ToString::to_string).collect();
    let shown = |key: &str| lines.iter().find(|line| line.contains(&format!("{key:?}"))).unwrap();
    assert_snapshot!(shown("server.trusted_proxies"), @r#"{"key":"server.trusted_proxies","origin":"default","source":null,"value":[]}"#);
    assert_snapshot!(shown("auth.required"), @r#"{"key":"auth.required","origin":"flag","source":"--no-auth","value":false}"#);
    assert_snapshot!(shown("secrets.key"), @r#"{"key":"secrets.key","origin":"environment","source":"PUNCTUAL_SECRETS__KEY","value":"(set)"}"#);
}

#[test]
fn the_file_is_named_by_the_flag_or_by_the_environment() {
    file("one.toml", "log.level = \"warn\"");
    file("two.toml", "log.level = \"debug\"");
    // A file that nobody names is not read.
    file("punctual.toml", "log.level = \"trace\"");
    let variable = [("PUNCTUAL_CONFIG", "two.toml")];
    assert_snapshot!(changed(&check_config(&["--config", "one.toml"], &variable)), @r#"
    -- stdout
    log.level = "warn"  # file: one.toml line 1
    -- exit status 0
    "#);
    assert_snapshot!(changed(&check_config(&[], &variable)), @r#"
    -- stdout
    log.level = "debug"  # file: two.toml line 1
    -- exit status 0
    "#);
    assert_snapshot!(changed(&check_config(&[], &[("PUNCTUAL_CONFIG", "")])), @"
    -- stdout
    -- exit status 0
    ");
}

#[test]
fn says_all_that_is_wrong() {
    file("wrong.toml", "[server]\nlisen = \":1\"\n[secrets]\nkey = \"hush\"\n[log]\nlevel = \"loud\"\n");
    let variables = [("PUNCTUAL_SERVER__LISTEN", ":1"), ("PUNCTUAL_LOG_FORMAT", "json")];
    assert_snapshot!(check_config(&["--config", "wrong.toml", "--no-auth"], &variables), @r#"
    -- stderr
    error: server.lisen (wrong.toml line 2): given an unknown key, expected server.listen, which is the nearest
    error: PUNCTUAL_LOG_FORMAT: given an unknown key, expected PUNCTUAL_LOG__FORMAT, with two underscores between section and key
    error: secrets.key (wrong.toml line 4): given (set), expected lines of a number and 64 hexadecimal digits, with ascending numbers
    error: auth.required (--no-auth): given false, expected true, or server.listen on a loopback address such as 127.0.0.1
    error: log.level (wrong.toml line 6): given "loud", expected "error", "warn", "info", "debug" or "trace"
    -- exit status 2
    "#);
}

#[test]
fn of_a_file_that_cannot_be_read() {
    file("large.toml", " ".repeat(1 << 20));
    file("bytes.toml", [0xff]);
    assert_snapshot!(check_config(&["--config", "missing.toml"], &[]), @"
    -- stderr
    error: missing.toml: given no such file, expected a file with settings
    -- exit status 2
    ");
    assert_snapshot!(check_config(&["--config", "large.toml"], &[]), @"
    -- stderr
    error: large.toml: given more, expected at most 65536 bytes
    -- exit status 2
    ");
    assert_snapshot!(check_config(&["--config", "bytes.toml"], &[]), @"
    -- stderr
    error: bytes.toml: given other bytes, expected text in UTF-8
    -- exit status 2
    ");
    assert_snapshot!(check_config(&["--config", "."], &[]), @"
    -- stderr
    error: .: given Is a directory (os error 21), expected a file that can be read
    -- exit status 2
    ");
}

#[test]
fn fails_wherever_the_server_would() {
    file("empty.pem", "");
    let wrong_files = [("PUNCTUAL_OUTBOUND__CA", "missing.pem"), ("PUNCTUAL_SERVER__TLS__CERTIFICATE", "empty.pem")];
    let wrong_files = [&wrong_files[..], &[("PUNCTUAL_SERVER__TLS__KEY", "empty.pem")]].concat();
    assert_snapshot!(check_config(&[], &wrong_files), @"
    -- stderr
    error: server.tls: empty.pem holds no certificate in PEM form (-----BEGIN CERTIFICATE-----)
    error: outbound.ca: cannot read missing.pem: No such file or directory (os error 2)
    -- exit status 2
    ");
    assert_snapshot!(check_config(&[], &[("PUNCTUAL_OUTBOUND__CA", "empty.pem")]), @"
    -- stderr
    error: [outbound]: the file of certificate authorities: no certificate in it; expected one or more certificates in PEM
    -- exit status 2
    ");
}

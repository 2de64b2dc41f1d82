//! What is taken, what is refused, and who wins.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::time::Duration;

use insta::assert_snapshot;
use punctual_api::wire::Dialect;
use punctual_model::Violation;
use punctual_model::collection::Sku;

use super::file::SettingsFile;
use super::server::Tls;
use super::{Config, DEFAULTS, Flags, Settings, file};

mod email;
mod queues;
mod telemetry;

type Loaded = Result<(Config, Settings), Vec<Violation>>;

const KEY: &str = "1 000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f";

fn load(text: &str, environment: &[(&str, &str)], flags: &Flags) -> Loaded {
    let file = SettingsFile { name: "punctual.toml".to_owned(), text: text.to_owned() };
    let environment = environment.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
    Config::of_layers(flags, Some(&file), environment)
}

fn by_file(text: &str) -> Config {
    load(text, &[], &Flags::default()).unwrap().0
}

/// Everything that is wrong, a line each.
fn wrong(loaded: Loaded) -> String {
    match loaded {
        Ok(_) => "nothing is wrong\n".to_owned(),
        Err(violations) => violations.iter().fold(String::new(), |text, violation| format!("{text}{violation}\n")),
    }
}

/// What is wrong with each of the files, with its text above it.
fn wrong_in_each(files: &[&str]) -> String {
    files.iter().fold(String::new(), |mut told, text| {
        write!(told, "{text}\n=> {}\n", wrong(load(text, &[], &Flags::default()))).unwrap();
        told
    })
}

fn wrong_by_each(variables: &[(&str, &str)]) -> String {
    variables.iter().map(|variable| wrong(load("", &[*variable], &Flags::default()))).collect()
}

#[test]
fn the_defaults_are_right() {
    let (config, _) = Config::load(&Flags::default(), None, [].into_iter()).unwrap();
    assert_eq!(config.server.listen, "127.0.0.1:7878".parse().unwrap());
    assert_eq!(config.server.tls, Tls::Off);
    assert_eq!(config.server.public_url(config.server.listen).as_str(), "http://127.0.0.1:7878");
    assert_eq!(config.server.header_time_max, Duration::from_secs(10));
    assert_eq!(config.dialect, Dialect::RECORDED);
    assert!(config.auth.required && config.auth.issuers.as_slice().is_empty() && config.secrets.keyring.is_none());
}

#[test]
fn the_default_plans_are_those_of_the_original() {
    let plans = by_file("").plans.unwrap();
    for sku in Sku::ALL {
        assert_eq!(plans.of(sku), sku.limits(), "{sku:?}");
    }
}

#[test]
fn plans_are_set_or_switched_off() {
    let plans = by_file("[plans.p20_premium]\njobs_max = 7\nrecurrence_min = \"2 days\"").plans.unwrap();
    assert_eq!(plans.of(Sku::P20Premium).jobs_max, 7);
    assert_eq!(plans.of(Sku::P20Premium).recurrence_min.interval(), 2);
    assert_eq!(plans.of(Sku::P10Premium), Sku::P10Premium.limits());
    assert!(by_file("plans.enforced = false").plans.is_none());
}

#[test]
fn each_layer_wins_over_the_one_below() {
    let listen = |file: &str, variable: Option<&str>, flag: Option<&str>| {
        let variables: Vec<_> = variable.map(|value| ("PUNCTUAL_SERVER__LISTEN", value)).into_iter().collect();
        let flags = Flags { listen: flag.map(str::to_owned), ..Flags::default() };
        let (config, settings) = load(file, &variables, &flags).unwrap();
        let origin = &settings.get("server.listen").unwrap().origin;
        (config.server.listen.to_string(), format!("{} {:?}", origin.layer(), origin.source()))
    };
    let expected = |address: &str, origin: &str| (address.to_owned(), origin.to_owned());
    let file = "[server]\n\nlisten = \"127.0.0.1:1\"";
    assert_eq!(listen("", None, None), expected("127.0.0.1:7878", "default None"));
    assert_eq!(listen(file, None, None), expected("127.0.0.1:1", "file Some(\"punctual.toml line 3\")"));
    assert_eq!(
        listen(file, Some("[::1]:2"), None),
        expected("[::1]:2", "environment Some(\"PUNCTUAL_SERVER__LISTEN\")")
    );
    assert_eq!(listen(file, Some("[::1]:2"), Some(":3")), expected("[::]:3", "flag Some(\"--listen\")"));
    // What a later layer replaces is not looked at.
    assert_eq!(listen("server.listen = 1", Some(":2"), None).0, "[::]:2");
}

#[test]
fn every_flag_is_a_setting() {
    let flags = Flags {
        data: Some("/data".to_owned()),
        listen: Some("[::1]:0".to_owned()),
        store: Some(String::new()),
        no_auth: true,
        tls_self_signed: true,
    };
    let (config, _) = load("", &[], &flags).unwrap();
    assert_eq!(config.store.data.to_str(), Some("/data"));
    assert_eq!(config.server.tls, Tls::SelfSigned);
    assert!(!config.auth.required);
    assert_eq!(config.server.public_url("[::1]:9".parse().unwrap()).as_str(), "https://[::1]:9");
}

#[test]
fn the_environment_has_every_kind_of_value() {
    let variables = [
        ("PUNCTUAL_SERVER__TLS__CERTIFICATE", "cert.pem"),
        ("PUNCTUAL_SERVER__TLS__KEY", "key.pem"),
        ("PUNCTUAL_SERVER__CONNECTIONS_MAX", "12"),
        ("PUNCTUAL_SERVER__TRUSTED_PROXIES", "[\"10.0.0.0/8\", \"::1\"]"),
        ("PUNCTUAL_DEFAULTS__GROUP", "true"),
        ("PUNCTUAL_PLANS__P10_PREMIUM__AUTHENTICATION", "false"),
        ("PUNCTUAL_SECRETS__KEY", KEY),
        ("PUNCTUAL_AUTH__ISSUERS", "[{ issuer = \"https://a\", audience = \"b\", skew_seconds = 0 }]"),
        // Not settings.
        ("PUNCTUAL_CONFIG", "x"),
        ("PUNCTUAL_URL", "x"),
        ("PUNCTUAL_TOKEN", "x"),
        ("PUNCTUAL_SERVICE_HOST", "x"),
        ("OTHER_SERVER__LISTEN", "x"),
    ];
    let (config, _) = load("", &variables, &Flags::default()).unwrap();
    assert_eq!(config.server.tls, Tls::Files { certificate: "cert.pem".into(), key: "key.pem".into() });
    assert_eq!(config.server.connections_max, 12);
    assert!(config.server.trusted_proxies[0].contains("10.1.2.3".parse().unwrap()));
    assert_eq!(config.defaults.group.as_str(), "true");
    assert!(!config.plans.unwrap().of(Sku::P10Premium).allows_authentication);
    assert_eq!(config.secrets.keyring.unwrap().current_id(), 1);
    assert_eq!(config.auth.issuers.as_slice()[0].skew_seconds, 0);
}

#[test]
fn the_example_of_an_issuer_has_the_defaults() {
    let lines = DEFAULTS.lines().filter_map(|line| line.strip_prefix("#   "));
    let example: Vec<&str> = lines.skip_while(|line| *line != "[[auth.issuers]]").collect();
    let is_said = |line: &&&str| !line.starts_with("skew_seconds") && !line.starts_with("algorithms");
    let shortened: Vec<&str> = example.iter().filter(is_said).copied().collect();
    assert_eq!(example.len(), shortened.len() + 2);
    assert_eq!(by_file(&example.join("\n")).auth.issuers, by_file(&shortened.join("\n")).auth.issuers);
}

#[test]
fn what_no_setting_is_called() {
    assert_snapshot!(wrong_in_each(&[
        "server.lisen = \":1\"",
        "listen = \":1\"",
        "[sever]\nlisten = \":1\"",
        "[servr]",
        "[server]\n[server.tls]",
        "\"server.listen\" = \":1\"",
        "server.listen.port = 1",
        "server = \":1\"",
        "secrets = \"hush\"",
        "[secrets]\nkeys = \"hush\"",
        "[[auth.issuer]]\nissuer = \"https://a\"",
        "unheard.of = \"\\u001b\"",
        "\"\\u001b[31m\" = 1",
    ]), @r#"
    server.lisen = ":1"
    => server.lisen (punctual.toml line 1): given an unknown key, expected server.listen, which is the nearest

    listen = ":1"
    => listen (punctual.toml line 1): given an unknown key, expected server.listen, which is the nearest

    [sever]
    listen = ":1"
    => sever.listen (punctual.toml line 2): given an unknown key, expected server.listen, which is the nearest

    [servr]
    => servr (punctual.toml line 1): given an unknown key, expected server, which is the nearest

    [server]
    [server.tls]
    => nothing is wrong

    "server.listen" = ":1"
    => "server.listen" (punctual.toml line 1): given an unknown key, expected server.listen, which is the nearest

    server.listen.port = 1
    => server.listen.port (punctual.toml line 1): given an unknown key, expected server.listen, which is the nearest

    server = ":1"
    => server (punctual.toml line 1): given a value, expected a section: [server], with keys and values below it

    secrets = "hush"
    => secrets (punctual.toml line 1): given a value, expected a section: [secrets], with keys and values below it

    [secrets]
    keys = "hush"
    => secrets.keys (punctual.toml line 2): given an unknown key, expected secrets.key, which is the nearest

    [[auth.issuer]]
    issuer = "https://a"
    => auth.issuer (punctual.toml line 1): given an unknown key, expected auth.issuers, which is the nearest

    unheard.of = "\u001b"
    => unheard.of (punctual.toml line 1): given an unknown key, expected a key that `punctual check-config` lists

    "\u001b[31m" = 1
    => "\u{1b}[31m" (punctual.toml line 1): given an unknown key, expected a key that `punctual check-config` lists
    "#);
}

#[test]
fn what_no_variable_is_called() {
    assert_snapshot!(wrong_by_each(&[
        ("PUNCTUAL_SERVER__LISEN", ":1"),
        ("PUNCTUAL_SERVER_LISTEN", ":1"),
        ("PUNCTUAL_SERVER__TLS_KEY", "x"),
        ("PUNCTUAL_SERVER__TLS", "{ key = \"x\" }"),
        ("PUNCTUAL_Server__Listen", ":1"),
        ("PUNCTUAL_UNHEARD__OF", "hush"),
    ]), @"
    PUNCTUAL_SERVER__LISEN: given an unknown key, expected PUNCTUAL_SERVER__LISTEN, which is the nearest
    PUNCTUAL_SERVER_LISTEN: given an unknown key, expected PUNCTUAL_SERVER__LISTEN, with two underscores between section and key
    PUNCTUAL_SERVER__TLS_KEY: given an unknown key, expected PUNCTUAL_SERVER__TLS__KEY, with two underscores between section and key
    PUNCTUAL_SERVER__TLS: given an unknown key, expected a variable for one key of the section, such as PUNCTUAL_SERVER__TLS__CERTIFICATE
    PUNCTUAL_Server__Listen: given an unknown key, expected PUNCTUAL_SECTION__KEY for a key that `punctual check-config` lists
    PUNCTUAL_UNHEARD__OF: given an unknown key, expected PUNCTUAL_SECTION__KEY for a key that `punctual check-config` lists
    ");
}

#[test]
fn short_variables() {
    let variables = [("PUNCTUAL_DATA", "/srv/p"), ("PUNCTUAL_LISTEN", ":81"), ("PUNCTUAL_SERVER__LISTEN", ":82")];
    let (config, _) = load("", &variables, &Flags::default()).unwrap();
    assert_eq!(config.store.data.display().to_string(), "/srv/p");
    // The long name wins over the short one.
    assert_eq!(config.server.listen.port(), 82);
    assert_snapshot!(
        wrong_by_each(&[("PUNCTUAL_LISTEN", "everywhere")]),
        @r#"server.listen (PUNCTUAL_LISTEN): given "everywhere", expected an address and a port such as 127.0.0.1:7878 or [::1]:7878, or :7878 for every address"#
    );
}

#[test]
fn variables_that_are_no_settings_are_named() {
    let names = [
        "PUNCTUAL_DATA",
        "PUNCTUAL_DATAS",
        "PUNCTUAL_HOME",
        "PUNCTUAL_TOKEN",
        "PUNCTUAL_SERVER__LISTEN",
        "PUNCTUAL_PORT",
        "PUNCTUAL_PORT_7878_TCP_ADDR",
        "PUNCTUAL_SERVICE_HOST",
        "PUNCTUAL_SERVICE_PORT_HTTP",
    ];
    let variables = names.map(|name| (name.to_owned(), "x".to_owned()));
    assert_snapshot!(super::ignored(&variables).join("\n"), @"
    PUNCTUAL_DATAS is not a setting and is ignored (did you mean PUNCTUAL_DATA?); settings are named PUNCTUAL_SECTION__KEY
    PUNCTUAL_HOME is not a setting and is ignored; settings are named PUNCTUAL_SECTION__KEY
    ");
}

#[test]
fn what_is_no_toml() {
    assert_snapshot!(wrong_in_each(&[
        "[server\nlisten = :1\n",
        "[secrets]\nkey = \"1 hush\n",
        "[secrets]\nkey = hush",
        "[secrets]\nkey = 1 4855 5348",
        "a = 1\na = 2",
        "[server]\nlisten",
    ]), @r#"
    [server
    listen = :1

    => punctual.toml line 1: given no TOML (unclosed table), expected `]`

    [secrets]
    key = "1 hush

    => punctual.toml line 2: given no TOML (invalid basic string), expected `"`

    [secrets]
    key = hush
    => punctual.toml line 2: given no TOML (string values must be quoted), expected literal string

    [secrets]
    key = 1 4855 5348
    => punctual.toml line 2: given no TOML (string values must be quoted), expected literal string

    a = 1
    a = 2
    => punctual.toml line 2: given no TOML (duplicate key), expected TOML

    [server]
    listen
    => punctual.toml line 2: given no TOML (key with no value), expected `=`
    "#);
}

#[test]
fn wrong_values_of_the_server() {
    assert_snapshot!(wrong_in_each(&[
        "server.listen = \"localhost:7878\"",
        "server.listen = 7878",
        "server.listen = \":99999\"",
        "server.public_url = \"https://example.com/path\"",
        "server.public_url = \"https://me:hush@example.com\"",
        "server.trusted_proxies = \"10.0.0.0/8\"",
        "server.trusted_proxies = [\"10.0.0.1/8\", \"::1\", 5, \"proxy\"]",
        "server.connections_max = 0",
        "server.connections_max = \"12\"",
        "server.connections_max = 99999999999999999999",
        "server.header_seconds_max = 10000",
        "server.body_seconds_max = -1",
        "server.body_bytes_max = 1024",
        "server.idle_seconds_max = 1.5",
        "server.tls.certificate = \"a.pem\"",
        "server.tls.key = \"a.pem\"",
        "server.tls = { certificate = \"a\", key = \"b\", self_signed = true }",
        "server.tls.self_signed = \"yes\"",
    ]), @r#"
    server.listen = "localhost:7878"
    => server.listen (punctual.toml line 1): given "localhost:7878", expected an address and a port such as 127.0.0.1:7878 or [::1]:7878, or :7878 for every address

    server.listen = 7878
    => server.listen (punctual.toml line 1): given 7878, expected an address and a port such as 127.0.0.1:7878 or [::1]:7878, or :7878 for every address

    server.listen = ":99999"
    => server.listen (punctual.toml line 1): given ":99999", expected an address and a port such as 127.0.0.1:7878 or [::1]:7878, or :7878 for every address

    server.public_url = "https://example.com/path"
    => server.public_url (punctual.toml line 1): given "https://example.com/path", expected an address such as https://scheduler.example.com, without user and path

    server.public_url = "https://me:hush@example.com"
    => server.public_url (punctual.toml line 1): given (set), expected an address such as https://scheduler.example.com, without user and path

    server.trusted_proxies = "10.0.0.0/8"
    => server.trusted_proxies (punctual.toml line 1): given "10.0.0.0/8", expected a list: ["one", "two"]

    server.trusted_proxies = ["10.0.0.1/8", "::1", 5, "proxy"]
    => server.trusted_proxies[0] (punctual.toml line 1): given "10.0.0.1/8", expected the network 10.0.0.0/8 or the address alone
    server.trusted_proxies[2] (punctual.toml line 1): given 5, expected a text in quotes
    server.trusted_proxies[3] (punctual.toml line 1): given "proxy", expected an address such as 10.0.0.7 or a network such as 10.0.0.0/8

    server.connections_max = 0
    => server.connections_max (punctual.toml line 1): given 0, expected a number from 1 to 1000000

    server.connections_max = "12"
    => server.connections_max (punctual.toml line 1): given "12", expected a number from 1 to 1000000

    server.connections_max = 99999999999999999999
    => server.connections_max (punctual.toml line 1): given 100000000000000000000.0, expected a number from 1 to 1000000

    server.header_seconds_max = 10000
    => server.header_seconds_max (punctual.toml line 1): given 10000, expected a number from 1 to 3600

    server.body_seconds_max = -1
    => server.body_seconds_max (punctual.toml line 1): given -1, expected a number from 1 to 3600

    server.body_bytes_max = 1024
    => server.body_bytes_max (punctual.toml line 1): given 1024, expected a number from 131072 to 67108864

    server.idle_seconds_max = 1.5
    => server.idle_seconds_max (punctual.toml line 1): given 1.5, expected a number from 1 to 3600

    server.tls.certificate = "a.pem"
    => server.tls.key: given "", expected the file with the private key of server.tls.certificate

    server.tls.key = "a.pem"
    => server.tls.certificate: given "", expected the file with the certificate of server.tls.key

    server.tls = { certificate = "a", key = "b", self_signed = true }
    => server.tls.self_signed (punctual.toml line 1): given true, expected false, or neither server.tls.certificate nor server.tls.key

    server.tls.self_signed = "yes"
    => server.tls.self_signed (punctual.toml line 1): given "yes", expected true or false
    "#);
}

#[test]
fn wrong_values_of_everything_else() {
    assert_snapshot!(wrong_in_each(&[
        "store.data = \"\"",
        "store.data = 99999999999999999999",
        "store.url = \"mysql://me:hush@db/punctual\"",
        "store.url = \"postgres://me:hush@db/punctual?sslmode=maybe\"",
        "store.connections_max = 1",
        "cluster.lease_seconds = 1",
        "secrets.key = \"1 hush\"",
        "secrets.key = [\"hush\"]",
        "api.dialect = \"xml\"",
        "defaults.subscription = \"\"",
        "defaults.group = \"a/b\"",
        "auth.required = false\nserver.listen = \"0.0.0.0:80\"",
        "auth.required = 0",
        "plans.enforced = 1979-05-27",
        "plans.free.jobs_max = 0",
        "plans.standard.recurrence_min = \"1 second\"",
        "plans.premium.recurrence_min = \"1001 minutes\"",
        "plans.premium.recurrence_min = 60",
        "oauth.authority = \"login.example.com\"",
        "oauth.authority = \"https://me:hush@login.example.com\"",
        "log.level = \"loud\"",
        "log.format = \"\\u001b[31m\"",
    ]), @r#"
    store.data = ""
    => store.data (punctual.toml line 1): given "", expected a directory such as ./punctual-data

    store.data = 99999999999999999999
    => store.data (punctual.toml line 1): given 100000000000000000000.0, expected a directory such as ./punctual-data

    store.url = "mysql://me:hush@db/punctual"
    => store.url (punctual.toml line 1): given (set), expected an address such as postgres://user@host/database: the address of PostgreSQL begins with postgres://

    store.url = "postgres://me:hush@db/punctual?sslmode=maybe"
    => store.url (punctual.toml line 1): given (set), expected an address such as postgres://user@host/database: sslmode is disable, prefer, require, verify-ca or verify-full

    store.connections_max = 1
    => store.connections_max (punctual.toml line 1): given 1, expected a number from 4 to 1000

    cluster.lease_seconds = 1
    => cluster.lease_seconds (punctual.toml line 1): given 1, expected a number from 2 to 60

    secrets.key = "1 hush"
    => secrets.key (punctual.toml line 1): given (set), expected lines of a number and 64 hexadecimal digits, with ascending numbers

    secrets.key = ["hush"]
    => secrets.key (punctual.toml line 1): given (set), expected a text in quotes

    api.dialect = "xml"
    => api.dialect (punctual.toml line 1): given "xml", expected "recorded" or "openapi"

    defaults.subscription = ""
    => defaults.subscription (punctual.toml line 1): given "", expected 1 to 260 characters, none of / \ ? # % and no control characters

    defaults.group = "a/b"
    => defaults.group (punctual.toml line 1): given "a/b", expected 1 to 260 characters, none of / \ ? # % and no control characters

    auth.required = false
    server.listen = "0.0.0.0:80"
    => auth.required (punctual.toml line 1): given false, expected true, or server.listen on a loopback address such as 127.0.0.1

    auth.required = 0
    => auth.required (punctual.toml line 1): given 0, expected true or false

    plans.enforced = 1979-05-27
    => plans.enforced (punctual.toml line 1): given 1979-05-27, expected true or false

    plans.free.jobs_max = 0
    => plans.free.jobs_max (punctual.toml line 1): given 0, expected a number from 1 to 2147483647

    plans.standard.recurrence_min = "1 second"
    => plans.standard.recurrence_min (punctual.toml line 1): given "1 second", expected a number and minutes, hours, days, weeks, months or years, such as "15 minutes"

    plans.premium.recurrence_min = "1001 minutes"
    => plans.premium.recurrence_min (punctual.toml line 1): given "1001 minutes", expected 1 to 1000 minutes

    plans.premium.recurrence_min = 60
    => plans.premium.recurrence_min (punctual.toml line 1): given 60, expected a number and minutes, hours, days, weeks, months or years, such as "15 minutes"

    oauth.authority = "login.example.com"
    => oauth.authority (punctual.toml line 1): given "login.example.com", expected an address such as https://login.microsoftonline.com or https://id.example/{tenant}/token

    oauth.authority = "https://me:hush@login.example.com"
    => oauth.authority (punctual.toml line 1): given (set), expected an address such as https://login.microsoftonline.com or https://id.example/{tenant}/token

    log.level = "loud"
    => log.level (punctual.toml line 1): given "loud", expected "error", "warn", "info", "debug" or "trace"

    log.format = "\u001b[31m"
    => log.format (punctual.toml line 1): given "\u{1b}[31m", expected "text" or "json"
    "#);
}

#[test]
fn wrong_issuers() {
    assert_snapshot!(wrong_in_each(&[
        "[[auth.issuers]]\nissuer = \"https://a\"\naudience = \"b\"\n[[auth.issuers]]\nissuer = \"http://a\"",
        "[[auth.issuers]]",
        "[[auth.issuers]]\nissuer = \"https://a\"\naudience = \"b\"\nalgorithms = [\"none\", \"RS256\", \"HS256\"]",
        "[[auth.issuers]]\nissuer = \"https://a\"\naudience = \"b\"\nalgorithms = []\nskew_seconds = 3600",
        "[[auth.issuers]]\nissuer = \"https://a\"\naudience = \"b\"\nalgorithm = [\"RS256\"]",
        "[auth.issuers]\nissuer = \"https://a\"",
        "auth.issuers = \"https://a\"",
        "auth.issuers = [\"https://a\", { issuer = \"b\", audience = \"c\" }]",
    ]), @r#"
    [[auth.issuers]]
    issuer = "https://a"
    audience = "b"
    [[auth.issuers]]
    issuer = "http://a"
    => auth.issuers[1].issuer (punctual.toml line 5): given "http://a", expected an address with https, or with http on this machine itself
    auth.issuers[1].audience (punctual.toml line 4): given "", expected the name by which the issuer knows this server

    [[auth.issuers]]
    => auth.issuers[0].issuer (punctual.toml line 1): given "", expected an address with https, or with http on this machine itself
    auth.issuers[0].audience (punctual.toml line 1): given "", expected the name by which the issuer knows this server

    [[auth.issuers]]
    issuer = "https://a"
    audience = "b"
    algorithms = ["none", "RS256", "HS256"]
    => auth.issuers[0].algorithms[0] (punctual.toml line 4): given "none", expected one of RS256, RS384, RS512, PS256, PS384, PS512, ES256, ES384, EdDSA
    auth.issuers[0].algorithms[2] (punctual.toml line 4): given "HS256", expected one of RS256, RS384, RS512, PS256, PS384, PS512, ES256, ES384, EdDSA

    [[auth.issuers]]
    issuer = "https://a"
    audience = "b"
    algorithms = []
    skew_seconds = 3600
    => auth.issuers[0].skew_seconds (punctual.toml line 5): given 3600, expected a number from 0 to 300

    [[auth.issuers]]
    issuer = "https://a"
    audience = "b"
    algorithm = ["RS256"]
    => auth.issuers[0].algorithm (punctual.toml line 4): given an unknown key, expected auth.issuers[0].algorithms, which is the nearest

    [auth.issuers]
    issuer = "https://a"
    => auth.issuers.issuer (punctual.toml line 2): given an unknown key, expected a list: [[auth.issuers]] for each of its tables

    auth.issuers = "https://a"
    => auth.issuers (punctual.toml line 1): given "https://a", expected a list of tables: [[auth.issuers]], with issuer and audience below it

    auth.issuers = ["https://a", { issuer = "b", audience = "c" }]
    => auth.issuers[0] (punctual.toml line 1): given "https://a", expected a table with issuer and audience
    auth.issuers[1].issuer (punctual.toml line 1): given "b", expected an address with https, or with http on this machine itself
    "#);
}

#[test]
fn wrong_variables_and_flags() {
    assert_snapshot!(wrong_by_each(&[
        ("PUNCTUAL_SERVER__LISTEN", ""),
        ("PUNCTUAL_SERVER__CONNECTIONS_MAX", "many"),
        ("PUNCTUAL_AUTH__REQUIRED", "yes"),
        ("PUNCTUAL_SERVER__TRUSTED_PROXIES", "10.0.0.0/8"),
        ("PUNCTUAL_SERVER__TRUSTED_PROXIES", "[\"10.0.0.0/8\"] more"),
        ("PUNCTUAL_AUTH__ISSUERS", "[{ issuer = \"https://a\" }]"),
        ("PUNCTUAL_SECRETS__KEY", "hush"),
    ]), @r#"
    server.listen (PUNCTUAL_SERVER__LISTEN): given "", expected an address and a port such as 127.0.0.1:7878 or [::1]:7878, or :7878 for every address
    server.connections_max (PUNCTUAL_SERVER__CONNECTIONS_MAX): given "many", expected a number from 1 to 1000000
    auth.required (PUNCTUAL_AUTH__REQUIRED): given "yes", expected true or false
    server.trusted_proxies (PUNCTUAL_SERVER__TRUSTED_PROXIES): given "10.0.0.0/8", expected a list as in a file: ["one", "two"]
    server.trusted_proxies (PUNCTUAL_SERVER__TRUSTED_PROXIES): given "[\"10.0.0.0/8\"] more", expected a list as in a file: ["one", "two"]
    auth.issuers[0].audience (PUNCTUAL_AUTH__ISSUERS): given "", expected the name by which the issuer knows this server
    secrets.key (PUNCTUAL_SECRETS__KEY): given (set), expected lines of a number and 64 hexadecimal digits, with ascending numbers
    "#);
    let flags = Flags {
        data: Some(String::new()),
        listen: Some("[::]:1".to_owned()),
        store: Some("sqlite://hush".to_owned()),
        no_auth: true,
        tls_self_signed: true,
    };
    assert_snapshot!(wrong(load("server.tls = { certificate = \"a\", key = \"b\" }", &[], &flags)), @r#"
    server.tls.self_signed (--tls-self-signed): given true, expected false, or neither server.tls.certificate nor server.tls.key
    store.data (--data): given "", expected a directory such as ./punctual-data
    store.url (--store): given (set), expected an address such as postgres://user@host/database: the address of PostgreSQL begins with postgres://
    auth.required (--no-auth): given false, expected true, or server.listen on a loopback address such as 127.0.0.1
    "#);
}

#[test]
fn everything_that_is_wrong_is_said_at_once() {
    let file = "unknown = 1\n[server]\nlisten = \":x\"\nidle_seconds_max = 0\n[log]\nlevel = 1";
    let flags = Flags { no_auth: true, ..Flags::default() };
    let environment = [("PUNCTUAL_SERVER__LISTEN", ":1"), ("PUNCTUAL_API__DIALECT", "x"), ("PUNCTUAL_A__B", "x")];
    assert_snapshot!(wrong(load(file, &environment, &flags)), @r#"
    unknown (punctual.toml line 1): given an unknown key, expected a key that `punctual check-config` lists
    PUNCTUAL_A__B: given an unknown key, expected PUNCTUAL_SECTION__KEY for a key that `punctual check-config` lists
    server.idle_seconds_max (punctual.toml line 4): given 0, expected a number from 1 to 3600
    api.dialect (PUNCTUAL_API__DIALECT): given "x", expected "recorded" or "openapi"
    auth.required (--no-auth): given false, expected true, or server.listen on a loopback address such as 127.0.0.1
    log.level (punctual.toml line 6): given 1, expected "error", "warn", "info", "debug" or "trace"
    "#);
}

#[test]
fn loopback_is_called_only_while_the_server_is_local() {
    let allows = |file: &str| load(file, &[], &Flags::default()).unwrap().0.outbound.allows_loopback;
    assert!(allows("") && allows("server.public_url = \"http://localhost:7878\""));
    for others_come in [
        "server.listen = \"0.0.0.0:7878\"",
        "server.public_url = \"https://jobs.example.com\"",
        "server.trusted_proxies = [\"127.0.0.1\"]",
    ] {
        assert!(!allows(others_come), "{others_come}");
        assert!(allows(&format!("{others_come}\noutbound.loopback = \"always\"")), "{others_come}");
    }
}

#[test]
fn secrets_do_not_show_themselves() {
    let (config, settings) = load(&format!("secrets.key = \"{KEY}\""), &[], &Flags::default()).unwrap();
    for text in [format!("{config:?}"), format!("{settings:?}")] {
        assert!(!text.contains("0102"), "{text}");
    }
    assert_eq!(settings.get("secrets.key").unwrap().line(), "secrets.key = \"(set)\"");
}

#[test]
fn every_default_has_its_comment() {
    let lines: Vec<&str> = DEFAULTS.lines().collect();
    let mut explained = BTreeSet::new();
    for entry in file::parse(DEFAULTS).unwrap().entries {
        // The plans have the same keys, explained at the first of them.
        let name = entry.key.rsplit('.').next().unwrap().to_owned();
        let is_explained = lines[entry.line - 2].starts_with('#') || explained.contains(&name);
        assert!(is_explained, "{} has no comment above it", entry.key);
        explained.insert(name);
    }
}

#[test]
fn metrics_elsewhere_need_a_token() {
    let told = wrong_in_each(&[
        "metrics.listen = \":9464\"",
        "metrics.listen = \"127.0.0.1:9464\"",
        "metrics = { listen = \"10.0.0.1:9464\", token_file = \"/token\" }",
        "metrics.listen = \"127.0.0.1:7878\"",
        "metrics.listen = \"9464\"",
    ]);
    assert_snapshot!(told, @r#"
    metrics.listen = ":9464"
    => metrics.listen (punctual.toml line 1): given ":9464", expected a loopback address such as 127.0.0.1:9464, or metrics.token_file beside it

    metrics.listen = "127.0.0.1:9464"
    => nothing is wrong

    metrics = { listen = "10.0.0.1:9464", token_file = "/token" }
    => nothing is wrong

    metrics.listen = "127.0.0.1:7878"
    => metrics.listen (punctual.toml line 1): given "127.0.0.1:7878", expected another address or port than server.listen

    metrics.listen = "9464"
    => metrics.listen (punctual.toml line 1): given "9464", expected an address and a port such as 127.0.0.1:7878 or [::1]:7878, or :7878 for every address
    "#);
}

#[test]
fn the_address_of_a_heartbeat_is_not_shown() {
    let (_, settings) = load("heartbeat.url = \"https://m.example/ping/0a1b\"", &[], &Flags::default()).unwrap();
    assert_eq!(settings.get("heartbeat.url").unwrap().line(), "heartbeat.url = \"(set)\"");
    let told = wrong_in_each(&["heartbeat.url = \"m.example/secret\"", "heartbeat.overdue_seconds_max = 0"]);
    assert_snapshot!(told, @r#"
    heartbeat.url = "m.example/secret"
    => heartbeat.url (punctual.toml line 1): given (set), expected an address such as https://monitor.example.com/ping/0a1b2c

    heartbeat.overdue_seconds_max = 0
    => heartbeat.overdue_seconds_max (punctual.toml line 1): given 0, expected a number from 1 to 86400
    "#);
}

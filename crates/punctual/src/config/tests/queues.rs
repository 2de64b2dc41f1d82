//! `[storage_queue]` and `[service_bus]`.

use insta::assert_snapshot;
use punctual_actions::service_bus::LoginKind;

use super::{DEFAULTS, Flags, by_file, load, wrong_by_each, wrong_in_each};

const KEY: &str =
    "[[service_bus.keys]]\nnamespace = \"orders\"\nname = \"send\"\nkey = \"hush-hush\"\nscopes = [\"/\"]";

#[test]
fn the_defaults_are_those_of_the_actions() {
    let config = by_file("");
    assert_eq!(config.storage_queue.endpoint, punctual_actions::storage_queue::Settings::default().endpoint);
    let default = punctual_actions::service_bus::Settings::default();
    assert_eq!(config.service_bus.endpoint, default.endpoint);
    assert_eq!(config.service_bus.amqp_endpoint, default.amqp_endpoint);
    assert!(config.service_bus.keys.is_empty() && config.service_bus.namespaces.is_empty());
}

#[test]
fn the_examples_are_right() {
    let lines = DEFAULTS.lines().filter_map(|line| line.strip_prefix("#   "));
    let examples: Vec<&str> = lines.skip_while(|line| *line != "[[service_bus.keys]]").collect();
    let bus = by_file(&examples.join("\n")).service_bus;
    assert_eq!((bus.keys.len(), bus.namespaces.len()), (1, 1));
    assert_eq!(bus.namespaces[0].login, LoginKind::Plain);
    let bare = by_file("[[service_bus.namespaces]]\nname = \"a\"").service_bus.namespaces.remove(0);
    assert_eq!(bare.login, LoginKind::Cbs);
    assert!(bare.endpoint.is_none() && bare.amqp_endpoint.is_none());
    assert_eq!((bare.queue_address.as_str(), bare.topic_address.as_str()), ("{queue}", "{topic}"));
}

#[test]
fn keys_by_the_environment() {
    let list = "[{ namespace = \"orders\", name = \"send\", key = \"hush-hush\", scopes = [\"/subscriptions/s\"] }]";
    let (config, _) = load("", &[("PUNCTUAL_SERVICE_BUS__KEYS", list)], &Flags::default()).unwrap();
    assert_eq!(config.service_bus.keys[0].key.expose(), "hush-hush");
    assert_eq!(config.service_bus.keys[0].scopes[0].to_string(), "/subscriptions/s");
}

#[test]
fn keys_do_not_show_themselves() {
    let (config, settings) = load(KEY, &[], &Flags::default()).unwrap();
    for text in [format!("{config:?}"), format!("{settings:?}")] {
        assert!(!text.contains("hush"), "{text}");
    }
    let lines: Vec<_> = settings.iter().filter(|setting| setting.key.starts_with("service_bus.keys")).collect();
    let lines: Vec<_> = lines.iter().map(|setting| setting.line()).collect();
    assert_snapshot!(lines.join("\n"), @r#"
    service_bus.keys[0].namespace = "orders"
    service_bus.keys[0].name = "send"
    service_bus.keys[0].key = "(set)"
    service_bus.keys[0].scopes = ["/"]
    "#);
}

#[test]
fn wrong_addresses() {
    assert_snapshot!(wrong_in_each(&[
        "storage_queue.endpoint = \"https://queue.core.windows.net\"",
        "storage_queue.endpoint = \"https://me:hush@{account}.example\"",
        "storage_queue.endpoint = 1",
        "service_bus.endpoint = \"{namespace}.example\"",
        "service_bus.amqp_endpoint = \"https://{namespace}.example\"",
    ]), @r#"
    storage_queue.endpoint = "https://queue.core.windows.net"
    => storage_queue.endpoint (punctual.toml line 1): given "https://queue.core.windows.net", expected an address such as https://{account}.example.com, with {account} in it once, and without user and query

    storage_queue.endpoint = "https://me:hush@{account}.example"
    => storage_queue.endpoint (punctual.toml line 1): given (set), expected an address such as https://{account}.example.com, with {account} in it once, and without user and query

    storage_queue.endpoint = 1
    => storage_queue.endpoint (punctual.toml line 1): given 1, expected an address such as https://{account}.example.com, with {account} in it once, and without user and query

    service_bus.endpoint = "{namespace}.example"
    => service_bus.endpoint (punctual.toml line 1): given "{namespace}.example", expected an address such as https://{namespace}.example.com, with {namespace} in it once, and without user and query

    service_bus.amqp_endpoint = "https://{namespace}.example"
    => service_bus.amqp_endpoint (punctual.toml line 1): given "https://{namespace}.example", expected an address such as amqps://{namespace}.example.com:5671, with {namespace} in it once, and without user and query
    "#);
}

#[test]
fn wrong_keys() {
    assert_snapshot!(wrong_in_each(&[
        "[[service_bus.keys]]",
        "service_bus.keys = \"hush\"",
        "service_bus.keys = [\"hush\"]",
        &KEY.replace("[\"/\"]", "[]"),
        &KEY.replace("[\"/\"]", "[\"/subscriptions\", \"/\"]"),
        &KEY.replace("\"orders\"", "\"or.ders\""),
        &KEY.replace("key = \"hush-hush\"", "key = [\"hush\"]"),
        &KEY.replace("key = \"hush-hush\"", "key = \"hush\\u0000\""),
        &KEY.replace("key = \"hush-hush\"", "kay = \"hush\""),
    ]), @r#"
    [[service_bus.keys]]
    => service_bus.keys[0].namespace (punctual.toml line 1): given "", expected a namespace: 1 to 50 letters, digits and hyphens, beginning with a letter
    service_bus.keys[0].name (punctual.toml line 1): given "", expected the name of the key, as jobs have it in sasKeyName
    service_bus.keys[0].key (punctual.toml line 1): given "", expected the key
    service_bus.keys[0].scopes (punctual.toml line 1): given [], expected whose jobs may use the key: one or more scopes; ["/"] is every job's

    service_bus.keys = "hush"
    => service_bus.keys (punctual.toml line 1): given (set), expected a list of tables: [[service_bus.keys]], with namespace, name, key and scopes below it

    service_bus.keys = ["hush"]
    => service_bus.keys[0] (punctual.toml line 1): given (set), expected a table with namespace, name, key and scopes

    [[service_bus.keys]]
    namespace = "orders"
    name = "send"
    key = "hush-hush"
    scopes = []
    => service_bus.keys[0].scopes (punctual.toml line 5): given [], expected whose jobs may use the key: one or more scopes; ["/"] is every job's

    [[service_bus.keys]]
    namespace = "orders"
    name = "send"
    key = "hush-hush"
    scopes = ["/subscriptions", "/"]
    => service_bus.keys[0].scopes[0] (punctual.toml line 5): given "/subscriptions", expected / for the whole server, /subscriptions/S, /subscriptions/S/resourceGroups/G or /subscriptions/S/resourceGroups/G/providers/Microsoft.Scheduler/jobCollections/C

    [[service_bus.keys]]
    namespace = "or.ders"
    name = "send"
    key = "hush-hush"
    scopes = ["/"]
    => service_bus.keys[0].namespace (punctual.toml line 2): given "or.ders", expected a namespace: 1 to 50 letters, digits and hyphens, beginning with a letter

    [[service_bus.keys]]
    namespace = "orders"
    name = "send"
    key = ["hush"]
    scopes = ["/"]
    => service_bus.keys[0].key (punctual.toml line 4): given (set), expected the key

    [[service_bus.keys]]
    namespace = "orders"
    name = "send"
    key = "hush\u0000"
    scopes = ["/"]
    => service_bus.keys[0].key (punctual.toml line 4): given (set), expected no line breaks and no control characters

    [[service_bus.keys]]
    namespace = "orders"
    name = "send"
    kay = "hush"
    scopes = ["/"]
    => service_bus.keys[0].kay (punctual.toml line 4): given an unknown key, expected service_bus.keys[0].key, which is the nearest
    service_bus.keys[0].key (punctual.toml line 1): given "", expected the key
    "#);
    assert_snapshot!(wrong_by_each(&[("PUNCTUAL_SERVICE_BUS__KEYS", "hush"), ("PUNCTUAL_SERVICE_BUS__KEYS", "[\"hush\"]")]), @r#"
    service_bus.keys (PUNCTUAL_SERVICE_BUS__KEYS): given (set), expected a list as in a file: ["one", "two"]
    service_bus.keys[0] (PUNCTUAL_SERVICE_BUS__KEYS): given (set), expected a table with namespace, name, key and scopes
    "#);
}

#[test]
fn wrong_namespaces() {
    assert_snapshot!(wrong_in_each(&[
        "[[service_bus.namespaces]]",
        "[[service_bus.namespaces]]\nname = \"a\"\n[[service_bus.namespaces]]\nname = \"A\"",
        "[[service_bus.namespaces]]\nname = \"a\"\nlogin = \"sasl\"\nqueue_address = \"/queue\"\ntopic_address = \"{queue}\"",
        "[[service_bus.namespaces]]\nname = \"a\"\nendpoint = \"https://{namespace}.example\"\namqp_endpoint = \"amqp://a/b\"",
        "[service_bus.namespaces]\nname = \"a\"",
    ]), @r#"
    [[service_bus.namespaces]]
    => service_bus.namespaces[0].name (punctual.toml line 1): given "", expected a namespace: 1 to 50 letters, digits and hyphens, beginning with a letter

    [[service_bus.namespaces]]
    name = "a"
    [[service_bus.namespaces]]
    name = "A"
    => service_bus.namespaces[1].name (punctual.toml line 4): given "A", expected a namespace that has no table yet

    [[service_bus.namespaces]]
    name = "a"
    login = "sasl"
    queue_address = "/queue"
    topic_address = "{queue}"
    => service_bus.namespaces[0].login (punctual.toml line 3): given "sasl", expected "cbs", "plain" or "anonymous"
    service_bus.namespaces[0].queue_address (punctual.toml line 4): given "/queue", expected an address with {queue} in it once
    service_bus.namespaces[0].topic_address (punctual.toml line 5): given "{queue}", expected an address with {topic} in it once

    [[service_bus.namespaces]]
    name = "a"
    endpoint = "https://{namespace}.example"
    amqp_endpoint = "amqp://a/b"
    => service_bus.namespaces[0].endpoint (punctual.toml line 3): given "https://{namespace}.example", expected an address such as https://gateway.example, and without user and query
    service_bus.namespaces[0].amqp_endpoint (punctual.toml line 4): given "amqp://a/b", expected an address such as amqps://broker.example:5671, and without user and query

    [service_bus.namespaces]
    name = "a"
    => service_bus.namespaces.name (punctual.toml line 2): given an unknown key, expected a list: [[service_bus.namespaces]] for each of its tables
    "#);
}

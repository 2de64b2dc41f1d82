//! `[storage_queue]` and `[service_bus]`: where the services are that take messages, and whose keys this server holds.

use punctual_actions::ServiceEndpoint;
use punctual_actions::service_bus::{LoginKind, NAMESPACE, Namespace, NamespaceKey, QUEUE, Settings, TOPIC};
use punctual_actions::storage_queue::{self, ACCOUNT};
use punctual_model::Expected;
use punctual_model::access::Scope;
use punctual_model::action::{Secret, check_credential, check_namespace};
use toml::Value;

use super::file;
use super::reader::{SettingsReader, optional};
use super::tables::{Tables, text};

const KEYS: &str = "service_bus.keys";
const NAMESPACES: &str = "service_bus.namespaces";

/// Where storage queues are.
pub(super) fn read_storage_queue(reader: &SettingsReader<'_>) -> Option<storage_queue::Settings> {
    let endpoint = reader.parsed("storage_queue.endpoint", |text| ServiceEndpoint::http(text, ACCOUNT));
    Some(storage_queue::Settings { endpoint: endpoint? })
}

/// Where namespaces are, and their keys.
pub(super) fn read(reader: &SettingsReader<'_>) -> Option<Settings> {
    let endpoint = reader.parsed("service_bus.endpoint", |text| ServiceEndpoint::http(text, NAMESPACE));
    let amqp_endpoint = reader.parsed("service_bus.amqp_endpoint", |text| ServiceEndpoint::amqp(text, NAMESPACE));
    let keys: Vec<_> = items(reader, KEYS).map(|item| read_key(reader, item)).collect();
    let namespaces: Vec<_> = items(reader, NAMESPACES).map(|item| (item, read_namespace(reader, item))).collect();
    for (at, (item, namespace)) in namespaces.iter().enumerate() {
        let is_same = |other: &Option<Namespace>| match (namespace, other) {
            (Some(namespace), Some(other)) => namespace.name.eq_ignore_ascii_case(&other.name),
            _ => false,
        };
        if namespaces[..at].iter().any(|(_, other)| is_same(other)) {
            reader.refuse(&file::join(item, "name"), "a namespace that has no table yet");
        }
    }
    Some(Settings {
        endpoint: endpoint?,
        amqp_endpoint: amqp_endpoint?,
        namespaces: namespaces.into_iter().map(|(_, namespace)| namespace).collect::<Option<_>>()?,
        keys: keys.into_iter().collect::<Option<_>>()?,
    })
}

fn read_key(reader: &SettingsReader<'_>, item: &str) -> Option<NamespaceKey> {
    let member = |name: &str| file::join(item, name);
    let namespace = reader.parsed(&member("namespace"), |text| checked(text, check_namespace));
    let name = reader.parsed(&member("name"), |text| said(text, "the name of the key, as jobs have it in sasKeyName"));
    let key = reader.parsed(&member("key"), |text| said(text, "the key").map(Secret::new));
    let scopes = reader.list(&member("scopes"), Scope::parse);
    if scopes.as_ref().is_some_and(Vec::is_empty) {
        reader.refuse(&member("scopes"), "whose jobs may use the key: one or more scopes; [\"/\"] is every job's");
    }
    Some(NamespaceKey { namespace: namespace?, name: name?, key: key?, scopes: scopes? })
}

fn read_namespace(reader: &SettingsReader<'_>, item: &str) -> Option<Namespace> {
    let member = |name: &str| file::join(item, name);
    let name = reader.parsed(&member("name"), |text| checked(text, check_namespace));
    let endpoint = reader.parsed(&member("endpoint"), optional(|text| ServiceEndpoint::http(text, "")));
    let amqp_endpoint = reader.parsed(&member("amqp_endpoint"), optional(|text| ServiceEndpoint::amqp(text, "")));
    let login = reader.parsed(&member("login"), login);
    let queue_address = reader.parsed(&member("queue_address"), |text| link_address(text, QUEUE));
    let topic_address = reader.parsed(&member("topic_address"), |text| link_address(text, TOPIC));
    Some(Namespace {
        name: name?,
        endpoint: endpoint?,
        amqp_endpoint: amqp_endpoint?,
        login: login?,
        queue_address: queue_address?,
        topic_address: topic_address?,
    })
}

/// The tables of both lists, as they are where they do not say it.
pub(super) fn tables() -> [Tables; 2] {
    let keys = Tables {
        key: KEYS,
        members: vec![
            ("namespace", text("")),
            ("name", text("")),
            ("key", text("")),
            ("scopes", Value::Array(Vec::new())),
        ],
        required: &["namespace", "name", "key", "scopes"],
    };
    let namespaces = Tables {
        key: NAMESPACES,
        members: vec![
            ("name", text("")),
            ("endpoint", text("")),
            ("amqp_endpoint", text("")),
            ("login", text("cbs")),
            ("queue_address", text(QUEUE)),
            ("topic_address", text(TOPIC)),
        ],
        required: &["name"],
    };
    [keys, namespaces]
}

/// The tables of a list, by the member that all of them have.
fn items<'a>(reader: &SettingsReader<'a>, list: &'static str) -> impl Iterator<Item = &'a str> {
    let names = reader.keys().filter_map(|key| key.strip_suffix(".name"));
    names.filter(move |item| item.strip_prefix(list).is_some_and(|rest| rest.starts_with('[')))
}

fn login(text: &str) -> Result<LoginKind, Expected> {
    match text {
        "cbs" => Ok(LoginKind::Cbs),
        "plain" => Ok(LoginKind::Plain),
        "anonymous" => Ok(LoginKind::Anonymous),
        _ => Err(Expected::new("\"cbs\", \"plain\" or \"anonymous\"")),
    }
}

fn link_address(text: &str, place: &str) -> Result<String, Expected> {
    let is_right = text.matches(place).count() == 1 && !text.chars().any(|c| c.is_control() || c.is_whitespace());
    if is_right { Ok(text.to_owned()) } else { Err(Expected::new(format!("an address with {place} in it once"))) }
}

fn checked(text: &str, check: fn(&str) -> Result<(), Expected>) -> Result<String, Expected> {
    check(text).map(|()| text.to_owned())
}

fn said(text: &str, expected: &'static str) -> Result<String, Expected> {
    if text.is_empty() { Err(Expected::new(expected)) } else { checked(text, check_credential) }
}

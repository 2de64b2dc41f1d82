//! Namespaces: where they are, how to log in there, and whose keys this server holds.

use punctual_model::Name;
use punctual_model::access::Scope;
use punctual_model::action::{Entity, Secret, Transport};

use crate::endpoint::ServiceEndpoint;

/// What stands for the namespace in an address.
pub const NAMESPACE: &str = "{namespace}";
/// What stands for the queue in the address of a link.
pub const QUEUE: &str = "{queue}";
/// What stands for the topic in the address of a link.
pub const TOPIC: &str = "{topic}";

/// What the operator decides about the Service Bus, and about brokers that stand in for it.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Where namespaces are reached over HTTPS, with a place for the namespace.
    pub endpoint: ServiceEndpoint,
    /// Where they are reached over AMQP.
    pub amqp_endpoint: ServiceEndpoint,
    /// Namespaces that are elsewhere, or need another login.
    pub namespaces: Vec<Namespace>,
    /// Keys for jobs that name one and do not have it.
    pub keys: Vec<NamespaceKey>,
}

/// A namespace that is not as the others.
#[derive(Clone, Debug)]
pub struct Namespace {
    /// As jobs name it.
    pub name: String,
    /// Where it is reached over HTTPS.
    pub endpoint: Option<ServiceEndpoint>,
    /// Where it is reached over AMQP. Where only one of the two is named, there is only this one.
    pub amqp_endpoint: Option<ServiceEndpoint>,
    /// How to log in over AMQP.
    pub login: LoginKind,
    /// What a queue is called there, with `{queue}` in it.
    pub queue_address: String,
    /// What a topic is called there, with `{topic}` in it.
    pub topic_address: String,
}

/// How to log in over AMQP.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LoginKind {
    /// By a token, as the Service Bus has it.
    Cbs,
    /// By user and password: the name of the key, and the key.
    Plain,
    /// Not at all.
    Anonymous,
}

/// A key that the configuration holds.
#[derive(Clone, Debug)]
pub struct NamespaceKey {
    /// The namespace it is for.
    pub namespace: String,
    /// Its name.
    pub name: String,
    /// The key itself.
    pub key: Secret,
    /// Whose jobs may use it. None named, none may.
    pub scopes: Vec<Scope>,
}

/// Azure's.
impl Default for Settings {
    fn default() -> Self {
        let valid = "the defaults are right";
        Self {
            endpoint: ServiceEndpoint::http("https://{namespace}.servicebus.windows.net", NAMESPACE).expect(valid),
            amqp_endpoint: ServiceEndpoint::amqp("amqps://{namespace}.servicebus.windows.net:5671", NAMESPACE)
                .expect(valid),
            namespaces: Vec::new(),
            keys: Vec::new(),
        }
    }
}

/// How a namespace is reached.
#[derive(Clone, Copy, Debug)]
pub(super) struct NamespaceRoute<'a> {
    pub(super) https: Option<&'a ServiceEndpoint>,
    pub(super) amqp: Option<&'a ServiceEndpoint>,
    pub(super) login: LoginKind,
    queue_address: &'a str,
    topic_address: &'a str,
}

/// One of the two ways to a namespace.
#[derive(Clone, Copy, Debug)]
pub(super) enum Way<'a> {
    Https(&'a ServiceEndpoint),
    Amqp(&'a ServiceEndpoint),
}

impl<'a> NamespaceRoute<'a> {
    /// The way of a message with this transport, if there is one: HTTPS unless the job or the settings say otherwise.
    pub(super) fn way(&self, transport: Option<Transport>) -> Option<Way<'a>> {
        match transport {
            Some(Transport::Amqp) => self.amqp.map(Way::Amqp),
            Some(Transport::NetMessaging) => self.https.map(Way::Https),
            None | Some(Transport::NotSpecified) => self.https.map(Way::Https).or(self.amqp.map(Way::Amqp)),
        }
    }
}

impl Settings {
    /// How a namespace is reached.
    pub(super) fn route(&self, namespace: &str) -> NamespaceRoute<'_> {
        let Some(own) = self.namespaces.iter().find(|own| own.name.eq_ignore_ascii_case(namespace)) else {
            return NamespaceRoute {
                https: Some(&self.endpoint),
                amqp: Some(&self.amqp_endpoint),
                login: LoginKind::Cbs,
                queue_address: QUEUE,
                topic_address: TOPIC,
            };
        };
        // What is meant for a broker of the operator's must not end up with a stranger who has the same name at Azure.
        let is_elsewhere = own.endpoint.is_some() || own.amqp_endpoint.is_some();
        NamespaceRoute {
            https: own.endpoint.as_ref().or((!is_elsewhere).then_some(&self.endpoint)),
            amqp: own.amqp_endpoint.as_ref().or((!is_elsewhere).then_some(&self.amqp_endpoint)),
            login: own.login,
            queue_address: &own.queue_address,
            topic_address: &own.topic_address,
        }
    }

    /// The key that jobs of a collection may use: the first of that name that names a scope which holds the collection.
    pub(super) fn key(&self, namespace: &str, name: &str, collection: Option<&Scope>) -> Option<&Secret> {
        let collection = collection?;
        let is_it = |key: &&NamespaceKey| key.namespace.eq_ignore_ascii_case(namespace) && key.name == name;
        let may_use = |key: &&NamespaceKey| key.scopes.iter().any(|scope| scope.covers(collection));
        self.keys.iter().filter(is_it).find(may_use).map(|key| &key.key)
    }
}

impl NamespaceRoute<'_> {
    /// What a queue or topic is called in the address of a link.
    pub(super) fn link(&self, entity: &Entity) -> String {
        match entity {
            Entity::Queue(name) => self.queue_address.replace(QUEUE, name),
            Entity::Topic(name) => self.topic_address.replace(TOPIC, name),
        }
    }
}

/// The collection of a job, by the names in its path.
pub(super) fn collection([subscription, group, collection, _]: [&str; 4]) -> Option<Scope> {
    Some(Scope::Collection {
        subscription: Name::parse(subscription).ok()?,
        group: Name::parse(group).ok()?,
        collection: Name::parse(collection).ok()?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn settings() -> Settings {
        let key = |key: &str, scopes: &[&str]| NamespaceKey {
            namespace: "Orders".to_owned(),
            name: "send".to_owned(),
            key: Secret::new(key),
            scopes: scopes.iter().map(|scope| Scope::parse(scope).unwrap()).collect(),
        };
        let keys = vec![
            key("nobody's", &[]),
            key("one group's", &["/subscriptions/s/resourceGroups/test"]),
            key("everybody's in t", &["/subscriptions/x", "/subscriptions/T"]),
        ];
        let rabbit = Namespace {
            name: "rabbit".to_owned(),
            endpoint: None,
            amqp_endpoint: ServiceEndpoint::amqp("amqp://rabbit.example", "").ok(),
            login: LoginKind::Plain,
            queue_address: "/queue/{queue}".to_owned(),
            topic_address: "/topic/{topic}".to_owned(),
        };
        Settings { keys, namespaces: vec![rabbit], ..Settings::default() }
    }

    #[test]
    fn a_key_is_for_the_scopes_it_names() {
        let settings = settings();
        let key = |namespace: &str, name: &str, path: [&str; 4]| {
            settings.key(namespace, name, collection(path).as_ref()).map(Secret::expose)
        };
        assert_eq!(key("orders", "send", ["S", "Test", "c", "j"]), Some("one group's"));
        assert_eq!(key("orders", "send", ["t", "any", "c", "j"]), Some("everybody's in t"));
        assert_eq!(key("orders", "send", ["s", "test2", "c", "j"]), None);
        assert_eq!(key("orders", "Send", ["s", "test", "c", "j"]), None);
        assert_eq!(key("orders2", "send", ["s", "test", "c", "j"]), None);
        assert_eq!(key("orders", "send", ["s", "", "", ""]), None);
    }

    #[test]
    fn a_broker_elsewhere_is_nowhere_else() {
        let settings = settings();
        let rabbit = settings.route("Rabbit");
        assert!(rabbit.https.is_none() && rabbit.login == LoginKind::Plain);
        assert_eq!(rabbit.link(&Entity::Topic("a.b".to_owned())), "/topic/a.b");
        let other = settings.route("other");
        assert!(other.https.is_some() && other.amqp.is_some() && other.login == LoginKind::Cbs);
        assert_eq!(other.link(&Entity::Queue("q".to_owned())), "q");
    }
}

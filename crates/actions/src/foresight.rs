//! What is known about a target before it is called.

use std::net::{IpAddr, Ipv4Addr};

use punctual_model::access::Scope;
use punctual_model::action::{Target, literal_ip};

use crate::egress::Egress;
use crate::email::NO_SERVER;
use crate::service_bus;
use crate::settings::Settings;

/// Says why calls of a job will fail, as far as the settings alone tell. No name is looked up.
#[derive(Clone, Debug)]
pub struct Foresight {
    egress: Egress,
    service_bus: service_bus::Settings,
    has_mail_server: bool,
}

/// Why every attempt will fail until the job or the settings are changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Obstacle {
    /// The policy forbids the address.
    Forbidden(String),
    /// The job has no key for its namespace, and the settings have none for the job's collection.
    NoKey(String),
    /// The settings name no mail server.
    NoMailServer(String),
}

impl Foresight {
    /// Knows what these settings say.
    pub fn new(settings: &Settings) -> Self {
        Self {
            egress: settings.egress.clone(),
            service_bus: settings.service_bus.clone(),
            has_mail_server: settings.email.is_some(),
        }
    }

    /// What stands in the way of a target of a job in the collection.
    pub fn obstacle(&self, target: &Target, collection: &Scope) -> Option<Obstacle> {
        match target {
            Target::Http(http) => {
                let ip = known_ip(http.uri.host())?;
                let rule = self.egress.check((ip, http.uri.port()).into()).err()?;
                Some(Obstacle::Forbidden(format!("calls to {ip} are refused by policy: {rule}")))
            }
            Target::ServiceBus(bus) => self.service_bus.wanted_key(bus, Some(collection)).map(Obstacle::NoKey),
            Target::StorageQueue(_) => None,
            Target::Email(_) => (!self.has_mail_server).then(|| Obstacle::NoMailServer(NO_SERVER.to_owned())),
        }
    }
}

/// The address of a host that need not be looked up.
fn known_ip(host: &str) -> Option<IpAddr> {
    let is_localhost = host.trim_end_matches('.') == "localhost";
    literal_ip(host).or(is_localhost.then_some(IpAddr::V4(Ipv4Addr::LOCALHOST)))
}

#[cfg(test)]
mod tests {
    use punctual_model::action::{
        Address, BrokeredProperties, EmailAction, Entity, HttpAction, HttpType, SasKey, Secret, ServiceBusAction,
    };

    use super::*;
    use crate::email::{MailServer, Security, Sender};
    use crate::service_bus::{LoginKind, Namespace, NamespaceKey};

    fn told(settings: &Settings, target: &Target) -> String {
        let collection = "/subscriptions/s/resourceGroups/g/providers/Microsoft.Scheduler/jobCollections/c";
        match Foresight::new(settings).obstacle(target, &Scope::parse(collection).unwrap()) {
            None => "nothing".to_owned(),
            Some(Obstacle::Forbidden(text) | Obstacle::NoMailServer(text)) => text,
            Some(Obstacle::NoKey(text)) => text.chars().take(40).collect(),
        }
    }

    #[test]
    fn addresses_that_policy_refuses() {
        let target = |uri: &str| {
            Target::Http(HttpAction {
                kind: HttpType::Http,
                uri: Address::parse(uri).unwrap(),
                method: "GET".to_owned(),
                headers: Vec::new(),
                body: None,
                authentication: None,
            })
        };
        let uris =
            ["http://0xa9fea9fe/", "https://localhost./", "http://[::1]/", "http://192.0.2.1/", "http://name.example/"];
        let text: Vec<String> = uris.iter().map(|uri| told(&Settings::default(), &target(uri))).collect();
        insta::assert_snapshot!(text.join("\n"), @"
        calls to 169.254.169.254 are refused by policy: link-local addresses are never called
        calls to 127.0.0.1 are refused by policy: loopback addresses are not allowed on this server
        calls to ::1 are refused by policy: loopback addresses are not allowed on this server
        nothing
        nothing
        ");
    }

    #[test]
    fn email_without_a_mail_server() {
        let target = Target::Email(EmailAction { to: Vec::new(), message: None });
        insta::assert_snapshot!(told(&Settings::default(), &target), @"This server sends no e-mail: the setting email.server names no mail server.");
        let from = Sender::parse("punctual@example.com").unwrap();
        let server = MailServer {
            host: "mail.example.com".to_owned(),
            port: 25,
            security: Security::StartTls,
            login: None,
            from,
        };
        assert_eq!(told(&Settings { email: Some(server), ..Settings::default() }, &target), "nothing");
    }

    #[test]
    fn keys_that_nobody_has() {
        let bus = |namespace: &str, authentication| {
            Target::ServiceBus(Box::new(ServiceBusAction {
                entity: Entity::Queue("q".to_owned()),
                namespace: namespace.to_owned(),
                transport: None,
                authentication,
                message: String::new(),
                brokered: BrokeredProperties::default(),
                custom: Vec::new(),
            }))
        };
        let key = |name: &str, key: Option<&str>| Some(SasKey { name: name.to_owned(), key: key.map(Secret::new) });
        let mut settings = Settings::default();
        settings.service_bus.keys = vec![NamespaceKey {
            namespace: "ns".to_owned(),
            name: "held".to_owned(),
            key: Secret::new("a2V5"),
            scopes: vec![Scope::parse("/subscriptions/s").unwrap()],
        }];
        settings.service_bus.namespaces = vec![Namespace {
            name: "open".to_owned(),
            endpoint: None,
            amqp_endpoint: crate::ServiceEndpoint::amqp("amqp://broker.example", "").ok(),
            login: LoginKind::Anonymous,
            queue_address: "{queue}".to_owned(),
            topic_address: "{topic}".to_owned(),
        }];
        let targets = [
            bus("ns", key("own", Some("a2V5"))),
            bus("ns", key("held", None)),
            bus("ns", key("other", None)),
            bus("ns", None),
            bus("open", None),
        ];
        let text: Vec<String> = targets.iter().map(|target| told(&settings, target)).collect();
        insta::assert_snapshot!(text.join("\n"), @"
        nothing
        nothing
        There is no key 'other' of the namespace
        The namespace 'ns' demands a key, and th
        nothing
        ");
    }
}

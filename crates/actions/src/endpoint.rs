//! Where a service is: an address of the operator's, with a place for a name of the user's.

use punctual_model::Expected;

use crate::failure::Failure;
use crate::http::Address;

/// The address of a service: `https://{account}.queue.core.windows.net`, `amqps://broker.example:5671`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ServiceEndpoint {
    /// An address of HTTP, also where another protocol is spoken: all that is asked for is TLS, host and port.
    template: String,
    /// What the name is put in the place of; empty where there is no name in the address.
    place: &'static str,
}

/// A name that every service can have, to try an address with.
const ANY_NAME: &str = "name";

impl ServiceEndpoint {
    /// Reads an address of HTTP, which may have a path. `place` is what stands in it for the name: `{account}`.
    pub fn http(text: &str, place: &'static str) -> Result<Self, Expected> {
        let example = if place.is_empty() {
            "https://gateway.example".to_owned()
        } else {
            format!("https://{place}.example.com")
        };
        Self::checked(text.to_owned(), text, place, &example)
    }

    /// Reads an address of AMQP: `amqps://broker.example:5671` with TLS, `amqp://broker.example:5672` without.
    pub fn amqp(text: &str, place: &'static str) -> Result<Self, Expected> {
        let example = if place.is_empty() {
            "amqps://broker.example:5671".to_owned()
        } else {
            format!("amqps://{place}.example.com:5671")
        };
        let (scheme, rest) = text.split_once("://").unwrap_or_default();
        let (scheme, port) = match scheme {
            "amqps" => ("https", 5671),
            "amqp" => ("http", 5672),
            _ => ("", 0),
        };
        let has_port = rest.rsplit_once(':').is_some_and(|(_, port)| port.bytes().all(|c| c.is_ascii_digit()));
        let template = if has_port { format!("{scheme}://{rest}") } else { format!("{scheme}://{rest}:{port}") };
        let endpoint = Self::checked(template, text, place, &example)?;
        if endpoint.template.matches('/').count() == 2 { Ok(endpoint) } else { Err(expected(&example, place)) }
    }

    fn checked(template: String, text: &str, place: &'static str, example: &str) -> Result<Self, Expected> {
        let place_count = if place.is_empty() { 0 } else { text.matches(place).count() };
        let has_place = place_count == usize::from(!place.is_empty());
        let is_plain = !template.replace(place, "").contains(['{', '}', '?', '#', '@']);
        let endpoint = Self { template, place };
        let is_right = has_place && is_plain && endpoint.address(ANY_NAME).is_ok();
        if is_right { Ok(endpoint) } else { Err(expected(example, place)) }
    }

    /// The address for a name. The model has checked its letters; in an address they are small.
    pub(crate) fn address(&self, name: &str) -> Result<Address, Failure> {
        let text = if self.place.is_empty() {
            self.template.clone()
        } else {
            self.template.replace(self.place, &name.to_ascii_lowercase())
        };
        let mut address = Address::parse(&text)
            .ok_or(Failure::Address("The address of the service in the configuration cannot be called.".into()))?;
        address.target.truncate(address.target.trim_end_matches('/').len());
        Ok(address)
    }
}

fn expected(example: &str, place: &str) -> Expected {
    let name = if place.is_empty() { String::new() } else { format!(", with {place} in it once") };
    Expected::new(format!("an address such as {example}{name}, and without user and query"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(endpoint: Result<ServiceEndpoint, Expected>) -> String {
        match endpoint.map(|endpoint| endpoint.address("MyName").unwrap()) {
            Ok(address) => format!("{}://{} port {}{}", address.scheme(), address.host, address.port, address.target),
            Err(expected) => expected.to_string(),
        }
    }

    #[test]
    fn addresses_of_http() {
        let http = |text| told(ServiceEndpoint::http(text, "{account}"));
        assert_eq!(http("https://{account}.queue.core.windows.net"), "https://myname.queue.core.windows.net port 443");
        assert_eq!(http("http://127.0.0.1:10001/{account}/"), "http://127.0.0.1 port 10001/myname");
        let expected =
            "an address such as https://{account}.example.com, with {account} in it once, and without user and query";
        for wrong in [
            "",
            "https://queue.core.windows.net",
            "https://{account}.{account}.net",
            "https://{account}.net?a=b",
            "https://me:secret@{account}.net",
            "https://{account}.{suffix}",
            "amqps://{account}.net",
            "{account}.net",
        ] {
            assert_eq!(http(wrong), expected, "{wrong}");
        }
        assert_eq!(told(ServiceEndpoint::http("https://one.example", "")), "https://one.example port 443");
        assert!(ServiceEndpoint::http("https://{namespace}.example", "").is_err());
    }

    #[test]
    fn addresses_of_amqp() {
        let amqp = |text| told(ServiceEndpoint::amqp(text, ""));
        assert_eq!(amqp("amqps://broker.example"), "https://broker.example port 5671");
        assert_eq!(amqp("amqp://127.0.0.1"), "http://127.0.0.1 port 5672");
        assert_eq!(amqp("amqps://[::1]:443"), "https://::1 port 443");
        for wrong in
            ["https://broker.example", "amqps://broker.example/path", "amqps://", "amqps://me@broker", "broker:5671"]
        {
            assert!(amqp(wrong).starts_with("an address such as amqps://broker.example:5671"), "{wrong}");
        }
    }
}

//! What arrives at a broker.

use std::sync::Arc;

use insta::assert_snapshot;
use punctual_model::action::{BrokeredProperties, Secret, ServiceBusAction};
use punctual_model::time::{Span, Timestamp};
use rcgen::{CertificateParams, KeyPair};
use rustls::ServerConfig;
use rustls::pki_types::PrivateKeyDer;

use super::codec::V;
use super::double::{Double, Script};
use super::{NOW_SECONDS, Outgoing, Pair, action, call, connector, tell};
use crate::coarse_clock::CoarseClock;
use crate::http::Stage;
use crate::service_bus::amqp::Amqp;
use crate::service_bus::broker::{Broker, Login};

const SECTIONS: [(u64, &str); 5] =
    [(0x70, "header"), (0x72, "annotations"), (0x73, "properties"), (0x74, "application"), (0x75, "data")];

/// The text of a message.
pub(super) fn text(sections: &[V]) -> String {
    let text = sections.iter().find_map(|section| match section {
        V::Described(0x75, data) => match &**data {
            V::Binary(bytes) => Some(String::from_utf8(bytes.clone()).unwrap()),
            _ => None,
        },
        _ => None,
    });
    text.unwrap()
}

pub(super) fn is_resent(sections: &[V]) -> bool {
    sections.iter().any(|section| match section {
        V::Described(0x74, custom) => custom.get("punctual-resent") == Some(&V::Bool(true)),
        _ => false,
    })
}

/// A message, a line for each of its sections.
fn show(sections: &[V]) -> String {
    let line = |section: &V| {
        let V::Described(code, inner) = section else { panic!("{section:?}") };
        let name = SECTIONS.iter().find(|(known, _)| known == code).unwrap().1;
        format!("{name} {}", value(inner))
    };
    sections.iter().map(line).collect::<Vec<_>>().join("\n")
}

fn value(it: &V) -> String {
    match it {
        V::Null => "-".to_owned(),
        V::Binary(bytes) => format!("{:?}", String::from_utf8_lossy(bytes)),
        V::List(items) => format!("[{}]", items.iter().map(value).collect::<Vec<_>>().join(" ")),
        V::Map(entries) => {
            let entry = |(name, it): &(V, V)| format!("{}: {}", value(name), value(it));
            format!("{{{}}}", entries.iter().map(entry).collect::<Vec<_>>().join(", "))
        }
        other => format!("{other:?}"),
    }
}

async fn arrived(action: &ServiceBusAction, is_resent: bool) -> String {
    let mut pair = Pair::new(Script::default()).await;
    let message = Outgoing::new(&call(is_resent), action);
    let started = Timestamp::from_seconds(NOW_SECONDS).unwrap();
    pair.amqp.send(&pair.broker, "orders", message, started, &Stage::default()).await.unwrap();
    show(&pair.double.message().await.1)
}

#[tokio::test]
async fn a_plain_message_has_the_id_of_its_occurrence() {
    assert_snapshot!(arrived(&action("täglich"), false).await, @r#"
    header [Bool(true)]
    properties [Text("abababababababababababababababab")]
    data "täglich"
    "#);
}

#[tokio::test]
async fn all_properties_arrive() {
    let text = |text: &str| Some(text.to_owned());
    let brokered = BrokeredProperties {
        content_type: text("application/jsön"),
        correlation_id: text("correlation"),
        force_persistence: Some(false),
        label: text("label"),
        message_id: text("message"),
        partition_key: text("partition"),
        reply_to: text("reply to"),
        reply_to_session_id: text("reply session"),
        scheduled_enqueue_time: Timestamp::from_ticks(18_000_000_001_234_567),
        session_id: text("session"),
        time_to_live: Some(Span::from_seconds(90)),
        to: text("to"),
        via_partition_key: text("via"),
    };
    let custom = vec![("colour".to_owned(), "blau".to_owned()), ("größe".to_owned(), "7".to_owned())];
    let action = ServiceBusAction { brokered, custom, ..action("{}") };
    assert_snapshot!(arrived(&action, true).await, @r#"
    header [- - Uint(90000)]
    annotations {Symbol("x-opt-scheduled-enqueue-time"): Time(1800000000123), Symbol("x-opt-partition-key"): Text("partition"), Symbol("x-opt-via-partition-key"): Text("via")}
    properties [Text("message") - Text("to") Text("label") Text("reply to") Text("correlation") Symbol("application/js?n") - - - Text("session") - Text("reply session")]
    application {Text("colour"): Text("blau"), Text("größe"): Text("7"), Text("punctual-resent"): Bool(true)}
    data "{}"
    "#);
}

#[tokio::test]
async fn a_long_life_is_told_by_its_end() {
    let brokered = BrokeredProperties { time_to_live: Some(Span::from_seconds(100 * 86_400)), ..Default::default() };
    assert_snapshot!(arrived(&ServiceBusAction { brokered, ..action("") }, false).await, @r#"
    header [Bool(true) - Uint(4294967295)]
    properties [Text("abababababababababababababababab") - - - - - - - Time(1808640000000) Time(1800000000000)]
    data ""
    "#);
}

#[tokio::test]
async fn a_large_message_comes_in_pieces() {
    let mut pair = Pair::new(Script { frame_bytes_max: 512, ..Script::default() }).await;
    let long = "0123456789".repeat(10_000);
    for _ in 0..3 {
        pair.send(&long).await.unwrap();
        assert_eq!(text(&pair.double.message().await.1), long);
    }
}

#[tokio::test]
async fn a_token_comes_before_its_link() {
    let key = Some(("Root".to_owned(), "secret+key=".to_owned()));
    let mut pair = Pair::new(Script { key, ..Script::default() }).await;
    pair.send("one").await.unwrap();
    pair.send_to("Topics/Invoices", "two").await.unwrap();
    assert_snapshot!(pair.events().await, @"opened · attached $cbs · attached $cbs · good token for sb://Contoso.servicebus.windows.net/orders · attached orders · one for orders");
    assert_snapshot!(pair.events().await, @"good token for sb://Contoso.servicebus.windows.net/Topics/Invoices · attached Topics/Invoices · two for Topics/Invoices");
}

#[tokio::test]
async fn a_wrong_key_is_refused_with_the_brokers_words() {
    let key = Some(("Root".to_owned(), "secret".to_owned()));
    let pair = Pair::new(Script { key, ..Script::default() }).await;
    pair.double.change(|script| script.key = Some(("Root".to_owned(), "rotated".to_owned())));
    assert_snapshot!(pair.refusal("one").await, @"UnauthorizedAccess The broker does not take the key 'Root' for 'sb://Contoso.servicebus.windows.net/orders' (401: InvalidSignature: The token has an invalid signature). [None]");
    pair.double.change(|script| script.key = Some(("Root".to_owned(), "secret".to_owned())));
    pair.send("two").await.unwrap();
}

#[tokio::test]
async fn a_user_logs_in_with_the_right_password() {
    let user = Some(("guest".to_owned(), "geheim".to_owned()));
    let mut pair = Pair::new(Script { user, ..Script::default() }).await;
    pair.send("one").await.unwrap();
    assert_snapshot!(pair.events().await, @"opened · attached orders · one for orders");
    pair.broker.login = Login::Plain { user: "guest".to_owned(), password: Secret::new("falsch") };
    assert_snapshot!(pair.refusal("two").await, @"UnauthorizedAccess The broker does not take the user 'guest' with this password. [None]");
    pair.broker.login = Login::Anonymous;
    assert_snapshot!(pair.refusal("three").await, @"UnauthorizedAccess The broker offers no login by SASL ANONYMOUS. [None]");
}

#[tokio::test]
async fn tls_is_there_from_the_first_byte() {
    let key = KeyPair::generate().unwrap();
    let certificate = CertificateParams::new(vec!["localhost".to_owned()]).unwrap().self_signed(&key).unwrap();
    let provider = Arc::new(rustls::crypto::aws_lc_rs::default_provider());
    let builder = ServerConfig::builder_with_provider(provider).with_safe_default_protocol_versions().unwrap();
    let private = PrivateKeyDer::try_from(key.serialize_der()).unwrap();
    let config = builder.with_no_client_auth().with_single_cert(vec![certificate.der().clone()], private).unwrap();
    let tls = tokio_rustls::TlsAcceptor::from(Arc::new(config));
    let mut double = Double::start(Script::default(), Some(tls)).await;

    let clock = Arc::new(CoarseClock::default());
    let broker = Broker { host: "localhost".to_owned(), port: double.port, is_tls: true, login: Login::Anonymous };
    let started = Timestamp::from_seconds(NOW_SECONDS).unwrap();
    let message = Outgoing::new(&call(false), &action("one"));
    let stranger = Amqp::new(connector(None, &clock), Arc::clone(&clock));
    let refused = stranger.send(&broker, "orders", message.clone(), started, &Stage::default()).await;
    assert_snapshot!(tell(&refused.unwrap_err()), @"TrustFailure The certificate of 'localhost' was issued by nobody this server trusts. [None]");
    let friend = Amqp::new(connector(Some(certificate.pem().as_bytes()), &clock), clock);
    friend.send(&broker, "orders", message, started, &Stage::default()).await.unwrap();
    assert_eq!(text(&double.message().await.1), "one");
}

//! Messages to a broker, over AMQP 1.0.

use std::collections::VecDeque;
use std::time::Instant;

use fe2o3_amqp::acceptor::{ConnectionAcceptor, LinkAcceptor, LinkEndpoint, SessionAcceptor};
use fe2o3_amqp::types::messaging::{Body, Data, Message};
use fe2o3_amqp::types::primitives::{Binary, Value};
use fe2o3_amqp::{Connection, Sender, Session};
use punctual_actions::service_bus::{self, LoginKind, Namespace, QUEUE, TOPIC};
use punctual_actions::{ServiceEndpoint, Settings};
use punctual_model::action::{BrokeredProperties, Entity, ServiceBusAction, Target, Transport};
use tokio::net::TcpStream;
use tokio::runtime::Runtime;

use crate::job::{self, MESSAGE};
use crate::{AT_ONCE, MESSAGES, Rates, compare, execute, per_second, serve};

const ENTITY: &str = "reports";

pub(crate) fn measure(runtime: &Runtime) -> Rates {
    let port = serve(host);
    let namespace = Namespace {
        name: "local".to_owned(),
        endpoint: None,
        amqp_endpoint: Some(ServiceEndpoint::amqp(&format!("amqp://127.0.0.1:{port}"), "").expect("an address")),
        login: LoginKind::Anonymous,
        queue_address: QUEUE.to_owned(),
        topic_address: TOPIC.to_owned(),
    };
    let service_bus = service_bus::Settings { namespaces: vec![namespace], ..service_bus::Settings::default() };
    let actions = job::actions(Settings { service_bus, ..Settings::default() });
    let call = job::call(Target::ServiceBus(Box::new(ServiceBusAction {
        entity: Entity::Queue(ENTITY.to_owned()),
        namespace: "local".to_owned(),
        transport: Some(Transport::Amqp),
        authentication: None,
        message: MESSAGE.to_owned(),
        brokered: BrokeredProperties::default(),
        custom: Vec::new(),
    })));
    let mut sender = runtime.block_on(connect(port));
    compare("AMQP", || bare(runtime, &mut sender.link), || execute(runtime, &actions, &call))
}

/// A link, with what it lives on.
struct Bare {
    link: Sender,
    _session: fe2o3_amqp::session::SessionHandle<()>,
    _connection: fe2o3_amqp::connection::ConnectionHandle<()>,
}

async fn connect(port: u16) -> Bare {
    let stream = TcpStream::connect(("127.0.0.1", port)).await.expect("a connection");
    stream.set_nodelay(true).expect("a connection");
    let builder = Connection::builder().container_id("bare").scheme("amqp").hostname("127.0.0.1");
    let builder = builder.sasl_profile(fe2o3_amqp::sasl_profile::SaslProfile::Anonymous);
    let mut connection = builder.open_with_stream(stream).await.expect("a connection");
    let mut session = Session::begin(&mut connection).await.expect("a session");
    let link = Sender::attach(&mut session, "bare", ENTITY).await.expect("a link");
    Bare { link, _session: session, _connection: connection }
}

fn bare(runtime: &Runtime, link: &mut Sender) -> f64 {
    let started = Instant::now();
    runtime.block_on(async {
        let mut under_way = VecDeque::with_capacity(AT_ONCE);
        for _ in 0..MESSAGES {
            if under_way.len() == AT_ONCE {
                settled(&mut under_way).await;
            }
            let message = Message::builder().data(Data(Binary::from(MESSAGE.as_bytes()))).build();
            under_way.push_back(link.send_batchable(message).await.expect("a broker that takes it"));
        }
        while !under_way.is_empty() {
            settled(&mut under_way).await;
        }
    });
    per_second(started)
}

async fn settled<F: Future<Output = Result<O, E>>, O, E: std::fmt::Debug>(under_way: &mut VecDeque<F>) {
    if let Some(delivery) = under_way.pop_front() {
        delivery.await.expect("a broker that takes it");
    }
}

/// A broker that takes everything.
async fn host(stream: TcpStream) {
    let acceptor = ConnectionAcceptor::builder()
        .container_id("broker")
        .sasl_acceptor(fe2o3_amqp::acceptor::SaslAnonymousMechanism {})
        .build();
    let Ok(mut connection) = acceptor.accept(stream).await else { return };
    while let Ok(mut session) = SessionAcceptor::new().accept(&mut connection).await {
        tokio::spawn(async move {
            while let Ok(LinkEndpoint::Receiver(mut link)) = LinkAcceptor::new().accept(&mut session).await {
                tokio::spawn(async move {
                    while let Ok(delivery) = link.recv::<Body<Value>>().await {
                        if link.accept(&delivery).await.is_err() {
                            return;
                        }
                    }
                });
            }
        });
    }
}

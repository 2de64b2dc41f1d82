//! A small broker that keeps to AMQP 1.0 and to the Service Bus's ways, and to whatever a test has it do.
//!
//! It checks signatures of tokens, credit, handles and delivery ids (`peer`). If one is wrong its task panics, which breaks
//! the connection.

use std::sync::{Arc, Mutex};

use tokio::net::TcpListener;
use tokio::sync::{broadcast, mpsc};

use super::codec::V;
use super::peer::serve;

/// What it does.
#[derive(Clone)]
pub(super) struct Script {
    /// The key whose tokens it wants; if there is none, links need no token.
    pub(super) key: Option<(String, String)>,
    /// The user it lets in by SASL PLAIN; if there is none, it lets in anyone by ANONYMOUS.
    pub(super) user: Option<(String, String)>,
    /// How many messages a link may send at first.
    pub(super) credit: u32,
    /// The smallest it may be, so that messages come in several pieces.
    pub(super) frame_bytes_max: u32,
    /// What becomes of messages.
    pub(super) fate: Fate,
    /// Addresses it has no node for.
    pub(super) unknown: Vec<String>,
    /// Whether it does not answer when a connection is closed.
    pub(super) is_deaf: bool,
}

/// Why it does not do what it was asked for: the condition and some words.
pub(super) type Reason = (String, String);

/// What becomes of a message.
#[derive(Clone, Debug)]
pub(super) enum Fate {
    Accepted,
    Released,
    Modified,
    Rejected(Option<Reason>),
    /// Nothing, until the test says so.
    Held,
    /// The link is detached instead.
    Detached(Option<Reason>),
    /// The connection is closed instead.
    Closed(Option<Reason>),
    /// The connection breaks instead.
    Cut,
}

/// What a test has it do now, on every connection.
#[derive(Clone, Debug)]
pub(super) enum Command {
    /// Accept what was held.
    Settle,
    Credit(u32),
    /// Detach all links.
    Detach(Option<Reason>),
    Close(Option<Reason>),
    Cut,
}

/// What happened to it.
#[derive(Debug, PartialEq)]
pub(super) enum Event {
    Opened { container: String },
    Token { audience: String, is_good: bool },
    Attached(String),
    Detached(String),
    Message { address: String, sections: Vec<V> },
    Gone,
}

pub(super) struct Double {
    pub(super) port: u16,
    pub(super) script: Arc<Mutex<Script>>,
    pub(super) commands: broadcast::Sender<Command>,
    events: mpsc::UnboundedReceiver<Event>,
}

impl Default for Script {
    fn default() -> Self {
        Self {
            key: None,
            user: None,
            credit: 1000,
            frame_bytes_max: 65_536,
            fate: Fate::Accepted,
            unknown: Vec::new(),
            is_deaf: false,
        }
    }
}

impl Double {
    /// Listens on a port of its own; `tls` is what connections begin with.
    pub(super) async fn start(script: Script, tls: Option<tokio_rustls::TlsAcceptor>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let script = Arc::new(Mutex::new(script));
        let (commands, _) = broadcast::channel(16);
        let (told, events) = mpsc::unbounded_channel();
        let (kept, sender) = (Arc::clone(&script), commands.clone());
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let (script, told, commands) = (Arc::clone(&kept), told.clone(), sender.subscribe());
                let tls = tls.clone();
                tokio::spawn(async move {
                    match tls {
                        None => serve(stream, script, told, commands).await,
                        // Whoever does not trust us goes away.
                        Some(tls) => {
                            if let Ok(stream) = tls.accept(stream).await {
                                serve(stream, script, told, commands).await;
                            }
                        }
                    }
                });
            }
        });
        Self { port, script, commands, events }
    }

    pub(super) async fn next(&mut self) -> Event {
        self.events.recv().await.unwrap()
    }

    /// The next message, whatever comes before it.
    pub(super) async fn message(&mut self) -> (String, Vec<V>) {
        loop {
            if let Event::Message { address, sections } = self.next().await {
                return (address, sections);
            }
        }
    }

    pub(super) fn change(&self, change: impl FnOnce(&mut Script)) {
        change(&mut self.script.lock().unwrap());
    }

    pub(super) fn command(&self, command: Command) {
        self.commands.send(command).unwrap();
    }
}

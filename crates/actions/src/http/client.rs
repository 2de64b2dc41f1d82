//! Makes requests on connections that are kept for the next one.

use std::borrow::Cow;
use std::sync::Arc;

use super::address::Address;
use super::answer::{Answer, Ending};
use super::http1::{BrokenExchange, Http1};
use super::http2::Http2;
use super::message::Message;
use super::pool::{Connection, Pool, PoolKey};
use super::stage::Stage;
use crate::certificates::Certificate;
use crate::coarse_clock::CoarseClock;
use crate::connect::Connector;
use crate::credential::Credential;
use crate::failure::Failure;
use crate::stream::Stream;
use crate::tls;

/// Makes requests. Every kind of action that speaks HTTP has the same one.
pub(crate) struct Client {
    connector: Arc<Connector>,
    pool: Pool,
}

impl Client {
    pub(crate) fn new(connector: Arc<Connector>, clock: Arc<CoarseClock>) -> Self {
        Self { connector, pool: Pool::new(clock) }
    }

    /// Makes one request: on a connection that waits, or on a new one. `wanted` is a text to be looked for in the body of the
    /// answer.
    pub(crate) async fn send<M: Message>(
        &self,
        message: &mut M,
        to: &Address,
        wanted: Option<&str>,
        stage: &Stage,
    ) -> Result<Answer, Failure> {
        let credential = message.certificate().map(|certificate| certificate.credential);
        let key = pool_key(to, credential, message.is_http1() || !to.fits_http2());
        if let Some(connection) = self.pool.take(&key) {
            stage.waits();
            match self.exchange(message, to, &key, connection, wanted, stage).await {
                Ok(answer) => return Ok(answer),
                // The other side had closed the connection, and we did not know yet.
                Err(broken) if !broken.was_answered && (!broken.was_sent || message.is_idempotent()) => {
                    if broken.was_sent {
                        message.mark_resent();
                    }
                }
                Err(broken) => return Err(broken.failure),
            }
        }
        stage.connects();
        // Rare and large: kept out of the future of a call on a connection that is there.
        let connection = Box::pin(self.connect(to, &key, message.certificate(), stage)).await?;
        stage.waits();
        self.exchange(message, to, &key, connection, wanted, stage).await.map_err(|broken| broken.failure)
    }

    async fn connect(
        &self,
        to: &Address,
        key: &PoolKey,
        certificate: Option<&Certificate>,
        stage: &Stage,
    ) -> Result<Connection, Failure> {
        let tls = match certificate {
            Some(certificate) if key.is_http1 => Cow::Owned(tls::without_http2(&certificate.tls)),
            Some(certificate) => Cow::Borrowed(&certificate.tls),
            None if key.is_http1 => Cow::Borrowed(&self.connector.tls.bare),
            None => Cow::Borrowed(&self.connector.tls.connector),
        };
        let stream = self.connector.connect(to.endpoint(), &tls, stage.trace()).await?;
        let speaks_http2 = match &stream {
            Stream::Tls(tls) => tls.get_ref().1.alpn_protocol() == Some(b"h2"),
            Stream::Plain(_) => false,
        };
        if !speaks_http2 {
            return Ok(Connection::Http1(Box::new(Http1::new(stream))));
        }
        let connection = Http2::new(stream).await?;
        self.pool.share(key, &connection);
        Ok(Connection::Http2(connection))
    }

    async fn exchange<M: Message>(
        &self,
        message: &M,
        to: &Address,
        key: &PoolKey,
        connection: Connection,
        wanted: Option<&str>,
        stage: &Stage,
    ) -> Result<Answer, BrokenExchange> {
        match connection {
            Connection::Http1(mut connection) => {
                let proxy = self.connector.proxy.as_ref().filter(|_| !to.is_tls);
                let bytes = message.to_http1(to, proxy);
                let (answer, is_reusable) =
                    connection.exchange(&bytes, message.method() == "HEAD", wanted, stage).await?;
                if is_reusable {
                    self.pool.put(key, connection);
                }
                Ok(answer)
            }
            Connection::Http2(mut connection) => {
                let unsendable = |failure| BrokenExchange { failure, was_sent: true, was_answered: true };
                let request = message.to_http2(to).map_err(unsendable)?;
                let mut guard =
                    Unanswered { pool: &self.pool, key, connection: connection.clone(), is_answered: false };
                // Larger than an exchange of HTTP/1: kept out of the future of both.
                let answer = Box::pin(connection.exchange(request, wanted, stage)).await;
                guard.is_answered = !answer.as_ref().is_ok_and(|answer| answer.ending == Ending::TimedOut);
                answer
            }
        }
    }

    /// Closes the connections on which a certificate was shown.
    pub(crate) fn forget(&self, certificate: Credential) {
        self.pool.forget(certificate);
    }

    /// Closes connections that grew old.
    pub(crate) fn sweep(&self) {
        self.pool.sweep();
    }
}

/// A request on a shared connection. If no answer comes, be it that whoever waits for it gives up, no further request shares the
/// connection: the other side may be gone, and nobody would notice.
struct Unanswered<'a> {
    pool: &'a Pool,
    key: &'a PoolKey,
    connection: Http2,
    is_answered: bool,
}

impl Drop for Unanswered<'_> {
    fn drop(&mut self) {
        if !self.is_answered {
            self.pool.abandon(self.key, &self.connection);
        }
    }
}

/// Who shares connections. `h.` and `h` are one server where a certificate says so; without TLS they can be two, since a resolver
/// may read `h` as the beginning of a longer name.
fn pool_key(address: &Address, credential: Option<Credential>, is_http1: bool) -> PoolKey {
    let host = address.host.strip_suffix('.').filter(|_| address.is_tls).unwrap_or(&address.host);
    PoolKey { is_tls: address.is_tls, host: host.to_owned(), port: address.port, credential, is_http1 }
}

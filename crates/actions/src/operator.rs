//! Calls to addresses that the operator chose: an identity provider, or the server that a command asks.
//!
//! These calls go through the operator's proxy and trust the operator's authorities, as the calls of jobs do. The egress
//! rules do not hold for them: the rules keep users of the API away from addresses, and the operator owns the machine.

use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use tokio::time::timeout;

use crate::coarse_clock::CoarseClock;
use crate::connect::Connector;
use crate::dns::DnsCache;
use crate::failure::Failure;
use crate::http::{Address, Ending, Head, Http1, Message, USER_AGENT};
use crate::proxy::Proxy;
use crate::settings::{Error, LookUp};
use crate::tls::Tls;

/// Makes calls for the operator, each on a connection of its own: they are rare.
pub struct OperatorClient {
    tls: Tls,
    proxy: Option<Proxy>,
}

/// A request for the operator.
#[derive(Clone, Copy, Debug)]
pub struct OperatorRequest<'a> {
    /// In capitals: `GET`.
    pub method: &'a str,
    /// An absolute address.
    pub url: &'a str,
    /// The token that the request shows.
    pub bearer: Option<&'a str>,
    /// The body, which is JSON; empty for none.
    pub body: &'a str,
    /// What has to be there for the request to be carried out.
    pub precondition: Option<Precondition<'a>>,
}

/// What has to be there for a request to be carried out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Precondition<'a> {
    /// The version with this tag.
    Match(&'a str),
    /// Nothing.
    Absent,
}

/// A whole answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OperatorAnswer {
    /// The status code.
    pub status: u16,
    /// The tag of the version that it shows, if it has one.
    pub etag: Option<String>,
    /// The body.
    pub body: Vec<u8>,
}

impl OperatorClient {
    /// Trusts the authorities of the system and those in `ca_pem`. Without a proxy, calls go straight to their targets.
    pub fn new(proxy: Option<Proxy>, ca_pem: Option<&[u8]>) -> Result<Self, Error> {
        Ok(Self { tls: Tls::new(ca_pem)?, proxy })
    }

    /// Makes a request and reads the whole answer, or says why there is none. Redirects are answers like any other.
    pub async fn send(
        &self,
        request: OperatorRequest<'_>,
        bytes_max: usize,
        time_max: Duration,
    ) -> Result<OperatorAnswer, String> {
        request.check()?;
        self.send_message(&request, request.url, bytes_max, time_max).await
    }

    /// Sends any message and reads the whole answer.
    pub(crate) async fn send_message(
        &self,
        message: &impl Message,
        url: &str,
        bytes_max: usize,
        time_max: Duration,
    ) -> Result<OperatorAnswer, String> {
        let mut body = Vec::new();
        let mut take = |_, piece: &[u8]| {
            body.extend_from_slice(piece);
            body.len() <= bytes_max
        };
        let head = self.stream_message(message, url, time_max, &mut take).await?;
        if body.len() > bytes_max {
            return Err(format!("the answer is longer than {bytes_max} bytes"));
        }
        let etag = head.headers.into_iter().find(|(name, _)| name.eq_ignore_ascii_case("etag"));
        Ok(OperatorAnswer { status: head.status, etag: etag.map(|(_, tag)| tag), body })
    }

    /// Makes a request and hands over the body of the answer piece by piece, each with the status code, until `take` wants
    /// no more. Returns the status code.
    pub async fn stream(
        &self,
        request: OperatorRequest<'_>,
        time_max: Duration,
        take: &mut (dyn FnMut(u16, &[u8]) -> bool + Send),
    ) -> Result<u16, String> {
        request.check()?;
        Ok(self.stream_message(&request, request.url, time_max, take).await?.status)
    }

    async fn stream_message(
        &self,
        message: &impl Message,
        url: &str,
        time_max: Duration,
        take: &mut (dyn FnMut(u16, &[u8]) -> bool + Send),
    ) -> Result<Head, String> {
        let address = Address::parse(&url.replace(' ', "%20")).ok_or("the address cannot be called")?;
        let answer = timeout(time_max, self.exchange(message, &address, take)).await;
        let answer = answer.map_err(|_| format!("no answer within {} s", time_max.as_secs()))?;
        let (head, ending) = answer.map_err(|failure| failure.sentence().trim_end_matches('.').to_owned())?;
        match ending {
            Ending::Complete | Ending::Enough => Ok(head),
            Ending::TimedOut => Err("the answer did not end in time".to_owned()),
            Ending::CutShort { got_bytes, .. } => Err(format!("the answer broke off after {got_bytes} bytes")),
        }
    }

    async fn exchange(
        &self,
        message: &impl Message,
        to: &Address,
        take: &mut (dyn FnMut(u16, &[u8]) -> bool + Send),
    ) -> Result<(Head, Ending), Failure> {
        let connector = self.connector(to);
        let stream = connector.connect(to.endpoint(), &self.tls.bare, None).await?;
        let proxy = connector.proxy.as_ref().filter(|_| !to.is_tls);
        Http1::new(stream).exchange_in_pieces(&message.to_http1(to, proxy), take).await
    }

    /// A call to this machine itself does not leave it, not even for the proxy.
    fn connector(&self, to: &Address) -> Connector {
        Connector {
            egress: None,
            dns: DnsCache::new(LookUp::default(), Arc::new(CoarseClock::default())),
            tls: self.tls.clone(),
            proxy: self.proxy.clone().filter(|_| !is_loopback(&to.host)),
        }
    }
}

impl OperatorRequest<'_> {
    fn check(&self) -> Result<(), String> {
        if self.bearer.is_some_and(|token| token.contains(|c: char| !c.is_ascii_graphic())) {
            return Err("the token holds characters that a header cannot hold".to_owned());
        }
        if let Some(Precondition::Match(tag)) = self.precondition
            && tag.contains(|c: char| !c.is_ascii_graphic())
        {
            return Err("the ETag holds characters that a header cannot hold".to_owned());
        }
        Ok(())
    }
}

/// Whether a host is this machine itself.
pub(crate) fn is_loopback(host: &str) -> bool {
    host.eq_ignore_ascii_case("localhost") || host.parse::<IpAddr>().is_ok_and(|address| address.is_loopback())
}

impl Message for OperatorRequest<'_> {
    fn method(&self) -> &str {
        self.method
    }

    fn body(&self) -> &str {
        self.body
    }

    fn each_header(&self, put: &mut dyn FnMut(&str, &str)) {
        put("User-Agent", USER_AGENT);
        put("Accept", "*/*");
        put("Connection", "close");
        if let Some(token) = self.bearer {
            put("Authorization", &format!("Bearer {token}"));
        }
        match self.precondition {
            Some(Precondition::Match(tag)) => put("If-Match", tag),
            Some(Precondition::Absent) => put("If-None-Match", "*"),
            None => {}
        }
        if !self.body.is_empty() {
            put("Content-Type", "application/json");
        }
        if self.method != "GET" {
            put("Content-Length", &self.body.len().to_string());
        }
    }

    /// An operator's request is made once: there is no older connection on which it can have been lost.
    fn mark_resent(&mut self) {}
}

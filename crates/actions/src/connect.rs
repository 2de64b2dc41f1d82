//! The way out: look up, check, connect, agree on TLS.

use std::borrow::Cow;
use std::collections::VecDeque;
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::time::Duration;

use tokio::net::TcpStream;
use tokio::task::JoinSet;
use tokio::time::timeout;
use tokio_rustls::TlsConnector;

use crate::dns::DnsCache;
use crate::egress::Egress;
use crate::failure::Failure;
use crate::http::Http1;
use crate::limits;
use crate::proxy::Proxy;
use crate::stream::Stream;
use crate::tls::{self, Tls};
use crate::trace::{CallTrace, ConnectStepKind, timed};

/// How long an address is tried alone.
const HEAD_START: Duration = Duration::from_millis(limits::CONNECT_HEAD_START_MILLISECONDS);

/// Makes connections to whatever may be called.
pub(crate) struct Connector {
    /// Which addresses may be called; None where the operator names them, and every address may be called.
    pub(crate) egress: Option<Egress>,
    pub(crate) dns: DnsCache,
    pub(crate) tls: Tls,
    pub(crate) proxy: Option<Proxy>,
}

/// The other end of a connection.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Endpoint<'a> {
    /// A name, or an address without brackets.
    pub(crate) host: &'a str,
    pub(crate) port: u16,
    pub(crate) is_tls: bool,
}

impl Connector {
    /// Connects for HTTP, within a time of its own. What is not encrypted the proxy passes on, message by message.
    pub(crate) async fn connect(
        &self,
        to: Endpoint<'_>,
        tls: &TlsConnector,
        trace: Option<&CallTrace>,
    ) -> Result<Stream, Failure> {
        self.reach(to, tls, to.is_tls, trace).await
    }

    /// Connects for something that is not HTTP: a proxy makes a tunnel for it.
    pub(crate) async fn connect_bare(&self, to: Endpoint<'_>) -> Result<Stream, Failure> {
        self.reach(to, &self.tls.bare, true, None).await
    }

    async fn reach(
        &self,
        to: Endpoint<'_>,
        tls: &TlsConnector,
        needs_tunnel: bool,
        trace: Option<&CallTrace>,
    ) -> Result<Stream, Failure> {
        let addresses = match &self.proxy {
            None => self.addresses(to.host, to.port, trace).await?,
            Some(proxy) => self.proxy_addresses(proxy, to, trace).await?,
        };
        let limit = Duration::from_secs(limits::CONNECT_SECONDS_MAX);
        let timed_out = |_| {
            let seconds = limits::CONNECT_SECONDS_MAX;
            Failure::TimedOut(format!("No connection to '{}', port {} within {seconds} s.", to.host, to.port))
        };
        timeout(limit, self.connect_to(&addresses, to, tls, needs_tunnel, trace)).await.map_err(timed_out)?
    }

    async fn connect_to(
        &self,
        addresses: &[SocketAddr],
        to: Endpoint<'_>,
        tls: &TlsConnector,
        needs_tunnel: bool,
        trace: Option<&CallTrace>,
    ) -> Result<Stream, Failure> {
        let connect = async {
            let stream = first_that_answers(addresses).await?;
            // Requests are written in one piece; there is nothing to wait for.
            stream.set_nodelay(true).map_err(|error| closed(&error))?;
            match self.proxy.as_ref().filter(|_| needs_tunnel) {
                Some(proxy) => tunnel(stream, proxy, to).await,
                None => Ok(stream),
            }
        };
        let stream = timed(trace, ConnectStepKind::Connect, connect).await?;
        if !to.is_tls {
            return Ok(Stream::Plain(stream));
        }
        let agreed = timed(trace, ConnectStepKind::Tls, tls::agree(tls, to.host, stream)).await?;
        Ok(Stream::Tls(Box::new(agreed)))
    }

    /// The addresses of a target, each of which may be called. If one of them may not, none is: whether a job works must not
    /// depend on which of them happens to be tried.
    async fn addresses(&self, host: &str, port: u16, trace: Option<&CallTrace>) -> Result<Vec<SocketAddr>, Failure> {
        if let Ok(ip) = host.parse::<IpAddr>() {
            self.check((ip, port).into(), true)?;
            return Ok(vec![(ip, port).into()]);
        }
        let found = timed(trace, ConnectStepKind::Name, self.dns.find(host)).await?;
        let found: Vec<SocketAddr> = found.iter().map(|ip| (*ip, port).into()).collect();
        found.iter().try_for_each(|address| self.check(*address, false))?;
        Ok(found)
    }

    /// The addresses of the proxy, if it may be asked for the target.
    async fn proxy_addresses(
        &self,
        proxy: &Proxy,
        to: Endpoint<'_>,
        trace: Option<&CallTrace>,
    ) -> Result<Vec<SocketAddr>, Failure> {
        if let Ok(ip) = to.host.parse::<IpAddr>() {
            self.check((ip, to.port).into(), true)?;
        }
        if let Ok(ip) = proxy.host.parse::<IpAddr>() {
            return Ok(vec![(ip, proxy.port).into()]);
        }
        let found = timed(trace, ConnectStepKind::Name, self.dns.find(&proxy.host)).await?;
        Ok(found.iter().map(|ip| (*ip, proxy.port).into()).collect())
    }

    fn check(&self, address: SocketAddr, is_written: bool) -> Result<(), Failure> {
        let checked = self.egress.as_ref().map_or(Ok(()), |egress| egress.check(address));
        checked.map_err(|rule| Failure::Forbidden { address, rule, is_written })
    }
}

/// Connects to the first address that answers. Each has a head start before the next one is tried beside it (RFC 8305): an
/// address that is not reached from here, as those of IPv6 in many networks, costs a moment and not the whole time.
async fn first_that_answers(addresses: &[SocketAddr]) -> Result<TcpStream, Failure> {
    if let [address] = addresses {
        return TcpStream::connect(address).await.map_err(|error| unconnected(*address, &error));
    }
    let mut failure = Failure::Address(Cow::Borrowed("The name has no addresses."));
    let mut waiting = alternating(addresses).into_iter().take(limits::ADDRESSES_TRIED_MAX).peekable();
    let mut tried = JoinSet::new();
    while !tried.is_empty() || waiting.peek().is_some() {
        if let Some(address) = waiting.next() {
            tried.spawn(async move { TcpStream::connect(address).await.map_err(|error| unconnected(address, &error)) });
        }
        let ended = match waiting.peek() {
            Some(_) => match timeout(HEAD_START, tried.join_next()).await {
                Ok(ended) => ended,
                Err(_) => continue,
            },
            None => tried.join_next().await,
        };
        match ended {
            Some(Ok(Ok(stream))) => return Ok(stream),
            Some(Ok(Err(refused))) => failure = refused,
            Some(Err(_)) | None => {}
        }
    }
    Err(failure)
}

/// The addresses with those of IPv6 and IPv4 in turns, beginning with the kind that comes first: whole networks of one kind
/// fail together.
fn alternating(addresses: &[SocketAddr]) -> Vec<SocketAddr> {
    let is_v6_first = addresses.first().is_some_and(SocketAddr::is_ipv6);
    let (mut first, mut second): (VecDeque<SocketAddr>, VecDeque<SocketAddr>) =
        addresses.iter().copied().partition(|address| address.is_ipv6() == is_v6_first);
    let mut ordered = Vec::with_capacity(addresses.len());
    while !first.is_empty() || !second.is_empty() {
        ordered.extend(first.pop_front());
        ordered.extend(second.pop_front());
    }
    ordered
}

/// Has the proxy connect us to the target.
async fn tunnel(stream: TcpStream, proxy: &Proxy, to: Endpoint<'_>) -> Result<TcpStream, Failure> {
    let host = if to.host.contains(':') { format!("[{}]", to.host) } else { to.host.to_owned() };
    let mut request = format!("CONNECT {host}:{0} HTTP/1.1\r\nHost: {host}:{0}\r\n", to.port);
    if let Some(authorization) = &proxy.authorization {
        request.push_str("Proxy-Authorization: ");
        request.push_str(authorization.expose());
        request.push_str("\r\n");
    }
    request.push_str("\r\n");
    let mut http = Http1::new(Stream::Plain(stream));
    let status = http.open_tunnel(request.as_bytes()).await?;
    match http.into_stream() {
        Some(Stream::Plain(stream)) if (200..=299).contains(&status) => Ok(stream),
        _ => Err(Failure::Proxy(format!(
            "The proxy {}:{} answered {status} when asked for '{}', port {}.",
            proxy.host, proxy.port, to.host, to.port
        ))),
    }
}

fn unconnected(address: SocketAddr, error: &io::Error) -> Failure {
    let reason = match error.kind() {
        io::ErrorKind::ConnectionRefused => Cow::Borrowed("refused the connection"),
        io::ErrorKind::NetworkUnreachable | io::ErrorKind::HostUnreachable => {
            Cow::Borrowed("cannot be reached from this machine")
        }
        _ => Cow::Owned(format!("does not take connections ({error})")),
    };
    Failure::Connect { address, reason }
}

fn closed(error: &io::Error) -> Failure {
    Failure::Closed(format!("The connection broke as soon as it was made ({error}).").into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_of_addresses_take_turns() {
        let ordered = |addresses: &[&str]| {
            let addresses: Vec<SocketAddr> =
                addresses.iter().map(|ip| (ip.parse::<IpAddr>().unwrap(), 1).into()).collect();
            alternating(&addresses).iter().map(|address| address.ip().to_string()).collect::<Vec<_>>().join(" ")
        };
        assert_eq!(ordered(&["::1", "::2", "::3", "1.1.1.1", "1.1.1.2"]), "::1 1.1.1.1 ::2 1.1.1.2 ::3");
        assert_eq!(ordered(&["1.1.1.1", "1.1.1.2", "::1"]), "1.1.1.1 ::1 1.1.1.2");
        assert_eq!(ordered(&["1.1.1.2", "1.1.1.1"]), "1.1.1.2 1.1.1.1");
    }
}

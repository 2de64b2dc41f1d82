//! The way out: look up, check, connect, agree on TLS.

use std::borrow::Cow;
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::time::Duration;

use tokio::net::TcpStream;
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
    pub(crate) async fn connect(&self, to: Endpoint<'_>, tls: &TlsConnector) -> Result<Stream, Failure> {
        self.reach(to, tls, to.is_tls).await
    }

    /// Connects for something that is not HTTP: a proxy makes a tunnel for it.
    pub(crate) async fn connect_bare(&self, to: Endpoint<'_>) -> Result<Stream, Failure> {
        self.reach(to, &self.tls.bare, true).await
    }

    async fn reach(&self, to: Endpoint<'_>, tls: &TlsConnector, needs_tunnel: bool) -> Result<Stream, Failure> {
        let addresses = match &self.proxy {
            None => self.addresses(to.host, to.port).await?,
            Some(proxy) => self.proxy_addresses(proxy, to).await?,
        };
        let limit = Duration::from_secs(limits::CONNECT_SECONDS_MAX);
        let timed_out = |_| {
            let seconds = limits::CONNECT_SECONDS_MAX;
            Failure::TimedOut(format!("No connection to '{}', port {} within {seconds} s.", to.host, to.port))
        };
        timeout(limit, self.connect_to(&addresses, to, tls, needs_tunnel)).await.map_err(timed_out)?
    }

    async fn connect_to(
        &self,
        addresses: &[SocketAddr],
        to: Endpoint<'_>,
        tls: &TlsConnector,
        needs_tunnel: bool,
    ) -> Result<Stream, Failure> {
        let mut stream = first_that_answers(addresses).await?;
        // Requests are written in one piece; there is nothing to wait for.
        stream.set_nodelay(true).map_err(|error| closed(&error))?;
        if let Some(proxy) = self.proxy.as_ref().filter(|_| needs_tunnel) {
            stream = tunnel(stream, proxy, to).await?;
        }
        if !to.is_tls {
            return Ok(Stream::Plain(stream));
        }
        Ok(Stream::Tls(Box::new(tls::agree(tls, to.host, stream).await?)))
    }

    /// The addresses of a target, each of which may be called. If one of them may not, none is: whether a job works must not
    /// depend on which of them happens to be tried.
    async fn addresses(&self, host: &str, port: u16) -> Result<Vec<SocketAddr>, Failure> {
        let found: Vec<SocketAddr> = match host.parse::<IpAddr>() {
            Ok(ip) => vec![(ip, port).into()],
            Err(_) => self.dns.find(host).await?.iter().map(|ip| (*ip, port).into()).collect(),
        };
        found.iter().try_for_each(|address| self.check(*address))?;
        Ok(found)
    }

    /// The addresses of the proxy, if it may be asked for the target.
    async fn proxy_addresses(&self, proxy: &Proxy, to: Endpoint<'_>) -> Result<Vec<SocketAddr>, Failure> {
        if let Ok(ip) = to.host.parse::<IpAddr>() {
            self.check((ip, to.port).into())?;
        }
        match proxy.host.parse::<IpAddr>() {
            Ok(ip) => Ok(vec![(ip, proxy.port).into()]),
            Err(_) => Ok(self.dns.find(&proxy.host).await?.iter().map(|ip| (*ip, proxy.port).into()).collect()),
        }
    }

    fn check(&self, address: SocketAddr) -> Result<(), Failure> {
        let checked = self.egress.as_ref().map_or(Ok(()), |egress| egress.check(address));
        checked.map_err(|rule| Failure::Forbidden { address, rule })
    }
}

/// Tries one address after the other. All of them share the time that connecting may take.
async fn first_that_answers(addresses: &[SocketAddr]) -> Result<TcpStream, Failure> {
    let tried = &addresses[..addresses.len().min(limits::ADDRESSES_TRIED_MAX)];
    let share = Duration::from_secs(limits::CONNECT_SECONDS_MAX) / u32::try_from(tried.len()).unwrap_or(1).max(1);
    let mut failure = Failure::Address(Cow::Borrowed("The name has no addresses."));
    for address in tried {
        let reason = match timeout(share, TcpStream::connect(address)).await {
            Ok(Ok(stream)) => return Ok(stream),
            Ok(Err(error)) => reason(&error),
            Err(_) => Cow::Owned(format!("did not answer within {} s", share.as_secs())),
        };
        failure = Failure::Connect { address: *address, reason };
    }
    Err(failure)
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

fn reason(error: &io::Error) -> Cow<'static, str> {
    match error.kind() {
        io::ErrorKind::ConnectionRefused => Cow::Borrowed("refused the connection"),
        io::ErrorKind::NetworkUnreachable | io::ErrorKind::HostUnreachable => {
            Cow::Borrowed("cannot be reached from this machine")
        }
        _ => Cow::Owned(format!("does not take connections ({error})")),
    }
}

fn closed(error: &io::Error) -> Failure {
    Failure::Closed(format!("The connection broke as soon as it was made ({error}).").into())
}

//! Which addresses a job may call.
//!
//! A job is a request that the server makes in somebody else's name. Some addresses answer only because the question comes
//! from this machine: the metadata service of a cloud, the server itself, a neighbour on the loopback interface. These are
//! refused, whatever name leads to them: all addresses of a name are checked, and the checked address is connected to.

mod network;

pub use network::Network;

use std::fmt;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, UdpSocket};

/// The policy.
#[derive(Clone, Debug, Default)]
pub struct Egress {
    /// Where this server listens itself.
    pub own_listeners: Vec<SocketAddr>,
    /// Whether this machine may be called by its loopback addresses.
    pub is_loopback_allowed: bool,
    /// Further ranges that are refused.
    pub denied: Vec<Network>,
    /// Where any are named, nothing else is called.
    pub allowed: Vec<Network>,
}

/// Why an address is not called.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names say it, and `Display` at length")]
pub enum Rule {
    OwnListener,
    Unspecified,
    LinkLocal,
    Metadata,
    Multicast,
    Broadcast,
    Loopback,
    Denied,
    NotAllowed,
}

/// Services that answer every machine of a cloud, with what only it should know.
const METADATA: [IpAddr; 5] = [
    IpAddr::V4(Ipv4Addr::new(168, 63, 129, 16)),
    IpAddr::V4(Ipv4Addr::new(100, 100, 100, 200)),
    IpAddr::V4(Ipv4Addr::new(192, 0, 0, 192)),
    IpAddr::V6(Ipv6Addr::new(0xfd00, 0xec2, 0, 0, 0, 0, 0, 0x254)),
    IpAddr::V6(Ipv6Addr::new(0xfd20, 0xce, 0, 0, 0, 0, 0, 0x254)),
];

impl Egress {
    /// Says why an address may not be called, if it may not.
    pub fn check(&self, address: SocketAddr) -> Result<(), Rule> {
        let ip = address.ip();
        for ip in std::iter::once(ip).chain(embedded(ip).into_iter().map(IpAddr::V4)) {
            self.check_ip(ip)?;
            if self.own_listeners.iter().any(|own| is_own(*own, SocketAddr::new(ip, address.port()))) {
                return Err(Rule::OwnListener);
            }
        }
        let is_allowed = self.allowed.is_empty() || self.allowed.iter().any(|range| range.contains(plain(ip)));
        if is_allowed { Ok(()) } else { Err(Rule::NotAllowed) }
    }

    fn check_ip(&self, ip: IpAddr) -> Result<(), Rule> {
        let is_link_local = match ip {
            IpAddr::V4(ip) => ip.is_link_local(),
            IpAddr::V6(ip) => ip.is_unicast_link_local(),
        };
        let is_nowhere = match ip {
            IpAddr::V4(ip) => ip.octets()[0] == 0,
            IpAddr::V6(ip) => ip.is_unspecified(),
        };
        if is_nowhere {
            Err(Rule::Unspecified)
        } else if is_link_local {
            Err(Rule::LinkLocal)
        } else if METADATA.contains(&ip) {
            Err(Rule::Metadata)
        } else if ip.is_multicast() {
            Err(Rule::Multicast)
        } else if ip == IpAddr::V4(Ipv4Addr::BROADCAST) {
            Err(Rule::Broadcast)
        } else if ip.is_loopback() && !self.is_loopback_allowed {
            Err(Rule::Loopback)
        } else if self.denied.iter().any(|range| range.contains(ip)) {
            Err(Rule::Denied)
        } else {
            Ok(())
        }
    }
}

/// The IPv4 addresses inside an IPv6 address, behind which something may translate: mapped, translated and compatible ones, NAT64
/// and 6to4, and both of Teredo, the server and the client.
fn embedded(ip: IpAddr) -> Vec<Ipv4Addr> {
    let IpAddr::V6(ip) = ip else {
        return Vec::new();
    };
    let four = |high: u16, low: u16| Ipv4Addr::from((u32::from(high) << 16) | u32::from(low));
    match ip.segments() {
        [0, 0, 0, 0, 0, 0, 0, 0 | 1] => Vec::new(),
        [0, 0, 0, 0, 0, 0 | 0xffff, high, low]
        | [0, 0, 0, 0, 0xffff, 0, high, low]
        | [0x64, 0xff9b, 0, 0, 0, 0, high, low]
        | [0x2002, high, low, ..] => vec![four(high, low)],
        [0x64, 0xff9b, 1, ..] => embedded_by_local_prefix(ip),
        [0x2001, 0, high, low, _, _, client_high, client_low] => vec![four(high, low), four(!client_high, !client_low)],
        _ => Vec::new(),
    }
}

/// The IPv4 addresses for which an address of 64:ff9b:1::/48 may stand. A network chooses how long its own prefix below that is,
/// and by RFC 6052 the length decides where the four bytes are; the byte in the middle is never one of them. Zeros at the
/// beginning are a part of the prefix.
fn embedded_by_local_prefix(ip: Ipv6Addr) -> Vec<Ipv4Addr> {
    let bytes = ip.octets();
    let places = [[6, 7, 9, 10], [7, 9, 10, 11], [9, 10, 11, 12], [12, 13, 14, 15]];
    let addresses = places.map(|at| Ipv4Addr::from(at.map(|at| bytes[at])));
    addresses.into_iter().filter(|address| address.octets()[0] != 0).collect()
}

/// An IPv4 address that is written as an IPv6 one, as what it is.
fn plain(ip: IpAddr) -> IpAddr {
    ip.to_canonical()
}

/// Whether a call would arrive at a listener of this server.
fn is_own(listener: SocketAddr, called: SocketAddr) -> bool {
    listener.port() == called.port()
        && (plain(listener.ip()) == plain(called.ip())
            || listener.ip().is_unspecified() && (called.ip().is_loopback() || is_this_machine(called.ip())))
}

/// Whether an address is one of this machine. To itself it speaks from the address it speaks to; nothing is sent to find
/// that out.
fn is_this_machine(ip: IpAddr) -> bool {
    let anywhere: SocketAddr = match ip {
        IpAddr::V4(_) => (Ipv4Addr::UNSPECIFIED, 0).into(),
        IpAddr::V6(_) => (Ipv6Addr::UNSPECIFIED, 0).into(),
    };
    let from = UdpSocket::bind(anywhere).and_then(|socket| {
        socket.connect((ip, 9))?;
        socket.local_addr()
    });
    from.is_ok_and(|from| from.ip() == ip)
}

impl fmt::Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::OwnListener => "this server listens there itself",
            Self::Unspecified => "it is no address of a machine",
            Self::LinkLocal => "link-local addresses are never called",
            Self::Metadata => "metadata services of clouds are never called",
            Self::Multicast => "multicast addresses are never called",
            Self::Broadcast => "broadcast addresses are never called",
            Self::Loopback => "loopback addresses are not allowed on this server",
            Self::Denied => "it is in a range that this server denies",
            Self::NotAllowed => "it is in none of the ranges that this server allows",
        })
    }
}

#[cfg(test)]
mod tests;

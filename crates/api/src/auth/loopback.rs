//! What never leaves this machine.

use std::net::IpAddr;

/// Whether a host, an address in brackets or not, or a name, is this machine.
pub(super) fn is_loopback(host: &str) -> bool {
    let address = host.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')).unwrap_or(host);
    host.eq_ignore_ascii_case("localhost") || address.parse::<IpAddr>().is_ok_and(|address| address.is_loopback())
}

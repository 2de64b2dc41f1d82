//! A host that is written as an IP address.

use core::net::{IpAddr, Ipv4Addr};
use std::borrow::Cow;

/// The IP address that a host stands for, without looking it up: `10.0.0.7`, `fd00::1`, and whatever else resolvers read as an
/// address, such as `10.7`, `0x0a.0.0.7` or `167772167`. An IPv4 address inside an IPv6 one is taken out.
pub fn literal_ip(host: &str) -> Option<IpAddr> {
    let host = host.strip_suffix('.').unwrap_or(host);
    let written: Option<IpAddr> = host.parse().ok();
    written.map(|ip| ip.to_canonical()).or_else(|| old_style(host).map(IpAddr::V4))
}

/// The host with one spelling for each IP address; a name is left as it is.
pub fn canonical_host(host: &str) -> Cow<'_, str> {
    // The parser takes dotted numbers in their one usual spelling only.
    if host.parse::<Ipv4Addr>().is_ok() {
        return Cow::Borrowed(host);
    }
    literal_ip(host).map_or(Cow::Borrowed(host), |ip| Cow::Owned(ip.to_string()))
}

/// One to four numbers, of which the last fills all bytes that are left. Each is decimal, octal (`0…`) or hexadecimal (`0x…`).
fn old_style(host: &str) -> Option<Ipv4Addr> {
    // Names mostly begin with a letter, and a number never does.
    if !host.starts_with(|first: char| first.is_ascii_digit()) {
        return None;
    }
    let parts: Vec<&str> = host.split('.').collect();
    let numbers = parts.iter().map(|part| number(part)).collect::<Option<Vec<u32>>>()?;
    let (last, others) = numbers.split_last().filter(|(_, others)| others.len() < 4)?;
    let mut bits = 0;
    for (at, byte) in others.iter().enumerate() {
        bits |= u32::from(u8::try_from(*byte).ok()?) << (24 - 8 * at);
    }
    let room = u32::MAX >> (8 * others.len());
    (*last <= room).then(|| Ipv4Addr::from(bits | last))
}

fn number(text: &str) -> Option<u32> {
    let (digits, radix) = match text.strip_prefix("0x").or(text.strip_prefix("0X")) {
        Some(digits) => (digits, 16),
        None if text.len() > 1 && text.starts_with('0') => (&text[1..], 8),
        None => (text, 10),
    };
    let is_right = !digits.is_empty() && digits.chars().all(|digit| digit.is_digit(radix));
    if is_right { u32::from_str_radix(digits, radix).ok() } else { None }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_as_resolvers_read_them() {
        for (host, expected) in [
            ("127.0.0.1", "127.0.0.1"),
            ("127.0.0.1.", "127.0.0.1"),
            ("127.1", "127.0.0.1"),
            ("127.0.1", "127.0.0.1"),
            ("2130706433", "127.0.0.1"),
            ("0x7f000001", "127.0.0.1"),
            ("0177.0.0.0x1", "127.0.0.1"),
            ("0", "0.0.0.0"),
            ("::1", "::1"),
            ("0:0:0:0:0:0:0:1", "::1"),
            ("::ffff:10.0.0.7", "10.0.0.7"),
        ] {
            assert_eq!(literal_ip(host).map(|ip| ip.to_string()).as_deref(), Some(expected), "{host}");
            assert_eq!(canonical_host(host), expected);
        }
    }

    #[test]
    fn names_are_no_addresses() {
        for host in ["", "h", "1.2.3.4.5", "256.0.0.1", "1..1", "4294967296", "127.0x", "08.1", "+1", "1.2.3.256", "0x"]
        {
            assert_eq!(literal_ip(host), None, "{host}");
            assert_eq!(canonical_host(host), host);
        }
    }
}

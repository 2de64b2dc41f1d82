//! A range of addresses.

use std::fmt;
use std::net::IpAddr;
use std::str::FromStr;

use punctual_model::Expected;

/// All addresses that begin with the same bits.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Range {
    first: IpAddr,
    prefix: u32,
}

impl Range {
    /// Reads `10.0.0.0/8`, `fd00::/8` or a single address.
    pub fn parse(text: &str) -> Result<Self, Expected> {
        let expected = || Expected::new("an address, or a range of addresses such as 10.0.0.0/8 or fd00::/8");
        let (address, prefix) = text.split_once('/').map_or((text, None), |(ip, prefix)| (ip, Some(prefix)));
        let first = IpAddr::from_str(address).map_err(|_| expected())?;
        let prefix = prefix.map_or(Ok(bits(first)), |prefix| prefix.parse().map_err(|_| expected()))?;
        let range = Self { first, prefix };
        if prefix > bits(first) {
            return Err(expected());
        }
        // Whoever writes 10.1.2.3/8 means something else, and it matters which.
        if number(first) & !range.mask() != 0 {
            return Err(Expected::new("a range that begins at its first address, such as 10.0.0.0/8"));
        }
        Ok(range)
    }

    /// Whether an address lies in it.
    pub fn contains(&self, ip: IpAddr) -> bool {
        bits(ip) == bits(self.first) && number(ip) & self.mask() == number(self.first)
    }

    /// The bits that all its addresses share.
    fn mask(&self) -> u128 {
        let free = bits(self.first) - self.prefix;
        u128::MAX.checked_shl(free).unwrap_or(0)
    }
}

fn bits(ip: IpAddr) -> u32 {
    if ip.is_ipv4() { 32 } else { 128 }
}

fn number(ip: IpAddr) -> u128 {
    match ip {
        IpAddr::V4(ip) => u128::from(ip.to_bits()),
        IpAddr::V6(ip) => ip.to_bits(),
    }
}

impl fmt::Display for Range {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.first, self.prefix)
    }
}

impl fmt::Debug for Range {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

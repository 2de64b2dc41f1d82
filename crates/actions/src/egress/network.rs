//! A range of addresses.

use std::fmt;
use std::net::IpAddr;

use punctual_model::Expected;

/// All addresses that begin with the same bits: `10.0.0.0/8`; or a single one.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Network {
    address: IpAddr,
    prefix_bits: u32,
}

impl Network {
    /// Takes an address, or an address, a slash and the number of bits that count; the others have to be zero.
    pub fn parse(text: &str) -> Result<Self, Expected> {
        let (address, prefix) = text.split_once('/').map_or((text, None), |(address, prefix)| (address, Some(prefix)));
        let network = address.parse::<IpAddr>().ok().and_then(|address| {
            let address = address.to_canonical();
            let bits = bits_of(address);
            let is_digits = |prefix: &str| prefix.bytes().all(|byte| byte.is_ascii_digit());
            let prefix_bits = match prefix {
                Some(prefix) => prefix.parse().ok().filter(|count| is_digits(prefix) && *count <= bits)?,
                None => bits,
            };
            Some(Self { address, prefix_bits })
        });
        let network =
            network.ok_or_else(|| Expected::new("an address such as 10.0.0.7 or a network such as 10.0.0.0/8"))?;
        let first = network.first();
        if first == network.address {
            Ok(network)
        } else {
            Err(Expected::new(format!("the network {first}/{} or the address alone", network.prefix_bits)))
        }
    }

    /// Whether an address is one of them. A socket for IPv6 shows those of IPv4 as `::ffff:10.0.0.7`.
    pub fn contains(self, address: IpAddr) -> bool {
        let address = address.to_canonical();
        let other = Self { address, prefix_bits: self.prefix_bits };
        bits_of(address) == bits_of(self.address) && other.first() == self.address
    }

    /// Its first address: all bits after the prefix are zero.
    fn first(self) -> IpAddr {
        match self.address {
            IpAddr::V4(address) => {
                let mask = u32::MAX.checked_shl(u32::BITS - self.prefix_bits).unwrap_or_default();
                IpAddr::V4((address.to_bits() & mask).into())
            }
            IpAddr::V6(address) => {
                let mask = u128::MAX.checked_shl(u128::BITS - self.prefix_bits).unwrap_or_default();
                IpAddr::V6((address.to_bits() & mask).into())
            }
        }
    }
}

impl fmt::Display for Network {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.address, self.prefix_bits)
    }
}

impl fmt::Debug for Network {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

fn bits_of(address: IpAddr) -> u32 {
    if address.is_ipv4() { u32::BITS } else { u128::BITS }
}

#[cfg(test)]
mod tests {
    use super::Network;

    #[test]
    fn what_is_inside() {
        for (network, address, is_inside) in [
            ("10.0.0.0/8", "10.255.0.1", true),
            ("10.0.0.0/8", "11.0.0.0", false),
            ("10.0.0.0/8", "::ffff:10.1.2.3", true),
            ("10.0.0.0/8", "fd00::1", false),
            ("10.0.0.7", "10.0.0.7", true),
            ("10.0.0.7", "10.0.0.6", false),
            ("::ffff:10.0.0.7", "10.0.0.7", true),
            ("0.0.0.0/0", "192.0.2.1", true),
            ("0.0.0.0/0", "2001:db8::1", false),
            ("::/0", "2001:db8::1", true),
            ("fd00::/8", "fdff::", true),
            ("fd00::/8", "fe00::", false),
            ("fd00::1", "fd00::1", true),
        ] {
            assert_eq!(Network::parse(network).unwrap().contains(address.parse().unwrap()), is_inside, "{address}");
        }
    }

    #[test]
    fn what_is_no_network() {
        for text in ["", "10.0.0.0/33", "10.0.0.0/", "10.0.0.0/+8", "10.0.0/8", "proxy", "fd00::/129", "10.0.0.1/8/8"] {
            assert!(Network::parse(text).is_err(), "{text}");
        }
        assert!(Network::parse("10.0.0.1/8").unwrap_err().to_string().contains("10.0.0.0/8"));
    }
}

//! Which addresses are reached.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use tool_core::{Effect, ToolError};

/// IPv4 networks that are not the public Internet. (IANA IPv4 Special-Purpose Address Registry, 2025-10-09; RFC 5771, RFC 1112 §4)
const SPECIAL_V4: [(Ipv4Addr, u32); 15] = [
    (Ipv4Addr::new(0, 0, 0, 0), 8),
    (Ipv4Addr::new(10, 0, 0, 0), 8),
    (Ipv4Addr::new(100, 64, 0, 0), 10),
    (Ipv4Addr::new(127, 0, 0, 0), 8),
    (Ipv4Addr::new(169, 254, 0, 0), 16),
    (Ipv4Addr::new(172, 16, 0, 0), 12),
    (Ipv4Addr::new(192, 0, 0, 0), 24),
    (Ipv4Addr::new(192, 0, 2, 0), 24),
    (Ipv4Addr::new(192, 88, 99, 0), 24),
    (Ipv4Addr::new(192, 168, 0, 0), 16),
    (Ipv4Addr::new(198, 18, 0, 0), 15),
    (Ipv4Addr::new(198, 51, 100, 0), 24),
    (Ipv4Addr::new(203, 0, 113, 0), 24),
    (Ipv4Addr::new(224, 0, 0, 0), 4),
    (Ipv4Addr::new(240, 0, 0, 0), 4),
];

/// What of IPv6 is given out to the public. (RFC 4291 §2.4)
const GLOBAL_V6: (Ipv6Addr, u32) = (Ipv6Addr::new(0x2000, 0, 0, 0, 0, 0, 0, 0), 3);

/// Networks in it that are not the public Internet: IETF protocols with Teredo, documentation, and 6to4, in which any IPv4
/// address can stand. (IANA IPv6 Special-Purpose Address Registry, 2025-10-09)
const SPECIAL_V6: [(Ipv6Addr, u32); 4] = [
    (Ipv6Addr::new(0x2001, 0, 0, 0, 0, 0, 0, 0), 23),
    (Ipv6Addr::new(0x2001, 0x0db8, 0, 0, 0, 0, 0, 0), 32),
    (Ipv6Addr::new(0x2002, 0, 0, 0, 0, 0, 0, 0), 16),
    (Ipv6Addr::new(0x3fff, 0, 0, 0, 0, 0, 0, 0), 20),
];

/// An IPv4 address behind a translator. (RFC 6052 §2.1)
const TRANSLATED: (Ipv6Addr, u32) = (Ipv6Addr::new(0x0064, 0xff9b, 0, 0, 0, 0, 0, 0), 96);

/// Which addresses are reached. A program whose tools are driven by a model leaves it at the default: what a model names must
/// not lead into the network that the program stands in.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Reach {
    /// The public Internet.
    #[default]
    Public,
    /// The public Internet, and these addresses.
    PublicAnd(Vec<IpAddr>),
    /// All. Proxies of the environment are used, but for this machine.
    Anywhere,
}

impl Reach {
    /// Whether an address is reached.
    ///
    /// ```
    /// use tool_http::Reach;
    ///
    /// let reaches = |text: &str| Reach::Public.allows(text.parse().unwrap());
    /// assert!(reaches("1.1.1.1") && reaches("2606:4700:4700::1111"));
    /// assert!(!reaches("127.0.0.1") && !reaches("169.254.169.254") && !reaches("::ffff:10.0.0.1") && !reaches("fd00:ec2::254"));
    /// ```
    pub fn allows(&self, address: IpAddr) -> bool {
        match self {
            Reach::Anywhere => true,
            Reach::Public => is_public(address),
            Reach::PublicAnd(others) => others.contains(&address) || is_public(address),
        }
    }

    /// The error for a host none of whose addresses is reached.
    pub(crate) fn refusal(host: &str) -> ToolError {
        ToolError::denied(format!("{host} is not on the public Internet."))
            .code("address_denied")
            .effect(Effect::None)
    }
}

fn is_public(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(address) => !SPECIAL_V4.iter().any(|row| is_in_v4(address, *row)),
        IpAddr::V6(address) => match embedded(address) {
            Some(address) => is_public(IpAddr::V4(address)),
            None => is_in_v6(address, GLOBAL_V6) && !SPECIAL_V6.iter().any(|row| is_in_v6(address, *row)),
        },
    }
}

/// The IPv4 address that a connection to an IPv6 address comes to.
fn embedded(address: Ipv6Addr) -> Option<Ipv4Addr> {
    let [.., a, b, c, d] = address.octets();
    let translated = is_in_v6(address, TRANSLATED).then(|| Ipv4Addr::new(a, b, c, d));
    address.to_ipv4_mapped().or(translated)
}

fn is_in_v4(address: Ipv4Addr, (network, bits): (Ipv4Addr, u32)) -> bool {
    let differ = address.to_bits() ^ network.to_bits();
    differ.leading_zeros() >= bits
}

fn is_in_v6(address: Ipv6Addr, (network, bits): (Ipv6Addr, u32)) -> bool {
    let differ = address.to_bits() ^ network.to_bits();
    differ.leading_zeros() >= bits
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Each network at its ends, and beside them.
    #[test]
    fn special_networks_are_not_public_and_their_neighbours_are() {
        let public = |text: &str| is_public(text.parse().unwrap());
        let inside = [
            "0.0.0.0",
            "10.255.255.255",
            "100.64.0.1",
            "100.127.255.255",
            "127.0.0.1",
            "169.254.169.254",
            "172.16.0.0",
            "172.31.255.255",
            "192.168.0.1",
            "198.18.0.1",
            "198.19.255.255",
            "224.0.0.1",
            "255.255.255.255",
            "::",
            "::1",
            "fe80::1",
            "fc00::1",
            "fd00:ec2::254",
            "ff02::1",
            "2002:7f00:1::",
            "2001::1",
            "2001:1ff:ffff::1",
            "2001:db8::1",
            "::ffff:127.0.0.1",
            "64:ff9b::10.0.0.1",
            "::127.0.0.1",
        ];
        for text in inside {
            assert!(!public(text), "{text}");
        }
        let outside = [
            "1.0.0.0",
            "9.255.255.255",
            "11.0.0.0",
            "100.63.255.255",
            "100.128.0.0",
            "128.0.0.0",
            "169.253.255.255",
            "172.15.255.255",
            "172.32.0.0",
            "192.167.255.255",
            "198.17.255.255",
            "198.20.0.0",
            "223.255.255.255",
            "2001:200::1",
            "2606:4700:4700::1111",
            "2003::1",
            "::ffff:8.8.8.8",
            "64:ff9b::8.8.8.8",
        ];
        for text in outside {
            assert!(public(text), "{text}");
        }
    }

    #[test]
    fn more_is_reached_where_somebody_says_so() {
        let here = IpAddr::V4(Ipv4Addr::LOCALHOST);
        assert!(!Reach::default().allows(here) && Reach::Anywhere.allows(here));
        let own = Reach::PublicAnd(vec![here]);
        assert!(
            own.allows(here)
                && !own.allows("127.0.0.2".parse().unwrap())
                && own.allows("1.1.1.1".parse().unwrap())
        );
    }
}

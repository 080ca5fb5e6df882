//! Groups client addresses by IPv4 address or IPv6 /64 network.

use std::net::{IpAddr, Ipv6Addr};

/// The IPv4 address, or the /64 network of an IPv6 address: a client usually has all 2^64 addresses
/// of it.
pub(crate) fn network(from: IpAddr) -> IpAddr {
    match from.to_canonical() {
        from @ IpAddr::V4(_) => from,
        from @ IpAddr::V6(Ipv6Addr::LOCALHOST) => from,
        IpAddr::V6(from) => {
            let [a, b, c, d, ..] = from.segments();
            IpAddr::V6(Ipv6Addr::new(a, b, c, d, 0, 0, 0, 0))
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::server::access::network::*;

    #[test]
    fn an_ipv6_client_is_its_network() {
        let network = |text: &str| network(text.parse().expect("an address")).to_string();
        assert_eq!(network("2001:db8:1:2:3:4:5:6"), "2001:db8:1:2::");
        assert_eq!(network("2001:db8::1:2:3:4"), "2001:db8::");
        assert_ne!(network("2001:db8:0:1::1"), "2001:db8::");
        assert_eq!(network("::ffff:192.0.2.1"), "192.0.2.1");
        assert_eq!(network("::1"), "::1");
    }
}

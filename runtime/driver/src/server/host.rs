//! The Host header: what a client calls this server, which goes into URLs only where it is a name.

use std::net::Ipv6Addr;

use hyper::header::{HOST, HeaderMap};

/// What URLs name where a client names nothing.
const UNNAMED: &str = "localhost";

/// What a client calls this server. None: no server can be called so.
pub(super) fn named(headers: &HeaderMap) -> Option<&str> {
    let mut hosts = headers.get_all(HOST).iter();
    let host = match (hosts.next(), hosts.next()) {
        (None, _) => return Some(UNNAMED),
        (Some(host), None) => host.to_str().ok()?,
        (Some(_), Some(_)) => return None,
    };
    match host {
        "" => Some(UNNAMED),
        host => is_host(host).then_some(host),
    }
}

/// The same for a URL, which must name something.
pub(super) fn in_url(headers: &HeaderMap) -> &str {
    named(headers).unwrap_or(UNNAMED)
}

/// A name or an address, and perhaps a port.
fn is_host(host: &str) -> bool {
    let is_port = |port: &str| {
        port.bytes().all(|byte| byte.is_ascii_digit())
            && (port.is_empty() || port.parse::<u16>().is_ok())
    };
    if let Some((address, rest)) = host.strip_prefix('[').and_then(|rest| rest.split_once(']')) {
        let port = if rest.is_empty() { Some("") } else { rest.strip_prefix(':') };
        return address.parse::<Ipv6Addr>().is_ok() && port.is_some_and(is_port);
    }
    let (name, port) = host.split_once(':').unwrap_or((host, ""));
    let is_letter = |byte: u8| byte.is_ascii_alphanumeric() || b"-._".contains(&byte);
    !name.is_empty() && name.bytes().all(is_letter) && is_port(port)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_addresses_are_hosts_and_nothing_else() {
        for host in ["h", "a-b.example", "127.0.0.1:80", "[::1]", "[::1]:8080", "h:", "a_b:1"] {
            assert!(is_host(host), "{host}");
        }
        let others =
            [":80", "a b", "a/b", "u@h", "h:x", "h:+1", "h:99999", "[x]", "[::1]x", "[::1"];
        for host in others.into_iter().chain(["a:1:2", "<b>", "h\"", "é", "h?q", "h#f", "h\\"]) {
            assert!(!is_host(host), "{host}");
        }
    }
}

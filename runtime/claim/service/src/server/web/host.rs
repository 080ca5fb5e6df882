//! The name of this server: the Host header, which is used in URLs only if it is valid, or the
//! public URL of a proxy.

use std::fmt;
use std::net::{Ipv4Addr, Ipv6Addr};
use std::str::FromStr;

use hyper::Uri;
use hyper::header::{HOST, HeaderMap};

/// The host in URLs if a client sends none.
const UNNAMED: &str = "localhost";

/// The scheme, host and optional port of a proxy in front of the server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PublicUrl {
    is_tls: bool,
    host: String,
    port: Option<u16>,
}

impl FromStr for PublicUrl {
    type Err = &'static str;

    /// Serialized like an origin in a browser: lower case, without the scheme's default port.
    fn from_str(url: &str) -> Result<Self, Self::Err> {
        let uri: Uri = url.parse().map_err(|_| "it is not a URL")?;
        let (is_tls, default) = match uri.scheme_str() {
            Some("http") => (false, 80),
            Some("https") => (true, 443),
            Some(_) => return Err("its scheme is neither http nor https"),
            None => return Err("it has no scheme"),
        };
        let is_origin = uri.path_and_query().is_none_or(|path| path == "/") && !url.contains('#');
        match uri.authority().filter(|authority| is_origin && is_host(authority.as_str())) {
            Some(authority) => Ok(Self {
                is_tls,
                host: authority.host().to_ascii_lowercase(),
                port: authority.port_u16().filter(|port| *port != default),
            }),
            None => Err("it must have a host, optionally a port, and nothing else"),
        }
    }
}

impl fmt::Display for PublicUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { is_tls, host, port } = self;
        write!(f, "{}://{host}", if *is_tls { "https" } else { "http" })?;
        port.map_or(Ok(()), |port| write!(f, ":{port}"))
    }
}

impl PublicUrl {
    pub(crate) const fn is_tls(&self) -> bool {
        self.is_tls
    }
}

/// The accepted values of the Host header. It protects against DNS rebinding: a web page whose host
/// name resolves to this machine sends that name.
///
/// IP addresses are always accepted: no page can have its name resolve to an address literal.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Hosts(Vec<String>);

impl Hosts {
    /// Accepts these names, without ports, in addition to `localhost`.
    #[must_use]
    pub fn of(names: impl IntoIterator<Item = String>) -> Self {
        Self(names.into_iter().map(|name| name.to_ascii_lowercase()).collect())
    }

    /// Whether no name is configured.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether a Host header is accepted; its port is ignored.
    pub(crate) fn admits(&self, host: &str, public_url: Option<&PublicUrl>) -> bool {
        let name = without_port(host);
        if name.eq_ignore_ascii_case(UNNAMED) {
            return true;
        }
        let name = name.to_ascii_lowercase();
        let bare = name.trim_start_matches('[').trim_end_matches(']');
        let is_address = || bare.parse::<Ipv4Addr>().is_ok() || bare.parse::<Ipv6Addr>().is_ok();
        name.ends_with(".localhost")
            || is_address()
            || public_url.is_some_and(|url| url.host == name)
            || self.0.contains(&name)
    }
}

/// Parses the value of `--host`.
///
/// # Errors
/// When it is not a host name, or has a port.
pub fn read_name(text: &str) -> Result<String, &'static str> {
    match is_host(text) && without_port(text) == text {
        true => Ok(text.to_ascii_lowercase()),
        false => Err("expected a host name without scheme, port or path"),
    }
}

fn without_port(host: &str) -> &str {
    match host.rsplit_once(':') {
        Some((name, port)) if !port.ends_with(']') => name,
        _ => host,
    }
}

/// The value of the Host header; `None` if it is invalid.
pub(crate) fn named(headers: &HeaderMap) -> Option<&str> {
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

/// Likewise for a URL, where the host must not be empty.
pub(crate) fn in_url(headers: &HeaderMap) -> &str {
    named(headers).unwrap_or(UNNAMED)
}

/// Splits a host and an optional port.
pub(crate) fn is_host(host: &str) -> bool {
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
    use crate::server::web::host::*;

    #[test]
    fn a_public_url_is_an_origin() {
        let read = |url: &str| url.parse::<PublicUrl>().map(|url| url.to_string());
        assert_eq!(read("HTTPS://Locks.example:443/").as_deref(), Ok("https://locks.example"));
        assert_eq!(read("http://h:443").as_deref(), Ok("http://h:443"));
        assert_eq!(read("http://[::1]:080/").as_deref(), Ok("http://[::1]"));
        assert_eq!(read("http://[::1]:81").as_deref(), Ok("http://[::1]:81"));
        for (url, why) in [
            ("locks.example", "no scheme"),
            ("locks.example:443", "no scheme"),
            ("/", "no scheme"),
            ("https://", "not a URL"),
            ("https://h:1:2", "not a URL"),
            ("https://[::1", "not a URL"),
            ("ftp://h", "its scheme"),
            ("https://:443", "nothing else"),
            ("https://[h]", "nothing else"),
            ("https://h:65536", "nothing else"),
            ("https://h/locks/", "nothing else"),
            ("https://h/?q", "nothing else"),
            ("https://h/#f", "nothing else"),
            ("https://u:secret@h", "nothing else"),
        ] {
            let refusal = read(url).expect_err(url);
            assert!(refusal.contains(why), "{url}: {refusal}");
        }
    }

    #[test]
    fn a_name_is_admitted_if_it_is_listed_or_the_machine_s_own() {
        let hosts = Hosts::of(["Locks.example".into()]);
        let public = "https://Proxy.example:8443".parse().ok();
        for host in ["localhost:5000", "LOCKS.example", "locks.example:1", "127.0.0.1", "[::1]:5"] {
            assert!(hosts.admits(host, None), "{host}");
        }
        assert!(hosts.admits("proxy.example", public.as_ref()));
        for host in ["proxy.example", "evil.example", "localhost.evil.example", "127.0.0.1.nip.io"]
        {
            assert!(!hosts.admits(host, None), "{host}");
        }
        assert_eq!(read_name("Locks.example").as_deref(), Ok("locks.example"));
        assert!(["", "a:1", "http://a", "a/b"].iter().all(|name| read_name(name).is_err()));
    }

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

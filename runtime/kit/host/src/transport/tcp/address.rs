//! The address of a peer, and its text.

use std::str::FromStr;
use std::{fmt, io};

/// The address of a peer. Its text is `host:port`, with an IPv6 address in brackets.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Address {
    pub(super) host: String,
    pub(super) port: u16,
    pub(super) name: Option<String>,
}

impl Address {
    /// A port of a host, which is a DNS name or an IP address without brackets.
    pub fn new(host: impl Into<String>, port: u16) -> Self {
        Self { host: host.into(), port, name: None }
    }

    /// The DNS name or IP address for which the peer's certificate must be valid; the default is
    /// the host. Peers that share a host need different names: otherwise each of them could claim
    /// to be the other.
    #[must_use]
    pub fn named(mut self, name: impl Into<String>) -> Self {
        self.name = Some(name.into());
        self
    }

    /// The name for which the peer's certificate must be valid.
    #[must_use]
    pub fn name(&self) -> &str {
        self.name.as_deref().unwrap_or(&self.host)
    }
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { host, port, .. } = self;
        if host.contains(':') { write!(f, "[{host}]:{port}") } else { write!(f, "{host}:{port}") }
    }
}

impl FromStr for Address {
    type Err = io::Error;

    fn from_str(text: &str) -> io::Result<Self> {
        let wrong = || io::Error::new(io::ErrorKind::InvalidInput, not_an_address(text));
        let (host, port) = text.rsplit_once(':').ok_or_else(wrong)?;
        let port = port.parse().map_err(|_| wrong())?;
        let inner = host.strip_prefix('[').and_then(|host| host.strip_suffix(']'));
        if host.is_empty() || (inner.is_none() && host.contains([':', '[', ']', '@', '/'])) {
            return Err(wrong());
        }
        Ok(Self::new(inner.unwrap_or(host), port))
    }
}

/// The error for a text that is no address. It hides what stands before an `@`, such as a password.
pub(super) fn not_an_address(text: &str) -> String {
    match text.rsplit_once('@') {
        Some((_, host)) => format!("`***@{host}` is not host:port"),
        None => format!("`{text}` is not host:port"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_reads_as_it_is_written() {
        for text in ["node-1.example:7000", "127.0.0.1:1", "[::1]:65535"] {
            let address: Address = text.parse().expect("it is an address");
            assert_eq!(address.to_string(), text);
        }
        assert_eq!("[::1]:7".parse::<Address>().expect("it is an address").name(), "::1");
        for text in ["", ":", "host", "host:", ":7", "host:x", "host:65536", "::1:7", "[::1:7"] {
            assert!(text.parse::<Address>().is_err(), "{text}");
        }
        for (text, why) in [
            ("http://host:7", "`http://host:7` is not host:port"),
            ("user@host:7", "`***@host:7` is not host:port"),
            ("http://user:secret@host:7", "`***@host:7` is not host:port"),
        ] {
            assert_eq!(text.parse::<Address>().expect_err(text).to_string(), why);
        }
    }
}

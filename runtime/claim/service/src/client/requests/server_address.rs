//! The address of a claim server: scheme, host, port, and path prefix.

use std::fmt;
use std::net::Ipv6Addr;

use hyper::Uri;

use crate::client::error::ErrorKind;
use crate::client::requests::redact::redacted;
use crate::wire::query::STALE;

/// The error where no URL is given.
pub(crate) fn no_url() -> ErrorKind {
    let text = "the server's URL is missing: set TURNSTILE_URL, or --url of `claim`, for example \
                to http://127.0.0.1:5000";
    ErrorKind::Setting(text.into())
}

/// The address of a claim server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ServerAddress {
    /// Whether the scheme is https.
    pub is_tls: bool,
    /// Host name or address, without brackets.
    pub host: String,
    /// The TCP port.
    pub port: u16,
    /// `/prefix/v1/claims/`.
    pub path: String,
}

impl ServerAddress {
    /// Parses a URL and appends `version` to its path, for example `v1`.
    ///
    /// # Errors
    /// When it is not an http or https URL, or has a query.
    pub fn read(url: &str, version: &str) -> Result<Self, ErrorKind> {
        let refuse = |why| ErrorKind::Address(redacted(url), why);
        if url.contains(char::is_whitespace) {
            return Err(refuse("it has a space; for several servers, repeat --url"));
        }
        if url.contains(['?', '#', '@']) {
            return Err(refuse(
                "only a host, a port and a path are allowed, no password; the token goes into \
                 TURNSTILE_TOKEN",
            ));
        }
        let expected = "expected a URL such as http://127.0.0.1:5000";
        let uri: Uri = url.parse().map_err(|_| refuse(expected))?;
        let is_tls = match uri.scheme_str() {
            Some("http") => false,
            Some("https") => true,
            Some(_) => return Err(refuse("the scheme must be http or https")),
            None => return Err(refuse(expected)),
        };
        let (host, authority) = uri.host().zip(uri.authority()).ok_or_else(|| refuse(expected))?;
        let port = match uri.port_u16() {
            Some(port) => port,
            None if authority == host => {
                if is_tls {
                    443
                } else {
                    80
                }
            }
            None => return Err(refuse("the port must be a number from 1 to 65535")),
        };
        let address = host.strip_prefix('[').and_then(|host| host.strip_suffix(']'));
        if address.is_some_and(|address| address.parse::<Ipv6Addr>().is_err()) {
            return Err(refuse("what the brackets have is no IPv6 address"));
        }
        let host = address.unwrap_or(host);
        if host.is_empty() {
            return Err(refuse(expected));
        }
        let prefix = uri.path();
        let prefix = prefix.trim_matches('/');
        if prefix.ends_with(&format!("{version}/claims")) {
            return Err(refuse("leave out the path of the claims: it is appended"));
        }
        let prefix = if prefix.is_empty() { String::new() } else { format!("/{prefix}") };
        Ok(Self { is_tls, host: host.into(), port, path: format!("{prefix}/{version}/claims/") })
    }

    /// Parses the URLs of all servers of one service.
    ///
    /// # Errors
    /// When there is none, one is invalid or given twice, or they differ in scheme or path.
    pub(crate) fn read_all(urls: &[String], version: &str) -> Result<Vec<Self>, ErrorKind> {
        let mut servers: Vec<Self> = Vec::new();
        for url in urls {
            let server = Self::read(url, version)?;
            let refuse = |why| Err(ErrorKind::Address(redacted(url), why));
            match servers.first() {
                _ if servers.contains(&server) => return refuse("it is given twice"),
                Some(first) if first.is_tls != server.is_tls => {
                    return refuse("its scheme is not that of the others");
                }
                Some(first) if first.path != server.path => {
                    return refuse("its path is not that of the others");
                }
                Some(_) | None => servers.push(server),
            }
        }
        if servers.is_empty() { Err(no_url()) } else { Ok(servers) }
    }

    /// The value of the Host header.
    #[must_use]
    pub fn authority(&self) -> String {
        let default = if self.is_tls { 443 } else { 80 };
        let host = &self.host;
        let host = if host.contains(':') { format!("[{host}]") } else { host.clone() };
        if self.port == default { host } else { format!("{host}:{}", self.port) }
    }

    /// The URL of all claims.
    #[must_use]
    pub fn claims_url(&self) -> String {
        format!("{self}{}", self.path)
    }

    /// `/prefix/v1/cluster/members/`.
    pub(crate) fn members_path(&self) -> String {
        format!("{}cluster/members/", self.root())
    }

    /// `/prefix/v1/cluster/snapshot/`, perhaps with `?stale=true`.
    pub(crate) fn snapshot_path(&self, is_stale: bool) -> String {
        let query = if is_stale { format!("?{STALE}=true") } else { String::new() };
        format!("{}cluster/snapshot/{query}", self.root())
    }

    fn root(&self) -> &str {
        self.path.strip_suffix("claims/").unwrap_or(&self.path)
    }

    /// A claim's URL.
    #[must_use]
    pub fn claim_url(&self, id: u64) -> String {
        format!("{self}{}{id}/", self.path)
    }
}

impl fmt::Display for ServerAddress {
    /// The URL's scheme, host and port.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let scheme = if self.is_tls { "https" } else { "http" };
        write!(f, "{scheme}://{}", self.authority())
    }
}

#[cfg(test)]
mod tests {
    use crate::client::requests::server_address::*;

    #[track_caller]
    fn check(url: &str, authority: &str, path: &str) {
        let server = ServerAddress::read(url, "v1").expect("a good address");
        assert_eq!((server.authority().as_str(), server.path.as_str()), (authority, path), "{url}");
    }

    #[test]
    fn an_address_is_read() {
        check("http://h:5000", "h:5000", "/v1/claims/");
        check("http://h/", "h", "/v1/claims/");
        check("https://h/locks/", "h", "/locks/v1/claims/");
        check("http://[::1]:80/", "[::1]", "/v1/claims/");
        check("http://[::1]:81", "[::1]:81", "/v1/claims/");
        check("HTTPS://h:443", "h", "/v1/claims/");
        let server = ServerAddress::read("https://h:1/a", "v2").expect("a good address");
        assert_eq!(server.claim_url(7), "https://h:1/a/v2/claims/7/");
        assert_eq!(server.members_path(), "/a/v2/cluster/members/");
    }

    #[test]
    fn what_is_no_address_is_refused() {
        for (url, shown, why) in [
            ("", "", "expected a URL"),
            ("h", "h", "expected a URL"),
            ("h:1", "h:1", "expected a URL"),
            ("h:1/locks", "h:1/locks", "expected a URL"),
            ("http://", "http://", "expected a URL"),
            ("http://:1", "http://:1", "expected a URL"),
            ("http://::1:5000", "http://::1:5000", "expected a URL"),
            ("http://[::1", "http://[::1", "expected a URL"),
            ("http://[h]", "http://[h]", "no IPv6 address"),
            ("ftp://h", "ftp://h", "the scheme"),
            ("http://h:", "http://h:***", "the port"),
            ("http://h:x", "http://h:***", "the port"),
            ("http://h:65536", "http://h:***", "the port"),
            ("http://h http://i", "http://h http:***", "a space"),
            ("http://h/?q", "http://h/?***", "no password"),
            ("http://h/#f", "http://h/#***", "no password"),
            ("http://u:secret@h", "http://***@h", "no password"),
            ("http://h/v1/claims/", "http://h/v1/claims/", "the path of the claims"),
        ] {
            let Err(ErrorKind::Address(redacted, refusal)) = ServerAddress::read(url, "v1") else {
                panic!("{url} is an address");
            };
            assert_eq!(redacted, shown);
            assert!(refusal.contains(why), "{url}: {refusal}");
        }
    }
}

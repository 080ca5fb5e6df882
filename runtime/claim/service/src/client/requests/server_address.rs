//! The address of a claim server: scheme, host, port, and path prefix.

use std::fmt;

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
        let (scheme, rest) = url
            .split_once("://")
            .ok_or_else(|| refuse("expected a URL such as http://127.0.0.1:5000"))?;
        let is_tls = match scheme {
            "http" => false,
            "https" => true,
            _ => {
                return Err(refuse(
                    "the scheme must be http or https, as in http://127.0.0.1:5000",
                ));
            }
        };
        if rest.contains(char::is_whitespace) {
            return Err(refuse("it has a space; for several servers, repeat --url"));
        }
        if rest.contains(['?', '#', '@']) {
            return Err(refuse(
                "only a host, a port and a path are allowed, no password; the token goes into \
                 TURNSTILE_TOKEN",
            ));
        }
        let (authority, prefix) = rest.split_once('/').unwrap_or((rest, ""));
        let (host, port) = match authority.rsplit_once(':') {
            Some((host, port)) if !port.ends_with(']') => (
                host,
                port.parse().map_err(|_| refuse("the port must be a number from 1 to 65535"))?,
            ),
            _ => (authority, if is_tls { 443 } else { 80 }),
        };
        let host = host.trim_start_matches('[').trim_end_matches(']');
        if host.is_empty() {
            return Err(refuse(
                "the host is missing: expected a URL such as http://127.0.0.1:5000",
            ));
        }
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
        let server = ServerAddress::read("https://h:1/a", "v2").expect("a good address");
        assert_eq!(server.claim_url(7), "https://h:1/a/v2/claims/7/");
        assert_eq!(server.members_path(), "/a/v2/cluster/members/");
    }

    #[test]
    fn what_is_no_address_is_refused() {
        for url in [
            "",
            "h:1",
            "ftp://h",
            "http://",
            "http://h:x",
            "http://h/?q",
            "http://u@h",
            "http://h/v1/claims/",
        ] {
            assert!(ServerAddress::read(url, "v1").is_err(), "{url}");
        }
    }
}

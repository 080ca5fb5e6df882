//! The locks that this program already runs under, according to its environment: claiming one of
//! them again would deadlock.
//!
//! A lock is that of a server with an id, however its URL is written; servers without ids are
//! compared by their URLs.

use serde_json::{Value, json};

use super::error::ErrorKind;

/// The environment variable: a JSON array of servers and resources, the outermost first.
pub const HELD: &str = "CLAIM_HELD";

/// The inherited locks, and the servers of this process.
#[derive(Clone, Debug, Default)]
pub struct InheritedClaims {
    servers: Vec<String>,
    locks: Vec<Value>,
}

impl InheritedClaims {
    /// Reads the variable. An unreadable value counts as empty: another program may use the
    /// variable.
    pub(super) fn inherit(servers: &[String]) -> Self {
        let text = std::env::var(HELD).unwrap_or_default();
        let locks = serde_json::from_str(&text).unwrap_or_default();
        let servers = servers.iter().map(|server| server.trim_end_matches('/').to_owned());
        Self { servers: servers.collect(), locks }
    }

    /// Whether this program runs under a claim of the resource at a server whose id is known.
    pub(super) fn needs_id(&self, resource: &str) -> bool {
        self.of_ids(resource).next().is_some()
    }

    /// # Errors
    /// When this program runs under a claim of the resource at the server of this id, or at one of
    /// these URLs.
    pub(super) fn check(&self, resource: &str, id: Option<&str>) -> Result<(), ErrorKind> {
        let is_of_id = id.is_some_and(|id| self.of_ids(resource).any(|lock| lock["id"] == *id));
        // The URL of a server whose id is known says less than its id.
        let is_other = |server: &str| {
            let mut of_ids = self.of_ids(resource).filter(|_| id.is_some());
            of_ids.any(|lock| {
                let servers = lock["servers"].as_array();
                servers.is_some_and(|servers| servers.iter().any(|other| other == server))
            })
        };
        let is_held =
            |server: &String| self.locks.contains(&at_url(server, resource)) && !is_other(server);
        if !is_of_id && !self.servers.iter().any(is_held) {
            return Ok(());
        }
        let text = "this program runs under a claim of it already, and would wait for itself: \
                    leave this one out, or claim another resource";
        Err(ErrorKind::Setting(text.into()))
    }

    /// The value of the variable for a program that also runs under this lock, at the server of
    /// this id.
    #[must_use]
    pub fn with(&self, resource: &str, id: Option<&str>) -> String {
        let servers = &self.servers;
        let by_url = servers.iter().map(|server| at_url(server, resource));
        let by_id = id.map(|id| json!({ "id": id, "servers": servers, "resource": resource }));
        Value::Array(self.locks.iter().cloned().chain(by_url).chain(by_id).collect()).to_string()
    }

    /// The locks of a resource at servers whose ids are known.
    fn of_ids(&self, resource: &str) -> impl Iterator<Item = &Value> {
        let of = move |lock: &&Value| lock["resource"] == *resource && lock["id"].is_string();
        self.locks.iter().filter(of)
    }
}

/// The lock of a resource at a URL.
fn at_url(server: &str, resource: &str) -> Value {
    json!({ "server": server, "resource": resource })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(servers: &[&str], held: &str) -> InheritedClaims {
        let servers = servers.iter().map(|server| (*server).to_owned()).collect();
        InheritedClaims { servers, locks: serde_json::from_str(held).expect("an array") }
    }

    #[test]
    fn a_lock_is_known_by_the_id_of_its_server_or_else_by_a_url() {
        let held = at(&["http://a", "http://b"], "[]").with("r", Some("1"));
        let check =
            |servers: &[&str], resource, id| at(servers, &held).check(resource, id).is_err();
        assert!(check(&["http://c"], "r", Some("1")), "the same server at another URL");
        assert!(!check(&["http://a"], "r", Some("2")), "another server at the same URL");
        assert!(check(&["http://c", "http://b"], "r", None), "the ids are not known");
        assert!(!check(&["http://c"], "r", None) && !check(&["http://a"], "s", Some("1")));
        // The lock of a server that has no id, such as nessy.
        let held = at(&["http://a"], "[]").with("r", None);
        assert!(!at(&["http://a"], &held).needs_id("r"));
        assert!(at(&["http://a"], &held).check("r", Some("1")).is_err());
    }
}

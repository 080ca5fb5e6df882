//! The locks that this program already runs under, according to its environment: claiming one of
//! them again would deadlock.

use serde_json::Value;

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

    /// # Errors
    /// When this program runs under a claim of the resource.
    pub(super) fn check(&self, resource: &str) -> Result<(), ErrorKind> {
        if !self.own(resource).any(|lock| self.locks.contains(&lock)) {
            return Ok(());
        }
        let text = "this program runs under a claim of it already, and would wait for itself: \
                    leave this one out, or claim another resource";
        Err(ErrorKind::Setting(text.into()))
    }

    /// The value of the variable for a program that also runs under this lock.
    #[must_use]
    pub fn with(&self, resource: &str) -> String {
        let locks = self.locks.iter().cloned().chain(self.own(resource));
        Value::Array(locks.collect()).to_string()
    }

    /// The lock of a resource, by each of the servers.
    fn own(&self, resource: &str) -> impl Iterator<Item = Value> {
        let lock = move |server| serde_json::json!({ "server": server, "resource": resource });
        self.servers.iter().map(lock)
    }
}

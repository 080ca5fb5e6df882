//! The locks that this program already runs under, according to its environment: claiming one of
//! them again would deadlock.

use serde_json::Value;

use super::error::ErrorKind;

/// The environment variable: a JSON array of servers and resources, the outermost first.
pub const HELD: &str = "CLAIM_HELD";

/// The inherited locks, and the server of this process.
#[derive(Clone, Debug, Default)]
pub struct InheritedClaims {
    server: String,
    locks: Vec<Value>,
}

impl InheritedClaims {
    /// Reads the variable. An unreadable value counts as empty: another program may use the
    /// variable.
    pub(super) fn inherit(server: &str) -> Self {
        let text = std::env::var(HELD).unwrap_or_default();
        let locks = serde_json::from_str(&text).unwrap_or_default();
        Self { server: server.trim_end_matches('/').to_owned(), locks }
    }

    /// # Errors
    /// When this program runs under a claim of the resource.
    pub(super) fn check(&self, resource: &str) -> Result<(), ErrorKind> {
        if !self.locks.contains(&self.lock(resource)) {
            return Ok(());
        }
        let text = "this program runs under a claim of it already, and would wait for itself: \
                    leave this one out, or claim another resource";
        Err(ErrorKind::Setting(text.into()))
    }

    /// The value of the variable for a program that also runs under this lock.
    #[must_use]
    pub fn with(&self, resource: &str) -> String {
        let locks = self.locks.iter().cloned().chain([self.lock(resource)]);
        Value::Array(locks.collect()).to_string()
    }

    fn lock(&self, resource: &str) -> Value {
        serde_json::json!({ "server": self.server, "resource": resource })
    }
}

//! The locks that a program runs under already, as its environment says: to wait for one of them
//! from within is to wait for oneself.

use serde_json::Value;

use super::error::Cause;

/// The variable: a JSON array of servers and resources, the outermost first.
pub const HELD: &str = "CLAIM_HELD";

/// What was inherited, and at which server this process asks.
#[derive(Clone, Debug, Default)]
pub struct Held {
    server: String,
    locks: Vec<Value>,
}

impl Held {
    /// What the environment says. What cannot be read says nothing: it may be anybody's variable.
    pub(super) fn inherit(server: &str) -> Self {
        let text = std::env::var(HELD).unwrap_or_default();
        let locks = serde_json::from_str(&text).unwrap_or_default();
        Self { server: server.trim_end_matches('/').to_owned(), locks }
    }

    /// # Errors
    /// When this program runs under a claim of the resource.
    pub(super) fn check(&self, resource: &str) -> Result<(), Cause> {
        if !self.locks.contains(&self.lock(resource)) {
            return Ok(());
        }
        let text = "this program runs under a claim of it already, and would wait for itself: \
                    leave this one out, or claim another resource";
        Err(Cause::Setting(text.into()))
    }

    /// What a program inherits that runs under this claim, too.
    #[must_use]
    pub fn with(&self, resource: &str) -> String {
        let locks = self.locks.iter().cloned().chain([self.lock(resource)]);
        Value::Array(locks.collect()).to_string()
    }

    fn lock(&self, resource: &str) -> Value {
        serde_json::json!({ "server": self.server, "resource": resource })
    }
}

//! Locks of etcd over its JSON gateway: one lease per client, as in its own clients.

use std::net::SocketAddr;

use crate::client::Client;
use crate::lock::Lock;

/// A client of etcd.
pub(crate) struct Etcd {
    client: Client,
    lease: String,
    key: String,
}

impl Etcd {
    async fn call(&mut self, path: &str, body: &str) {
        let answer = self.client.call(&format!("POST /v3/{path}"), body, false).await;
        assert_eq!(answer.status, 200, "{path}");
    }
}

impl Lock for Etcd {
    async fn connect(at: SocketAddr) -> Self {
        let (client, lease, key) = (Client::connect(at).await, String::new(), String::new());
        let mut etcd = Self { client, lease, key };
        etcd.call("lease/grant", r#"{"TTL":60}"#).await;
        etcd.lease = etcd.client.field("ID");
        etcd
    }

    /// The names are valid base64.
    async fn lock(&mut self, name: &str) {
        let body = format!(r#"{{"name":"{name}","lease":"{}"}}"#, self.lease);
        self.call("lock/lock", &body).await;
        self.key = self.client.field("key");
    }

    async fn unlock(&mut self) {
        let body = format!(r#"{{"key":"{}"}}"#, self.key);
        self.call("lock/unlock", &body).await;
    }

    async fn wait(&mut self, name: &str) {
        self.lock(name).await;
    }
}

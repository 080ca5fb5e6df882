//! The operations of lock services that are measured.

use std::cell::Cell;
use std::net::SocketAddr;
use std::time::Instant;

use crate::client::Client;
use crate::tally::Tally;

/// A client of a lock service.
pub(crate) trait Lock: Sized {
    /// Connects and makes the requests that are needed once.
    async fn connect(at: SocketAddr) -> Self;

    /// Acquires a free lock.
    async fn lock(&mut self, name: &str);

    /// Releases it.
    async fn unlock(&mut self);

    /// Creates the lock that is handed over.
    async fn prepare(&mut self, _name: &str) {}

    /// Waits for a lock and acquires it.
    async fn wait(&mut self, name: &str);

    /// Releases a lock for which others wait.
    async fn pass(&mut self) {
        self.unlock().await;
    }
}

/// Locks and unlocks a resource that only this client uses.
pub(crate) async fn pairs(mut client: impl Lock, number: usize, end: Instant) -> Tally {
    let name = format!("load/{number:03}");
    let mut tally = Tally::default();
    while Instant::now() < end {
        let started = Instant::now();
        client.lock(&name).await;
        client.unlock().await;
        tally.note(started.elapsed());
    }
    tally
}

thread_local! {
    /// When the last holder sent its release.
    static RELEASED: Cell<Option<Instant>> = const { Cell::new(None) };
}

/// Competes with the other clients for one lock.
pub(crate) async fn hand_overs(mut client: impl Lock, name: &str, end: Instant) -> Tally {
    let mut tally = Tally::default();
    while Instant::now() < end {
        client.wait(name).await;
        if let Some(released) = RELEASED.take() {
            tally.note(released.elapsed());
        }
        RELEASED.set(Some(Instant::now()));
        client.pass().await;
    }
    tally
}

/// A client of `turnstiled`.
pub(crate) struct HeldClaim {
    client: Client,
    id: u64,
}

impl Lock for HeldClaim {
    async fn connect(at: SocketAddr) -> Self {
        Self { client: Client::connect(at).await, id: 0 }
    }

    async fn lock(&mut self, name: &str) {
        let claim = self.client.post(name, false).await;
        assert_eq!(claim.status, 201, "nobody else wants {name}");
        self.id = claim.id;
    }

    async fn unlock(&mut self) {
        let released = self.client.patch(self.id, "released", false).await;
        assert_eq!(released.status, 204, "the lock is held");
    }

    async fn wait(&mut self, name: &str) {
        let mut answer = self.client.post(name, true).await;
        self.id = answer.id;
        while !matches!(answer.status, 200 | 201) {
            assert!(matches!(answer.status, 202 | 409), "{}", answer.status);
            answer = self.client.patch(self.id, "active", true).await;
        }
    }
}

/// Not a lock: two requests that `turnstiled` authenticates, parses and refuses for lack of a
/// resource.
pub(crate) struct Refused(Client);

impl Lock for Refused {
    async fn connect(at: SocketAddr) -> Self {
        Self(Client::connect(at).await)
    }

    async fn lock(&mut self, _name: &str) {
        let body = r#"{"nothing":"load/000","ttl":60}"#;
        assert_eq!(self.0.call("POST /v1/claims/", body, false).await.status, 400, "no resource");
    }

    async fn unlock(&mut self) {
        self.lock("").await;
    }

    async fn wait(&mut self, name: &str) {
        self.lock(name).await;
    }
}

/// Not a lock: two requests that `turnstiled` answers without reading a claim.
pub(crate) struct Health(Client);

impl Lock for Health {
    async fn connect(at: SocketAddr) -> Self {
        Self(Client::connect(at).await)
    }

    async fn lock(&mut self, _name: &str) {
        assert_eq!(self.0.call("GET /healthz", "", false).await.status, 200, "it is well");
    }

    async fn unlock(&mut self) {
        self.lock("").await;
    }

    async fn wait(&mut self, name: &str) {
        self.lock(name).await;
    }
}

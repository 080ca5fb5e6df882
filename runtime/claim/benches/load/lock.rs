//! What clients of a lock service do all the time, whichever service it is.

use std::cell::Cell;
use std::net::SocketAddr;
use std::time::Instant;

use crate::client::Client;
use crate::tally::Tally;

/// A client of a lock service.
pub(crate) trait Lock: Sized {
    /// Connects, and asks for what it needs once.
    async fn connect(at: SocketAddr) -> Self;

    /// Takes a lock that is free.
    async fn lock(&mut self, name: &str);

    /// Gives it back.
    async fn unlock(&mut self);

    /// Makes the one lock that is handed over.
    async fn prepare(&mut self, _name: &str) {}

    /// Takes a lock when its turn comes.
    async fn wait(&mut self, name: &str);

    /// Gives a lock back for which others wait.
    async fn pass(&mut self) {
        self.unlock().await;
    }
}

/// Locks and unlocks a resource of its own.
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

/// Takes turns with everyone else at one lock.
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
pub(crate) struct Claim {
    client: Client,
    id: u64,
}

impl Lock for Claim {
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

/// Not a lock at all: two requests that `turnstiled` lets in, reads and refuses, for lack of a
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

/// Not a lock at all: two requests that `turnstiled` answers without looking at a claim.
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

//! The clients of the soak test, with pauses that leave the machine idle time.
//!
//! A response that the protocol does not allow fails the test. Nothing is measured here.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::io;
use std::net::SocketAddr;
use std::rc::Rc;
use std::time::{Duration, Instant};

use tokio::time::sleep;
use turnstile_claim::client::Rng;

use crate::client::Client;

/// The pause of a client between two operations.
const PAUSE: Duration = Duration::from_millis(2);
/// The number of resources whose claims are left to lapse; each is claimed repeatedly.
const LEFT: u64 = 500;
/// The number of idle connections.
const IDLE: usize = 400;

/// The number of operations of each kind.
pub(crate) type Counts = Rc<RefCell<BTreeMap<&'static str, u64>>>;

/// The data of every client.
#[derive(Clone)]
pub(crate) struct Load {
    pub(crate) at: SocketAddr,
    pub(crate) end: Instant,
    pub(crate) counts: Counts,
}

/// A workload and the number of its clients.
pub(crate) const CLIENTS: [(Kind, usize); 8] = [
    (Kind::Pairs, 8),
    (Kind::HandOvers, 12),
    (Kind::GiveUps, 6),
    (Kind::HangUps, 6),
    (Kind::Lapses, 2),
    (Kind::Revocations, 2),
    (Kind::Lists, 2),
    (Kind::Idles, 1),
];

/// A client's workload.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Kind {
    Pairs,
    HandOvers,
    GiveUps,
    HangUps,
    Lapses,
    Revocations,
    Lists,
    Idles,
}

fn expect(answer: &crate::client::Answer, statuses: &[u16]) {
    let body = String::from_utf8_lossy(&answer.body);
    assert!(statuses.contains(&answer.status), "{}: {body}", answer.status);
}

fn body(resource: &str, ttl: f64, rng: &mut Rng) -> String {
    let data = "x".repeat((rng.number() % 3_000) as usize);
    format!(r#"{{"resource":"{resource}","ttl":{ttl},"user_data":"{data}"}}"#)
}

fn key(rng: &mut Rng) -> String {
    format!("idempotency-key: {:016x}\r\n", rng.number())
}

impl Load {
    /// Repeats one operation until the end.
    pub(crate) async fn run(self, kind: Kind, mut rng: Rng) -> io::Result<()> {
        let rng = &mut rng;
        match kind {
            Kind::Pairs => self.pairs(rng).await,
            Kind::HandOvers => self.hand_overs(rng).await,
            Kind::GiveUps => self.give_ups(rng).await,
            Kind::HangUps => self.hang_ups(rng).await,
            Kind::Lapses => self.lapses(rng).await,
            Kind::Revocations => self.revocations(rng).await,
            Kind::Lists => self.lists(rng).await,
            Kind::Idles => self.idles(rng).await,
        }
    }

    /// Counts an operation. Returns `false` at the end.
    async fn goes_on(&self, what: &'static str, pause: Duration) -> bool {
        *self.counts.borrow_mut().entry(what).or_default() += 1;
        sleep(pause).await;
        Instant::now() < self.end
    }

    /// Claims and releases a resource with a new name.
    async fn pairs(&self, rng: &mut Rng) -> io::Result<()> {
        let mut client = Client::connect(self.at).await?;
        loop {
            let body = body(&format!("pair/{:x}", rng.number()), 60.0, rng);
            let claim = client.post(&body, &key(rng)).await?;
            expect(&claim, &[201]);
            expect(&client.set(claim.id(), "released", "").await?, &[204]);
            if !self.goes_on("pairs", PAUSE).await {
                return Ok(());
            }
        }
    }

    /// Competes with other clients for one lock.
    async fn hand_overs(&self, rng: &mut Rng) -> io::Result<()> {
        let mut client = Client::connect(self.at).await?;
        loop {
            let mut claim = client.post(&body("one", 60.0, rng), "prefer: wait=30\r\n").await?;
            let id = claim.id();
            while !matches!(claim.status, 200 | 201) {
                expect(&claim, &[202, 409]);
                claim = client.set(id, "active", "prefer: wait=30\r\n").await?;
            }
            expect(&client.set(id, "released", "").await?, &[204]);
            if !self.goes_on("hand-overs", PAUSE).await {
                return Ok(());
            }
        }
    }

    /// Waits for a lock that is held, and withdraws.
    async fn give_ups(&self, rng: &mut Rng) -> io::Result<()> {
        let (mut client, mut holder) =
            (Client::connect(self.at).await?, Client::connect(self.at).await?);
        loop {
            let resource = format!("busy/{:x}", rng.number());
            let held = holder.post(&body(&resource, 60.0, rng), "").await?;
            expect(&held, &[201]);
            let waits = client.post(&body(&resource, 60.0, rng), "prefer: wait=0.01\r\n").await?;
            expect(&waits, &[202]);
            expect(&client.set(waits.id(), "withdrawn", "").await?, &[204]);
            expect(&holder.set(held.id(), "released", "").await?, &[204]);
            if !self.goes_on("waiters that give up", PAUSE).await {
                return Ok(());
            }
        }
    }

    /// Waits for a lock that is held, and disconnects.
    async fn hang_ups(&self, rng: &mut Rng) -> io::Result<()> {
        let mut holder = Client::connect(self.at).await?;
        let resource = format!("gone/{:x}", rng.number());
        loop {
            let held = holder.post(&body(&resource, 60.0, rng), "prefer: wait=30\r\n").await?;
            expect(&held, &[201]);
            for _ in 0..3 {
                let mut client = Client::connect(self.at).await?;
                // One whose turn has come when it vanishes holds the lock for a ttl.
                let body = body(&resource, 1.0, rng);
                client.send("POST", "/v1/claims/", "prefer: wait=300\r\n", &body).await?;
                sleep(PAUSE).await;
            }
            expect(&holder.set(held.id(), "released", "").await?, &[204]);
            if !self.goes_on("waiters that vanish, three each", Duration::from_millis(50)).await {
                return Ok(());
            }
        }
    }

    /// Leaves claims to lapse; the next claim of the resource expires them.
    async fn lapses(&self, rng: &mut Rng) -> io::Result<()> {
        let mut client = Client::connect(self.at).await?;
        loop {
            let resource = format!("left/{}", rng.number() % LEFT);
            let claim = client.post(&body(&resource, 0.05, rng), "").await?;
            expect(&claim, &[201, 202]);
            if claim.status == 202 {
                expect(&client.set(claim.id(), "aborted", "").await?, &[204]);
            }
            if !self.goes_on("claims left to lapse", PAUSE).await {
                return Ok(());
            }
        }
    }

    /// Revokes an active claim.
    async fn revocations(&self, rng: &mut Rng) -> io::Result<()> {
        let (mut client, mut operator) =
            (Client::connect(self.at).await?, Client::connect(self.at).await?);
        loop {
            let body = body(&format!("taken/{:x}", rng.number()), 60.0, rng);
            let held = client.post(&body, "").await?;
            expect(&held, &[201]);
            expect(&operator.set(held.id(), "revoked", "").await?, &[204]);
            expect(&client.set(held.id(), "released", "").await?, &[400]);
            if !self.goes_on("revocations", PAUSE).await {
                return Ok(());
            }
        }
    }

    /// Lists claims and reads the response completely or in part.
    async fn lists(&self, rng: &mut Rng) -> io::Result<()> {
        loop {
            let mut client = Client::connect(self.at).await?;
            for path in ["?limit=2000", "?status=active&limit=100", "?resource=one&limit=50"] {
                expect(&client.get(&format!("/v1/claims/{path}")).await?, &[200]);
            }
            // Nobody takes the rest of this one.
            client.send("GET", "/v1/claims/?limit=100000", "", "").await?;
            let pause = Duration::from_millis(100 + rng.number() % 200);
            if !self.goes_on("lists, three read and one not", pause).await {
                return Ok(());
            }
        }
    }

    /// Keeps idle connections, and replaces some of them.
    async fn idles(&self, rng: &mut Rng) -> io::Result<()> {
        let mut idle = Vec::new();
        for _ in 0..IDLE {
            idle.push(Client::connect(self.at).await?);
        }
        loop {
            for _ in 0..20 {
                let one = rng.number() as usize % IDLE;
                idle[one] = Client::connect(self.at).await?;
            }
            if !self.goes_on("idle connections exchanged, 20 each", Duration::from_secs(1)).await {
                return Ok(());
            }
        }
    }
}

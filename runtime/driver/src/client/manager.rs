//! The document's lock manager: one server, many claims, one claim a resource.
//!
//! It starts a claim's core and hands out what it is told. Which requests follow is the core's.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::{mpsc, watch};

use super::ask::Ask;
use super::call::Caller;
use super::chain::Chain;
use super::connect::Connector;
use super::drive::{View, Wish};
use super::error::{Cause, Error};
use super::pace::{Dice, TTL_MIN};
use super::place::Place;
use crate::trace::Trace;

/// The ttl of a claim that asks for none.
const TTL: Duration = Duration::from_secs(60);

/// How a manager reaches its server, and what its claims have unless they say otherwise.
#[derive(Clone, Debug)]
pub struct Setup {
    /// The server.
    pub url: String,
    /// The version of its protocol.
    pub version: String,
    /// The bearer token to show.
    pub token: Option<String>,
    /// How to connect.
    pub connector: Connector,
    /// How long a lease lasts without a renewal.
    pub ttl: Duration,
    /// How long to wait for a lock; none: for ever.
    pub timeout: Option<Duration>,
    /// For jitter and idempotency keys.
    pub dice: Dice,
    /// Where every step is noted.
    pub trace: Option<Trace>,
}

impl Setup {
    /// The server at this address.
    #[must_use]
    pub fn new(url: &str) -> Self {
        Self {
            url: url.into(),
            version: "v1".into(),
            token: None,
            connector: Connector::default(),
            ttl: TTL,
            timeout: None,
            dice: Dice::loose(),
            trace: None,
        }
    }

    /// The server, its token and its certificate authority as `TURNSTILE_URL`, `TURNSTILE_TOKEN`
    /// and `TURNSTILE_CA` say.
    ///
    /// # Errors
    /// When `TURNSTILE_URL` is not set.
    pub fn from_environment() -> Result<Self, Error> {
        let url = std::env::var("TURNSTILE_URL")
            .map_err(|_| Cause::Address(String::new(), "TURNSTILE_URL is not set"))?;
        let mut setup = Self::new(&url);
        setup.token = std::env::var("TURNSTILE_TOKEN").ok();
        if let Some(authority) = std::env::var_os("TURNSTILE_CA") {
            setup.connector = setup.connector.trusting(PathBuf::from(authority));
        }
        Ok(setup)
    }

    /// A manager.
    ///
    /// # Errors
    /// When the address or the token is none.
    pub fn build(self) -> Result<Manager, Error> {
        let place = Place::read(&self.url, &self.version)?;
        let caller = Caller::new(place, self.connector.clone(), self.token.as_deref())
            .map_err(|error| Cause::Credentials(error.to_string()))?;
        let dice = Mutex::new(self.dice.clone());
        let slots = Mutex::new(BTreeMap::new());
        Ok(Manager { shared: Arc::new(Shared { setup: self, caller, chain: None, dice, slots }) })
    }

    /// A manager whose requests a keychain makes, which this starts as a child: the program
    /// `claim`. Must be called within a tokio runtime.
    ///
    /// # Errors
    /// When the address is none, or the program does not start.
    pub fn build_with_keychain(self, program: &Path) -> Result<Manager, Error> {
        let authority = self.connector.authority();
        let chain = Chain::start(program, &self.url, self.token.as_deref(), authority)
            .map_err(|error| Cause::Keychain(format!("{}: {error}", program.display())))?;
        let mut manager = self.build()?;
        let shared = Arc::get_mut(&mut manager.shared).expect("just built");
        shared.chain = Some(chain);
        Ok(manager)
    }
}

/// Claims resources of one server. Clones share their claims.
#[derive(Clone, Debug)]
pub struct Manager {
    pub(super) shared: Arc<Shared>,
}

#[derive(Debug)]
pub(super) struct Shared {
    pub(super) setup: Setup,
    pub(super) caller: Caller,
    pub(super) chain: Option<Chain>,
    pub(super) dice: Mutex<Dice>,
    slots: Mutex<BTreeMap<String, Arc<Slot>>>,
}

/// A resource's claim.
#[derive(Debug)]
pub(super) struct Slot {
    pub(super) resource: String,
    pub(super) place: Place,
    pub(super) view: watch::Receiver<View>,
    pub(super) wishes: mpsc::UnboundedSender<Wish>,
    pub(super) is_ending: AtomicBool,
}

impl Slot {
    pub(super) fn url(&self) -> Option<String> {
        self.view.borrow().claim.map(|id| self.place.claim_url(id))
    }

    pub(super) fn error(&self, cause: Cause) -> Error {
        Error { resource: self.resource.clone(), claim: self.url(), cause }
    }

    /// The user needs the claim no longer; the resource is free once the core is done.
    pub(super) fn begin_end(&self) {
        self.is_ending.store(true, Ordering::Relaxed);
    }

    pub(super) fn give_up(&self) {
        if self.is_ending.swap(true, Ordering::Relaxed) {
            return;
        }
        // Nobody listens once the claim is over.
        let _ended = self.wishes.send(Wish::GiveUp);
    }
}

impl Manager {
    /// A manager for the server at this address, all else as it is by default.
    ///
    /// # Errors
    /// When the address is none.
    pub fn connect(url: &str) -> Result<Self, Error> {
        Setup::new(url).build()
    }

    /// The process of the keychain that makes the requests, if there is one.
    #[must_use]
    pub fn keychain_id(&self) -> Option<u32> {
        self.shared.chain.as_ref()?.id
    }

    /// Asks for a resource; await what it returns.
    pub fn claim(&self, resource: &str) -> Ask {
        let Setup { ttl, timeout, .. } = self.shared.setup;
        Ask::new(self.clone(), resource, ttl, timeout)
    }

    /// Gives up this manager's claim of a resource, or waiting for it, and returns once the server
    /// has acknowledged that or the lease is over.
    pub async fn give_up(&self, resource: &str) {
        let slot = self.shared.slots().get(resource).cloned();
        if let Some(slot) = slot {
            slot.give_up();
            let mut view = slot.view.clone();
            while view.changed().await.is_ok() {}
        }
    }

    /// Releases and withdraws everything, and returns once the server has acknowledged it, or
    /// after this time.
    pub async fn close(&self, patience: Duration) {
        let slots: Vec<Arc<Slot>> = self.shared.slots().values().cloned().collect();
        for slot in &slots {
            slot.give_up();
        }
        let all_over = async {
            for slot in &slots {
                let mut view = slot.view.clone();
                while view.changed().await.is_ok() {}
            }
        };
        // What is not acknowledged by then lapses.
        let _acknowledged = tokio::time::timeout(patience, all_over).await;
    }
}

impl Shared {
    pub(super) fn slots(&self) -> MutexGuard<'_, BTreeMap<String, Arc<Slot>>> {
        self.slots.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

pub(super) fn check_ttl(ttl: Duration) -> Result<(), Cause> {
    let ms = |time: Duration| u64::try_from(time.as_millis()).unwrap_or(u64::MAX);
    if ttl < TTL_MIN {
        return Err(Cause::TtlTooShort { ttl_ms: ms(ttl), ttl_min_ms: ms(TTL_MIN) });
    }
    Ok(())
}

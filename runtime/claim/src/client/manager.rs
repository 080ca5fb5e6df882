//! The document's lock manager: one server, many claims, one claim a resource.
//!
//! It starts the keychain core and hands out what it is told. Which requests follow is the core's.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::sync::{mpsc, oneshot};

use super::ask::Ask;
use super::call::Caller;
use super::chain;
use super::clock::Clock;
use super::connect::Connector;
use super::drive::{Drive, ended};
use super::error::{Cause, Error};
use super::held::Held;
use super::leave::{self, LeaveGuard};
use super::order::Order;
use super::pace::{Dice, TTL_MIN};
use super::place::Place;
use turnstile_host::Trace;

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
    /// What tells the time.
    pub clock: Clock,
    /// For jitter and idempotency keys.
    pub dice: Dice,
    /// Where every step is noted.
    pub trace: Option<Trace>,
    /// The locks that this program runs under: none of them is claimed from within.
    pub held: Held,
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
            clock: Clock::default(),
            dice: Dice::loose(),
            trace: None,
            held: Held::default(),
        }
    }

    /// The server, its token and its certificate authority as `TURNSTILE_URL`, `TURNSTILE_TOKEN`
    /// and `TURNSTILE_CA` say; and the locks that this program runs under, as `claim run` says.
    ///
    /// # Errors
    /// When `TURNSTILE_URL` is not set.
    pub fn from_environment() -> Result<Self, Error> {
        let url = std::env::var("TURNSTILE_URL")
            .map_err(|_| Cause::Address(String::new(), "TURNSTILE_URL is not set"))?;
        Ok(Self::in_environment(&url))
    }

    /// The server at this address, its token and its certificate authority as `TURNSTILE_TOKEN`
    /// and `TURNSTILE_CA` say; and the locks that this program runs under, as `claim run` says.
    #[must_use]
    pub fn in_environment(url: &str) -> Self {
        let mut setup = Self::new(url);
        setup.token = std::env::var("TURNSTILE_TOKEN").ok();
        setup.held = Held::inherit(url);
        if let Some(authority) = std::env::var_os("TURNSTILE_CA") {
            setup.connector = setup.connector.trusting(PathBuf::from(authority));
        }
        setup
    }

    /// A manager.
    ///
    /// # Errors
    /// When the address or the token is none, or the certificates cannot be read.
    pub fn build(self) -> Result<Manager, Error> {
        let place = Place::read(&self.url, &self.version)?;
        let credentials = |error: io::Error| Cause::Credentials(error.to_string());
        self.connector.prepare(&place).map_err(credentials)?;
        let caller = Caller::new(place, self.connector.clone(), self.token.as_deref())
            .map_err(credentials)?;
        let dice = Mutex::new(self.dice.clone());
        let orders = Mutex::new(None);
        let shared = Shared { setup: self, caller, keychain: None, dice, orders };
        Ok(Manager { shared: Arc::new(shared) })
    }

    /// A manager whose requests a keychain makes, which this starts as a child: the program
    /// `claim`. Must be called within a tokio runtime.
    ///
    /// # Errors
    /// When the address is none, or the program does not start.
    pub fn build_with_keychain(self, program: &Path) -> Result<Manager, Error> {
        let cause = |error| Cause::Keychain(format!("{}: {error}", program.display()));
        let (keychain, orders) = chain::start(program, &self).map_err(cause)?;
        let mut manager = self.build()?;
        let shared = Arc::get_mut(&mut manager.shared).expect("just built");
        shared.keychain = Some(keychain);
        shared.orders = Mutex::new(Some(orders));
        Ok(manager)
    }

    /// A manager whose claims live on a thread of their own, and what gives them back when the
    /// program leaves, however its runtime ends: hold it as long as the manager, in `main` say.
    ///
    /// # Errors
    /// When the address or the token is none, or no thread is to be had.
    pub fn build_with_guard(self, patience: Duration) -> Result<(Manager, LeaveGuard), Error> {
        let mut manager = self.build()?;
        let shared = Arc::get_mut(&mut manager.shared).expect("just built");
        let orders = leave::start(|orders| shared.drive().run(orders));
        let orders = orders.map_err(|error| Cause::System(error.to_string()))?;
        shared.orders = Mutex::new(Some(orders));
        Ok((manager.clone(), LeaveGuard::new(manager, patience)))
    }
}

/// Claims resources of one server. Clones share their claims.
///
/// Whoever leaves the program without [`Manager::close`] takes the runtime along that would have
/// given the claims back, and they lapse. [`Setup::build_with_guard`] gives them back when `main`
/// returns or panics, [`crate::blocking::Manager`] when it is dropped, and with a keychain the
/// pipe's end does, however the program ends.
#[derive(Clone, Debug)]
pub struct Manager {
    pub(super) shared: Arc<Shared>,
}

#[derive(Debug)]
pub(super) struct Shared {
    pub(super) setup: Setup,
    pub(super) caller: Caller,
    /// The process of the keychain, if there is one.
    keychain: Option<u32>,
    pub(super) dice: Mutex<Dice>,
    orders: Mutex<Option<mpsc::UnboundedSender<Order>>>,
}

impl Manager {
    /// A manager for the server at this address, all else as it is by default.
    ///
    /// # Errors
    /// When the address is none.
    pub fn connect(url: &str) -> Result<Self, Error> {
        Setup::new(url).build()
    }

    /// A manager whose requests a keychain makes: the program `claim` on the PATH, as a child. The
    /// server is that of `TURNSTILE_URL`. Must be called within a tokio runtime.
    ///
    /// # Errors
    /// When `TURNSTILE_URL` is not set, or the program does not start.
    pub fn with_keychain() -> Result<Self, Error> {
        Setup::from_environment()?.build_with_keychain(Path::new("claim"))
    }

    /// The process of the keychain that makes the requests, if there is one.
    #[must_use]
    pub fn keychain_id(&self) -> Option<u32> {
        self.shared.keychain
    }

    /// Asks for a resource; await what it returns.
    pub fn claim(&self, resource: &str) -> Ask {
        let Setup { ttl, timeout, .. } = self.shared.setup;
        Ask::new(self.clone(), resource, ttl, timeout)
    }

    /// Gives up this manager's claim of a resource, or waiting for it, and returns once the server
    /// has acknowledged that or the lease is over. False where it has no such claim.
    pub async fn give_up(&self, resource: &str) -> bool {
        let (given, views) = oneshot::channel();
        // Where nobody listens nothing is held.
        let _dead = self.shared.orders().send(Order::GiveUp { resource: resource.into(), given });
        match views.await {
            Ok(view) => {
                ended(view).await;
                true
            }
            Err(_) => false,
        }
    }

    /// Releases and withdraws everything, and returns once the server has acknowledged it, or
    /// after this time.
    pub async fn close(&self, patience: Duration) {
        let (given, views) = oneshot::channel();
        let _dead = self.shared.orders().send(Order::Close { given });
        let all_over = async {
            for view in views.await.unwrap_or_default() {
                ended(view).await;
            }
        };
        // What is not acknowledged by then lapses.
        let _acknowledged = tokio::time::timeout(patience, all_over).await;
    }
}

impl Shared {
    /// Where orders go: to the keychain process, or to the core in this one, which is started with
    /// the first of them, in the runtime that is there then.
    pub(super) fn orders(&self) -> mpsc::UnboundedSender<Order> {
        let mut orders = self.orders.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(orders) = &*orders
            && (!orders.is_closed() || self.keychain.is_some())
        {
            return orders.clone();
        }
        let (sender, receiver) = mpsc::unbounded_channel();
        tokio::spawn(self.drive().run(receiver));
        *orders = Some(sender.clone());
        sender
    }

    fn drive(&self) -> Drive {
        let seed = self.dice.lock().unwrap_or_else(PoisonError::into_inner).number();
        let Setup { clock, trace, .. } = &self.setup;
        Drive::new(self.caller.clone(), clock.clone(), Dice::seeded(seed), trace.clone())
    }
}

pub(super) fn check_ttl(ttl: Duration) -> Result<(), Cause> {
    let ms = |time: Duration| u64::try_from(time.as_millis()).unwrap_or(u64::MAX);
    if ttl < TTL_MIN {
        return Err(Cause::TtlTooShort { ttl_ms: ms(ttl), ttl_min_ms: ms(TTL_MIN) });
    }
    Ok(())
}

//! The document's lock manager: one server, many claims, one claim a resource.
//!
//! It starts a claim's core and hands out what it is told. Which requests follow is the core's.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use hyper::Method;
use serde_json::value::RawValue;
use tokio::sync::{mpsc, watch};
use turnstile_core::claim::client::Notice;
use turnstile_core::claim::message::Asked;

use super::call::Caller;
use super::chain::{Chain, Link};
use super::claim::Claim;
use super::connect::Connector;
use super::drive::{Drive, View, Wish};
use super::error::{Cause, Error};
use super::pace::{Dice, Pace, TTL_MIN};
use super::place::Place;
use crate::trace::Trace;
use crate::wire::ask::status_body;
use crate::wire::claim::id_in;
use crate::wire::filter::encode;

/// A question about other claims takes no longer.
const ASK_MAX: Duration = Duration::from_secs(30);
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
    shared: Arc<Shared>,
}

#[derive(Debug)]
struct Shared {
    setup: Setup,
    caller: Caller,
    chain: Option<Chain>,
    dice: Mutex<Dice>,
    slots: Mutex<BTreeMap<String, Arc<Slot>>>,
}

/// A resource's claim.
#[derive(Debug)]
pub(super) struct Slot {
    pub(super) resource: String,
    place: Place,
    view: watch::Receiver<View>,
    wishes: mpsc::UnboundedSender<Wish>,
    is_ending: AtomicBool,
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

    fn give_up(&self) {
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

    /// Asks for a resource; await what it returns.
    #[must_use]
    pub fn claim(&self, resource: &str) -> Ask {
        let Setup { ttl, timeout, .. } = self.shared.setup;
        Ask { manager: self.clone(), resource: resource.into(), ttl, timeout, data: None }
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

/// What anyone may ask about claims that are not theirs.
impl Manager {
    /// The claims of the server, oldest first, as its JSON.
    ///
    /// # Errors
    /// When the server cannot be reached, or refuses.
    pub async fn list(
        &self,
        resource: Option<&str>,
        status: Option<&str>,
        limit: usize,
    ) -> Result<String, Error> {
        let mut path = format!("{}?limit={limit}", self.shared.caller.place().path);
        for (name, value) in [("resource", resource), ("status", status)] {
            if let Some(value) = value {
                path += &format!("&{name}={}", encode(value));
            }
        }
        self.ask(Method::GET, &path, None).await
    }

    /// One claim by its number or URL, as the server's JSON.
    ///
    /// # Errors
    /// When there is none, or the server cannot be reached.
    pub async fn show(&self, claim: &str) -> Result<String, Error> {
        let path = self.path_of(claim)?;
        self.ask(Method::GET, &path, None).await
    }

    /// Takes a claim, by its number or URL, from whoever has it.
    ///
    /// # Errors
    /// When it is over already, or the server cannot be reached.
    pub async fn revoke(&self, claim: &str) -> Result<(), Error> {
        let path = self.path_of(claim)?;
        self.ask(Method::PATCH, &path, Some(status_body(Asked::Revoked))).await.map(drop)
    }

    /// Reads the server's JSON.
    ///
    /// # Errors
    /// When it is not what was expected.
    pub fn read<T: serde::de::DeserializeOwned>(text: &str) -> Result<T, Error> {
        serde_json::from_str(text).map_err(|error| Cause::Answer(error.to_string()).into())
    }

    fn path_of(&self, claim: &str) -> Result<String, Error> {
        let id = id_in(claim).ok_or_else(|| Cause::Answer(format!("{claim:?} is no claim")))?;
        Ok(format!("{}{id}/", self.shared.caller.place().path))
    }

    async fn ask(&self, method: Method, path: &str, body: Option<String>) -> Result<String, Error> {
        let answer = self.shared.caller.call(method, path, &[], body);
        let answer = match tokio::time::timeout(ASK_MAX, answer).await {
            Ok(Ok(answer)) => answer,
            Ok(Err(error)) => {
                return Err(Cause::Refused { status: 0, reason: error.to_string() }.into());
            }
            Err(_) => return Err(Cause::TimedOut.into()),
        };
        if answer.status >= 300 {
            let (status, reason) = (answer.status, answer.reason());
            return Err(Cause::Refused { status, reason }.into());
        }
        String::from_utf8(answer.body.to_vec())
            .map_err(|error| Cause::Answer(error.to_string()).into())
    }
}

impl Shared {
    fn slots(&self) -> MutexGuard<'_, BTreeMap<String, Arc<Slot>>> {
        self.slots.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A claim that is being asked for.
#[derive(Debug)]
#[must_use = "nothing is asked until this is awaited"]
pub struct Ask {
    manager: Manager,
    resource: String,
    ttl: Duration,
    timeout: Option<Duration>,
    data: Option<Box<RawValue>>,
}

impl Ask {
    /// How long the lease lasts without a renewal.
    pub const fn ttl(mut self, ttl: Duration) -> Self {
        self.ttl = ttl;
        self
    }

    /// How long to wait for the lock.
    pub const fn timeout(mut self, timeout: Duration) -> Self {
        self.timeout = Some(timeout);
        self
    }

    /// What others see of this claim; host, process id and command unless given.
    pub fn data(mut self, data: &impl serde::Serialize) -> Self {
        self.data = serde_json::value::to_raw_value(data).ok();
        self
    }

    /// What others see of this claim, JSON already.
    pub fn raw_data(mut self, data: Box<RawValue>) -> Self {
        self.data = Some(data);
        self
    }

    async fn acquire(self) -> Result<Claim, Error> {
        let error = |cause| Error { resource: self.resource.clone(), claim: None, cause };
        check_ttl(self.ttl).map_err(error)?;
        let slot = loop {
            let ending = match self.begin() {
                Ok(slot) => break slot,
                Err(first) if first.is_ending.load(Ordering::Relaxed) => first,
                Err(first) => {
                    let first = first.url().unwrap_or_else(|| "a claim not yet answered".into());
                    return Err(error(Cause::Claimed { first }));
                }
            };
            let mut view = ending.view.clone();
            // The slot is removed before the channel closes.
            while view.changed().await.is_ok() {}
        };
        // From here on whoever stops waiting gives up.
        let waiting = Waiting { slot: Some(slot.clone()) };
        let mut view = slot.view.clone();
        let told = view.wait_for(|view| view.notice.is_some()).await.map(|view| view.notice);
        let cause = match told.ok().flatten() {
            Some(Notice::Acquired { .. }) => {
                waiting.keep();
                let wishes = slot.wishes.clone();
                return Ok(Claim::new(slot, view, wishes));
            }
            Some(Notice::TimedOut) => Cause::TimedOut,
            Some(Notice::Failed { status }) => {
                let reason = view.borrow().reason.clone();
                Cause::Refused { status: status.unwrap_or(0), reason }
            }
            Some(Notice::Lost) => Cause::Lost,
            Some(Notice::Released) => Cause::GivenUp,
            None => view.borrow().trouble.clone().unwrap_or(Cause::GivenUp),
        };
        // The core is giving the claim up already.
        slot.begin_end();
        waiting.keep();
        Err(slot.error(cause))
    }

    /// Starts the claim's core, unless the resource has one already.
    fn begin(&self) -> Result<Arc<Slot>, Arc<Slot>> {
        let shared = &self.manager.shared;
        let mut slots = shared.slots();
        if let Some(first) = slots.get(&self.resource) {
            return Err(first.clone());
        }
        let (wishes, wished) = mpsc::unbounded_channel();
        let (view, seen) = watch::channel(View::default());
        let slot = Arc::new(Slot {
            resource: self.resource.clone(),
            place: shared.caller.place().clone(),
            view: seen,
            wishes,
            is_ending: AtomicBool::new(false),
        });
        slots.insert(self.resource.clone(), slot.clone());
        let seed = shared.dice.lock().unwrap_or_else(PoisonError::into_inner).number();
        let node = format!("client {seed:016x}");
        let pace = Pace { ttl: self.ttl, timeout: self.timeout };
        let (resource, user_data) = (self.resource.clone(), self.data.clone().or_else(who));
        let run: Pin<Box<dyn Future<Output = watch::Sender<View>> + Send>> = match &shared.chain {
            Some(chain) => {
                let chain = chain.clone();
                Box::pin(Link { chain, resource, user_data, pace, wishes: wished, view }.run())
            }
            None => {
                let drive = Drive {
                    caller: shared.caller.clone(),
                    resource,
                    user_data,
                    pace,
                    dice: Dice::seeded(seed),
                    trace: shared.setup.trace.as_ref().map(|trace| trace.of(&node)),
                    wishes: wished,
                    view,
                };
                Box::pin(drive.run())
            }
        };
        let (shared, resource) = (shared.clone(), self.resource.clone());
        tokio::spawn(async move {
            let view = run.await;
            shared.slots().remove(&resource);
            drop(view);
        });
        Ok(slot)
    }
}

impl IntoFuture for Ask {
    type Output = Result<Claim, Error>;
    type IntoFuture = Pin<Box<dyn Future<Output = Self::Output> + Send>>;

    fn into_future(self) -> Self::IntoFuture {
        Box::pin(self.acquire())
    }
}

/// Someone waits for the lock; dropped, it gives up.
struct Waiting {
    slot: Option<Arc<Slot>>,
}

impl Waiting {
    fn keep(mut self) {
        self.slot = None;
    }
}

impl Drop for Waiting {
    fn drop(&mut self) {
        if let Some(slot) = &self.slot {
            slot.give_up();
        }
    }
}

pub(super) fn check_ttl(ttl: Duration) -> Result<(), Cause> {
    let ms = |time: Duration| u64::try_from(time.as_millis()).unwrap_or(u64::MAX);
    if ttl < TTL_MIN {
        return Err(Cause::TtlTooShort { ttl_ms: ms(ttl), ttl_min_ms: ms(TTL_MIN) });
    }
    Ok(())
}

/// Host, process id and command.
fn who() -> Option<Box<RawValue>> {
    let host = std::fs::read_to_string("/proc/sys/kernel/hostname").ok();
    let command: Vec<String> = std::env::args_os()
        .map(|word| word.to_string_lossy().chars().take(200).collect())
        .take(20)
        .collect();
    let data = serde_json::json!({
        "host": host.as_deref().map(str::trim),
        "pid": std::process::id(),
        "command": command.join(" "),
    });
    serde_json::value::to_raw_value(&data).ok()
}

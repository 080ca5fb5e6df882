//! The keychain: claims held on behalf of a program at the other end of a pipe, in lines of JSON.
//!
//! A line in is a wish, a line out is its answer or says how a claim stands now. It keeps no
//! state of a claim beyond the handle; the end of the input releases everything.

use std::collections::BTreeMap;
use std::io;
use std::sync::Arc;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use serde_json::value::RawValue;
use tokio::io::{
    AsyncBufReadExt as _, AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _, BufReader,
};
use tokio::sync::{Mutex, mpsc};
use tokio::task::JoinSet;

use crate::client::{Claim, Error, Manager, Setup, Standing};

/// A longer line is not read.
pub const LINE_MAX: u64 = 1 << 20;
/// More claims than this are not held for one program.
pub const CLAIMS_MAX: usize = 10_000;
/// How long the server may take to acknowledge the releases at the end.
const CLOSE_MAX: Duration = Duration::from_secs(5);

/// What a program may wish; one of `claim`, `refresh` and `release`.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Line {
    /// Given back with the answer.
    #[serde(default)]
    pub id: Value,
    /// A resource to claim.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub claim: Option<String>,
    /// A claimed resource whose lease is to be renewed now.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub refresh: Option<String>,
    /// A claimed resource to give back, or one waited for to wait for no longer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub release: Option<String>,
    /// Seconds of lease.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ttl: Option<f64>,
    /// Seconds to wait for the lock.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timeout: Option<f64>,
    /// What others see of the claim.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub data: Option<Box<RawValue>>,
}

/// What a program is told.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Told {
    /// The lock is held.
    Held(Now),
    /// The lease was renewed.
    Refreshed(Now),
    /// The lock is given back.
    Released {
        /// Which.
        resource: String,
    },
    /// It went wrong.
    Error {
        /// Which, if it is about one.
        resource: String,
        /// Why.
        message: String,
    },
    /// How a claim stands, whenever that changes.
    Now(Now),
}

/// How a claim stands.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Now {
    /// What is claimed.
    pub resource: String,
    /// The claim's URL.
    pub url: String,
    /// What to show to whatever the lock protects.
    pub fencing_token: Option<u64>,
    /// `held`, `jeopardy` or `lost`.
    pub standing: String,
    /// Until when it can be counted on: seconds on the machine's monotonic clock.
    pub until: f64,
}

/// A line out.
#[derive(Debug, Serialize, Deserialize)]
pub struct Reply {
    /// The wish's, or null where nobody has asked.
    #[serde(default)]
    pub id: Value,
    /// What it says.
    #[serde(flatten)]
    pub told: Told,
}

/// Claims by resource; none while one is waited for.
type Held = Arc<Mutex<BTreeMap<String, Option<Arc<Claim>>>>>;

/// Serves wishes until the input ends, then releases everything.
///
/// # Errors
/// When the pipe breaks; everything is released then, too.
pub async fn serve(
    setup: Setup,
    input: impl AsyncRead + Unpin,
    mut output: impl AsyncWrite + Unpin,
) -> io::Result<()> {
    let manager = setup.build().map_err(|error| io::Error::other(error.to_string()))?;
    let held = Held::default();
    let (tell, mut told) = mpsc::unbounded_channel::<Reply>();
    let mut wishes = JoinSet::new();
    let mut input = BufReader::new(input);
    let mut line = Vec::new();
    let ended = loop {
        tokio::select! {
            read = read_line(&mut input, &mut line) => match read {
                Ok(false) => break Ok(()),
                Err(error) => break Err(error),
                Ok(true) => {
                    let keychain = Keychain {
                        manager: manager.clone(),
                        held: held.clone(),
                        tell: tell.clone(),
                    };
                    let text = std::mem::take(&mut line);
                    wishes.spawn(async move { keychain.grant(&text).await });
                }
            },
            Some(reply) = told.recv() => {
                let mut text = serde_json::to_vec(&reply)?;
                text.push(b'\n');
                if let Err(error) = output.write_all(&text).await {
                    break Err(error);
                }
                if let Err(error) = output.flush().await {
                    break Err(error);
                }
            }
            Some(_) = wishes.join_next(), if !wishes.is_empty() => {}
        }
    };
    wishes.shutdown().await;
    held.lock().await.clear();
    manager.close(CLOSE_MAX).await;
    ended
}

/// Reads up to the end of a line; false at the end of the input. Safe to be cancelled: what was
/// read stays in `line`.
async fn read_line(
    input: &mut BufReader<impl AsyncRead + Unpin>,
    line: &mut Vec<u8>,
) -> io::Result<bool> {
    let room = LINE_MAX.saturating_sub(line.len() as u64);
    input.take(room).read_until(b'\n', line).await?;
    if line.last() == Some(&b'\n') {
        return Ok(true);
    }
    if line.len() as u64 >= LINE_MAX {
        return Err(io::Error::new(io::ErrorKind::InvalidData, "the line is too long"));
    }
    // The program has gone away, in the middle of a line or not.
    Ok(false)
}

/// What one wish needs.
struct Keychain {
    manager: Manager,
    held: Held,
    tell: mpsc::UnboundedSender<Reply>,
}

impl Keychain {
    async fn grant(self, text: &[u8]) {
        let line: Line = match serde_json::from_slice(text) {
            Ok(line) => line,
            Err(error) => {
                return self.refuse(Value::Null, "", format!("the line is no wish: {error}"));
            }
        };
        let id = line.id.clone();
        match (&line.claim, &line.refresh, &line.release) {
            (Some(resource), None, None) => self.claim(id, resource, &line).await,
            (None, Some(resource), None) => self.refresh(id, resource, line.ttl).await,
            (None, None, Some(resource)) => self.release(id, resource).await,
            _ => {
                let text = "a line has one of claim, refresh and release".to_owned();
                self.refuse(id, "", text);
            }
        }
    }

    async fn claim(&self, id: Value, resource: &str, line: &Line) {
        let mut ask = self.manager.claim(resource);
        for (seconds, is_ttl) in [(line.ttl, true), (line.timeout, false)] {
            let Some(seconds) = seconds else { continue };
            let Ok(time) = Duration::try_from_secs_f64(seconds) else {
                return self.refuse(id, resource, format!("{seconds} is no number of seconds"));
            };
            ask = if is_ttl { ask.ttl(time) } else { ask.timeout(time) };
        }
        if let Some(data) = &line.data {
            ask = ask.raw_data(data.clone());
        }
        {
            let mut held = self.held.lock().await;
            if held.contains_key(resource) {
                return self.refuse(id, resource, "it is claimed here already".into());
            }
            if held.len() >= CLAIMS_MAX {
                return self.refuse(id, resource, "too many claims are held here".into());
            }
            held.insert(resource.to_owned(), None);
        }
        match ask.await {
            Ok(claim) => {
                let claim = Arc::new(claim);
                let wanted = match self.held.lock().await.get_mut(resource) {
                    Some(place) => {
                        *place = Some(claim.clone());
                        true
                    }
                    None => false,
                };
                if !wanted {
                    return self.refuse(id, resource, "it was released while it waited".into());
                }
                self.say(id, Told::Held(now(&claim)));
                self.watch(claim).await;
            }
            Err(error) => {
                self.held.lock().await.remove(resource);
                self.refuse_for(id, resource, &error);
            }
        }
    }

    /// Says how a claim stands, whenever that changes, until it is lost or released.
    async fn watch(&self, claim: Arc<Claim>) {
        let mut changes = claim.changes();
        let resource = claim.resource().to_owned();
        // The handle in `held` keeps the claim; this one must not.
        let weak = Arc::downgrade(&claim);
        drop(claim);
        while changes.next().await {
            let Some(claim) = weak.upgrade() else { return };
            let now = now(&claim);
            drop(claim);
            let is_lost = now.standing == name(Standing::Lost);
            if is_lost {
                self.held.lock().await.remove(&resource);
            }
            self.say(Value::Null, Told::Now(now));
            if is_lost {
                return;
            }
        }
    }

    async fn refresh(&self, id: Value, resource: &str, ttl: Option<f64>) {
        let claim = self.held.lock().await.get(resource).cloned().flatten();
        let Some(claim) = claim else {
            return self.refuse(id, resource, "it is not held here".into());
        };
        let ttl = ttl.and_then(|ttl| Duration::try_from_secs_f64(ttl).ok());
        match claim.refresh(ttl).await {
            Ok(()) => self.say(id, Told::Refreshed(now(&claim))),
            Err(error) => self.refuse_for(id, resource, &error),
        }
    }

    async fn release(&self, id: Value, resource: &str) {
        let claim = self.held.lock().await.remove(resource);
        let Some(claim) = claim else {
            return self.refuse(id, resource, "it is not claimed here".into());
        };
        let ended = match claim.map(Arc::try_unwrap) {
            None => {
                self.manager.give_up(resource).await;
                Ok(())
            }
            Some(Ok(claim)) => claim.release().await,
            // A refresh is under way: the last handle that is dropped releases.
            Some(Err(claim)) => {
                drop(claim);
                self.manager.give_up(resource).await;
                Ok(())
            }
        };
        match ended {
            Ok(()) => self.say(id, Told::Released { resource: resource.to_owned() }),
            Err(error) => self.refuse_for(id, resource, &error),
        }
    }

    fn refuse_for(&self, id: Value, resource: &str, error: &Error) {
        self.refuse(id, resource, error.to_string());
    }

    fn refuse(&self, id: Value, resource: &str, message: String) {
        self.say(id, Told::Error { resource: resource.to_owned(), message });
    }

    fn say(&self, id: Value, told: Told) {
        // Whoever does not listen any more has ended the keychain.
        let _gone = self.tell.send(Reply { id, told });
    }
}

fn now(claim: &Claim) -> Now {
    Now {
        resource: claim.resource().to_owned(),
        url: claim.url(),
        fencing_token: claim.fencing_token(),
        standing: name(claim.standing()).to_owned(),
        until: claim.deadline().map_or(0.0, monotonic),
    }
}

const fn name(standing: Standing) -> &'static str {
    match standing {
        Standing::Held => "held",
        Standing::Jeopardy => "jeopardy",
        Standing::Lost => "lost",
    }
}

/// An instant on the machine's monotonic clock, which all its processes share.
fn monotonic(at: tokio::time::Instant) -> f64 {
    let now = rustix::time::clock_gettime(rustix::time::ClockId::Monotonic);
    let now = now.tv_sec as f64 + now.tv_nsec as f64 / 1e9;
    let instant = tokio::time::Instant::now();
    let ahead = at.saturating_duration_since(instant).as_secs_f64();
    now + ahead - instant.saturating_duration_since(at).as_secs_f64()
}

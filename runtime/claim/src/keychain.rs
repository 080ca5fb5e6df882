//! The keychain: claims held on behalf of a program at the other end of a pipe, in lines of JSON.
//!
//! A line in is a wish, a line out is its answer or says how a claim stands now. Which claims there
//! may be, and what becomes of them, is the keychain core's, which the client's [`Manager`] drives;
//! this keeps the handles. The end of the input releases everything, and so does being stopped.

pub mod line;
mod lines;
mod speech;

use std::collections::BTreeMap;
use std::io;
use std::sync::Arc;
use std::time::Duration;

use serde_json::Value;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::sync::{Mutex, mpsc};
use tokio::task::JoinSet;

use self::line::{
    CLAIMED, HELD, JEOPARDY, LOST, Line, Now, REFUSED, Reply, TIMED_OUT, Told, UNREACHABLE,
};
use self::lines::{Lines, Read};
use self::speech::Speech;
use crate::client::{Cause, Claim, Error, Manager, Setup, Standing};
use crate::wire::seconds;

/// A longer line is refused.
pub const LINE_MAX: usize = 1 << 20;
/// How long the server may take to acknowledge the releases at the end.
const CLOSE_MAX: Duration = Duration::from_secs(5);
/// How long the program may take to hear that it has lost its claims.
const HEAR_MAX: Duration = Duration::from_secs(1);

/// What is held, by resource.
type Held = Arc<Mutex<BTreeMap<String, Arc<Claim>>>>;

/// Serves wishes until the input ends or `stop` is done, then releases everything. Where it is
/// stopped, the program hears first that its claims are lost; one that does not hear it may act on,
/// and its claims are left to lapse.
///
/// # Errors
/// When the pipe breaks; everything is released then, too.
pub async fn serve(
    setup: Setup,
    input: impl AsyncRead + Unpin,
    output: impl AsyncWrite + Unpin,
    stop: impl Future<Output = ()>,
) -> io::Result<()> {
    let manager = setup.build().map_err(|error| io::Error::other(error.to_string()))?;
    let held = Held::default();
    let (tell, mut told) = mpsc::unbounded_channel::<Reply>();
    let mut wishes = JoinSet::new();
    let mut lines = Lines::new(input, LINE_MAX);
    let mut speech = Speech::new(output);
    let mut stop = std::pin::pin!(stop);
    let ended = loop {
        tokio::select! {
            read = lines.next(), if !speech.is_full() => match read {
                Ok(Read::End) => break Ok(()),
                Err(error) => break Err(error),
                Ok(Read::TooLong) => {
                    let message = format!("a line has at most {LINE_MAX} bytes");
                    // The other end is here.
                    let _sent = tell.send(Reply { id: Value::Null, told: refused("", message) });
                }
                Ok(Read::Line(text)) => {
                    let keychain = Keychain {
                        manager: manager.clone(),
                        held: held.clone(),
                        tell: tell.clone(),
                    };
                    wishes.spawn(async move { keychain.grant(&text).await });
                }
            },
            Some(reply) = told.recv() => speech.add(reply),
            said = speech.go_on(), if !speech.is_over() => if let Err(error) = said {
                break Err(error);
            },
            Some(_) = wishes.join_next(), if !wishes.is_empty() => {}
            () = &mut stop => {
                wishes.shutdown().await;
                match tell_lost(&held, &mut speech).await {
                    // It may act on.
                    Err(error) if error.kind() == io::ErrorKind::TimedOut => return Err(error),
                    heard => break heard,
                }
            }
        }
    };
    wishes.shutdown().await;
    held.lock().await.clear();
    manager.close(CLOSE_MAX).await;
    ended
}

/// Says of everything that is held that it is lost, before another can have it.
async fn tell_lost(held: &Held, speech: &mut Speech<impl AsyncWrite + Unpin>) -> io::Result<()> {
    for claim in held.lock().await.values() {
        let lost = Now { standing: LOST.to_owned(), ..now(claim) };
        speech.add(Reply { id: Value::Null, told: Told::Now(lost) });
    }
    tokio::time::timeout(HEAR_MAX, speech.go_on()).await?
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
                return self.refuse(id_of(text), "", format!("the line is no wish: {error}"));
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
        let (ttl, timeout) = match (
            line.ttl.map(seconds::of).transpose(),
            line.timeout.map(seconds::of).transpose(),
        ) {
            (Ok(ttl), Ok(timeout)) => (ttl, timeout),
            (Err(message), _) | (_, Err(message)) => return self.refuse(id, resource, message),
        };
        if let Some(ttl) = ttl {
            ask = ask.ttl(ttl);
        }
        if let Some(timeout) = timeout {
            ask = ask.timeout(timeout);
        }
        if let Some(data) = &line.data {
            ask = ask.raw_data(data.clone());
        }
        match ask.await {
            Ok(claim) => {
                let claim = Arc::new(claim);
                self.held.lock().await.insert(resource.to_owned(), claim.clone());
                self.say(id, Told::Held(now(&claim)));
                self.watch(claim).await;
            }
            Err(error) => self.refuse_for(id, resource, &error),
        }
    }

    /// Says how a claim stands, whenever that changes, until it is lost or released.
    async fn watch(&self, claim: Arc<Claim>) {
        let mut changes = claim.changes();
        // The handle in `held` keeps the claim; this one must not.
        let weak = Arc::downgrade(&claim);
        drop(claim);
        while changes.next().await {
            let Some(claim) = weak.upgrade() else { return };
            let now = now(&claim);
            let is_lost = now.standing == LOST;
            if is_lost {
                let mut held = self.held.lock().await;
                // The resource may be claimed anew.
                if held.get(&now.resource).is_some_and(|held| Arc::ptr_eq(held, &claim)) {
                    held.remove(&now.resource);
                }
            }
            drop(claim);
            self.say(Value::Null, Told::Now(now));
            if is_lost {
                return;
            }
        }
    }

    async fn refresh(&self, id: Value, resource: &str, ttl: Option<f64>) {
        let claim = self.held.lock().await.get(resource).cloned();
        let Some(claim) = claim else {
            return self.refuse(id, resource, "it is not held here".into());
        };
        let ttl = match ttl.map(seconds::of).transpose() {
            Ok(ttl) => ttl,
            Err(message) => return self.refuse(id, resource, message),
        };
        match claim.refresh(ttl).await {
            Ok(()) => self.say(id, Told::Refreshed(now(&claim))),
            Err(error) => self.refuse_for(id, resource, &error),
        }
    }

    async fn release(&self, id: Value, resource: &str) {
        let claim = self.held.lock().await.remove(resource);
        let ended = match claim.map(Arc::try_unwrap) {
            Some(Ok(claim)) => claim.release().await,
            // It is waited for, or a refresh is under way: then the last handle is dropped later.
            None | Some(Err(_)) => match self.manager.give_up(resource).await {
                true => Ok(()),
                false => return self.refuse(id, resource, "it is not claimed here".into()),
            },
        };
        match ended {
            Ok(()) => self.say(id, Told::Released { resource: resource.to_owned() }),
            Err(error) => self.refuse_for(id, resource, &error),
        }
    }

    fn refuse_for(&self, id: Value, resource: &str, error: &Error) {
        let (resource, message) = (resource.to_owned(), error.cause.to_string());
        let (claim, mut status) = (error.claim.clone(), None);
        let (kind, first) = match &error.cause {
            Cause::TimedOut => (TIMED_OUT, None),
            Cause::Lost => (LOST, None),
            Cause::Claimed { first } => (CLAIMED, Some(first.clone())),
            Cause::Unreachable(_) => (UNREACHABLE, None),
            Cause::Refused { status: refused, reason: _ } => {
                status = Some(*refused);
                (REFUSED, None)
            }
            Cause::Address(..)
            | Cause::Credentials(_)
            | Cause::Setting(_)
            | Cause::System(_)
            | Cause::TooMany
            | Cause::TtlTooShort { .. }
            | Cause::GivenUp
            | Cause::Keychain(_)
            | Cause::Answer(_) => (REFUSED, None),
        };
        let kind = kind.to_owned();
        self.say(id, Told::Error { resource, claim, kind, status, message, first });
    }

    fn refuse(&self, id: Value, resource: &str, message: String) {
        self.say(id, refused(resource, message));
    }

    fn say(&self, id: Value, told: Told) {
        // Whoever does not listen any more has ended the keychain.
        let _gone = self.tell.send(Reply { id, told });
    }
}

/// The id of a line that is no wish, if it has one.
fn id_of(text: &[u8]) -> Value {
    let line: Option<Value> = serde_json::from_slice(text).ok();
    line.and_then(|line| line.get("id").cloned()).unwrap_or_default()
}

fn refused(resource: &str, message: String) -> Told {
    let (resource, kind) = (resource.to_owned(), REFUSED.to_owned());
    Told::Error { resource, claim: None, kind, status: None, message, first: None }
}

fn now(claim: &Claim) -> Now {
    Now {
        resource: claim.resource().to_owned(),
        url: claim.url(),
        fencing_token: claim.fencing_token(),
        standing: name(claim.standing()).to_owned(),
        until: claim.on_shared_clock().map_or(0.0, |(_, shared)| shared),
        margin: claim.margin().as_secs_f64(),
    }
}

const fn name(standing: Standing) -> &'static str {
    match standing {
        Standing::Held => HELD,
        Standing::Jeopardy => JEOPARDY,
        Standing::Lost => LOST,
    }
}

//! The keychain: holds claims for another program, which sends lines of JSON over a pipe.
//!
//! An input line is a request; an output line is its response or reports a change of a lease. The
//! keychain core decides about the claims, driven by the client's [`LockClient`]; this module keeps
//! the handles. At the end of the input, or when stopped, all claims are released.

pub mod line;
mod line_reader;
mod line_writer;

use std::collections::BTreeMap;
use std::io;
use std::sync::Arc;
use std::time::Duration;

use serde_json::Value;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::sync::{Mutex, mpsc};
use tokio::task::JoinSet;

pub use self::line::LINE_MAX;
use self::line::{
    CLAIMED, HELD, JEOPARDY, LOST, LeaseReport, Notification, REFUSED, Reply, Request, TIMED_OUT,
    TOO_SLOW, UNREACHABLE,
};
use self::line_reader::{LineReader, NextLine};
use self::line_writer::LineWriter;
use crate::client::{Claim, Error, ErrorKind, LeaseState, LockClient, LockClientBuilder};
use crate::wire::seconds;

/// The maximum time for the server to acknowledge the releases at the end.
const CLOSE_MAX: Duration = Duration::from_secs(5);
/// The maximum time for the program to read that its claims are lost.
const NOTIFY_MAX: Duration = Duration::from_secs(1);

/// The claims that are held, by resource.
type HeldClaims = Arc<Mutex<BTreeMap<String, Arc<Claim>>>>;

/// Serves requests until the input ends or `stop` completes, then releases all claims. When
/// stopped, it first reports all claims as lost; if the program does not read that in time, it may
/// still act under its locks, so its claims are left to expire.
///
/// # Errors
/// When the pipe fails; all claims are released then, too.
pub async fn serve(
    builder: LockClientBuilder,
    input: impl AsyncRead + Unpin,
    output: impl AsyncWrite + Unpin,
    stop: impl Future<Output = ()>,
) -> io::Result<()> {
    let client = builder.build().map_err(|error| io::Error::other(error.to_string()))?;
    let held = HeldClaims::default();
    let (replies, mut pending) = mpsc::unbounded_channel::<Reply>();
    let mut requests = JoinSet::new();
    let mut lines = LineReader::new(input, LINE_MAX);
    let mut writer = LineWriter::new(output);
    let mut stop = std::pin::pin!(stop);
    let ended = loop {
        tokio::select! {
            read = lines.next(), if !writer.is_full() => match read {
                Ok(NextLine::End) => break Ok(()),
                Err(error) => break Err(error),
                Ok(NextLine::TooLong) => {
                    let message = format!("line too long: at most {LINE_MAX} bytes are allowed");
                    // The receiver is alive: this function owns it.
                    let notification = refused("", message);
                    let _sent = replies.send(Reply { id: Value::Null, notification });
                }
                Ok(NextLine::Request(text)) => {
                    let keychain = Keychain {
                        client: client.clone(),
                        held: held.clone(),
                        replies: replies.clone(),
                    };
                    requests.spawn(async move { keychain.handle(&text).await });
                }
            },
            Some(reply) = pending.recv() => writer.add(reply),
            written = writer.write_all(), if !writer.is_over() => if let Err(error) = written {
                break Err(error);
            },
            Some(_) = requests.join_next(), if !requests.is_empty() => {}
            () = &mut stop => {
                requests.shutdown().await;
                match report_lost(&held, &mut writer).await {
                    // The program may still act under its locks.
                    Err(error) if error.kind() == io::ErrorKind::TimedOut => return Err(error),
                    result => break result,
                }
            }
        }
    };
    requests.shutdown().await;
    held.lock().await.clear();
    client.close(CLOSE_MAX).await;
    ended
}

/// Reports all claims as lost, before other clients can get the locks.
async fn report_lost(
    held: &HeldClaims,
    writer: &mut LineWriter<impl AsyncWrite + Unpin>,
) -> io::Result<()> {
    for claim in held.lock().await.values() {
        let lost = LeaseReport { standing: LOST.to_owned(), ..now(claim) };
        writer.add(Reply { id: Value::Null, notification: Notification::Now(lost) });
    }
    tokio::time::timeout(NOTIFY_MAX, writer.write_all()).await?
}

/// The context of one request.
struct Keychain {
    client: LockClient,
    held: HeldClaims,
    replies: mpsc::UnboundedSender<Reply>,
}

impl Keychain {
    async fn handle(self, text: &[u8]) {
        let line = match Request::read(text) {
            Ok(line) => line,
            Err(why) => return self.refuse(id_of(text), "", why),
        };
        let id = line.id.clone();
        match (&line.claim, &line.refresh, &line.release) {
            (Some(resource), None, None) => self.claim(id, resource, &line).await,
            (None, Some(resource), None) => self.refresh(id, resource, line.ttl).await,
            (None, None, Some(resource)) => self.release(id, resource).await,
            _ => {
                let text = "expected exactly one of claim, refresh and release".to_owned();
                self.refuse(id, "", text);
            }
        }
    }

    async fn claim(&self, id: Value, resource: &str, line: &Request) {
        let mut request = self.client.claim(resource);
        let (ttl, timeout) = match (
            line.ttl.map(seconds::of).transpose(),
            line.timeout.map(seconds::of).transpose(),
        ) {
            (Ok(ttl), Ok(timeout)) => (ttl, timeout),
            (Err(message), _) | (_, Err(message)) => return self.refuse(id, resource, message),
        };
        if let Some(ttl) = ttl {
            request = request.ttl(ttl);
        }
        if let Some(timeout) = timeout {
            request = request.timeout(timeout);
        }
        if let Some(data) = &line.data {
            request = request.raw_data(data.clone());
        }
        match request.await {
            Ok(claim) => {
                let claim = Arc::new(claim);
                self.held.lock().await.insert(resource.to_owned(), claim.clone());
                self.reply(id, Notification::Held(now(&claim)));
                self.watch(claim).await;
            }
            Err(error) => self.refuse_for(id, resource, &error),
        }
    }

    /// Reports each change of a claim's lease until it is lost or released.
    async fn watch(&self, claim: Arc<Claim>) {
        let mut changes = claim.changes();
        // The handle in `held` keeps the claim alive; this one must not.
        let weak = Arc::downgrade(&claim);
        drop(claim);
        while changes.next().await {
            let Some(claim) = weak.upgrade() else { return };
            let now = now(&claim);
            let is_lost = now.standing == LOST;
            if is_lost {
                let mut held = self.held.lock().await;
                // The resource may have been claimed again.
                if held.get(&now.resource).is_some_and(|held| Arc::ptr_eq(held, &claim)) {
                    held.remove(&now.resource);
                }
            }
            drop(claim);
            self.reply(Value::Null, Notification::Now(now));
            if is_lost {
                return;
            }
        }
    }

    async fn refresh(&self, id: Value, resource: &str, ttl: Option<f64>) {
        let claim = self.held.lock().await.get(resource).cloned();
        let Some(claim) = claim else {
            return self.refuse(id, resource, "this keychain does not hold the lock".into());
        };
        let ttl = match ttl.map(seconds::of).transpose() {
            Ok(ttl) => ttl,
            Err(message) => return self.refuse(id, resource, message),
        };
        match claim.refresh(ttl).await {
            Ok(()) => self.reply(id, Notification::Refreshed(now(&claim))),
            Err(error) => self.refuse_for(id, resource, &error),
        }
    }

    async fn release(&self, id: Value, resource: &str) {
        let claim = self.held.lock().await.remove(resource);
        let ended = match claim.map(Arc::try_unwrap) {
            Some(Ok(claim)) => claim.release().await,
            // It is still waiting, or a refresh is in progress: then the last handle is dropped
            // later.
            None | Some(Err(_)) => match self.client.abandon(resource).await {
                true => Ok(()),
                false => {
                    return self.refuse(
                        id,
                        resource,
                        "this keychain has no claim of this resource".into(),
                    );
                }
            },
        };
        match ended {
            Ok(()) => self.reply(id, Notification::Released { resource: resource.to_owned() }),
            Err(error) => self.refuse_for(id, resource, &error),
        }
    }

    fn refuse_for(&self, id: Value, resource: &str, error: &Error) {
        let (resource, message) = (resource.to_owned(), error.cause.to_string());
        let (claim, mut status) = (error.claim.clone(), None);
        let (kind, first) = match &error.cause {
            ErrorKind::TimedOut => (TIMED_OUT, None),
            ErrorKind::Lost(_) => (LOST, None),
            ErrorKind::Claimed { first } => (CLAIMED, Some(first.clone())),
            ErrorKind::Unreachable(_) => (UNREACHABLE, None),
            ErrorKind::TooSlow(_) => (TOO_SLOW, None),
            ErrorKind::Refused { status: refused, reason: _ } => {
                status = Some(*refused);
                (REFUSED, None)
            }
            ErrorKind::Address(..)
            | ErrorKind::Credentials(_)
            | ErrorKind::Setting(_)
            | ErrorKind::System(_)
            | ErrorKind::TooMany
            | ErrorKind::TtlTooShort { .. }
            | ErrorKind::Abandoned
            | ErrorKind::Keychain(_)
            | ErrorKind::Answer(_) => (REFUSED, None),
        };
        let kind = kind.to_owned();
        self.reply(id, Notification::Error { resource, claim, kind, status, message, first });
    }

    fn refuse(&self, id: Value, resource: &str, message: String) {
        self.reply(id, refused(resource, message));
    }

    fn reply(&self, id: Value, notification: Notification) {
        // An error means that the keychain has ended.
        let _gone = self.replies.send(Reply { id, notification });
    }
}

/// The id of an invalid request, if it has one.
fn id_of(text: &[u8]) -> Value {
    let line: Option<Value> = serde_json::from_slice(text).ok();
    line.and_then(|line| line.get("id").cloned()).unwrap_or_default()
}

fn refused(resource: &str, message: String) -> Notification {
    let (resource, kind) = (resource.to_owned(), REFUSED.to_owned());
    Notification::Error { resource, claim: None, kind, status: None, message, first: None }
}

fn now(claim: &Claim) -> LeaseReport {
    LeaseReport {
        resource: claim.resource().to_owned(),
        url: claim.url(),
        fencing_token: claim.fencing_token(),
        standing: name(claim.lease_state()).to_owned(),
        until: claim.on_shared_clock().map_or(0.0, |(_, shared)| shared),
        margin: claim.margin().as_secs_f64(),
    }
}

const fn name(standing: LeaseState) -> &'static str {
    match standing {
        LeaseState::Held => HELD,
        LeaseState::Jeopardy => JEOPARDY,
        LeaseState::Lost => LOST,
    }
}

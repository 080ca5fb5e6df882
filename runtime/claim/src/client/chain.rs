//! Claims through a keychain: a child process that makes the requests, and outlives no one.
//!
//! It passes orders on as the keychain's lines and keeps what they say in the claims' views. A
//! keychain that dies takes every claim with it, and whoever waits is told at once.

use std::collections::BTreeMap;
use std::io;
use std::path::Path;
use std::process::Stdio;
use std::time::Duration;

use serde_json::Value;
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader, Lines};
use tokio::process::{Child, ChildStdin, ChildStdout, Command};
use tokio::sync::{mpsc, watch};
use turnstile_core::claim::client::Notice;
use turnstile_core::number::Token;

use super::clock::Clock;
use super::entry::Entry;
use super::error::Cause;
use super::manager::Setup;
use super::order::{New, Order, Refusal, View};
use crate::keychain::LINE_MAX;
use crate::keychain::line::{
    CLAIMED, JEOPARDY, LOST, Line, Now, REFUSED, Reply, TIMED_OUT, Told, UNREACHABLE,
};
use crate::wire::claim::id_in;

/// A keychain that runs, and the claims that it holds for this program.
struct Chain {
    clock: Clock,
    lines: mpsc::UnboundedSender<Line>,
    /// By key, which is the id of the lines about it.
    entries: BTreeMap<u64, Entry>,
}

/// Starts the `claim` program as a keychain: its process, and where it takes orders.
pub(super) fn start(
    program: &Path,
    setup: &Setup,
) -> io::Result<(u32, mpsc::UnboundedSender<Order>)> {
    let mut command = Command::new(program);
    command.args(["--url", &setup.url, "keychain"]);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).process_group(0);
    let authority = setup.connector.authority();
    for (name, value) in [
        ("TURNSTILE_TOKEN", setup.token.as_deref().map(AsRef::as_ref)),
        ("TURNSTILE_CA", authority.map(Path::as_os_str)),
    ] {
        if let Some(value) = value {
            command.env(name, value);
        }
    }
    let mut child = command.spawn()?;
    let (Some(input), Some(output), Some(id)) =
        (child.stdin.take(), child.stdout.take(), child.id())
    else {
        return Err(io::Error::other("the keychain has no pipe"));
    };
    let (lines, spoken) = mpsc::unbounded_channel();
    let (orders, ordered) = mpsc::unbounded_channel();
    tokio::spawn(write(input, spoken));
    let chain = Chain { clock: setup.clock.clone(), lines, entries: BTreeMap::new() };
    tokio::spawn(chain.run(child, BufReader::new(output).lines(), ordered));
    Ok((id, orders))
}

async fn write(mut input: ChildStdin, mut lines: mpsc::UnboundedReceiver<Line>) {
    while let Some(line) = lines.recv().await {
        let mut text = serde_json::to_vec(&line).expect("a line is plain data");
        text.push(b'\n');
        if let Err(error) = input.write_all(&text).await {
            tracing::debug!(%error, "the keychain does not read");
            return;
        }
    }
}

impl Chain {
    /// Passes on what is said on either side, until this side is silent or the other is dead.
    async fn run(
        mut self,
        mut child: Child,
        mut replies: Lines<BufReader<ChildStdout>>,
        mut orders: mpsc::UnboundedReceiver<Order>,
    ) {
        loop {
            tokio::select! {
                biased;
                line = replies.next_line() => match line {
                    Ok(Some(line)) => self.hear(&line),
                    Ok(None) | Err(_) => break,
                },
                order = orders.recv() => match order {
                    Some(order) => self.obey(order),
                    None if self.entries.is_empty() => break,
                    // Claims without a handle are being given back.
                    None => std::future::pending().await,
                },
            }
        }
        for entry in std::mem::take(&mut self.entries).into_values() {
            die(entry);
        }
        // The end of its input is the end of the keychain.
        drop(self.lines);
        let mut reaped = std::pin::pin!(async {
            if let Err(error) = child.wait().await {
                tracing::warn!(%error, "the keychain's end cannot be told");
            }
        });
        let mut is_reaped = false;
        loop {
            tokio::select! {
                () = &mut reaped, if !is_reaped => is_reaped = true,
                // Whatever is ordered from now on finds nobody alive.
                order = orders.recv() => match order {
                    Some(Order::Claim(new)) => die(Entry::new(*new)),
                    Some(_) => {}
                    None => break,
                },
            }
        }
        if !is_reaped {
            reaped.await;
        }
    }

    fn obey(&mut self, order: Order) {
        match order {
            Order::Claim(new) => self.claim(*new),
            Order::Leave { resource, key } if self.entries.contains_key(&key) => {
                self.say(key, Line { release: Some(resource), ..Line::default() });
            }
            Order::Refresh { resource, key, ttl } if self.entries.contains_key(&key) => {
                let ttl = ttl.map(|ttl| ttl.as_secs_f64());
                self.say(key, Line { refresh: Some(resource), ttl, ..Line::default() });
            }
            // Of a claim that is over.
            Order::Leave { .. } | Order::Refresh { .. } => {}
            Order::GiveUp { resource, given } => {
                let mut held = self.entries.values().filter(|entry| entry.resource == resource);
                if let Some(entry) = held.next() {
                    // Whoever asked may have gone away.
                    let _gone = given.send(entry.view.subscribe());
                    self.say(entry.key, Line { release: Some(resource), ..Line::default() });
                }
            }
            Order::Close { given } => {
                let views = self.entries.values().map(|entry| entry.view.subscribe());
                let _gone = given.send(views.collect());
                for entry in self.entries.values() {
                    let release = Some(entry.resource.clone());
                    self.say(entry.key, Line { release, ..Line::default() });
                }
            }
        }
    }

    fn claim(&mut self, new: New) {
        let seconds = |time: Duration| time.as_secs_f64();
        let line = Line {
            id: new.key.into(),
            claim: Some(new.resource.clone()),
            ttl: Some(seconds(new.pace.ttl)),
            timeout: new.pace.timeout.map(seconds),
            data: new.user_data.clone(),
            ..Line::default()
        };
        // The keychain could not tell whose line it refuses.
        if serde_json::to_vec(&line).is_ok_and(|text| text.len() > LINE_MAX) {
            let cause = Cause::Keychain(format!("a claim has at most {LINE_MAX} bytes"));
            return Entry::new(new).refuse(Refusal::Final(cause));
        }
        self.say(new.key, line);
        self.entries.insert(new.key, Entry::new(new));
    }

    fn say(&self, key: u64, line: Line) {
        // A dead keychain tells everyone by itself.
        let _dead = self.lines.send(Line { id: key.into(), ..line });
    }

    fn hear(&mut self, line: &str) {
        let Ok(Reply { id, told }) = serde_json::from_str(line) else {
            tracing::warn!(line, "the keychain says what nobody understands");
            return;
        };
        let Some(key) = self.about(&id, &told) else { return };
        let Some(entry) = self.entries.get_mut(&key) else { return };
        let is_over = match told {
            Told::Held(now) => {
                note(&entry.view, &now, &self.clock);
                entry.tell(Notice::Acquired { token: now.fencing_token.map(Token::new) });
                false
            }
            Told::Refreshed(now) | Told::Now(now) => {
                note(&entry.view, &now, &self.clock);
                let is_lost = now.standing == LOST;
                if is_lost {
                    entry.tell(Notice::Lost);
                }
                is_lost
            }
            Told::Released { resource: _ } => {
                entry.tell(Notice::Released);
                true
            }
            Told::Error { resource: _, claim, kind, status, message, first } => {
                let id = claim.as_deref().and_then(id_in);
                entry.view.send_modify(|view| view.claim = id.or(view.claim));
                return self.fail(key, cause(&kind, status, message, first));
            }
        };
        if is_over {
            self.entries.remove(&key);
        }
    }

    /// Whose a line is: the one who asked, or who holds what it is about.
    fn about(&self, id: &Value, told: &Told) -> Option<u64> {
        match (id.as_u64(), told) {
            (None, Told::Now(now)) => {
                let mut held = self.entries.values().filter(|entry| entry.is_held());
                held.find(|entry| entry.resource == now.resource).map(|entry| entry.key)
            }
            (id, _) => id,
        }
    }

    fn fail(&mut self, key: u64, cause: Cause) {
        let Some(entry) = self.entries.get_mut(&key) else { return };
        // While the claim is held, the end of it is told by itself.
        if entry.is_held() {
            return entry.view.send_modify(|view| view.trouble = Some(cause));
        }
        if let Some(entry) = self.entries.remove(&key) {
            entry.refuse(Refusal::Final(cause));
        }
    }
}

/// What a keychain says went wrong, as if it had gone wrong here.
fn cause(kind: &str, status: Option<u16>, message: String, first: Option<String>) -> Cause {
    match (kind, status, first) {
        (TIMED_OUT, _, _) => Cause::TimedOut,
        (LOST, _, _) => Cause::Lost,
        (UNREACHABLE, _, _) => Cause::Unreachable(message),
        (CLAIMED, _, Some(first)) => Cause::Claimed { first },
        (REFUSED, Some(status), _) => {
            let bare = Cause::Refused { status, reason: String::new() }.to_string();
            let reason = message.strip_prefix(&bare).unwrap_or(&message).to_owned();
            Cause::Refused { status, reason }
        }
        (_, _, _) => Cause::Keychain(message),
    }
}

fn note(view: &watch::Sender<View>, now: &Now, clock: &Clock) {
    view.send_modify(|view| {
        view.claim = id_in(&now.url);
        view.token = now.fencing_token;
        view.deadline = Some(clock.instant(now.until));
        view.margin = Duration::try_from_secs_f64(now.margin).unwrap_or_default();
        view.is_in_jeopardy = now.standing == JEOPARDY;
    });
}

/// The keychain is dead, and this claim with it.
fn die(mut entry: Entry) {
    if entry.is_held() {
        entry.tell(Notice::Lost);
    }
    let cause = Cause::Keychain("its process has ended".into());
    entry.view.send_modify(|view| view.trouble = Some(cause.clone()));
    entry.refuse(Refusal::Final(cause));
}

//! Claims held by a keychain: a child process that sends the requests and ends with its parent.
//!
//! It translates commands to the keychain's lines, and its lines to the claims' views. If the
//! keychain exits, all its claims are lost, and their users are notified.

use std::collections::BTreeMap;
use std::io;
use std::path::Path;
use std::process::Stdio;
use std::time::Duration;

use serde_json::Value;
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader, Lines};
use tokio::process::{Child, ChildStdin, ChildStdout, Command};
use tokio::sync::{mpsc, watch};
use turnstile_claim_core::client::Notice;
use turnstile_ids::number::Token;

use super::builder::LockClientBuilder;
use super::clock::Clock;
use super::command::{ClaimView, NewClaim, Refusal, UserCommand};
use super::entry::ClaimEntry;
use super::error::ErrorKind;
use crate::keychain::line::{
    CLAIMED, JEOPARDY, LINE_MAX, LOST, LeaseReport, Notification, REFUSED, Reply, Request,
    TIMED_OUT, TOO_SLOW, UNREACHABLE,
};
use crate::wire::claim::id_in;

/// A running keychain and the claims that it holds for this program.
struct KeychainConnection {
    clock: Clock,
    lines: mpsc::UnboundedSender<Request>,
    /// By key, which is the id of the requests for the claim.
    entries: BTreeMap<u64, ClaimEntry>,
}

/// Starts the `claim` program as a keychain. Returns its process id and the channel for commands.
pub(super) fn start(
    program: &Path,
    builder: &LockClientBuilder,
) -> io::Result<(u32, mpsc::UnboundedSender<UserCommand>)> {
    let mut command = Command::new(program);
    command.args(builder.urls.iter().flat_map(|url| ["--url", url])).arg("keychain");
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).process_group(0);
    let authority = builder.connector.authority();
    for (name, value) in [
        ("TURNSTILE_TOKEN", builder.token.as_deref().map(AsRef::as_ref)),
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
        return Err(io::Error::other("cannot open a pipe to the keychain"));
    };
    let (lines, requests) = mpsc::unbounded_channel();
    let (commands, receiver) = mpsc::unbounded_channel();
    tokio::spawn(write(input, requests));
    let connection =
        KeychainConnection { clock: builder.clock.clone(), lines, entries: BTreeMap::new() };
    tokio::spawn(connection.run(child, BufReader::new(output).lines(), receiver));
    Ok((id, commands))
}

async fn write(mut input: ChildStdin, mut lines: mpsc::UnboundedReceiver<Request>) {
    while let Some(line) = lines.recv().await {
        let mut text = serde_json::to_vec(&line).expect("a line is plain data");
        text.push(b'\n');
        if let Err(error) = input.write_all(&text).await {
            tracing::debug!(%error, "cannot write to the keychain");
            return;
        }
    }
}

impl KeychainConnection {
    /// Runs until all handles are dropped and all claims have ended, or the keychain exits.
    async fn run(
        mut self,
        mut child: Child,
        mut replies: Lines<BufReader<ChildStdout>>,
        mut commands: mpsc::UnboundedReceiver<UserCommand>,
    ) {
        loop {
            tokio::select! {
                biased;
                line = replies.next_line() => match line {
                    Ok(Some(line)) => self.handle_line(&line),
                    Ok(None) | Err(_) => break,
                },
                user_command = commands.recv() => match user_command {
                    Some(user_command) => self.handle(user_command),
                    None if self.entries.is_empty() => break,
                    // Claims without a handle are still being released.
                    None => std::future::pending().await,
                },
            }
        }
        for entry in std::mem::take(&mut self.entries).into_values() {
            fail_entry(entry);
        }
        // The keychain exits at the end of its input.
        drop(self.lines);
        let mut reaped = std::pin::pin!(async {
            if let Err(error) = child.wait().await {
                tracing::warn!(%error, "cannot wait for the keychain's process");
            }
        });
        let mut is_reaped = false;
        loop {
            tokio::select! {
                () = &mut reaped, if !is_reaped => is_reaped = true,
                // The keychain has exited: fail all further claims.
                user_command = commands.recv() => match user_command {
                    Some(UserCommand::Claim(new)) => fail_entry(ClaimEntry::new(*new)),
                    Some(_) => {}
                    None => break,
                },
            }
        }
        if !is_reaped {
            reaped.await;
        }
    }

    fn handle(&mut self, user_command: UserCommand) {
        match user_command {
            UserCommand::Claim(new) => self.claim(*new),
            UserCommand::Release { resource, key } if self.entries.contains_key(&key) => {
                self.send(key, Request { release: Some(resource), ..Request::default() });
            }
            UserCommand::Refresh { resource, key, ttl } if self.entries.contains_key(&key) => {
                let ttl = ttl.map(|ttl| ttl.as_secs_f64());
                self.send(key, Request { refresh: Some(resource), ttl, ..Request::default() });
            }
            // The claim has already ended.
            UserCommand::Release { .. } | UserCommand::Refresh { .. } => {}
            UserCommand::Abandon { resource, reply } => {
                let mut held = self.entries.values().filter(|entry| entry.resource == resource);
                if let Some(entry) = held.next() {
                    // An error means that the caller has gone away.
                    let _gone = reply.send(entry.view.subscribe());
                    self.send(entry.key, Request { release: Some(resource), ..Request::default() });
                }
            }
            UserCommand::Close { reply } => {
                let views = self.entries.values().map(|entry| entry.view.subscribe());
                let _gone = reply.send(views.collect());
                for entry in self.entries.values() {
                    let release = Some(entry.resource.clone());
                    self.send(entry.key, Request { release, ..Request::default() });
                }
            }
        }
    }

    fn claim(&mut self, new: NewClaim) {
        let seconds = |time: Duration| time.as_secs_f64();
        let line = Request {
            id: new.key.into(),
            claim: Some(new.resource.clone()),
            ttl: Some(seconds(new.policy.ttl)),
            timeout: new.policy.timeout.map(seconds),
            data: new.user_data.clone(),
            ..Request::default()
        };
        // The keychain could not tell which request the too long line was.
        if serde_json::to_vec(&line).is_ok_and(|text| text.len() > LINE_MAX) {
            let cause = ErrorKind::Keychain(format!(
                "the claim is too large: at most {LINE_MAX} bytes are allowed"
            ));
            return ClaimEntry::new(new).refuse(Refusal::Final(cause));
        }
        self.send(new.key, line);
        self.entries.insert(new.key, ClaimEntry::new(new));
    }

    fn send(&self, key: u64, line: Request) {
        // If the keychain has exited, `run` notifies the users.
        let _dead = self.lines.send(Request { id: key.into(), ..line });
    }

    fn handle_line(&mut self, line: &str) {
        let Ok(Reply { id, notification }) = serde_json::from_str(line) else {
            tracing::warn!(line, "unknown line from the keychain");
            return;
        };
        let Some(key) = self.key_of(&id, &notification) else { return };
        let Some(entry) = self.entries.get_mut(&key) else { return };
        let is_over = match notification {
            Notification::Held(now) => {
                note(&entry.view, &now, &self.clock);
                entry.tell(Notice::Acquired { token: now.fencing_token.map(Token::new) });
                false
            }
            Notification::Refreshed(now) | Notification::Now(now) => {
                note(&entry.view, &now, &self.clock);
                let is_lost = now.standing == LOST;
                if is_lost {
                    // The line does not say which.
                    let why = "its lease was not renewed in time, or the claim has ended";
                    entry.view.send_modify(|view| view.ended = Some(why.into()));
                    entry.tell(Notice::Lost);
                }
                is_lost
            }
            Notification::Released { resource: _ } => {
                entry.tell(Notice::Released);
                true
            }
            Notification::Error { resource: _, claim, kind, status, message, first } => {
                let id = claim.as_deref().and_then(id_in);
                entry.view.send_modify(|view| view.claim = id.or(view.claim));
                return self.fail(key, cause(&kind, status, message, first));
            }
        };
        if is_over {
            self.entries.remove(&key);
        }
    }

    /// The key of the claim that a line concerns: by the request's id, or by the resource of a
    /// claim that is held.
    fn key_of(&self, id: &Value, notification: &Notification) -> Option<u64> {
        match (id.as_u64(), notification) {
            (None, Notification::Now(now)) => {
                let mut held = self.entries.values().filter(|entry| entry.is_held());
                held.find(|entry| entry.resource == now.resource).map(|entry| entry.key)
            }
            (id, _) => id,
        }
    }

    fn fail(&mut self, key: u64, cause: ErrorKind) {
        let Some(entry) = self.entries.get_mut(&key) else { return };
        // While the claim is held, a line `now` reports its end.
        if entry.is_held() {
            return entry.view.send_modify(|view| view.trouble = Some(cause));
        }
        if let Some(entry) = self.entries.remove(&key) {
            entry.refuse(Refusal::Final(cause));
        }
    }
}

/// Converts the keychain's error to the error that a direct client would return.
fn cause(kind: &str, status: Option<u16>, message: String, first: Option<String>) -> ErrorKind {
    match (kind, status, first) {
        (TIMED_OUT, _, _) => ErrorKind::TimedOut,
        (LOST, _, _) => {
            let bare = ErrorKind::Lost(String::new()).to_string();
            ErrorKind::Lost(message.strip_prefix(&bare).unwrap_or(&message).to_owned())
        }
        (UNREACHABLE, _, _) => ErrorKind::Unreachable(message),
        (TOO_SLOW, _, _) => ErrorKind::TooSlow(message),
        (CLAIMED, _, Some(first)) => ErrorKind::Claimed { first },
        (REFUSED, Some(status), _) => {
            let bare = ErrorKind::Refused { status, reason: String::new() }.to_string();
            let reason = message.strip_prefix(&bare).unwrap_or(&message).to_owned();
            ErrorKind::Refused { status, reason }
        }
        (_, _, _) => ErrorKind::Keychain(message),
    }
}

fn note(view: &watch::Sender<ClaimView>, now: &LeaseReport, clock: &Clock) {
    view.send_modify(|view| {
        view.claim = id_in(&now.url);
        view.token = now.fencing_token;
        view.deadline = Some(clock.instant(now.until));
        view.margin = Duration::try_from_secs_f64(now.margin).unwrap_or_default();
        view.is_in_jeopardy = now.standing == JEOPARDY;
    });
}

/// Ends a claim whose keychain has exited.
fn fail_entry(mut entry: ClaimEntry) {
    if entry.is_held() {
        entry.tell(Notice::Lost);
    }
    let cause = ErrorKind::Keychain("its process exited".into());
    entry.view.send_modify(|view| view.trouble = Some(cause.clone()));
    entry.refuse(Refusal::Final(cause));
}

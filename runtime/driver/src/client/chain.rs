//! Claims through a keychain: a child process that makes the requests, and outlives no one.
//!
//! It speaks the keychain's lines and keeps what they say in a claim's view. A keychain that dies
//! takes every claim with it, and whoever waits is told at once.

use std::collections::BTreeMap;
use std::io;
use std::path::Path;
use std::process::Stdio;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use serde_json::Value;
use serde_json::value::RawValue;
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::process::{Child, ChildStdin, ChildStdout, Command};
use tokio::sync::{mpsc, watch};
use turnstile_core::claim::client::Notice;
use turnstile_core::number::Token;

use super::drive::{View, Wish};
use super::error::Cause;
use super::pace::Pace;
use crate::keychain::instant;
use crate::keychain::line::{LOST, Line, Now, Reply, TIMED_OUT, Told};
use crate::wire::claim::id_in;

/// A keychain that runs.
#[derive(Clone, Debug)]
pub(super) struct Chain {
    /// Its process.
    pub(super) id: Option<u32>,
    lines: mpsc::UnboundedSender<Line>,
    routes: Routes,
}

/// Who is told of a resource; none once the keychain is dead.
type Routes = Arc<Mutex<Option<BTreeMap<String, mpsc::UnboundedSender<Told>>>>>;

/// One claim through a keychain.
#[derive(Debug)]
pub(super) struct Link {
    pub(super) chain: Chain,
    pub(super) resource: String,
    pub(super) user_data: Option<Box<RawValue>>,
    pub(super) pace: Pace,
    pub(super) wishes: mpsc::UnboundedReceiver<Wish>,
    pub(super) view: watch::Sender<View>,
}

impl Chain {
    /// Starts the `claim` program as a keychain.
    pub(super) fn start(
        program: &Path,
        url: &str,
        token: Option<&str>,
        authority: Option<&Path>,
    ) -> io::Result<Self> {
        let mut command = Command::new(program);
        command.args(["--url", url, "keychain"]);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).process_group(0);
        for (name, value) in [
            ("TURNSTILE_TOKEN", token.map(Into::into)),
            ("TURNSTILE_CA", authority.map(|path| path.as_os_str().to_owned())),
        ] {
            if let Some(value) = value {
                command.env(name, value);
            }
        }
        let mut child = command.spawn()?;
        let (input, output) = (child.stdin.take(), child.stdout.take());
        let (Some(input), Some(output)) = (input, output) else {
            return Err(io::Error::other("the keychain has no pipe"));
        };
        let id = child.id();
        let (lines, spoken) = mpsc::unbounded_channel();
        let routes: Routes = Arc::new(Mutex::new(Some(BTreeMap::new())));
        tokio::spawn(write(input, spoken));
        tokio::spawn(read(child, output, routes.clone()));
        Ok(Self { id, lines, routes })
    }

    fn say(&self, line: Line) {
        // A dead keychain has told everyone already.
        let _dead = self.lines.send(line);
    }
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

async fn read(mut child: Child, output: ChildStdout, routes: Routes) {
    let mut lines = BufReader::new(output).lines();
    while let Ok(Some(line)) = lines.next_line().await {
        let Ok(Reply { id: _, told }) = serde_json::from_str(&line) else {
            tracing::warn!(line, "the keychain says what nobody understands");
            continue;
        };
        let resource = match &told {
            Told::Held(now) | Told::Refreshed(now) | Told::Now(now) => &now.resource,
            Told::Released { resource } | Told::Error { resource, .. } => resource,
        };
        if let Some(route) = lock(&routes).as_ref().and_then(|routes| routes.get(resource)) {
            // Whoever has ended needs to hear no more.
            let _ended = route.send(told);
        }
    }
    // Dropping the routes tells everyone.
    drop(lock(&routes).take());
    if let Err(error) = child.wait().await {
        tracing::warn!(%error, "the keychain's end cannot be told");
    }
}

fn lock(routes: &Routes) -> MutexGuard<'_, Option<BTreeMap<String, mpsc::UnboundedSender<Told>>>> {
    routes.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Link {
    /// Runs until the claim is over. Dropping what it returns says so.
    pub(super) async fn run(mut self) -> watch::Sender<View> {
        let (route, mut told) = mpsc::unbounded_channel();
        match lock(&self.chain.routes).as_mut() {
            Some(routes) => {
                routes.insert(self.resource.clone(), route);
            }
            None => {
                self.die();
                return self.view;
            }
        }
        let seconds = |time: Duration| time.as_secs_f64();
        self.chain.say(Line {
            claim: Some(self.resource.clone()),
            ttl: Some(seconds(self.pace.ttl)),
            timeout: self.pace.timeout.map(seconds),
            data: self.user_data.take(),
            ..Line::default()
        });
        loop {
            tokio::select! {
                biased;
                heard = told.recv() => match heard {
                    None => {
                        self.die();
                        break;
                    }
                    Some(told) => {
                        if !self.hear(told) {
                            break;
                        }
                    }
                },
                Some(wish) = self.wishes.recv() => self.grant(wish),
            }
        }
        if let Some(routes) = lock(&self.chain.routes).as_mut() {
            routes.remove(&self.resource);
        }
        self.view
    }

    fn grant(&self, wish: Wish) {
        let resource = Some(self.resource.clone());
        self.chain.say(match wish {
            Wish::Tell(_) | Wish::GiveUp => Line { release: resource, ..Line::default() },
            Wish::Refresh(ttl) => {
                let ttl = ttl.map(|ttl| ttl.as_secs_f64());
                Line { refresh: resource, ttl, ..Line::default() }
            }
        });
    }

    /// Notes what the keychain tells; false once that was the last.
    fn hear(&self, told: Told) -> bool {
        match told {
            Told::Held(now) => {
                self.note(&now, true);
                true
            }
            Told::Refreshed(now) | Told::Now(now) => {
                self.note(&now, false);
                now.standing != LOST
            }
            Told::Released { resource: _ } => {
                self.view.send_modify(|view| view.notice = Some(Notice::Released));
                false
            }
            Told::Error { resource: _, kind, message } => {
                let mut is_over = true;
                self.view.send_modify(|view| {
                    // While the claim is held, the end of it is told by itself.
                    is_over = !matches!(view.notice, Some(Notice::Acquired { .. }));
                    view.trouble = Some(match kind.as_str() {
                        TIMED_OUT => Cause::TimedOut,
                        LOST => Cause::Lost,
                        _ => Cause::Keychain(message),
                    });
                });
                !is_over
            }
        }
    }

    fn note(&self, now: &Now, is_new: bool) {
        let token = now.fencing_token;
        self.view.send_modify(|view| {
            view.claim = id_in(&now.url);
            view.token = token;
            view.deadline = Some(instant(now.until));
            view.is_in_jeopardy = now.standing == "jeopardy";
            if is_new {
                view.notice = Some(Notice::Acquired { token: token.map(Token::new) });
            }
            if now.standing == LOST {
                view.notice = Some(Notice::Lost);
            }
        });
    }

    fn die(&self) {
        self.view.send_modify(|view| {
            view.trouble = Some(Cause::Keychain("its process has ended".into()));
            if view.notice.is_some() {
                view.notice = Some(Notice::Lost);
            }
        });
    }
}

impl Default for Line {
    fn default() -> Self {
        Self {
            id: Value::Null,
            claim: None,
            refresh: None,
            release: None,
            ttl: None,
            timeout: None,
            data: None,
        }
    }
}

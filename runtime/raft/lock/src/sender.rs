//! The commands of the core on their way to the log: in their order, one envelope at a time.
//!
//! An envelope is repeated until it is answered or its session has ended; the log applies it once.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::mpsc;
use tokio::time::timeout;
use turnstile_core::replicated::message::{Cluster, Message};
use turnstile_core::replicated::types::LogEntry;
use turnstile_host::transport::{Transport, Unsent, UnsentReason};
use turnstile_raft::Member as RaftMember;

use crate::operation::{
    Answer, CommandResult, NamedCommand, Operation, SessionId, decode, encode, lock_of,
};
use crate::shared::{Shared, Standing};
use crate::turns::Turns;

/// The maximum number of commands that wait for the log; more of them fail.
const QUEUE_MAX: usize = 1 << 16;
/// The maximum number of commands in an envelope.
const ENVELOPE_MAX: usize = 256;

/// The transport of the core's node.
pub(crate) struct SenderTransport(mpsc::Sender<LogEntry>);

/// The commands that wait for the log.
pub(crate) type Queue = mpsc::Receiver<LogEntry>;

impl SenderTransport {
    pub(crate) fn new() -> (Self, Queue) {
        let (sender, queue) = mpsc::channel(QUEUE_MAX);
        (Self(sender), queue)
    }
}

impl Transport<Cluster, Message> for SenderTransport {
    fn send(&self, to: Cluster, message: Message) -> Result<(), Unsent<Cluster, Message>> {
        // Members send nothing else.
        let Message::Execute(entry) = message else { return Ok(()) };
        self.0.try_send(entry).map_err(|error| {
            let why = match &error {
                mpsc::error::TrySendError::Full(_) => UnsentReason::QueueFull,
                mpsc::error::TrySendError::Closed(_) => UnsentReason::Closed,
            };
            Unsent { to, message: Message::Execute(error.into_inner()), why }
        })
    }

    async fn close(&self, _timeout: Duration) {}
}

/// The task that sends.
pub(crate) struct Sender {
    pub(crate) shared: Arc<Shared>,
    pub(crate) raft: RaftMember,
    pub(crate) turns: Arc<Turns>,
    pub(crate) queue: Queue,
    /// The pause after an attempt without an answer.
    pub(crate) pause: Duration,
    /// The maximum time of an attempt: its leader may be lost.
    pub(crate) patience: Duration,
}

impl Sender {
    /// Sends until the node ends.
    pub(crate) async fn run(mut self) {
        let mut last: Option<(SessionId, u64)> = None;
        while let Some(first) = self.queue.recv().await {
            let mut entries = self.gather(first);
            let is_open = |now: &Standing| now.is_live && now.opened_by.is_some();
            let Standing { session, opened_by, .. } = self.shared.standing_where(is_open).await;
            let before = last.filter(|(of, _)| *of == session).map_or(0, |(_, number)| number);
            if before == 0 {
                // What was executed in a former session does not enter the log in this one.
                let opens = |entry: &LogEntry| entry.call == opened_by;
                let over = entries.iter().position(opens).unwrap_or(entries.len());
                entries.drain(..over).for_each(|entry| self.shared.fail(&entry));
                if entries.is_empty() {
                    continue;
                }
            }
            last = Some((session, before + 1));
            match self.send(session, before + 1, &entries).await {
                Some(results) => self.succeed(&entries, &results),
                None => entries.iter().for_each(|entry| self.shared.fail(entry)),
            }
        }
    }

    fn gather(&mut self, first: LogEntry) -> Vec<LogEntry> {
        let mut entries = vec![first];
        while entries.len() < ENVELOPE_MAX
            && let Ok(entry) = self.queue.try_recv()
        {
            entries.push(entry);
        }
        entries
    }

    /// Sends an envelope until it is answered; `None`: its session has ended, and it may or may not
    /// have been applied before.
    async fn send(
        &self,
        session: SessionId,
        sequence: u64,
        entries: &[LogEntry],
    ) -> Option<Vec<CommandResult>> {
        let commands = entries.iter().map(|entry| NamedCommand {
            entry: entry.clone(),
            id: lock_of(&entry.operation).and_then(|lock| self.turns.id(lock)),
        });
        let envelope = Operation::Envelope { session, sequence, commands: commands.collect() };
        let envelope: bytes::Bytes = encode(&envelope).into();
        let attempts = async {
            loop {
                let attempt = timeout(self.patience, self.raft.forward(envelope.clone())).await;
                match attempt.map(|answer| answer.map(|answer| decode(&answer))) {
                    Ok(Ok(Some(Answer::Applied(results)))) => return Some(results),
                    Ok(Ok(Some(Answer::Refused) | None)) => return None,
                    Ok(Err(error)) => tracing::debug!(%error, sequence, "an envelope is repeated"),
                    Err(_) => tracing::debug!(sequence, "an envelope is repeated after a while"),
                }
                tokio::time::sleep(self.pause).await;
            }
        };
        let results = tokio::select! {
            biased;
            results = attempts => results,
            _other = self.shared.standing_where(|now| now.session != session) => return None,
        };
        if results.is_none() {
            self.shared.abandon(session);
        }
        results
    }

    fn succeed(&self, entries: &[LogEntry], results: &[CommandResult]) {
        for (entry, result) in entries.iter().zip(results) {
            if let (Some(lock), Some(call)) = (lock_of(&entry.operation), entry.call) {
                let CommandResult { index, status, token } = *result;
                self.shared.answer(Message::Result { lock, call, index, status, token });
            }
        }
        entries.iter().skip(results.len()).for_each(|entry| self.shared.fail(entry));
    }
}

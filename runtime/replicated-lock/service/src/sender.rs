//! The commands of the core on their way to the log: in their order, one envelope at a time.
//!
//! An envelope is repeated until it is answered or its session has ended; the log applies it once.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::mpsc;
use tokio::time::timeout;
use turnstile_host::transport::{Transport, Unsent, UnsentReason};
use turnstile_raft::Member as RaftMember;
use turnstile_replicated_lock_core::message::{Cluster, Message};

use crate::operation::{
    Answer, Command, CommandResult, NamedCommand, Operation, SessionId, decode, encode, lock_of,
};
use crate::shared::{Shared, Standing};
use crate::told::Told;
use crate::turns::Turns;

/// The maximum number of commands that wait for the log; more of them fail.
const QUEUE_MAX: usize = 1 << 16;
/// The maximum number of commands in an envelope.
const ENVELOPE_MAX: usize = 256;

/// The transport of the core's node.
pub(crate) struct SenderTransport {
    sender: mpsc::Sender<Command>,
    told: Told,
}

/// The commands that wait for the log.
pub(crate) type Queue = mpsc::Receiver<Command>;

impl SenderTransport {
    pub(crate) fn new(told: Told) -> (Self, Queue) {
        let (sender, queue) = mpsc::channel(QUEUE_MAX);
        (Self { sender, told }, queue)
    }
}

impl Transport<Cluster, Message> for SenderTransport {
    fn send(&self, to: Cluster, message: Message) -> Result<(), Unsent<Cluster, Message>> {
        // Members send nothing else.
        let Message::Execute(entry) = message else { return Ok(()) };
        let command = Command { entry, sent: self.told.next() };
        self.sender.try_send(command).map_err(|error| {
            let why = match &error {
                mpsc::error::TrySendError::Full(_) => UnsentReason::QueueFull,
                mpsc::error::TrySendError::Closed(_) => UnsentReason::Closed,
            };
            Unsent { to, message: Message::Execute(error.into_inner().entry), why }
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
            let mut commands = self.gather(first);
            let is_open = |now: &Standing| now.is_live && now.opened_by.is_some();
            let Standing { session, opened_by, .. } = self.shared.standing_where(is_open).await;
            let before = last.filter(|(of, _)| *of == session).map_or(0, |(_, number)| number);
            if before == 0 {
                // What was executed in a former session does not enter the log in this one.
                let opens = |command: &Command| command.entry.call == opened_by;
                let over = commands.iter().position(opens).unwrap_or(commands.len());
                commands.drain(..over).for_each(|command| self.shared.fail(&command.entry));
                if commands.is_empty() {
                    continue;
                }
            }
            last = Some((session, before + 1));
            match self.send(session, before + 1, &commands).await {
                Some(results) => self.succeed(&commands, &results),
                None => commands.iter().for_each(|command| self.shared.fail(&command.entry)),
            }
        }
    }

    fn gather(&mut self, first: Command) -> Vec<Command> {
        let mut commands = vec![first];
        while commands.len() < ENVELOPE_MAX
            && let Ok(command) = self.queue.try_recv()
        {
            commands.push(command);
        }
        commands
    }

    /// Sends an envelope until it is answered; `None`: its session has ended, and it may or may not
    /// have been applied before.
    async fn send(
        &self,
        session: SessionId,
        sequence: u64,
        commands: &[Command],
    ) -> Option<Vec<CommandResult>> {
        let named = commands.iter().map(|command| NamedCommand {
            command: command.clone(),
            id: lock_of(&command.entry.operation).and_then(|lock| self.turns.id(lock)),
        });
        let envelope = Operation::Envelope { session, sequence, commands: named.collect() };
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

    fn succeed(&self, commands: &[Command], results: &[CommandResult]) {
        for (Command { entry, .. }, result) in commands.iter().zip(results) {
            if let (Some(lock), Some(call)) = (lock_of(&entry.operation), entry.call) {
                let CommandResult { index, status, token } = *result;
                self.shared.answer(Message::Result { lock, call, index, status, token });
            }
        }
        let rest = commands.iter().skip(results.len());
        rest.for_each(|command| self.shared.fail(&command.entry));
    }
}

//! The nodes: a cache manager and a file server, with a check of every step.

use turnstile_byte_range_lock_core::manager::{self, CacheManager, Outcome};
use turnstile_byte_range_lock_core::message::FileClient;
use turnstile_byte_range_lock_core::message::{FileId, FileServerPeer, Message, ServerLock};
use turnstile_byte_range_lock_core::server::{self, FileServer};
use turnstile_byte_range_lock_machines::server_lock;
use turnstile_ids::never::Never;
use turnstile_machine::Rules as _;
use turnstile_step::{Core, Effect, Input, InputOf, OutOf, Symbolic};
use turnstile_world::{CoreNode, NodeId};

use crate::isolation::{about, is_isolated};
use crate::ranges::{LockRules, Ranges, ServerRules};
use crate::server_check::ServerCheck;
use crate::step_check::StepCheck;
use crate::{HOST, MANAGER, SERVER, answer_check};

/// A cache manager, and the violations of its steps.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Symbolic)]
pub(crate) struct ManagerState {
    /// The core's state.
    pub(crate) core: manager::State,
    /// A step on one file depended on another file, or changed it.
    pub(crate) crosses_files: bool,
    /// A client was not notified of a change of its lock, or not answered.
    pub(crate) missed_notification: bool,
    /// A client without a LOST lock was refused a lock.
    pub(crate) refused_without_loss: bool,
    /// A lock began to wait for a server lock without a pending call.
    pub(crate) waits_without_call: bool,
    /// A client was permitted an access that the rules forbid, or refused one that they permit.
    pub(crate) wrong_access_check: bool,
    /// An answer of the file server had no effect, or one that it does not grant.
    pub(crate) ignored_answer: bool,
    /// A call to the file server was missing, or the locks did not need it.
    pub(crate) wrong_call: bool,
    /// A client remained without its LOST locks, although the file server granted their lock.
    pub(crate) missed_reassertion: bool,
    /// What the file server may hold was not known.
    pub(crate) unknown_server_lock: bool,
    /// A count or an index of a file did not have its locks.
    pub(crate) wrong_index: bool,
}

/// A cache manager with a check of every step.
#[derive(Clone, Debug)]
pub(crate) struct CheckedManager {
    core: CacheManager<LockRules, ServerRules>,
    /// Whether there is more than one file.
    has_others: bool,
}

impl Core for CheckedManager {
    type State = ManagerState;
    type Peer = FileServerPeer;
    type Message = Message;
    type Timer = manager::Timer;
    type Command = manager::Command;
    type Notice = manager::Notice;
    type Saved = ();

    fn start(&self) -> ManagerState {
        ManagerState {
            core: self.core.start(),
            crosses_files: false,
            missed_notification: false,
            refused_without_loss: false,
            waits_without_call: false,
            wrong_access_check: false,
            ignored_answer: false,
            wrong_call: false,
            missed_reassertion: false,
            unknown_server_lock: false,
            wrong_index: false,
        }
    }

    fn step(&self, state: &mut ManagerState, input: InputOf<Self>, out: &mut OutOf<Self>) {
        let before = state.core.clone();
        self.core.step(&mut state.core, input.clone(), out);
        let asked = if let Input::Command(command) = &input { Some(command) } else { None };
        let notices = out.effects.iter().filter_map(|effect| match effect {
            Effect::Notify(notice) => Some(*notice),
            Effect::Send { .. } | Effect::Arm(_) | Effect::Disarm(_) | Effect::Save(()) => None,
        });
        let notices = notices.collect();
        let step = StepCheck { before: &before, asked, after: &state.core, notices };
        state.missed_notification |= !step.notifies();
        state.refused_without_loss |= !step.is_refused_for_a_loss();
        state.waits_without_call |= !step.calls_server();
        state.wrong_access_check |= !step.follows_rules(&self.core.locks);
        state.wrong_index |= !state.core.files().all(|(_, file)| file.locks.are_indexed());
        if let Some(id) = about(&before, &input) {
            let (old, new) = (before.file(id), state.core.file(id));
            let effects = &out.effects;
            let step = ServerCheck { id, before: old, input: &input, after: new, effects };
            state.ignored_answer |= !step.takes_answer();
            state.wrong_call |= !step.makes_calls();
            state.missed_reassertion |= !step.reasserts();
            let tracks = self.core.servers.asks(server_lock::Guard::LockWriteMayBeKept);
            state.unknown_server_lock |= tracks && !step.knows_what_may_be_held();
        }
        state.crosses_files |=
            self.has_others && !is_isolated(&self.core, (&before, input), (&state.core, out));
    }
}

/// The cache manager of a world, and its clients.
#[derive(Clone, Debug)]
pub(crate) struct ManagerNode(pub(crate) Ranges);

impl CoreNode for ManagerNode {
    type Core = CheckedManager;

    /// Where several rows match, a choice selects one, separately for each table.
    fn core(&self, choice: u8) -> CheckedManager {
        let Ranges { lock, server, .. } = &self.0;
        let (locks, servers) = (choice % lock.choices(), choice / lock.choices());
        let core = CacheManager { locks: lock.choosing(locks), servers: server.choosing(servers) };
        CheckedManager { core, has_others: self.0.files > 1 }
    }

    fn choices(&self) -> u8 {
        self.0.lock.choices() * self.0.server.choices()
    }

    fn node(&self, _peer: FileServerPeer) -> NodeId {
        SERVER
    }

    fn peer(&self, _node: NodeId) -> FileServerPeer {
        FileServerPeer
    }

    /// Clients send requests at any moment.
    fn commands(&self, state: &ManagerState) -> Vec<manager::Command> {
        let mut commands = Vec::new();
        let askers = self.0.askers(&state.core);
        for file in self.0.files() {
            for key in self.0.keys() {
                let asks = askers.contains(&key);
                let wishes = self.0.wishes(state.core.file(file), key, asks).into_iter();
                commands.extend(wishes.map(|operation| manager::Command { file, key, operation }));
            }
        }
        commands
    }

    fn timer_name(&self, timer: &manager::Timer) -> &'static str {
        match timer {
            manager::Timer::Check(_) => "check timer",
            manager::Timer::Lease(_) => "lease timer",
            manager::Timer::Wait(..) => "wait timer",
        }
    }

    fn command_words(&self, command: &manager::Command) -> String {
        format!("is asked {command}")
    }

    fn fired_words(&self, timer: &manager::Timer) -> String {
        format!("{timer} triggers")
    }

    fn notice_words(&self, notice: &manager::Notice) -> Option<String> {
        (notice.outcome != Outcome::Allowed).then(|| format!("tells {notice}"))
    }

    fn shows_timers(&self) -> bool {
        false
    }

    fn state_words(&self, state: &ManagerState) -> Option<String> {
        let words = state.core.files().map(|(id, file)| {
            let locks = file.locks.iter();
            let locks = locks.map(|(id, lock)| {
                format!(", lock {id} of {} {} {} {}", lock.key, lock.range, lock.kind, lock.at)
            });
            format!("{id} {}{}", file.server, locks.collect::<String>())
        });
        Some(words.collect::<Vec<_>>().join("; "))
    }
}

/// A file server with a check of every step.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CheckedServer {
    /// How many files there are.
    files: u32,
}

impl Core for CheckedServer {
    type State = server::State;
    type Peer = FileClient;
    type Message = Message;
    type Timer = server::Lapse;
    type Command = server::Command;
    type Notice = Never;
    type Saved = ();

    fn start(&self) -> server::State {
        FileServer.start()
    }

    fn step(&self, state: &mut server::State, input: InputOf<Self>, out: &mut OutOf<Self>) {
        let (before, about) = (state.clone(), input.clone());
        FileServer.step(state, input, out);
        if let Input::Message { message, .. } = &about {
            out.rows.extend(answer_check::mismatch(state, *message, &out.effects));
        }
        let files = (0..self.files).map(FileId);
        out.rows.extend(answer_check::interference(files, (&before, state), &about));
    }
}

/// The file server of a world, and its other hosts.
#[derive(Clone, Debug)]
pub(crate) struct ServerNode(pub(crate) Ranges);

impl CoreNode for ServerNode {
    type Core = CheckedServer;

    fn core(&self, _choice: u8) -> CheckedServer {
        CheckedServer { files: self.0.files }
    }

    fn node(&self, _peer: FileClient) -> NodeId {
        MANAGER
    }

    fn peer(&self, _node: NodeId) -> FileClient {
        HOST
    }

    /// Another host takes a lock, releases it, and modifies a file that this host has not locked.
    fn commands(&self, state: &server::State) -> Vec<server::Command> {
        let mut commands = Vec::new();
        for file in self.0.files() {
            match state.elsewhere(file) {
                Some(_) => commands.push(server::Command::Free(file)),
                None => commands.extend(
                    [ServerLock::LockRead, ServerLock::LockWrite]
                        .map(|lock| server::Command::Take(file, lock)),
                ),
            }
            if state.of(file, HOST).is_none() {
                commands.push(server::Command::Change(file));
            }
        }
        commands
    }

    fn timer_name(&self, _timer: &server::Lapse) -> &'static str {
        "lapse"
    }

    fn command_words(&self, command: &server::Command) -> String {
        format!("is told {command}")
    }

    fn fired_words(&self, timer: &server::Lapse) -> String {
        format!("{timer} comes")
    }

    fn shows_timers(&self) -> bool {
        false
    }
}

//! The nodes: a cache manager and a file server, with the checks of their steps.

use turnstile_byte_range_lock_core::manager::{self, CacheManager, Outcome, State};
use turnstile_byte_range_lock_core::message::FileClient;
use turnstile_byte_range_lock_core::message::{FileServerPeer, ServerLock};
use turnstile_byte_range_lock_core::server::{self, FileServer};
use turnstile_byte_range_lock_machines::server_lock;
use turnstile_machine::Rules as _;
use turnstile_step::{Core as _, Effect, Input, InputOf, OutOf};
use turnstile_world::{Breaches, CoreNode, NodeId};

use crate::isolation::{about, is_isolated};
use crate::ranges::{LockRules, Ranges, ServerRules};
use crate::rule;
use crate::server_check::ServerCheck;
use crate::step_check::StepCheck;
use crate::{HOST, MANAGER, SERVER, answer_check};

/// The shipped core by the tables that run.
type Manager = CacheManager<LockRules, ServerRules>;

/// The cache manager of a world, and its clients.
#[derive(Clone, Debug)]
pub(crate) struct ManagerNode(pub(crate) Ranges);

impl CoreNode for ManagerNode {
    type Core = Manager;

    /// Where several rows match, a choice selects one, separately for each table.
    fn core(&self, choice: u8) -> Manager {
        let Ranges { lock, server, .. } = &self.0;
        let (locks, servers) = (choice % lock.choices(), choice / lock.choices());
        CacheManager { locks: lock.choosing(locks), servers: server.choosing(servers) }
    }

    fn step(
        &self,
        core: &Manager,
        state: &mut State,
        input: InputOf<Manager>,
        out: &mut OutOf<Manager>,
        breaches: &mut Breaches,
    ) {
        let before = state.clone();
        core.step(state, input.clone(), out);
        let asked = if let Input::Command(command) = &input { Some(command) } else { None };
        let notices = out.effects.iter().filter_map(|effect| match effect {
            Effect::Notify(notice) => Some(*notice),
            Effect::Send { .. } | Effect::Arm(_) | Effect::Disarm(_) | Effect::Save(()) => None,
        });
        let notices = notices.collect();
        let step = StepCheck { before: &before, asked, after: state, notices };
        breaches.require(rule::NOTIFICATION, step.notifies());
        breaches.require(rule::REFUSAL, step.is_refused_for_a_loss());
        breaches.require(rule::CALL, step.calls_server());
        breaches.require(rule::ACCESS, step.follows_rules(&core.locks));
        breaches.require(rule::INDEX, state.files().all(|(_, file)| file.locks.are_indexed()));
        if let Some(id) = about(&before, &input) {
            let (old, new, effects) = (before.file(id), state.file(id), &out.effects);
            let step = ServerCheck { id, before: old, input: &input, after: new, effects };
            breaches.require(rule::ANSWER, step.takes_answer());
            breaches.require(rule::NEEDED_CALL, step.makes_calls());
            breaches.require(rule::REASSERTION, step.reasserts());
            let tracks = core.servers.asks(server_lock::Guard::LockWriteMayBeKept);
            breaches.require(rule::SERVER_LOCK, !tracks || step.knows_what_may_be_held());
        }
        let is_alone = self.0.files == 1;
        let is_isolated = is_alone || is_isolated(core, (&before, input), (state, out));
        breaches.require(rule::ISOLATION, is_isolated);
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
    fn commands(&self, state: &State) -> Vec<manager::Command> {
        let mut commands = Vec::new();
        let askers = self.0.askers(state);
        for file in self.0.files() {
            for key in self.0.keys() {
                let asks = askers.contains(&key);
                let wishes = self.0.wishes(state.file(file), key, asks).into_iter();
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

    fn state_words(&self, state: &State) -> Option<String> {
        let words = state.files().map(|(id, file)| {
            let locks = file.locks.iter();
            let locks = locks.map(|(id, lock)| {
                format!(", lock {id} of {} {} {} {}", lock.key, lock.range, lock.kind, lock.at)
            });
            format!("{id} {}{}", file.server, locks.collect::<String>())
        });
        Some(words.collect::<Vec<_>>().join("; "))
    }
}

/// The file server of a world, and its other hosts.
#[derive(Clone, Debug)]
pub(crate) struct ServerNode(pub(crate) Ranges);

impl CoreNode for ServerNode {
    type Core = FileServer;

    fn core(&self, _choice: u8) -> FileServer {
        FileServer
    }

    fn step(
        &self,
        core: &FileServer,
        state: &mut server::State,
        input: InputOf<FileServer>,
        out: &mut OutOf<FileServer>,
        _breaches: &mut Breaches,
    ) {
        let (before, about) = (state.clone(), input.clone());
        core.step(state, input, out);
        if let Input::Message { message, .. } = &about {
            out.rows.extend(answer_check::mismatch(state, *message, &out.effects));
        }
        out.rows.extend(answer_check::interference(self.0.files(), (&before, state), &about));
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

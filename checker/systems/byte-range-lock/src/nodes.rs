//! The nodes: a cache manager whose steps are judged as they are taken, and a file server whose
//! answers are held against what it keeps.

use turnstile_core::ranges::manager::{self, CacheManager, News};
use turnstile_core::ranges::message::Host;
use turnstile_core::ranges::message::{Message, Server, Whole};
use turnstile_core::ranges::server::{self, FileServer};
use turnstile_step::{Core, Effect, Input, InputOf, OutOf, Symbolic};
use turnstile_world::{CoreNode, NodeId};

use crate::apart::is_apart;
use crate::ranges::{LockRules, Ranges, ServerRules};
use crate::told::Step;
use crate::{HOST, MANAGER, SERVER, kept};

/// A cache manager, and what was wrong with its steps.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Symbolic)]
pub(crate) struct Manager {
    /// Its state.
    pub(crate) core: manager::State,
    /// What it did about one file had to do with another.
    pub(crate) is_mixed: bool,
    /// A client was not told what became of its locks or of its wish.
    pub(crate) is_untold: bool,
    /// A client that had lost nothing was refused a lock.
    pub(crate) is_turned_away: bool,
    /// A lock came to wait for a server lock that nobody asked for.
    pub(crate) is_unasked: bool,
    /// A client was allowed to read or write what it may not, or refused what it may.
    pub(crate) is_misjudged: bool,
}

/// A cache manager that is judged.
#[derive(Clone, Debug)]
pub(crate) struct JudgedManager {
    core: CacheManager<LockRules, ServerRules>,
    /// One file has no other to be told apart from.
    has_others: bool,
}

impl Core for JudgedManager {
    type State = Manager;
    type Peer = Server;
    type Message = Message;
    type Timer = manager::Timer;
    type Command = manager::Command;
    type Notice = manager::Notice;
    type Saved = ();

    fn start(&self) -> Manager {
        Manager {
            core: self.core.start(),
            is_mixed: false,
            is_untold: false,
            is_turned_away: false,
            is_unasked: false,
            is_misjudged: false,
        }
    }

    fn step(&self, state: &mut Manager, input: InputOf<Self>, out: &mut OutOf<Self>) {
        let before = state.core.clone();
        self.core.step(&mut state.core, input.clone(), out);
        let asked = if let Input::Command(command) = &input { Some(command) } else { None };
        let notices = out.effects.iter().filter_map(|effect| match effect {
            Effect::Notify(notice) => Some(*notice),
            Effect::Send { .. } | Effect::Arm(_) | Effect::Disarm(_) | Effect::Save(()) => None,
        });
        let notices = notices.collect();
        let step = Step { before: &before, asked, after: &state.core, notices };
        state.is_untold |= !step.is_told();
        state.is_turned_away |= !step.is_refused_for_a_loss();
        state.is_unasked |= !step.is_asked_for();
        state.is_misjudged |= !step.is_judged(&self.core.locks);
        state.is_mixed |=
            self.has_others && !is_apart(&self.core, (&before, input), (&state.core, out));
    }
}

/// The cache manager of a world, and its clients.
#[derive(Clone, Debug)]
pub(crate) struct ManagerNode(pub(crate) Ranges);

impl CoreNode for ManagerNode {
    type Core = JudgedManager;

    /// Where rows are in conflict, a choice says which is taken: of each table its own.
    fn core(&self, choice: u8) -> JudgedManager {
        let Ranges { lock, server, .. } = &self.0;
        let (locks, servers) = (choice % lock.choices(), choice / lock.choices());
        let core = CacheManager { locks: lock.choosing(locks), servers: server.choosing(servers) };
        JudgedManager { core, has_others: self.0.files > 1 }
    }

    fn choices(&self) -> u8 {
        self.0.lock.choices() * self.0.server.choices()
    }

    fn node(&self, _peer: Server) -> NodeId {
        SERVER
    }

    fn peer(&self, _node: NodeId) -> Server {
        Server
    }

    /// Clients ask at any moment.
    fn commands(&self, state: &Manager) -> Vec<manager::Command> {
        let mut commands = Vec::new();
        let askers = self.0.askers(&state.core);
        for file in self.0.files() {
            for key in self.0.keys() {
                let asks = askers.contains(&key);
                let wishes = self.0.wishes(state.core.file(file), key, asks).into_iter();
                commands.extend(wishes.map(|wish| manager::Command { file, key, wish }));
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
        (notice.what != News::Allowed).then(|| format!("tells {notice}"))
    }

    fn shows_timers(&self) -> bool {
        false
    }

    fn state_words(&self, state: &Manager) -> Option<String> {
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

/// A file server whose answers are held against what it keeps.
#[derive(Clone, Copy, Debug)]
pub(crate) struct KeptServer;

impl Core for KeptServer {
    type State = server::State;
    type Peer = Host;
    type Message = Message;
    type Timer = server::Lapse;
    type Command = server::Command;
    type Notice = server::Silence;
    type Saved = ();

    fn start(&self) -> server::State {
        FileServer.start()
    }

    fn step(&self, state: &mut server::State, input: InputOf<Self>, out: &mut OutOf<Self>) {
        let call = if let Input::Message { message, .. } = &input { Some(*message) } else { None };
        FileServer.step(state, input, out);
        out.rows.extend(call.and_then(|call| kept::unkept(state, call, &out.effects)));
    }
}

/// The file server of a world, and the other hosts that it has.
#[derive(Clone, Debug)]
pub(crate) struct ServerNode(pub(crate) Ranges);

impl CoreNode for ServerNode {
    type Core = KeptServer;

    fn core(&self, _choice: u8) -> KeptServer {
        KeptServer
    }

    fn node(&self, _peer: Host) -> NodeId {
        MANAGER
    }

    fn peer(&self, _node: NodeId) -> Host {
        HOST
    }

    /// Another host takes a lock that it has not, frees the one that it has, and changes a file
    /// which this host has not locked.
    fn commands(&self, state: &server::State) -> Vec<server::Command> {
        let mut commands = Vec::new();
        for file in self.0.files() {
            match state.elsewhere(file) {
                Some(_) => commands.push(server::Command::Free(file)),
                None => commands.extend(
                    [Whole::LockRead, Whole::LockWrite]
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

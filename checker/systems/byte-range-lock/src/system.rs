//! The nodes and their wiring.

use turnstile_core::ranges::ByteRange;
use turnstile_core::ranges::locks::{Key, LockType};
use turnstile_core::ranges::manager::{self, CacheManager, News, Wish};
use turnstile_core::ranges::message::{Answer, FileId, Host, Lease, Message, Server, Whole};
use turnstile_core::ranges::server::{self, FileServer};
use turnstile_harness::SystemSpec;
use turnstile_harness::options::{Refusal, Replacement};
use turnstile_harness::rules::Chosen;
use turnstile_machines::{byte_range_lock, server_lock};
use turnstile_step::{Core, Effect, Input, Out};
use turnstile_world::NodeId;
use turnstile_world::system::{EffectOf, InputOf, ObservationOf, OutOf, System};

use crate::types::{Command, Letter, Notice, RangeTypes, State, Timer};
use crate::{kept, types};

use crate::apart::is_apart;
use crate::past::Past;
use crate::told::Step;

/// The table that runs, chosen at run time.
pub type LockRules = Chosen<byte_range_lock::Machine>;
/// The table that runs, chosen at run time.
pub type ServerRules = Chosen<server_lock::Machine>;

/// The bytes of each file.
pub(crate) const BYTES: u64 = 3;
/// The client whom a property watches.
pub(crate) const FIRST: Key = Key(1);
/// The cache manager's node; the file server knows it by the same number.
pub(crate) const MANAGER: NodeId = 0;
pub(crate) const SERVER: NodeId = 1;
pub(crate) const HOST: Host = Host(0);

/// The cores of the byte-range lock system: the cache manager, then the file server.
#[derive(Clone, Debug)]
pub struct Ranges {
    /// How many clients, each with a key that is the same number in every file.
    pub clients: u32,
    /// How many files.
    pub files: u32,
    /// The most locks that a client asks for of one file at once.
    pub each: usize,
    /// The ranges that clients ask for.
    pub spans: Vec<ByteRange>,
    /// The types of the locks.
    pub kinds: Vec<LockType>,
    /// Whether clients wait without end, and give back what they were granted.
    pub is_patient: bool,
    /// Whether clients read and write any range; else they only write the whole file.
    pub exercises: bool,
    /// The table of each lock.
    pub lock: LockRules,
    /// The table of each server lock.
    pub server: ServerRules,
}

impl Ranges {
    /// The tables of the cores, among those given.
    pub(crate) fn rules(tables: &[Replacement]) -> Result<(LockRules, ServerRules), Refusal> {
        Ok((LockRules::among(tables)?, ServerRules::among(tables)?))
    }

    /// Where rows are in conflict, a choice says which is taken: of each table its own.
    fn manager(&self, choice: u8) -> CacheManager<LockRules, ServerRules> {
        let (locks, servers) = (choice % self.lock.choices(), choice / self.lock.choices());
        CacheManager { locks: self.lock.choosing(locks), servers: self.server.choosing(servers) }
    }

    pub(crate) fn files(&self) -> impl Iterator<Item = FileId> + use<> {
        (0..self.files).map(FileId)
    }

    pub(crate) fn keys(&self) -> impl Iterator<Item = Key> + use<> {
        (1..=self.clients).map(Key)
    }

    fn whole() -> ByteRange {
        ByteRange::new(0, BYTES).expect("a file has bytes")
    }

    /// Every range of bytes of a file.
    fn ranges() -> Vec<ByteRange> {
        let of = |first| (1..=BYTES - first).map(move |length| ByteRange::new(first, length));
        (0..BYTES).flat_map(of).filter_map(Result::ok).collect()
    }

    /// The clients that may ask for a lock. Those that have none are alike, but for the first one,
    /// whom a property watches: of the others one is enough.
    fn askers(&self, state: &manager::State) -> Vec<Key> {
        let has = |key| state.files().any(|(_, file)| file.locks.of(key).next().is_some());
        let (known, alike): (Vec<Key>, Vec<Key>) =
            self.keys().partition(|key| *key == FIRST || has(*key));
        known.into_iter().chain(alike.into_iter().take(1)).collect()
    }

    /// What a client may ask of a file: a lock while it has not too many, anything of its own locks
    /// and of those of the client before it, and to write.
    fn wishes(&self, file: Option<&manager::File>, key: Key, asks: bool) -> Vec<Wish> {
        let locks = file.map(|file| &file.locks);
        let of_it = || locks.into_iter().flat_map(|locks| locks.iter());
        let own = of_it().filter(|(_, lock)| lock.key == key).count();
        let mut wishes = Vec::new();
        if own < self.each && asks {
            for kind in &self.kinds {
                wishes.extend(self.spans.iter().map(|span| Wish::Lock(*kind, *span)));
            }
        }
        let before = Key(if key == FIRST { self.clients } else { key.0 - 1 });
        for (id, _) in of_it().filter(|(_, lock)| [key, before].contains(&lock.key)) {
            wishes.extend([Wish::Unlock(id), Wish::Abandon(id)]);
        }
        if self.exercises {
            let ranges = || Self::ranges().into_iter();
            wishes.extend(ranges().map(Wish::Read).chain(ranges().map(Wish::Write)));
        } else {
            wishes.push(Wish::Write(Self::whole()));
        }
        wishes
    }

    fn step_manager(
        &self,
        choice: u8,
        state: &mut types::Manager,
        input: InputOf<RangeTypes>,
        out: &mut OutOf<RangeTypes>,
    ) {
        let mut inner = Out::default();
        let input = match input {
            Input::Message { message, .. } => Input::Message { from: Server, message },
            Input::Fired(Timer::Manager(timer)) => Input::Fired(timer),
            Input::Command(Command::Manager(command)) => Input::Command(command),
            Input::Fired(Timer::Server(_)) | Input::Command(Command::Server(_)) => return,
            Input::Restart(_) => Input::Restart(None),
        };
        let (core, before) = (self.manager(choice), state.core.clone());
        core.step(&mut state.core, input.clone(), &mut inner);
        let asked = if let Input::Command(command) = &input { Some(command) } else { None };
        let notices = inner.effects.iter().filter_map(|effect| match effect {
            Effect::Notify(notice) => Some(*notice),
            Effect::Send { .. } | Effect::Arm(_) | Effect::Disarm(_) | Effect::Save(()) => None,
        });
        let notices = notices.collect();
        let step = Step { before: &before, asked, after: &state.core, notices };
        state.is_untold |= !step.is_told();
        state.is_turned_away |= !step.is_refused_for_a_loss();
        state.is_unasked |= !step.is_asked_for();
        state.is_misjudged |= !step.is_judged(&core.locks);
        // One file has no other to be told apart from.
        state.is_mixed |=
            self.files > 1 && !is_apart(&core, (&before, input), (&state.core, &inner));
        out.rows.append(&mut inner.rows);
        out.effects.extend(inner.effects.into_iter().filter_map(|effect| match effect {
            Effect::Send { to: Server, message } => Some(Effect::Send { to: SERVER, message }),
            Effect::Arm(timer) => Some(Effect::Arm(Timer::Manager(timer))),
            Effect::Disarm(timer) => Some(Effect::Disarm(Timer::Manager(timer))),
            Effect::Save(()) => None,
            Effect::Notify(notice) => Some(Effect::Notify(Notice(notice))),
        }));
    }

    fn step_server(
        state: &mut server::State,
        input: InputOf<RangeTypes>,
        out: &mut OutOf<RangeTypes>,
    ) {
        let mut inner = Out::default();
        let input = match input {
            Input::Message { message, .. } => Input::Message { from: HOST, message },
            Input::Fired(Timer::Server(timer)) => Input::Fired(timer),
            Input::Command(Command::Server(command)) => Input::Command(command),
            Input::Fired(Timer::Manager(_)) | Input::Command(Command::Manager(_)) => return,
            Input::Restart(_) => Input::Restart(None),
        };
        let call = if let Input::Message { message, .. } = &input { Some(*message) } else { None };
        FileServer.step(state, input, &mut inner);
        out.rows.append(&mut inner.rows);
        out.rows.extend(call.and_then(|call| kept::unkept(state, call, &inner.effects)));
        out.effects.extend(inner.effects.into_iter().filter_map(|effect| match effect {
            Effect::Send { to: _, message } => Some(Effect::Send { to: MANAGER, message }),
            Effect::Arm(timer) => Some(Effect::Arm(Timer::Server(timer))),
            Effect::Disarm(timer) => Some(Effect::Disarm(Timer::Server(timer))),
            Effect::Save(()) => None,
            Effect::Notify(silence) => match silence {},
        }));
    }
}

impl System for Ranges {
    type Types = RangeTypes;

    const BUDGETS: &'static [&'static str] = <Self as SystemSpec>::BUDGETS;

    fn start(&self, node: NodeId) -> State {
        if node == MANAGER {
            let core = self.manager(0).start();
            State::Manager(types::Manager::new(core))
        } else {
            State::Server(FileServer.start())
        }
    }

    fn step(
        &self,
        _node: NodeId,
        choice: u8,
        state: &mut State,
        input: InputOf<RangeTypes>,
        out: &mut OutOf<RangeTypes>,
    ) {
        match state {
            State::Manager(state) => self.step_manager(choice, state, input, out),
            State::Server(state) => Self::step_server(state, input, out),
        }
    }

    fn choices(&self, node: NodeId) -> u8 {
        if node == MANAGER { self.lock.choices() * self.server.choices() } else { 1 }
    }

    /// Clients ask at any moment. Another host takes a lock that it has not, frees the one that it
    /// has, and changes a file which this host has not locked.
    fn commands(&self, _node: NodeId, state: &State) -> Vec<Command> {
        let mut commands = Vec::new();
        for file in self.files() {
            match state {
                State::Manager(state) => {
                    let askers = self.askers(&state.core);
                    for key in self.keys() {
                        let asks = askers.contains(&key);
                        let wishes = self.wishes(state.core.file(file), key, asks).into_iter();
                        let command = |wish| manager::Command { file, key, wish };
                        commands.extend(wishes.map(command).map(Command::Manager));
                    }
                }
                State::Server(state) => {
                    let elsewhere = match state.elsewhere(file) {
                        Some(_) => vec![server::Command::Free(file)],
                        None => [Whole::LockRead, Whole::LockWrite]
                            .map(|lock| server::Command::Take(file, lock))
                            .into(),
                    };
                    commands.extend(elsewhere.into_iter().map(Command::Server));
                    if state.of(file, HOST).is_none() {
                        commands.push(Command::Server(server::Command::Change(file)));
                    }
                }
            }
        }
        commands
    }

    fn command_budget(&self, command: &Command) -> Option<&'static str> {
        match command {
            Command::Manager(command) => match command.wish {
                Wish::Lock(..) if command.file != FileId(0) => Some("request of another file"),
                Wish::Lock(..) => Some("request"),
                Wish::Abandon(_) => Some("abandon"),
                Wish::Write(_) => Some("write"),
                Wish::Read(_) => Some("read"),
                Wish::Unlock(_) => None,
            },
            Command::Server(server::Command::Take(..)) => Some("other host"),
            Command::Server(server::Command::Free(_)) => None,
            Command::Server(server::Command::Change(_)) => Some("file changed"),
        }
    }

    fn insists(&self, command: &Command) -> bool {
        let Command::Manager(manager::Command { wish, .. }) = command else { return false };
        self.is_patient && matches!(wish, Wish::Unlock(_))
    }

    fn timer_budget(&self, timer: &Timer) -> Option<&'static str> {
        match timer {
            Timer::Manager(manager::Timer::Lease(_)) => Some("lapse"),
            Timer::Manager(manager::Timer::Wait(..)) if self.is_patient => Some("time out"),
            Timer::Manager(manager::Timer::Check(_) | manager::Timer::Wait(..))
            | Timer::Server(_) => None,
        }
    }

    fn is_answer(&self, request: &Letter, answer: &Letter) -> bool {
        matches!((request, answer), (Message::Call { call, .. }, Message::Answer { call: of, .. })
            if call == of)
    }

    fn unanswered(&self, letter: &Letter) -> Option<Letter> {
        match letter {
            Message::Call { call, .. } => Some(Message::unanswered(*call)),
            Message::Answer { answer: Answer::None, .. } => None,
            Message::Answer { call, .. } => Some(Message::unanswered(*call)),
        }
    }

    fn timer_name(&self, timer: &Timer) -> &'static str {
        match timer {
            Timer::Manager(manager::Timer::Check(_)) => "check timer",
            Timer::Manager(manager::Timer::Lease(_)) => "lease timer",
            Timer::Manager(manager::Timer::Wait(..)) => "wait timer",
            Timer::Server(_) => "lapse",
        }
    }

    fn is_same_grant(
        &self,
        (_, _, earlier): (NodeId, &State, &Timer),
        (_, _, later): (NodeId, &State, &Timer),
    ) -> bool {
        match (earlier, later) {
            (Timer::Manager(manager::Timer::Lease(file)), Timer::Server(lapse)) => {
                *file == lapse.file
            }
            (Timer::Manager(_) | Timer::Server(_), _) => false,
        }
    }

    fn mark(&self, _node: NodeId, _state: &State, timer: &Timer) -> Option<types::Mark> {
        match timer {
            Timer::Server(lapse) => Some(types::Mark(lapse.file)),
            Timer::Manager(_) => None,
        }
    }

    fn lapse(&self, answer: &mut Letter, mark: Option<&types::Mark>) {
        // An answer does not name its file, and one about another file may be late as well.
        let _ = mark;
        if let Message::Answer { lease: Lease::Live, .. } = answer
            && let Some(late) = answer.lapsed()
        {
            *answer = late;
        }
    }

    fn monitor(&self) -> Past {
        Past::default()
    }

    fn observe(&self, past: &mut Past, seen: &ObservationOf<RangeTypes>) {
        past.observe(seen);
    }

    fn input_words(&self, _node: NodeId, input: &InputOf<RangeTypes>) -> String {
        match input {
            Input::Message { message, .. } => message.to_string(),
            Input::Fired(Timer::Manager(timer)) => format!("{timer} triggers"),
            Input::Fired(Timer::Server(timer)) => format!("{timer} comes"),
            Input::Command(Command::Manager(command)) => {
                format!("is asked {command}")
            }
            Input::Command(Command::Server(command)) => format!("is told {command}"),
            Input::Restart(_) => "starts again".to_owned(),
        }
    }

    fn message_words(&self, letter: &Letter) -> String {
        letter.to_string()
    }

    fn effect_words(&self, _node: NodeId, effect: &EffectOf<RangeTypes>) -> Option<String> {
        match effect {
            Effect::Notify(Notice(notice)) if notice.what == News::Allowed => None,
            Effect::Notify(Notice(notice)) => Some(format!("tells {notice}")),
            Effect::Arm(_) | Effect::Disarm(_) | Effect::Save(()) | Effect::Send { .. } => None,
        }
    }

    fn state_words(&self, state: &State) -> Option<String> {
        let State::Manager(state) = state else { return None };
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

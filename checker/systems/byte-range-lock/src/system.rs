//! The nodes and their wiring.

use turnstile_core::ranges::ByteRange;
use turnstile_core::ranges::locks::{Key, LockType};
use turnstile_core::ranges::manager::{self, Wish};
use turnstile_core::ranges::message::{Answer, FileId, Host, Lease, Message};
use turnstile_core::ranges::server;
use turnstile_harness::SystemSpec;
use turnstile_harness::options::{Refusal, Replacement};
use turnstile_harness::rules::Chosen;
use turnstile_machines::{byte_range_lock, server_lock};
use turnstile_world::system::{NodeCore, System};
use turnstile_world::{NodeId, Observation, Ordered, Value};

use crate::nodes::{ManagerNode, ServerNode};
use crate::past::Past;

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
    pub(crate) fn askers(&self, state: &manager::State) -> Vec<Key> {
        let has = |key| state.files().any(|(_, file)| file.locks.of(key).next().is_some());
        let (known, alike): (Vec<Key>, Vec<Key>) =
            self.keys().partition(|key| *key == FIRST || has(*key));
        known.into_iter().chain(alike.into_iter().take(1)).collect()
    }

    /// What a client may ask of a file: a lock while it has not too many, anything of its own locks
    /// and of those of the client before it, and to write.
    pub(crate) fn wishes(&self, file: Option<&manager::File>, key: Key, asks: bool) -> Vec<Wish> {
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
}

/// The two nodes, and what neither decides.
#[derive(Clone, Debug)]
pub(crate) struct Nodes {
    is_patient: bool,
    manager: ManagerNode,
    server: ServerNode,
}

impl Nodes {
    pub(crate) fn new(ranges: Ranges) -> Self {
        Self {
            is_patient: ranges.is_patient,
            manager: ManagerNode(ranges.clone()),
            server: ServerNode(ranges),
        }
    }
}

impl System for Nodes {
    fn node(&self, node: NodeId) -> &dyn NodeCore {
        if node == MANAGER { &self.manager } else { &self.server }
    }

    fn budgets(&self) -> &'static [&'static str] {
        Ranges::BUDGETS
    }

    fn command_budget(&self, command: &Ordered) -> Option<&'static str> {
        if let Some(command) = command.get::<manager::Command>() {
            return match command.wish {
                Wish::Lock(..) if command.file != FileId(0) => Some("request of another file"),
                Wish::Lock(..) => Some("request"),
                Wish::Abandon(_) => Some("abandon"),
                Wish::Write(_) => Some("write"),
                Wish::Read(_) => Some("read"),
                Wish::Unlock(_) => None,
            };
        }
        match command.of() {
            server::Command::Take(..) => Some("other host"),
            server::Command::Free(_) => None,
            server::Command::Change(_) => Some("file changed"),
        }
    }

    fn insists(&self, command: &Ordered) -> bool {
        let command = command.get::<manager::Command>();
        self.is_patient && command.is_some_and(|it| matches!(it.wish, Wish::Unlock(_)))
    }

    fn timer_budget(&self, timer: &Ordered) -> Option<&'static str> {
        match timer.get()? {
            manager::Timer::Lease(_) => Some("lapse"),
            manager::Timer::Wait(..) => self.is_patient.then_some("time out"),
            manager::Timer::Check(_) => None,
        }
    }

    fn is_answer(&self, request: &Ordered, answer: &Ordered) -> bool {
        match (request.of(), answer.of()) {
            (Message::Call { call, .. }, Message::Answer { call: of, .. }) => call == of,
            (Message::Call { .. } | Message::Answer { .. }, _) => false,
        }
    }

    fn unanswered(&self, message: &Ordered) -> Option<Ordered> {
        match message.of() {
            Message::Answer { answer: Answer::None, .. } => None,
            Message::Call { call, .. } | Message::Answer { call, .. } => {
                Some(Ordered::new(Message::unanswered(*call)))
            }
        }
    }

    fn is_same_grant(
        &self,
        (_, _, earlier): (NodeId, &Value, &Ordered),
        (_, _, later): (NodeId, &Value, &Ordered),
    ) -> bool {
        match (earlier.get(), later.get::<server::Lapse>()) {
            (Some(manager::Timer::Lease(file)), Some(lapse)) => *file == lapse.file,
            _ => false,
        }
    }

    fn mark(&self, _node: NodeId, _state: &Value, timer: &Ordered) -> Option<Value> {
        timer.get::<server::Lapse>().map(|lapse| Value::new(lapse.file))
    }

    fn lapse(&self, answer: &mut Ordered, _mark: Option<&Value>) {
        // An answer does not name its file, and one about another file may be late as well.
        if let Message::Answer { lease: Lease::Live, .. } = answer.of()
            && let Some(late) = answer.of::<Message>().lapsed()
        {
            *answer = Ordered::new(late);
        }
    }

    fn monitor(&self) -> Value {
        Value::new(Past::default())
    }

    fn observe(&self, past: &mut Value, seen: &Observation) {
        past.of_mut::<Past>().observe(seen);
    }
}

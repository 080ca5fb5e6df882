//! The group lock: members that are clients and one of them coordinator, and the membership that
//! delivers their views.
//!
//! Wiring and predicates only; what a member does is turnstile-core's. The worlds, budgets and
//! properties stand in `spec/systems/group-lock.yaml`.

mod facts;
mod founded;
mod membership;
mod predicates;
pub mod types;
mod world;

use std::collections::BTreeMap;

use turnstile_core::group::message::LockName;
use turnstile_core::group::{Command as Told, Member, Notice, Timer};
use turnstile_core::step::{Core, Effect, Input, InputOf as CoreInput, Out, OutOf as CoreOut};
use turnstile_core::view::{MemberId, Members};

use self::founded::Rest;
use self::membership::{Membership, Sent};
use crate::report::options::{Refusal, Replacement};
use crate::systems::rules::chosen;
use crate::world::system::{Cut, EffectOf, InputOf, NodeId, OutOf, System};

pub use self::types::{Caller, Command, GroupTypes, Letter, Seat, State};
pub use world::ENTRY;

chosen!(ClientRules, group_lock_client, formulas);
chosen!(CoordinatorRules, group_lock_coordinator, formulas);

/// The cores of the group lock. Members come first, then the membership.
#[derive(Clone, Debug)]
pub struct Group {
    /// How many members.
    pub members: usize,
    /// How many locks they want.
    pub locks: u16,
    /// The group has not formed when it begins, and the last member is no founder.
    pub joins: bool,
    /// What is on its way between members that are no longer together is lost; else it comes late.
    pub loses: bool,
    /// The members as they begin, where the group has formed before.
    founded: Vec<Rest>,
    /// The table of a lock at a member.
    pub client: ClientRules,
    /// The table of a coordinator.
    pub coordinator: CoordinatorRules,
}

type Of = Member<ClientRules, CoordinatorRules>;

/// A node's number as a member's name, and back.
fn member(node: NodeId) -> MemberId {
    MemberId(u8::try_from(node + 1).expect("a group is small"))
}

fn node(member: MemberId) -> NodeId {
    NodeId::from(member.0) - 1
}

impl Group {
    /// A group by the tables given.
    ///
    /// # Errors
    ///
    /// Names of a table that the cores were not compiled with.
    pub fn new(
        members: usize,
        locks: u16,
        (joins, loses): (bool, bool),
        tables: &[Replacement],
    ) -> Result<Self, Refusal> {
        let client = ClientRules::among(tables)?;
        let coordinator = CoordinatorRules::among(tables)?;
        let founded = Vec::new();
        let mut group = Self { members, locks, joins, loses, founded, client, coordinator };
        if !joins {
            group.founded = founded::founded(&group);
        }
        Ok(group)
    }

    /// A member that has never run.
    fn seat(&self, node: NodeId) -> Seat {
        let core = self.core(node, 0).start();
        Seat { core, callers: BTreeMap::new(), returned_twice: false, lost_a_lock: false }
    }

    fn core(&self, me: NodeId, choice: u8) -> Of {
        let client = self.client.choosing(choice);
        let coordinator = self.coordinator.choosing(choice);
        Member { me: member(me), client, coordinator }
    }

    /// A caller locks what it does not hold, once its member has a coordinator, and unlocks what
    /// it holds, or needlessly what it does not.
    fn wishes(&self, seat: &Seat) -> Vec<Command> {
        let wishes = |lock| match seat.callers.get(&lock) {
            None if seat.core.coord.is_none() => Vec::new(),
            None => vec![Command::Member(Told::Lock(lock)), Command::Needless(lock)],
            Some(Caller::Holds) => vec![Command::Member(Told::Unlock(lock))],
            Some(Caller::Waits) => Vec::new(),
        };
        (0..self.locks).map(LockName).flat_map(wishes).collect()
    }

    fn step_member(
        &self,
        core: &Of,
        seat: &mut Seat,
        input: CoreInput<Of>,
        out: &mut OutOf<GroupTypes>,
    ) {
        if let Input::Command(command) = &input {
            seat.asks(command);
        }
        let mut inner: CoreOut<Of> = Out::default();
        core.step(&mut seat.core, input, &mut inner);
        out.rows.append(&mut inner.rows);
        for effect in inner.effects {
            out.effects.push(match effect {
                Effect::Send { to, message } => {
                    Effect::Send { to: node(to), message: Letter::Member(message) }
                }
                Effect::Arm(timer) => Effect::Arm(timer),
                Effect::Disarm(timer) => Effect::Disarm(timer),
                Effect::Save(()) => continue,
                Effect::Notify(notice) => {
                    seat.is_told(notice);
                    Effect::Notify(notice)
                }
            });
        }
    }
}

impl Seat {
    fn asks(&mut self, command: &Told) {
        match command {
            Told::Lock(lock) => {
                self.callers.insert(*lock, Caller::Waits);
            }
            Told::Unlock(lock) => {
                self.callers.remove(lock);
            }
            Told::View(_) => {}
        }
    }

    fn is_told(&mut self, notice: Notice) {
        let lock = notice.lock();
        let waits = self.callers.get(&lock) == Some(&Caller::Waits);
        match notice {
            Notice::Locked(_) | Notice::Rejected(_) | Notice::TimedOut(_) if !waits => {
                self.returned_twice = true;
            }
            Notice::Locked(_) => {
                self.callers.insert(lock, Caller::Holds);
            }
            Notice::Duplicate(_) if waits => {}
            Notice::Duplicate(_) => self.lost_a_lock |= self.callers.remove(&lock).is_some(),
            Notice::Rejected(_) | Notice::TimedOut(_) => {
                self.callers.remove(&lock);
            }
        }
    }
}

impl System for Group {
    type Types = GroupTypes;

    fn start(&self, node: NodeId) -> State {
        if node < self.members {
            let rest = self.founded.get(node);
            let seat = rest.map_or_else(|| self.seat(node), |rest| rest.seat.clone());
            return State::Member(Box::new(seat));
        }
        let founders = self.members - usize::from(self.joins);
        let outside = Members::new((founders..self.members).map(member));
        let founders = Members::new((0..founders).map(member));
        State::Membership(Membership::new(founders, outside, !self.joins))
    }

    fn armed(&self, node: NodeId) -> Vec<Timer> {
        self.founded.get(node).map(|rest| rest.timers.clone()).unwrap_or_default()
    }

    fn step(
        &self,
        me: NodeId,
        choice: u8,
        state: &mut State,
        input: InputOf<GroupTypes>,
        out: &mut OutOf<GroupTypes>,
    ) {
        let seat = match state {
            State::Gone => return,
            State::Member(seat) => seat,
            State::Membership(membership) => {
                if let Input::Command(Command::Membership(change)) = input {
                    out.effects.extend(membership.change(change).into_iter().map(|(to, sent)| {
                        let message = match sent {
                            Sent::View(view) => Letter::View(view),
                            Sent::Stop => Letter::Stop,
                        };
                        Effect::Send { to: node(to), message }
                    }));
                }
                return;
            }
        };
        let input = match input {
            Input::Message { from, message: Letter::Member(message) } => {
                Input::Message { from: member(from), message }
            }
            Input::Message { from: _, message: Letter::View(view) } => {
                Input::Command(Told::View(view))
            }
            Input::Message { from: _, message: Letter::Stop } => {
                out.effects.extend(self.all_timers().map(Effect::Disarm));
                *state = State::Gone;
                return;
            }
            Input::Fired(timer) => Input::Fired(timer),
            Input::Command(Command::Member(command)) => Input::Command(command),
            Input::Command(Command::Needless(lock)) => Input::Command(Told::Unlock(lock)),
            Input::Command(Command::Membership(_)) => return,
            Input::Restart(_) => Input::Restart(None),
        };
        self.step_member(&self.core(me, choice), seat, input, out);
    }

    fn choices(&self, node: NodeId) -> u8 {
        if node < self.members { self.client.choices().max(self.coordinator.choices()) } else { 1 }
    }

    fn commands(&self, _node: NodeId, state: &State) -> Vec<Command> {
        match state {
            State::Member(seat) => self.wishes(seat),
            State::Gone => Vec::new(),
            State::Membership(membership) => {
                membership.changes().into_iter().map(Command::Membership).collect()
            }
        }
    }

    fn cut(&self, _node: NodeId, input: &InputOf<GroupTypes>) -> Option<Cut> {
        use membership::Change;
        let Input::Command(Command::Membership(change)) = input else { return None };
        match change {
            Change::Crash(gone) | Change::Leave(gone) | Change::CutOff(gone) => {
                self.loses.then(|| Cut::Lost(vec![node(*gone)]))
            }
            Change::Doubt { .. } => None,
            Change::Merge(_) => self.loses.then_some(Cut::Together),
            Change::Form | Change::Exclude(_) | Change::Join(_) => None,
        }
    }

    fn command_budget(&self, command: &Command) -> Option<&'static str> {
        use membership::Change;
        match command {
            Command::Member(Told::Lock(_)) => Some("lock call"),
            Command::Member(Told::Unlock(_)) => Some("unlock call"),
            Command::Member(Told::View(_)) => None,
            Command::Needless(_) => Some(world::NEEDLESS),
            Command::Membership(change) => match change {
                Change::Form | Change::Exclude(_) | Change::Merge(_) => None,
                Change::Crash(_) => Some("crash"),
                Change::Leave(_) => Some("leave"),
                Change::Join(_) => Some("join"),
                Change::CutOff(_) => Some("partition"),
                Change::Doubt { .. } => Some("doubt"),
            },
        }
    }

    fn insists(&self, command: &Command) -> bool {
        use membership::Change;
        let Command::Membership(change) = command else { return false };
        match change {
            Change::Form | Change::Exclude(_) | Change::Merge(_) => true,
            Change::Crash(_)
            | Change::Leave(_)
            | Change::Join(_)
            | Change::CutOff(_)
            | Change::Doubt { .. } => false,
        }
    }

    fn timer_budget(&self, timer: &Timer) -> Option<&'static str> {
        Some(match timer {
            Timer::Lock(_) => "time-out",
            Timer::Reconciliation => "reconciliation time-out",
        })
    }

    fn watch(&self) {}

    fn input_words(&self, _node: NodeId, input: &InputOf<GroupTypes>) -> String {
        match input {
            Input::Message { message, .. } => self.message_words(message),
            Input::Fired(timer) => format!("{timer}"),
            Input::Command(Command::Member(Told::Lock(lock))) => format!("lock({})", lock.0),
            Input::Command(Command::Member(Told::Unlock(lock)) | Command::Needless(lock)) => {
                format!("unlock({})", lock.0)
            }
            Input::Command(Command::Member(Told::View(view))) => view.to_string(),
            Input::Command(Command::Membership(change)) => change.to_string(),
            Input::Restart(_) => "starts again".to_owned(),
        }
    }

    fn message_words(&self, letter: &Letter) -> String {
        match letter {
            Letter::Member(message) => message.to_string(),
            Letter::View(view) => view.to_string(),
            Letter::Stop => "the end".to_owned(),
        }
    }

    fn effect_words(&self, _node: NodeId, effect: &EffectOf<GroupTypes>) -> Option<String> {
        match effect {
            Effect::Arm(timer) => Some(format!("arms {timer}")),
            Effect::Disarm(timer) => Some(format!("disarms {timer}")),
            Effect::Notify(notice) => Some(format!("tells caller {notice}")),
            Effect::Save(()) | Effect::Send { .. } => None,
        }
    }

    fn state_words(&self, state: &State) -> Option<String> {
        match state {
            State::Member(seat) => Some(seat.core.server().at.name().to_owned()),
            State::Gone => Some("gone".to_owned()),
            State::Membership(_) => None,
        }
    }
}

impl Group {
    fn all_timers(&self) -> impl Iterator<Item = Timer> {
        let locks = (0..self.locks).map(|lock| Timer::Lock(LockName(lock)));
        locks.chain([Timer::Reconciliation])
    }
}

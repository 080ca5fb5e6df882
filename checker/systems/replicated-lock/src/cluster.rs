//! What members have in place of a cluster: an agreed log, whoever leads, and who is connected.
//! It elects whomever it likes among the connected and orders commands as they come; what a
//! command means, and what a leader does, it leaves to the members' cores.

use turnstile_core::number::Token;
use turnstile_core::replicated::message::{Because, Connected, Message};
use turnstile_core::replicated::types::{Address, Entry, Operation};
use turnstile_core::replicated::{Locks, Service};
use turnstile_machine::Rules;
use turnstile_machines::lock_status;
use turnstile_step::Symbolic;
use turnstile_world::NodeId;

use super::mail::{Change, Letter, Mail, lock_of};
use super::order::Broken;

/// The log, and who takes part.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Symbolic)]
pub(crate) struct Cluster {
    /// The members, by node.
    pub(crate) seats: Vec<Seat>,
    /// How many vote that have no locks: they are always connected, and never lead.
    witnesses: usize,
    /// Who leads.
    pub(crate) leader: Option<NodeId>,
    /// Why the next one will be elected.
    because: Because,
    /// The log has the RESET of the one that leads.
    pub(super) is_reset: bool,
    /// What the whole log comes to.
    pub(crate) truth: Locks,
    /// The index of its last command, if it has one.
    pub(crate) last: Option<Token>,
    /// Results that the leader owes, each to an address.
    pub(super) answers: Vec<(Address, Message)>,
    /// Results may fail: they do not go out at once.
    may_fail: bool,
    /// Commands that wait for a leader.
    pub(super) held: Vec<Entry>,
    /// Commands that come to nothing: who waits for them is told so at some time, or never.
    lost: Vec<Entry>,
    /// What a command of the log did that it must not do.
    pub(crate) broken: Broken,
}

/// A member as the cluster sees it.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Symbolic)]
pub(crate) struct Seat {
    /// Under which address.
    pub(crate) address: Address,
    /// It is connected to nobody.
    pub(crate) is_apart: bool,
    /// It has been at some time.
    pub(crate) was_apart: bool,
    /// It has no log: it needs a snapshot.
    is_new: bool,
    /// It is connected, and what comes into the log does not come to it.
    is_behind: bool,
    /// What came into the log while it was apart or behind.
    pub(super) pending: Vec<(Token, Entry)>,
}

impl Cluster {
    /// Members that are all connected; the first one leads.
    pub(super) fn new(members: usize, witnesses: usize, may_fail: bool) -> Self {
        let seat = |address| Seat {
            address: Address(address),
            is_apart: false,
            was_apart: false,
            is_new: false,
            is_behind: false,
            pending: Vec::new(),
        };
        Self {
            seats: (1..).take(members).map(seat).collect(),
            witnesses,
            leader: Some(0),
            because: Because::MajorityIsJustReached,
            is_reset: true,
            truth: Locks::new(),
            last: None,
            answers: Vec::new(),
            may_fail,
            held: Vec::new(),
            lost: Vec::new(),
            broken: Broken::default(),
        }
    }

    fn connected(&self) -> Vec<NodeId> {
        (0..self.seats.len()).filter(|node| !self.seats[*node].is_apart).collect()
    }

    /// The addresses of those that are connected.
    pub(super) fn present(&self) -> Vec<Address> {
        let mut all: Vec<_> =
            self.connected().into_iter().map(|node| self.seats[node].address).collect();
        all.sort_unstable();
        all
    }

    fn has_majority(&self) -> bool {
        (self.connected().len() + self.witnesses) * 2 > self.seats.len() + self.witnesses
    }

    /// All that may happen now.
    pub(super) fn changes(&self) -> Vec<Change> {
        let mut changes = Vec::new();
        let connected = self.connected();
        // Only who has the whole log is elected.
        let whole = connected.iter().filter(|node| !self.seats[**node].is_behind);
        if self.leader.is_some() {
            changes.extend(whole.clone().map(|node| Change::ElectAgain(*node)));
        } else if self.has_majority() {
            changes.extend(whole.clone().map(|node| Change::Elect(*node)));
        }
        let followers = whole.filter(|node| self.leader != Some(**node));
        changes.extend(followers.map(|node| Change::FallBehind(*node)));
        let behind = connected.iter().filter(|node| self.seats[**node].is_behind);
        changes.extend(behind.map(|node| Change::CatchUp(*node)));
        let answers = u8::try_from(self.answers.len()).expect("few commands are on their way");
        changes.extend((0..answers).flat_map(|one| [Change::Answer(one), Change::Fail(one)]));
        let lost = u8::try_from(self.lost.len()).expect("few commands are lost");
        changes.extend((0..lost).map(Change::Refuse));
        if self.has_majority() {
            changes.extend(connected.iter().map(|node| Change::CutOff(*node)));
        }
        // Who has ended and is not back cannot end again.
        let all = (0..self.seats.len()).filter(|node| {
            let seat = &self.seats[*node];
            !(seat.is_apart && seat.is_new)
        });
        changes.extend(all.map(Change::Restart));
        let apart = (0..self.seats.len()).filter(|node| self.seats[*node].is_apart);
        for node in apart {
            changes.push(Change::Connect(node));
            let seat = &self.seats[node];
            let is_behind = !seat.is_new && !seat.pending.is_empty();
            changes.extend(is_behind.then_some(Change::Install(node)));
        }
        changes
    }

    /// What a change sends to whom.
    pub(super) fn change(
        &mut self,
        change: Change,
        service: &Service<impl Rules<lock_status::Machine>>,
    ) -> Mail {
        match change {
            Change::Answer(place) => {
                let (address, result) = self.answers.remove(usize::from(place));
                vec![self.past(address, result)]
            }
            Change::Fail(place) => {
                let (address, result) = self.answers.remove(usize::from(place));
                self.failed(address, &result).into_iter().collect()
            }
            Change::Refuse(place) => {
                let entry = self.lost.remove(usize::from(place));
                self.refuse(&entry).into_iter().collect()
            }
            Change::Elect(node) => {
                (self.leader, self.is_reset) = (Some(node), false);
                let mut mail = vec![(node, Letter::Log(Message::Elected(self.because)))];
                for entry in std::mem::take(&mut self.held) {
                    mail.extend(self.append(entry, service));
                }
                mail
            }
            Change::ElectAgain(node) => {
                let mut mail = self.lose_leader(Because::TheLeaderLeft, Some(node));
                (self.leader, self.is_reset) = (Some(node), false);
                let because = Because::TheCoordinatorChanged;
                mail.push((node, Letter::Log(Message::Elected(because))));
                mail
            }
            Change::CutOff(node) => self.part(node, false),
            Change::Restart(node) => self.part(node, true),
            Change::Connect(node) => self.connect(node),
            Change::Install(node) => {
                self.seats[node].is_new = true;
                self.connect(node)
            }
            Change::FallBehind(node) => {
                self.seats[node].is_behind = true;
                Vec::new()
            }
            Change::CatchUp(node) => vec![self.snapshot(node)],
        }
    }

    fn snapshot(&mut self, node: NodeId) -> (NodeId, Letter) {
        let seat = &mut self.seats[node];
        (seat.is_new, seat.is_behind) = (false, false);
        seat.pending.clear();
        let (index, locks) = (self.last, self.truth.clone());
        (node, Letter::Log(Message::Snapshot { index, locks }))
    }

    /// Nobody leads: what is owed to those that wait fails. A leader that is followed by another
    /// one, and is still there, learns of it.
    fn lose_leader(&mut self, because: Because, by: Option<NodeId>) -> Mail {
        self.because = because;
        let before = self.leader.take();
        let answers = std::mem::take(&mut self.answers);
        let failed = answers.iter().filter_map(|(address, result)| self.failed(*address, result));
        let mut mail: Mail = failed.collect();
        if let (Some(before), Some(by)) = (before, by)
            && before != by
        {
            mail.push((before, Letter::Log(Message::AnotherIsElected)));
        }
        mail
    }

    fn view(&self, is: Connected, to: Vec<NodeId>) -> Mail {
        let members = self.present();
        let view = |node| (node, Letter::Log(Message::View { is, members: members.clone() }));
        to.into_iter().map(view).collect()
    }

    /// A member is cut off, or ends.
    fn part(&mut self, node: NodeId, ends: bool) -> Mail {
        let members = u64::try_from(self.seats.len()).expect("a cluster is small");
        let is_seen = self.has_majority() && !self.seats[node].is_apart;
        let seat = &mut self.seats[node];
        (seat.is_apart, seat.was_apart, seat.is_behind) = (true, true, false);
        let mut mail = Vec::new();
        if ends {
            self.answers.retain(|(address, _)| *address != seat.address);
            (seat.address, seat.is_new) = (Address(seat.address.0 + members), true);
            seat.pending.clear();
            let address = seat.address;
            self.drop_lost();
            mail.push((node, Letter::Begin(address)));
        } else {
            let (is, members) = (Connected::Minority, vec![self.seats[node].address]);
            mail.push((node, Letter::Log(Message::View { is, members })));
        }
        // Who is apart or in a minority hears of no other.
        if !is_seen {
            return mail;
        }
        let others = self.connected();
        if !self.has_majority() {
            for node in &others {
                self.seats[*node].was_apart = true;
            }
            mail.extend(self.lose_leader(Because::MajorityIsJustReached, None));
            let held = std::mem::take(&mut self.held);
            held.into_iter().for_each(|entry| self.lose(entry));
            mail.extend(self.view(Connected::Minority, others));
        } else {
            if self.leader == Some(node) {
                mail.extend(self.lose_leader(Because::TheLeaderLeft, None));
            }
            mail.extend(self.view(Connected::Left, others));
        }
        mail
    }

    /// A command does not come into the log, now or later.
    fn lose(&mut self, entry: Entry) {
        if self.refuse(&entry).is_some() {
            self.lost.push(entry);
        }
    }

    /// Forgets what nobody waits for.
    fn drop_lost(&mut self) {
        let lost = std::mem::take(&mut self.lost);
        self.lost = lost.into_iter().filter(|entry| self.refuse(entry).is_some()).collect();
    }

    fn connect(&mut self, node: NodeId) -> Mail {
        let had_majority = self.has_majority();
        self.seats[node].is_apart = false;
        if !self.has_majority() {
            return Vec::new();
        }
        let mut mail = Vec::new();
        for node in self.connected() {
            if self.seats[node].is_new {
                mail.push(self.snapshot(node));
            }
            let pending = std::mem::take(&mut self.seats[node].pending);
            mail.extend(
                pending
                    .into_iter()
                    .map(|(index, entry)| (node, Letter::Log(Message::Apply { index, entry }))),
            );
        }
        if !had_majority {
            self.because = Because::MajorityIsJustReached;
        }
        mail.extend(self.view(Connected::Joined, self.connected()));
        mail
    }

    /// A command comes in; it is lost unless its member is with the majority.
    pub(super) fn receive(
        &mut self,
        from: NodeId,
        entry: Entry,
        service: &Service<impl Rules<lock_status::Machine>>,
    ) -> Mail {
        if self.seats[from].address != entry.by {
            return Vec::new();
        }
        if self.seats[from].is_apart || !self.has_majority() {
            self.lose(entry);
            return Vec::new();
        }
        if self.leader.is_some() {
            return self.append(entry, service);
        }
        self.held.push(entry);
        Vec::new()
    }

    fn refuse(&self, entry: &Entry) -> Option<(NodeId, Letter)> {
        let lock = lock_of(&entry.operation)?;
        let call = entry.call?;
        self.is_there(entry.by).then(|| self.past(entry.by, Message::Failed { lock, call }))
    }

    /// Whether a member has this address still.
    fn is_there(&self, address: Address) -> bool {
        self.seats.iter().any(|seat| seat.address == address)
    }

    /// What who waits for a result hears instead of it.
    fn failed(&self, address: Address, result: &Message) -> Option<(NodeId, Letter)> {
        let Message::Result { lock, call, .. } = *result else { return None };
        Some(self.past(address, Message::Failed { lock, call }))
    }

    /// A message that goes past the log, by the node behind this one.
    fn past(&self, address: Address, message: Message) -> (NodeId, Letter) {
        (self.seats.len() + 1, Letter::Past(address, message))
    }

    fn append(
        &mut self,
        entry: Entry,
        service: &Service<impl Rules<lock_status::Machine>>,
    ) -> Mail {
        let index = Token::new(self.last.map_or(1, |last| last.number() + 1));
        let leader = self.leader.map(|node| self.seats[node].address);
        self.is_reset |= leader == Some(entry.by) && matches!(entry.operation, Operation::Reset(_));
        self.last = Some(index);
        let before = self.truth.clone();
        service.apply(&mut self.truth, index, &entry, &mut Vec::new());
        let stayed = |address: Address| {
            self.seats.iter().any(|seat| seat.address == address && !seat.was_apart)
        };
        self.broken.note(&service.rules, [&before, &self.truth], &entry, &stayed);
        if let (Some(call), Some(lock)) = (entry.call, lock_of(&entry.operation))
            && self.is_there(entry.by)
        {
            let address = entry.by;
            let status = self.truth.status(lock, address);
            let token = self.truth.token(lock, address);
            self.answers.push((address, Message::Result { lock, call, index, status, token }));
        }
        let mut mail = Mail::new();
        for (node, seat) in self.seats.iter_mut().enumerate() {
            let (index, entry) = (index, entry.clone());
            if !seat.is_apart && !seat.is_behind {
                mail.push((node, Letter::Log(Message::Apply { index, entry })));
            } else if !seat.is_new {
                seat.pending.push((index, entry));
            }
        }
        if !self.may_fail && !self.answers.is_empty() {
            mail.extend(self.change(Change::Answer(0), service));
        }
        mail
    }

    /// Gives members other places, and addresses with them.
    pub(super) fn rename(&mut self, to: &[NodeId], each: &mut dyn FnMut(&mut Address)) {
        let before = self.seats.clone();
        before.into_iter().zip(to).for_each(|(seat, &to)| self.seats[to] = seat);
        self.leader = self.leader.map(|node| to[node]);
        self.answers.iter_mut().for_each(|(address, _)| each(address));
        self.truth.visit_addresses(each);
        let pending = self.seats.iter_mut().flat_map(|seat| {
            each(&mut seat.address);
            seat.pending.iter_mut().map(|(_, entry)| entry)
        });
        let pending: Vec<&mut Entry> = pending.collect();
        for entry in pending.into_iter().chain(&mut self.held).chain(&mut self.lost) {
            entry.visit_addresses(each);
        }
    }
}

//! The cluster as the members see it: a replicated log, a leader, and connectivity. It elects any
//! connected member and appends commands in their order; the members' cores decide all else.

mod rename;

use turnstile_ids::number::Token;
use turnstile_replicated_lock_core::Locks;
use turnstile_replicated_lock_core::message::{Connectivity, ElectionReason, Message};
use turnstile_replicated_lock_core::types::{Address, LogEntry, LogOperation};
use turnstile_step::Symbolic;
use turnstile_world::NodeId;

use super::envelope::{ClusterEvent, Envelope, Outbox, applied, lock_of};
use super::log_service::LogService;
use super::replicated::Replicated;

/// The log and the cluster's membership.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Symbolic)]
pub(crate) struct Cluster {
    /// The members, by node.
    pub(crate) members: Vec<ClusterMember>,
    /// The number of witnesses: they vote, are always connected, and never lead.
    witnesses: usize,
    /// The leader.
    pub(crate) leader: Option<NodeId>,
    /// The reason of the next election.
    because: ElectionReason,
    /// The log contains the RESET of the present leader.
    pub(super) is_reset: bool,
    /// The locks after the whole log.
    pub(crate) log_state: Locks,
    /// The index of its last command, if it has one.
    pub(crate) last: Option<Token>,
    /// Results that the leader has still to send, each with its address.
    pub(super) answers: Vec<(Address, Message)>,
    /// Results may fail: they are not sent at once.
    may_fail: bool,
    /// Commands of a partitioned member enter the log until a RESET excludes it.
    takes_late: bool,
    /// Commands that wait for a leader.
    pub(super) held: Vec<LogEntry>,
    /// Dropped commands: their callers are notified at any time, or never.
    lost: Vec<LogEntry>,
}

/// A member as the cluster sees it.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Symbolic)]
pub(crate) struct ClusterMember {
    /// Its address.
    pub(crate) address: Address,
    /// It is partitioned.
    pub(crate) is_partitioned: bool,
    /// It was partitioned at some time.
    pub(crate) was_partitioned: bool,
    /// Its commands no longer enter the log, since it is partitioned.
    is_excluded: bool,
    /// It has no log, and needs a snapshot.
    is_new: bool,
    /// It is connected, but does not receive new entries of the log.
    is_behind: bool,
    /// Entries appended while it was partitioned or behind.
    /// Each with its index, after the choice of the log.
    pub(super) pending: Vec<(u8, (Token, LogEntry))>,
}

impl Cluster {
    /// All members are connected; the first one leads.
    pub(super) fn new(system: &Replicated) -> Self {
        let &Replicated { members, witnesses, may_fail, takes_late, .. } = system;
        let member = |address| ClusterMember {
            address: Address(address),
            is_partitioned: false,
            was_partitioned: false,
            is_excluded: false,
            is_new: false,
            is_behind: false,
            pending: Vec::new(),
        };
        Self {
            members: (1..).take(members).map(member).collect(),
            witnesses,
            leader: Some(0),
            because: ElectionReason::MajorityIsJustReached,
            is_reset: true,
            log_state: Locks::new(),
            last: None,
            answers: Vec::new(),
            may_fail,
            takes_late,
            held: Vec::new(),
            lost: Vec::new(),
        }
    }

    fn connected(&self) -> Vec<NodeId> {
        (0..self.members.len()).filter(|node| !self.members[*node].is_partitioned).collect()
    }

    /// The addresses of the connected members.
    pub(super) fn present(&self) -> Vec<Address> {
        let mut all: Vec<_> =
            self.connected().into_iter().map(|node| self.members[node].address).collect();
        all.sort_unstable();
        all
    }

    fn has_majority(&self) -> bool {
        (self.connected().len() + self.witnesses) * 2 > self.members.len() + self.witnesses
    }

    /// The enabled events.
    pub(super) fn changes(&self) -> Vec<ClusterEvent> {
        let mut changes = Vec::new();
        let connected = self.connected();
        // Only a member with the whole log is elected.
        let whole = connected.iter().filter(|node| !self.members[**node].is_behind);
        if self.leader.is_some() {
            changes.extend(whole.clone().map(|node| ClusterEvent::ElectAgain(*node)));
        } else if self.has_majority() {
            changes.extend(whole.clone().map(|node| ClusterEvent::Elect(*node)));
        }
        let followers = whole.filter(|node| self.leader != Some(**node));
        changes.extend(followers.map(|node| ClusterEvent::FallBehind(*node)));
        let behind = connected.iter().filter(|node| self.members[**node].is_behind);
        changes.extend(behind.map(|node| ClusterEvent::CatchUp(*node)));
        let answers = u8::try_from(self.answers.len()).expect("few commands are on their way");
        changes.extend(
            (0..answers).flat_map(|one| [ClusterEvent::Answer(one), ClusterEvent::Fail(one)]),
        );
        let lost = u8::try_from(self.lost.len()).expect("few commands are lost");
        changes.extend((0..lost).map(ClusterEvent::Refuse));
        if connected.len() + self.witnesses > 1 {
            changes.extend(connected.iter().map(|node| ClusterEvent::CutOff(*node)));
        }
        // A member that has ended and not rejoined cannot end again.
        let all = (0..self.members.len()).filter(|node| {
            let member = &self.members[*node];
            !(member.is_partitioned && member.is_new)
        });
        changes.extend(all.map(ClusterEvent::Restart));
        let apart = (0..self.members.len()).filter(|node| self.members[*node].is_partitioned);
        for node in apart {
            changes.push(ClusterEvent::Connect(node));
            let member = &self.members[node];
            let is_behind = !member.is_new && !member.pending.is_empty();
            changes.extend(is_behind.then_some(ClusterEvent::Install(node)));
        }
        changes
    }

    /// Applies an event; returns the messages and their receivers.
    pub(super) fn change(&mut self, change: ClusterEvent, service: &mut LogService<'_>) -> Outbox {
        match change {
            ClusterEvent::Answer(place) => {
                let (address, result) = self.answers.remove(usize::from(place));
                vec![self.direct(address, result)]
            }
            ClusterEvent::Fail(place) => {
                let (address, result) = self.answers.remove(usize::from(place));
                self.failed(address, &result).into_iter().collect()
            }
            ClusterEvent::Refuse(place) => {
                let entry = self.lost.remove(usize::from(place));
                self.refuse(&entry).into_iter().collect()
            }
            ClusterEvent::Elect(node) => {
                (self.leader, self.is_reset) = (Some(node), false);
                let mut outbox = vec![(node, Envelope::Log(Message::Elected(self.because)))];
                for entry in std::mem::take(&mut self.held) {
                    outbox.extend(self.append(entry, service));
                }
                outbox
            }
            ClusterEvent::ElectAgain(node) => {
                let mut outbox = self.lose_leader(ElectionReason::TheLeaderLeft, Some(node));
                (self.leader, self.is_reset) = (Some(node), false);
                let because = ElectionReason::TheCoordinatorChanged;
                outbox.push((node, Envelope::Log(Message::Elected(because))));
                outbox
            }
            ClusterEvent::CutOff(node) => self.disconnect(node, false),
            ClusterEvent::Restart(node) => self.disconnect(node, true),
            ClusterEvent::Connect(node) => self.connect(node),
            ClusterEvent::Install(node) => {
                self.members[node].is_new = true;
                self.connect(node)
            }
            ClusterEvent::FallBehind(node) => {
                self.members[node].is_behind = true;
                Vec::new()
            }
            ClusterEvent::CatchUp(node) => vec![self.snapshot(node)],
        }
    }

    fn snapshot(&mut self, node: NodeId) -> (NodeId, Envelope) {
        let member = &mut self.members[node];
        (member.is_new, member.is_behind) = (false, false);
        member.pending.clear();
        let (index, locks) = (self.last, self.log_state.clone());
        (node, Envelope::Log(Message::Snapshot { index, locks }))
    }

    /// Deposes the leader: pending results fail. A deposed leader that is still connected is
    /// notified.
    fn lose_leader(&mut self, because: ElectionReason, by: Option<NodeId>) -> Outbox {
        self.because = because;
        let before = self.leader.take();
        let answers = std::mem::take(&mut self.answers);
        let failed = answers.iter().filter_map(|(address, result)| self.failed(*address, result));
        let mut outbox: Outbox = failed.collect();
        if let (Some(before), Some(by)) = (before, by)
            && before != by
        {
            outbox.push((before, Envelope::Log(Message::AnotherIsElected)));
        }
        outbox
    }

    fn view(&self, is: Connectivity, to: Vec<NodeId>) -> Outbox {
        let members = self.present();
        let view = |node| (node, Envelope::Log(Message::View { is, members: members.clone() }));
        to.into_iter().map(view).collect()
    }

    /// A member is partitioned, or ends.
    fn disconnect(&mut self, node: NodeId, ends: bool) -> Outbox {
        let members = u64::try_from(self.members.len()).expect("a cluster is small");
        let is_seen = self.has_majority() && !self.members[node].is_partitioned;
        let member = &mut self.members[node];
        (member.is_partitioned, member.was_partitioned, member.is_behind) = (true, true, false);
        member.is_excluded |= ends || !self.takes_late;
        let mut outbox = Vec::new();
        if ends {
            self.answers.retain(|(address, _)| *address != member.address);
            (member.address, member.is_new) = (Address(member.address.0 + members), true);
            member.pending.clear();
            let address = member.address;
            self.drop_lost();
            outbox.push((node, Envelope::Restart(address)));
        } else {
            let (is, members) = (Connectivity::Minority, vec![self.members[node].address]);
            outbox.push((node, Envelope::Log(Message::View { is, members })));
        }
        // A partitioned or minority member is not notified about others.
        if !is_seen {
            return outbox;
        }
        let others = self.connected();
        if !self.has_majority() {
            for node in &others {
                self.members[*node].was_partitioned = true;
            }
            outbox.extend(self.lose_leader(ElectionReason::MajorityIsJustReached, None));
            let held = std::mem::take(&mut self.held);
            held.into_iter().for_each(|entry| self.lose(entry));
            outbox.extend(self.view(Connectivity::Minority, others));
        } else {
            if self.leader == Some(node) {
                outbox.extend(self.lose_leader(ElectionReason::TheLeaderLeft, None));
            }
            outbox.extend(self.view(Connectivity::Left, others));
        }
        outbox
    }

    /// Drops a command: it never enters the log.
    fn lose(&mut self, entry: LogEntry) {
        if self.refuse(&entry).is_some() {
            self.lost.push(entry);
        }
    }

    /// Discards dropped commands without a waiting caller.
    fn drop_lost(&mut self) {
        let lost = std::mem::take(&mut self.lost);
        self.lost = lost.into_iter().filter(|entry| self.refuse(entry).is_some()).collect();
    }

    fn connect(&mut self, node: NodeId) -> Outbox {
        let had_majority = self.has_majority();
        (self.members[node].is_partitioned, self.members[node].is_excluded) = (false, false);
        if !self.has_majority() {
            return Vec::new();
        }
        let mut outbox = Vec::new();
        for node in self.connected() {
            if self.members[node].is_new {
                outbox.push(self.snapshot(node));
            }
            let pending = std::mem::take(&mut self.members[node].pending);
            let pending = pending.into_iter();
            outbox.extend(
                pending.map(|(choice, (index, entry))| (node, applied(index, entry, choice))),
            );
        }
        if !had_majority {
            self.because = ElectionReason::MajorityIsJustReached;
        }
        outbox.extend(self.view(Connectivity::Joined, self.connected()));
        outbox
    }

    /// Receives a command; drops it unless its member is with the majority, or was when it sent it.
    pub(super) fn receive(
        &mut self,
        from: NodeId,
        entry: LogEntry,
        service: &mut LogService<'_>,
    ) -> Outbox {
        if self.members[from].address != entry.by {
            return Vec::new();
        }
        if self.members[from].is_excluded || !self.has_majority() {
            self.lose(entry);
            return Vec::new();
        }
        if self.leader.is_some() {
            return self.append(entry, service);
        }
        self.held.push(entry);
        Vec::new()
    }

    fn refuse(&self, entry: &LogEntry) -> Option<(NodeId, Envelope)> {
        let lock = lock_of(&entry.operation)?;
        let call = entry.call?;
        self.has_address(entry.by).then(|| self.direct(entry.by, Message::Failed { lock, call }))
    }

    /// Whether a member still has this address.
    fn has_address(&self, address: Address) -> bool {
        self.members.iter().any(|member| member.address == address)
    }

    /// The failure that a waiting caller receives instead of a result.
    fn failed(&self, address: Address, result: &Message) -> Option<(NodeId, Envelope)> {
        let Message::Result { lock, call, .. } = *result else { return None };
        Some(self.direct(address, Message::Failed { lock, call }))
    }

    /// A message that bypasses the log, through the node of results.
    fn direct(&self, address: Address, message: Message) -> (NodeId, Envelope) {
        (self.members.len() + 1, Envelope::Direct(address, message))
    }

    fn append(&mut self, entry: LogEntry, service: &mut LogService<'_>) -> Outbox {
        let index = Token::new(self.last.map_or(1, |last| last.number() + 1));
        let leader = self.leader.map(|node| self.members[node].address);
        self.is_reset |=
            leader == Some(entry.by) && matches!(entry.operation, LogOperation::Reset(_));
        self.last = Some(index);
        if let LogOperation::Reset(list) = &entry.operation {
            for member in &mut self.members {
                member.is_excluded |= member.is_partitioned && !list.contains(&member.address);
            }
        }
        let before = self.log_state.clone();
        let choice = service.apply(&mut self.log_state, index, &entry);
        let stayed = |address: Address| {
            self.members.iter().any(|member| member.address == address && !member.was_partitioned)
        };
        service.check([&before, &self.log_state], &entry, &stayed);
        if let (Some(call), Some(lock)) = (entry.call, lock_of(&entry.operation))
            && self.has_address(entry.by)
        {
            let address = entry.by;
            let status = self.log_state.status(lock, address);
            let token = self.log_state.token(lock, address);
            self.answers.push((address, Message::Result { lock, call, index, status, token }));
        }
        let mut outbox = Outbox::new();
        for (node, member) in self.members.iter_mut().enumerate() {
            let (index, entry) = (index, entry.clone());
            if !member.is_partitioned && !member.is_behind {
                outbox.push((node, applied(index, entry, choice)));
            } else if !member.is_new {
                member.pending.push((choice, (index, entry)));
            }
        }
        if !self.may_fail && !self.answers.is_empty() {
            outbox.extend(self.change(ClusterEvent::Answer(0), service));
        }
        outbox
    }
}

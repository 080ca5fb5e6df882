//! The channels to the other members, and their addresses: without IO, at given times.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::time::Duration;

use tokio::time::Instant;
use turnstile_group_lock_core::stack::Message;
use turnstile_view_handler_core::{MemberId, View};

use crate::channel::{Acknowledged, Arrival, Receiving, Sending};
use crate::wire::{Located, Packet, mentioned};

/// Without an acknowledgement for this time, messages are sent again.
const REPEATED_AFTER: Duration = Duration::from_secs(1);
/// A receiver acknowledges at once after so many messages, and otherwise at the next tick.
const ACKNOWLEDGED_AFTER: u32 = 64;

/// What a member that is gone has sent last is remembered for so long: it may not be gone, and
/// would lose what it has sent since.
pub const REMEMBERED: Duration = Duration::from_secs(60);

/// The maximum number of members that are known, with those that are remembered: messages of others
/// are ignored.
pub const KNOWN_MAX: usize = 10_000;

/// A packet and its receiver.
pub type Outgoing = (SocketAddr, Packet);

/// The channels of one member.
#[derive(Debug)]
pub struct Router {
    own: Located,
    view: Option<View>,
    others: BTreeMap<MemberId, Other>,
    /// The number of the last channel that has begun.
    channel: u64,
}

/// Another member.
#[derive(Debug)]
struct Other {
    /// Its address, which is the same as long as it has its number.
    at: Option<SocketAddr>,
    /// Nothing is sent to it until it is heard of again.
    is_given_up: bool,
    /// Whether its process seems to be there.
    is_up: bool,
    /// Since when it is gone and in no common view.
    gone: Option<Instant>,
    sending: Sending<Message>,
    /// The last progress of it, if messages are not acknowledged.
    since: Option<Instant>,
    receiving: Receiving,
    /// How many messages it has sent that are not acknowledged.
    unacknowledged: u32,
}

impl Router {
    /// No channels yet. The first one has a number after this one.
    #[must_use]
    pub const fn new(own: Located, channel: u64) -> Self {
        Self { own, view: None, others: BTreeMap::new(), channel }
    }

    /// The number of this member.
    #[must_use]
    pub const fn own(&self) -> MemberId {
        self.own.0
    }

    /// The last view that was installed.
    #[must_use]
    pub const fn view(&self) -> Option<&View> {
        self.view.as_ref()
    }

    fn other(&mut self, member: MemberId) -> &mut Other {
        let Self { others, channel, .. } = self;
        others.entry(member).or_insert_with(|| {
            *channel += 1;
            Other {
                at: None,
                is_given_up: false,
                is_up: false,
                gone: None,
                sending: Sending::new(*channel),
                since: None,
                receiving: Receiving::default(),
                unacknowledged: 0,
            }
        })
    }

    /// The address of a member, if it is known.
    #[must_use]
    pub fn address(&self, member: MemberId) -> Option<SocketAddr> {
        if member == self.own.0 {
            return Some(self.own.1);
        }
        self.others.get(&member)?.at
    }

    /// How many other members are known, with those that are remembered.
    #[must_use]
    pub fn known(&self) -> usize {
        self.others.len()
    }

    /// The members that seem to be there.
    pub fn up(&self) -> impl Iterator<Item = Located> + '_ {
        let up = self.others.iter().filter(|(_, other)| other.is_up);
        up.filter_map(|(member, other)| Some((*member, other.at?)))
    }

    /// A member's process is there.
    pub fn is_up(&mut self, (member, at): Located) {
        let other = self.other(member);
        (other.at, other.is_up) = (Some(at), true);
        (other.is_given_up, other.gone) = (false, None);
    }

    /// A member's process is gone.
    pub fn is_down(&mut self, member: MemberId, now: Instant) {
        if let Some(other) = self.others.get_mut(&member) {
            other.is_up = false;
        }
        self.give_up(now);
    }

    /// The member has installed a view.
    pub fn installed(&mut self, view: View, now: Instant) {
        self.view = Some(view);
        self.give_up(now);
    }

    /// Gives up the channels to members that are gone and in no common view. What they have sent is
    /// remembered for a while.
    fn give_up(&mut self, now: Instant) {
        let Self { view, others, channel, .. } = self;
        for (member, other) in &mut *others {
            let is_in_view = view.as_ref().is_some_and(|view| view.contains(*member));
            if other.is_up || is_in_view {
                (other.is_given_up, other.gone) = (false, None);
            } else if other.gone.is_none() {
                *channel += 1;
                other.begin_anew(*channel);
                other.receiving.doubt();
                (other.is_given_up, other.gone) = (true, Some(now));
            }
        }
        others.retain(|_, other| other.gone.is_none_or(|since| now < since + REMEMBERED));
    }

    /// Queues a message. `false`: the receiver has not taken too many before it.
    #[must_use]
    pub fn push(&mut self, to: MemberId, message: Message) -> bool {
        self.other(to).sending.push(message).is_ok()
    }

    /// The packets to a member that are to be sent now.
    #[must_use]
    pub fn due(&mut self, to: MemberId, now: Instant) -> Vec<Outgoing> {
        let from = self.own.0;
        let Some(other) = self.others.get_mut(&to) else { return Vec::new() };
        let Some(at) = other.destination() else { return Vec::new() };
        let channel = other.sending.number();
        let mut due = Vec::new();
        while let Some((place, message)) = other.sending.send_next() {
            due.push((place, message.clone()));
            other.since.get_or_insert(now);
        }
        let packet = |(place, message)| {
            // Each time: the receiver may have forgotten a member that this one has not.
            let members = mentioned(&message).into_iter();
            let members = members.filter_map(|member| Some((member, self.address(member)?)));
            let members = members.collect();
            (at, Packet::Message { from, to, channel, place, members, message })
        };
        due.into_iter().map(packet).collect()
    }

    /// A message has arrived. Returns whether it is the next one of its channel, and what its
    /// sender is told or asked.
    pub fn arrived(
        &mut self,
        (from, at): Located,
        (channel, place): (u64, u64),
        members: &[Located],
    ) -> (bool, Option<Outgoing>) {
        let own = self.own.0;
        for (member, at) in members.iter().filter(|(member, _)| *member != own) {
            if self.has_room_for(*member) {
                let other = self.other(*member);
                other.at.get_or_insert(*at);
                other.is_given_up = false;
            }
        }
        if !self.has_room_for(from) {
            return (false, None);
        }
        let other = self.other(from);
        (other.at, other.is_given_up) = (Some(at), false);
        let arrival = other.receiving.takes(channel, place);
        if arrival == Arrival::InDoubt {
            return (false, Some((at, Packet::Doubt { from: own, to: from, channel })));
        }
        other.unacknowledged += 1;
        let is_next = arrival == Arrival::Next;
        let is_due = !is_next || other.unacknowledged >= ACKNOWLEDGED_AFTER;
        (is_next, if is_due { self.acknowledgement(from) } else { None })
    }

    /// A member asks whether a channel is still the one to it. If it is, what it has not
    /// acknowledged is sent again.
    pub fn doubted(&mut self, (by, at): Located, channel: u64) -> Option<Outgoing> {
        let from = self.own.0;
        let other = self.others.get_mut(&by)?;
        if other.sending.number() != channel {
            return None;
        }
        other.repeat();
        Some((at, Packet::Confirm { from, to: by, channel }))
    }

    /// A member says that a channel is still its one.
    pub fn confirmed(&mut self, from: MemberId, channel: u64) {
        if let Some(other) = self.others.get_mut(&from) {
            other.receiving.is_confirmed(channel);
        }
    }

    fn has_room_for(&self, member: MemberId) -> bool {
        self.others.len() < KNOWN_MAX || self.others.contains_key(&member)
    }

    fn acknowledgement(&mut self, to: MemberId) -> Option<Outgoing> {
        let from = self.own.0;
        let other = self.others.get_mut(&to)?;
        other.unacknowledged = 0;
        let (channel, before) = other.receiving.acknowledgement();
        Some((other.destination()?, Packet::Acknowledge { from, to, channel, before }))
    }

    /// A member has acknowledged messages; returns those that are sent now.
    pub fn acknowledged(
        &mut self,
        from: MemberId,
        channel: u64,
        before: u64,
        now: Instant,
    ) -> Vec<Outgoing> {
        let Some(other) = self.others.get_mut(&from) else { return Vec::new() };
        match other.sending.acknowledged(channel, before) {
            Acknowledged::Nothing => return Vec::new(),
            Acknowledged::More => {
                other.since = other.sending.is_awaited().then_some(now);
            }
            Acknowledged::Forgotten => {
                self.channel += 1;
                other.begin_anew(self.channel);
            }
        }
        self.due(from, now)
    }

    /// A packet to an address was not sent: what is not acknowledged there is sent again.
    pub fn returned(&mut self, at: SocketAddr) {
        for other in self.others.values_mut().filter(|other| other.at == Some(at)) {
            other.repeat();
        }
    }

    /// What is due at this time: acknowledgements, and messages that are sent again.
    pub fn tick(&mut self, now: Instant) -> Vec<Outgoing> {
        if self.others.len() >= KNOWN_MAX {
            self.give_up(now);
        }
        let members: Vec<MemberId> = self.others.keys().copied().collect();
        let mut packets = Vec::new();
        for member in members {
            let other = self.other(member);
            if other.since.is_some_and(|since| now >= since + REPEATED_AFTER) {
                other.repeat();
            }
            if other.unacknowledged > 0 {
                packets.extend(self.acknowledgement(member));
            }
            packets.extend(self.due(member, now));
        }
        packets
    }
}

impl Other {
    /// Where packets to it are sent, if any are.
    fn destination(&self) -> Option<SocketAddr> {
        self.at.filter(|_| !self.is_given_up)
    }

    /// Begins another channel: what is not acknowledged is lost.
    fn begin_anew(&mut self, channel: u64) {
        (self.sending, self.since) = (Sending::new(channel), None);
    }

    fn repeat(&mut self) {
        self.sending.repeat();
        self.since = None;
    }
}

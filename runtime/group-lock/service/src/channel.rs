//! A channel from one member to another: in order, and each message once, over connections that
//! may lose what was written to them.
//!
//! The documents assume such links between members that stay in one group. A message is kept until
//! its receiver has acknowledged it, and sent again when the connection was lost, or when no
//! acknowledgement comes. A channel begins anew, with a greater number, when its sender has given
//! up the one before: the messages of that one are lost, which the documents' worlds call a
//! partition.

use std::collections::VecDeque;

/// The maximum number of messages that are kept: beyond it the receiver is too slow. A coordinator
/// answers all requests of a member in one step, so it is more than a member's users can have.
pub const KEPT_MAX: usize = 1 << 18;
/// The maximum number of messages that are sent and not acknowledged: fewer than a connection's
/// queue has room for.
pub const UNACKNOWLEDGED_MAX: usize = 2048;

/// What an acknowledgement says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Acknowledged {
    /// Nothing new.
    Nothing,
    /// More messages have been taken.
    More,
    /// The receiver has given up the channel: a message that it had taken before is the next one.
    Forgotten,
}

/// The sender's end.
#[derive(Debug)]
pub struct Sending<M> {
    number: u64,
    /// The place of the first message that is kept.
    first: u64,
    kept: VecDeque<M>,
    /// How many of them are sent, and not to be sent again.
    sent: usize,
}

/// The messages that wait are too many.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Full;

impl<M> Sending<M> {
    /// A channel with a number greater than all before it to the same member.
    #[must_use]
    pub const fn new(number: u64) -> Self {
        Self { number, first: 0, kept: VecDeque::new(), sent: 0 }
    }

    /// The number of the channel.
    #[must_use]
    pub const fn number(&self) -> u64 {
        self.number
    }

    /// Queues a message.
    ///
    /// # Errors
    /// When too many messages are kept.
    pub fn push(&mut self, message: M) -> Result<(), Full> {
        if self.kept.len() >= KEPT_MAX {
            return Err(Full);
        }
        self.kept.push_back(message);
        Ok(())
    }

    /// The next message to be sent, with its place; `None` also while too many are not
    /// acknowledged.
    pub fn send_next(&mut self) -> Option<(u64, &M)> {
        let message = self.kept.get(self.sent).filter(|_| self.sent < UNACKNOWLEDGED_MAX)?;
        let place = self.first + self.sent as u64;
        self.sent += 1;
        Some((place, message))
    }

    /// Has everything sent again that is not acknowledged.
    pub const fn repeat(&mut self) {
        self.sent = 0;
    }

    /// The receiver says that it has taken all messages before a place.
    pub fn acknowledged(&mut self, number: u64, before: u64) -> Acknowledged {
        if number != self.number {
            return Acknowledged::Nothing;
        }
        let Some(count) = before.checked_sub(self.first) else { return Acknowledged::Forgotten };
        let count = usize::try_from(count).unwrap_or(usize::MAX).min(self.kept.len());
        self.kept.drain(..count);
        self.first += count as u64;
        self.sent = self.sent.saturating_sub(count);
        if count > 0 { Acknowledged::More } else { Acknowledged::Nothing }
    }

    /// Whether messages are sent and not acknowledged.
    #[must_use]
    pub fn is_awaited(&self) -> bool {
        self.sent > 0
    }
}

/// The receiver's end.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Receiving {
    /// The number of the channel; 0 before the first one.
    number: u64,
    /// The place of the next message.
    next: u64,
    /// What comes may be from before the sender has begun anew: it is asked.
    is_in_doubt: bool,
}

/// What a receiver does with a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Arrival {
    /// It is the next one.
    Next,
    /// It is late, or comes too early since some before it were lost: those are sent again.
    OutOfOrder,
    /// The sender has to say that this is still its channel, and sends the message again then.
    InDoubt,
}

impl Receiving {
    /// A message arrives; the next one is taken.
    pub const fn takes(&mut self, number: u64, place: u64) -> Arrival {
        if number > self.number {
            *self = Self { number, next: 0, is_in_doubt: false };
        }
        if number != self.number || place != self.next {
            return Arrival::OutOfOrder;
        }
        if self.is_in_doubt {
            return Arrival::InDoubt;
        }
        self.next += 1;
        Arrival::Next
    }

    /// The sender seems to be gone. It may have taken the receiver for gone as well, and have begun
    /// anew: then what it sent before is lost, also if it still arrives.
    pub const fn doubt(&mut self) {
        self.is_in_doubt = true;
    }

    /// The sender says that a channel is still its present one.
    pub const fn is_confirmed(&mut self, number: u64) {
        if number == self.number {
            self.is_in_doubt = false;
        }
    }

    /// What the sender is told: the channel, and the place before which all messages are taken.
    #[must_use]
    pub const fn acknowledgement(self) -> (u64, u64) {
        (self.number, self.next)
    }
}

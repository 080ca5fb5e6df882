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
pub(crate) const KEPT_MAX: usize = 1 << 18;
/// The maximum number of messages that are sent and not acknowledged: fewer than a connection's
/// queue has room for.
pub(crate) const UNACKNOWLEDGED_MAX: usize = 2048;

/// What an acknowledgement says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Acknowledged {
    /// Nothing new.
    Nothing,
    /// More messages have been taken.
    More,
    /// The receiver has given up the channel: a message that it had taken before is the next one.
    Forgotten,
}

/// The sender's end.
#[derive(Debug)]
pub(crate) struct Sending<M> {
    number: u64,
    /// The place of the first message that is kept.
    first: u64,
    kept: VecDeque<M>,
    /// How many of them are sent, and not to be sent again.
    sent: usize,
}

/// The messages that wait are too many.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Full;

impl<M> Sending<M> {
    /// A channel with a number greater than all before it to the same member.
    pub(crate) const fn new(number: u64) -> Self {
        Self { number, first: 0, kept: VecDeque::new(), sent: 0 }
    }

    pub(crate) const fn number(&self) -> u64 {
        self.number
    }

    /// # Errors
    /// When too many messages are kept.
    pub(crate) fn push(&mut self, message: M) -> Result<(), Full> {
        if self.kept.len() >= KEPT_MAX {
            return Err(Full);
        }
        self.kept.push_back(message);
        Ok(())
    }

    /// The next message to be sent, with its place; `None` also while too many are not
    /// acknowledged.
    pub(crate) fn next(&mut self) -> Option<(u64, &M)> {
        let message = self.kept.get(self.sent).filter(|_| self.sent < UNACKNOWLEDGED_MAX)?;
        let place = self.first + self.sent as u64;
        self.sent += 1;
        Some((place, message))
    }

    /// Has everything sent again that is not acknowledged.
    pub(crate) const fn repeat(&mut self) {
        self.sent = 0;
    }

    /// The receiver says that it has taken all messages before a place.
    pub(crate) fn acknowledged(&mut self, number: u64, before: u64) -> Acknowledged {
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
    pub(crate) fn is_awaited(&self) -> bool {
        self.sent > 0
    }
}

/// The receiver's end.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Receiving {
    /// The number of the channel; 0 before the first one.
    number: u64,
    /// The place of the next message.
    next: u64,
    /// What comes may be from before the sender has begun anew: it is asked.
    is_in_doubt: bool,
}

/// What a receiver does with a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Arrival {
    /// It is the next one.
    Next,
    /// It is late, or comes too early since some before it were lost: those are sent again.
    OutOfOrder,
    /// The sender has to say that this is still its channel, and sends the message again then.
    InDoubt,
}

impl Receiving {
    /// A message arrives; the next one is taken.
    pub(crate) const fn takes(&mut self, number: u64, place: u64) -> Arrival {
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
    pub(crate) const fn doubt(&mut self) {
        self.is_in_doubt = true;
    }

    /// The sender says that a channel is still its present one.
    pub(crate) const fn is_confirmed(&mut self, number: u64) {
        if number == self.number {
            self.is_in_doubt = false;
        }
    }

    /// What the sender is told: the channel, and the place before which all messages are taken.
    pub(crate) const fn acknowledgement(self) -> (u64, u64) {
        (self.number, self.next)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// What the network does with what is on its way, or what the ends do.
    #[derive(Clone, Debug)]
    enum Act {
        Push,
        Deliver,
        /// The connection breaks: what is on its way in both directions is lost.
        Break,
        Acknowledge,
        /// No acknowledgement has come for a while.
        Repeat,
    }

    fn act() -> impl Strategy<Value = Act> {
        prop_oneof![
            3 => Just(Act::Push),
            4 => Just(Act::Deliver),
            1 => Just(Act::Break),
            2 => Just(Act::Acknowledge),
            1 => Just(Act::Repeat),
        ]
    }

    struct Line {
        sending: Sending<u64>,
        receiving: Receiving,
        on_its_way: VecDeque<(u64, u64, u64)>,
        back: VecDeque<(u64, u64)>,
        pushed: u64,
        taken: Vec<u64>,
    }

    impl Line {
        fn transmit(&mut self) {
            let number = self.sending.number();
            while let Some((place, message)) = self.sending.next() {
                self.on_its_way.push_back((number, place, *message));
            }
        }

        fn deliver(&mut self) {
            if let Some((number, place, message)) = self.on_its_way.pop_front()
                && self.receiving.takes(number, place) == Arrival::Next
            {
                self.taken.push(message);
            }
            if let Some((number, before)) = self.back.pop_front() {
                self.sending.acknowledged(number, before);
            }
        }

        fn act(&mut self, act: &Act) {
            match act {
                Act::Push if self.sending.push(self.pushed).is_ok() => self.pushed += 1,
                Act::Push => {}
                Act::Deliver => self.deliver(),
                Act::Break => {
                    self.on_its_way.clear();
                    self.back.clear();
                    self.sending.repeat();
                }
                Act::Acknowledge => self.back.push_back(self.receiving.acknowledgement()),
                Act::Repeat => self.sending.repeat(),
            }
            self.transmit();
        }
    }

    proptest! {
        #[test]
        fn each_message_arrives_once_and_in_order(acts in prop::collection::vec(act(), 0..200)) {
            let mut line = Line {
                sending: Sending::new(7),
                receiving: Receiving::default(),
                on_its_way: VecDeque::new(),
                back: VecDeque::new(),
                pushed: 0,
                taken: Vec::new(),
            };
            for act in &acts {
                line.act(act);
                prop_assert!(line.taken.iter().copied().eq(0..line.taken.len() as u64));
            }
            // Without further breaks all arrive, and the sender hears of it.
            line.act(&Act::Repeat);
            while !line.on_its_way.is_empty() || !line.back.is_empty() {
                line.deliver();
            }
            prop_assert_eq!(line.taken.len() as u64, line.pushed);
            let (number, before) = line.receiving.acknowledgement();
            line.sending.acknowledged(number, before);
            prop_assert!(!line.sending.is_awaited());
        }
    }

    #[test]
    fn a_channel_that_begins_anew_takes_nothing_of_the_one_before() {
        let mut receiving = Receiving::default();
        for (number, place, arrival) in [
            (1, 0, Arrival::Next),
            (1, 1, Arrival::Next),
            (1, 1, Arrival::OutOfOrder),
            (1, 3, Arrival::OutOfOrder),
            (4, 0, Arrival::Next),
            (1, 2, Arrival::OutOfOrder),
        ] {
            assert_eq!(receiving.takes(number, place), arrival, "{number} {place}");
        }
        assert_eq!(receiving.acknowledgement(), (4, 1));
        let mut sending = Sending::new(5);
        sending.push("a").expect("there is room");
        assert_eq!(sending.next(), Some((0, &"a")));
        assert_eq!(sending.acknowledged(4, 1), Acknowledged::Nothing);
        assert!(sending.is_awaited());
        assert_eq!(sending.acknowledged(5, 1), Acknowledged::More);
        assert!(!sending.is_awaited());
        assert_eq!(sending.acknowledged(5, 1), Acknowledged::Nothing);
        assert_eq!(sending.acknowledged(5, 0), Acknowledged::Forgotten);
    }

    #[test]
    fn what_was_sent_before_its_sender_began_anew_is_not_taken_afterwards() {
        let mut receiving = Receiving::default();
        assert_eq!(receiving.takes(1, 0), Arrival::Next);
        receiving.doubt();
        assert_eq!(receiving.takes(1, 1), Arrival::InDoubt);
        // Another channel is no older one.
        let mut renewed = receiving;
        assert_eq!(renewed.takes(2, 0), Arrival::Next);
        assert_eq!(renewed.takes(1, 1), Arrival::OutOfOrder);
        receiving.is_confirmed(2);
        assert_eq!(receiving.takes(1, 1), Arrival::InDoubt);
        receiving.is_confirmed(1);
        assert_eq!(receiving.takes(1, 1), Arrival::Next);
    }

    #[test]
    fn a_receiver_that_acknowledges_nothing_fills_the_channel() {
        let mut sending = Sending::new(1);
        for message in 0..KEPT_MAX {
            sending.push(message).expect("there is room");
        }
        assert_eq!(sending.push(0), Err(Full));
    }

    #[test]
    fn more_is_sent_once_what_was_sent_is_acknowledged() {
        let mut sending = Sending::new(1);
        for message in 0..2 * UNACKNOWLEDGED_MAX {
            sending.push(message).expect("there is room");
        }
        let mut places = Vec::new();
        for taken in [0, 64] {
            sending.acknowledged(1, taken);
            while let Some((place, _)) = sending.next() {
                places.push(place);
            }
            assert_eq!(places.len() as u64, taken + UNACKNOWLEDGED_MAX as u64);
        }
        assert!(places.iter().copied().eq(0..places.len() as u64), "each once");
    }
}

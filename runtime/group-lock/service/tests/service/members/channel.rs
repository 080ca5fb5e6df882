//! A channel over a network that loses, delays and repeats what was written to it.

use std::collections::VecDeque;

use proptest::prelude::*;
use turnstile_group_lock::channel::{
    Acknowledged, Arrival, Full, KEPT_MAX, Receiving, Sending, UNACKNOWLEDGED_MAX,
};

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
        while let Some((place, message)) = self.sending.send_next() {
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
    assert_eq!(sending.send_next(), Some((0, &"a")));
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
        while let Some((place, _)) = sending.send_next() {
            places.push(place);
        }
        assert_eq!(places.len() as u64, taken + UNACKNOWLEDGED_MAX as u64);
    }
    assert!(places.iter().copied().eq(0..places.len() as u64), "each once");
}

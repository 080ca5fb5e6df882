//! A service of one's own on an engine: it is asked for each effect in the order of the step.

use turnstile_host::store::Batch;
use turnstile_host::{Engine, Moment, Service, StepIo};
use turnstile_step::{Core, Effect, Input, InputOf, OutOf};

/// Does all that a core can, in an order that tells.
#[derive(Clone, Copy, Debug)]
struct Everything;

impl Core for Everything {
    type State = u64;
    type Peer = u8;
    type Message = u64;
    type Timer = u8;
    type Command = ();
    type Notice = u64;
    type Saved = u64;

    fn start(&self) -> u64 {
        0
    }

    fn step(&self, state: &mut u64, input: InputOf<Self>, out: &mut OutOf<Self>) {
        *state += 1;
        if let Input::Command(()) = input {
            out.effects = vec![
                Effect::Send { to: 1, message: 10 },
                Effect::Notify(11),
                Effect::Arm(1),
                Effect::Save(12),
                Effect::Send { to: 2, message: 13 },
                Effect::Notify(14),
            ];
        }
    }
}

/// Notes what it is asked, and arms its timer the first time only.
#[derive(Default)]
struct Notes {
    asked: Vec<u64>,
    has_armed: bool,
}

impl Service for Notes {
    type Core = Everything;
    type Context = Option<u64>;
    type Outgoing = u64;

    fn due_us(&mut self, step: &mut StepIo<'_, Self>, timer: u8) -> Option<u64> {
        self.asked.push(timer.into());
        let is_first = !std::mem::replace(&mut self.has_armed, true);
        is_first.then_some(step.now.at_us + 5)
    }

    fn save(&mut self, _step: &mut StepIo<'_, Self>, saved: u64) {
        self.asked.push(saved);
    }

    fn notify(&mut self, _step: &mut StepIo<'_, Self>, notice: u64) {
        self.asked.push(notice);
    }

    fn send(&mut self, step: &mut StepIo<'_, Self>, _to: u8, message: u64) {
        self.asked.push(message);
        step.outgoing.push(message);
    }

    fn finish(&mut self, step: &mut StepIo<'_, Self>) {
        if let Some(context) = step.context.take() {
            self.asked.push(context);
            step.then(Input::Fired(9), None);
        }
    }

    fn seal(&mut self, now: Moment, batch: &mut Batch) {
        batch.put(&turnstile_host::store::Key::single(1), &now.at_us.to_le_bytes());
    }
}

#[test]
fn the_effects_of_a_step_come_in_their_order_and_then_what_follows() {
    let mut engine = Engine::new(Everything, Notes::default(), None);
    let now = Moment { at_us: 100, date_us: 0 };
    engine.restart(now, None, 0);
    engine.apply(now, Input::Command(()), &mut Some(99));
    assert_eq!(engine.service.asked, [10, 11, 1, 12, 13, 14, 99]);
    // The restart, the command, and the input that followed it.
    assert_eq!((*engine.state(), engine.counts().steps), (3, 3));
    assert_eq!(engine.armed_until_us(1), Some(105));
    engine.fire_due(Moment { at_us: 104, date_us: 0 });
    assert_eq!(engine.next_due_us(), Some(105));
    // A service that gives a timer no time disarms it.
    engine.apply(now, Input::Command(()), &mut None);
    assert_eq!((engine.armed_until_us(1), engine.next_due_us()), (None, None));
}

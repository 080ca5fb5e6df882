//! What a host keeps while its store is slow or refuses is bounded, and leaves in its order.

use std::io;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use turnstile_host::store::{Batch, Key, Store, Visitor};
use turnstile_host::{Clock, Engine, Host, HostState, Moment, Outlet, Service, StepIo, wall_us};
use turnstile_step::{Core, Effect, Input, InputOf, OutOf};

/// More than a host keeps: items that wait to leave, and bytes that wait to be written.
const ITEMS: u64 = 1 << 18;
const BYTES: usize = 65 << 20;

/// Says each number that it is told.
#[derive(Clone, Copy, Debug)]
struct Echo;

impl Core for Echo {
    type State = ();
    type Peer = ();
    type Message = ();
    type Timer = ();
    type Command = u64;
    type Notice = u64;
    type Saved = ();

    fn start(&self) {}

    fn step(&self, _state: &mut (), input: InputOf<Self>, out: &mut OutOf<Self>) {
        if let Input::Command(number) = input {
            out.effects.push(Effect::Notify(number));
        }
    }
}

/// Writes so many bytes with each number, and goes on though the store refuses.
struct Writes {
    bytes: usize,
}

impl Service for Writes {
    type Core = Echo;
    type Context = ();
    type Outgoing = u64;

    fn due_us(&mut self, _step: &mut StepIo<'_, Self>, _timer: ()) -> Option<u64> {
        None
    }

    fn save(&mut self, _step: &mut StepIo<'_, Self>, _saved: ()) {}

    fn notify(&mut self, step: &mut StepIo<'_, Self>, number: u64) {
        step.batch.put(&Key::single(1), &vec![0; self.bytes]);
        step.outgoing.push(number);
    }

    fn send(&mut self, _step: &mut StepIo<'_, Self>, _to: (), _message: ()) {}

    fn seal(&mut self, _now: Moment, _batch: &mut Batch) {}
}

fn state(bytes: usize) -> HostState<Writes> {
    let clock = Clock::start(wall_us(), Moment::default());
    HostState::new(Engine::new(Echo, Writes { bytes }, None), clock, false)
}

/// Gives it numbers for as long as it takes them, so many at most. How many those are.
fn feed(state: &mut HostState<Writes>, from: u64, most: u64) -> u64 {
    let taken = (from..from + most).take_while(|number| {
        let takes = state.takes_inputs();
        if takes {
            state.apply(Input::Command(*number), &mut ());
        }
        takes
    });
    taken.count() as u64
}

#[test]
fn what_waits_for_a_slow_store_is_bounded() {
    let mut many = state(0);
    assert_eq!(feed(&mut many, 0, ITEMS), 1 << 17);
    let mut large = state(1 << 20);
    assert_eq!(feed(&mut large, 0, (BYTES >> 20) as u64), 64);
    // There is room again once it was taken.
    for state in [&mut many, &mut large] {
        let outbox = state.take_outbox(turnstile_host::Outbox::default());
        state.committed(true);
        assert!(state.takes_inputs() && !outbox.outgoing.is_empty());
    }
}

/// A store that refuses for as long as it is told to.
#[derive(Clone, Default)]
struct Refusing(Arc<AtomicBool>);

impl Store for Refusing {
    fn read(&mut self, _each: Visitor<'_>) -> io::Result<()> {
        Ok(())
    }

    fn write(&mut self, _batch: &Batch) {}

    fn sync(&mut self) -> io::Result<()> {
        let refuses = self.0.load(Ordering::Relaxed);
        if refuses { Err(io::ErrorKind::StorageFull.into()) } else { Ok(()) }
    }
}

/// Takes only what is durable.
#[derive(Clone, Default)]
struct Taken(Arc<Mutex<Vec<u64>>>);

impl Outlet<u64> for Taken {
    fn deliver(&self, outgoing: &mut Vec<u64>, is_durable: bool) {
        if is_durable {
            self.0.lock().expect("no holder panics").append(outgoing);
        }
    }
}

#[tokio::test(start_paused = true)]
async fn what_is_held_back_over_many_refusals_is_bounded_and_keeps_its_order() {
    held_back(0, 1 << 17).await;
    held_back(1 << 20, BYTES as u64 / (1 << 20) - 1).await;
}

/// Numbers of so many bytes each, of which so many are taken while the store refuses.
async fn held_back(bytes: usize, most: u64) {
    let (store, taken) = (Refusing::default(), Taken::default());
    let host = Host::new(state(bytes), taken.clone());
    store.0.store(true, Ordering::Relaxed);
    let committing = tokio::spawn(host.clone().commit(Box::new(store.clone()), None));
    let mut fed = 0;
    for round in 0..20 {
        fed += host.with(|state| feed(state, fed, most / 8 + 1));
        tokio::time::sleep(Duration::from_secs(1)).await;
        assert!(host.is_failed() && fed <= most, "{fed} in round {round}");
    }
    assert_eq!(fed, most, "so many are taken");
    assert!(taken.0.lock().expect("no holder panics").is_empty());
    store.0.store(false, Ordering::Relaxed);
    tokio::time::sleep(Duration::from_secs(1)).await;
    assert_eq!(host.with(|state| feed(state, fed, 10)), 10, "there is room again");
    host.close();
    assert!(committing.await.expect("it does not panic"), "all is durable");
    let taken = taken.0.lock().expect("no holder panics");
    assert!(taken.iter().copied().eq(0..fed + 10), "{} have left", taken.len());
}

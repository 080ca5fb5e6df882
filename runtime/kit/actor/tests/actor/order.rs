//! One table as an actor: timers, answers, counts, snapshots, and how it ends.

use std::path::Path;
use std::slice::from_ref;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use tokio::time::Instant;
use turnstile_actor::{Actor, ActorOptions, Answer, Migration, Snapshot, SnapshotError};
use turnstile_host::Stopped;
use turnstile_host::store::LogStore;
use turnstile_machine::Machine as _;

turnstile_machine::machine!("tests/order.yaml");
turnstile_machine::machine!("tests/order-2.yaml");

use order::{Durations, Event, Machine, State};

const DURATIONS: Durations = Durations { payment_timer: Duration::from_secs(900) };
const TIMEOUT: Duration = Duration::from_secs(5);

/// Records the actions, with the time since the start.
#[derive(Clone)]
struct Shop {
    done: Arc<Mutex<Vec<(&'static str, u64)>>>,
    has_stock: bool,
    began: Instant,
    panics: bool,
}

impl Shop {
    fn new() -> Self {
        Self { done: Arc::default(), has_stock: true, began: Instant::now(), panics: false }
    }

    fn note(&self, what: &'static str) {
        self.done
            .lock()
            .expect("no method panics in it")
            .push((what, self.began.elapsed().as_secs()));
    }

    fn done(&self) -> Vec<(&'static str, u64)> {
        self.done.lock().expect("no method panics in it").clone()
    }
}

impl order::Handler for Shop {
    fn ship(&mut self, event: Event) {
        assert_eq!(event, Event::Paid);
        assert!(!self.panics, "the test wants it");
        self.note("ship");
    }

    fn apologise(&mut self, _: Event) {
        self.note("apologise");
    }

    fn there_is_stock(&mut self, event: Event) -> bool {
        assert_eq!(event, Event::Place);
        self.has_stock
    }
}

async fn spawn(shop: &Shop) -> Actor<Machine> {
    Actor::<Machine>::spawn(Box::new(shop.clone()), DURATIONS).await.expect("it starts")
}

#[tokio::test(start_paused = true)]
async fn the_rows_arm_the_timer_and_it_lasts_as_long_as_the_embedder_says() {
    let shop = Shop::new();
    let mut order = spawn(&shop).await.handle();
    // The actor was dropped: that is a crash.
    assert_eq!(order.wait_until(|_| false).await, Err(Stopped));

    let actor = spawn(&shop).await;
    order = actor.handle();
    assert!(matches!(order.give(Event::Place).await, Ok(Answer::Taken { .. })));
    assert_eq!(order.wait_until(|at| at == State::GivenUp).await, Ok(State::GivenUp));
    assert_eq!(shop.done(), [("apologise", 2700)]);
    assert_eq!(actor.snapshot().variables["reminders"], "2");
    assert_eq!((actor.counts().taken, actor.counts().refused), (4, 0));
}

#[tokio::test(start_paused = true)]
async fn an_event_is_taken_ignored_or_refused() {
    let shop = Shop::new();
    let order = spawn(&shop).await;
    assert_eq!(order.give(Event::Paid).await, Ok(Answer::Ignored));
    assert_eq!(order.give(Event::PaymentTimerFires).await, Ok(Answer::Refused));
    assert!(matches!(order.give(Event::Place).await, Ok(Answer::Taken { .. })));
    assert_eq!(order.give(Event::Place).await, Ok(Answer::Refused));
    assert_eq!(order.give(Event::PaymentTimerFires).await, Ok(Answer::Refused));
    assert_eq!(order.state(), State::AwaitingPayment);
    assert!(matches!(order.give(Event::Paid).await, Ok(Answer::Taken { .. })));
    assert_eq!(shop.done(), [("ship", 0)]);
    assert_eq!(order.give(Event::Place).await, Ok(Answer::Ignored));
    let counts = order.counts();
    assert_eq!((counts.taken, counts.ignored, counts.refused), (2, 2, 3));
    assert_eq!((counts.failed_actions, counts.unsent), (0, 0));
    // The payment has stopped the timer.
    tokio::time::sleep(Duration::from_secs(5000)).await;
    assert_eq!(order.state(), State::Shipped);
}

#[tokio::test(start_paused = true)]
async fn a_guard_without_a_comparison_is_the_handlers() {
    let shop = Shop { has_stock: false, ..Shop::new() };
    let order = spawn(&shop).await;
    assert!(matches!(order.give(Event::Place).await, Ok(Answer::Taken { .. })));
    assert_eq!(order.state(), State::GivenUp);
    assert_eq!(shop.done(), [("apologise", 0)]);
}

#[tokio::test(start_paused = true)]
async fn it_stops_in_every_state_and_goes_on_from_there() {
    for at in State::ALL {
        let snapshot = Snapshot {
            state: at.name().to_owned(),
            held: at.holds().iter().map(|one| (one.name().to_owned(), 1)).collect(),
            variables: [("reminders".to_owned(), "2".to_owned())].into(),
            ..fresh()
        };
        let shop = Shop::new();
        let options =
            ActorOptions { resume: Some(snapshot.clone()), ..ActorOptions::new(DURATIONS) };
        let order = Actor::<Machine>::alone(Box::new(shop.clone()), options).await;
        let order = order.expect("it starts");
        let handle = order.handle();
        assert_eq!(order.state(), *at);
        if *at == State::AwaitingPayment {
            tokio::time::sleep(Duration::from_secs(899)).await;
            assert_eq!(shop.done(), []);
        }
        let ended = order.stop(TIMEOUT).await.expect("it has not failed");
        assert!(ended.is_durable && ended.is_performed);
        assert_eq!(ended.snapshot, snapshot);
        let text = serde_json::to_string(&ended.snapshot).expect("it is data");
        assert_eq!(serde_json::from_str::<Snapshot>(&text).expect("it is a snapshot"), snapshot);
        assert_eq!(handle.give(Event::Place).await, Err(Stopped));
    }
}

/// A snapshot of the initial state.
fn fresh() -> Snapshot {
    let variables = [("reminders".to_owned(), "0".to_owned())].into();
    let (machine, hash) = (Machine::TABLE.machine.to_owned(), Machine::TABLE.hash);
    Snapshot { machine, hash, state: "open".to_owned(), held: [].into(), variables }
}

#[tokio::test]
async fn a_snapshot_of_another_table_is_refused_or_migrated_by_name() {
    let old = Snapshot {
        state: "awaiting payment".to_owned(),
        held: [("payment timer".to_owned(), 1)].into(),
        variables: [("reminders".to_owned(), "1".to_owned())].into(),
        ..fresh()
    };
    let new = order_2::Machine::TABLE.hash;
    let restore = |snapshot: &Snapshot, migrations: &[Migration]| {
        snapshot.restore::<order_2::Machine>(migrations)
    };
    let refused = SnapshotError::OtherMachine { machine: "order".to_owned(), own: "order-2" };
    assert_eq!(restore(&old, &[]), Err(refused));
    let same = Migration::from(old.hash);
    let unknown = |what, name: &str| SnapshotError::Unknown { what, name: name.to_owned() };
    assert_eq!(restore(&old, from_ref(&same)), Err(unknown("state", "awaiting payment")));
    let states = same.state("awaiting payment", "invoiced");
    assert_eq!(restore(&old, from_ref(&states)), Err(unknown("variable", "reminders")));
    let migration = states.clone().variable("reminders", "letters");
    let state = restore(&old, from_ref(&migration)).expect("all is mapped");
    assert_eq!((state.at, state.variables), (order_2::State::Invoiced, vec![1]));
    assert_eq!(state.held, [1, 1], "the new table holds another timer there");
    let dropped = restore(&old, &[states.drop_variable("reminders")]).expect("all is mapped");
    assert_eq!(dropped.variables, [0]);
    let many =
        Snapshot { variables: [("reminders".to_owned(), "7".to_owned())].into(), ..old.clone() };
    let (variable, value) = ("letters".to_owned(), "7".to_owned());
    assert_eq!(restore(&many, &[migration]), Err(SnapshotError::Value { variable, value }));
    let other = Snapshot { hash: new ^ 1, machine: "order-2".to_owned(), ..old };
    let text = restore(&other, &[]).expect_err("it is another table").to_string();
    assert!(text.contains("Migration::from(0x"), "{text}");
}

#[tokio::test]
async fn a_handler_that_panics_ends_the_actor() {
    let shop = Shop { panics: true, ..Shop::new() };
    let order = spawn(&shop).await;
    order.give(Event::Place).await.expect("it runs");
    assert_eq!(order.give(Event::Paid).await, Err(Stopped));
    assert_eq!(order.give(Event::Paid).await, Err(Stopped));
    let error = order.stop(TIMEOUT).await.expect_err("it has failed").to_string();
    assert_eq!(error, "the actor has failed: a method has panicked");
}

/// The order of the later table does nothing here.
struct LaterShop;

impl order_2::Handler for LaterShop {
    fn ship(&mut self, _: order_2::Event) {}

    fn apologise(&mut self, _: order_2::Event) {}

    fn there_is_stock(&mut self, _: order_2::Event) -> bool {
        true
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_stored_state_outlives_the_process_and_is_migrated_to_a_new_table() {
    let dir = Path::new(env!("CARGO_TARGET_TMPDIR")).join("order");
    let _none = std::fs::remove_dir_all(&dir);
    let open = || Some(Box::new(LogStore::open(&dir).expect("it is ours")) as _);
    let shop = Shop::new();
    for is_first in [true, false] {
        let options = ActorOptions { store: open(), ..ActorOptions::new(DURATIONS) };
        let order = Actor::<Machine>::alone(Box::new(shop.clone()), options).await;
        let order = order.expect("it starts");
        if is_first {
            assert!(matches!(order.give(Event::Place).await, Ok(Answer::Taken { .. })));
        }
        assert_eq!(order.state(), State::AwaitingPayment);
        order.stop(TIMEOUT).await.expect("it has not failed");
    }
    let durations = order_2::Durations { payment_timer: TIMEOUT, recall_timer: TIMEOUT };
    let options = || ActorOptions { store: open(), ..ActorOptions::new(durations) };
    let later = Actor::<order_2::Machine>::alone(Box::new(LaterShop), options()).await;
    let refused = later.map(drop).expect_err("it is another table").to_string();
    assert_eq!(refused, "the snapshot is of the machine `order`, and this is `order-2`");
    let migration = Migration::from(Machine::TABLE.hash)
        .state("awaiting payment", "invoiced")
        .variable("reminders", "letters");
    let options = ActorOptions { migrations: vec![migration], ..options() };
    let later = Actor::<order_2::Machine>::alone(Box::new(LaterShop), options).await;
    let later = later.expect("it is migrated");
    assert_eq!(later.state(), order_2::State::Invoiced);
    let paid = later.give(order_2::Event::Paid).await;
    assert!(matches!(paid, Ok(Answer::Taken { .. })), "{paid:?}");
    assert_eq!(later.state(), order_2::State::Shipped);
}

//! Nodes that something is wrong with inside: a core whose saves are no data, a store that panics,
//! a timer that is due again at once, a user or a peer that is gone.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use serde::{Deserialize, Serialize, Serializer};
use tokio::time::{sleep, timeout};
use turnstile_host::store::{Batch, Store, Visitor};
use turnstile_host::transport::local::{Local, LocalTransport};
use turnstile_host::transport::{Receiver as _, UnsentReason};
use turnstile_host::{Event, Inbox, Node, Notices, Options, Stopped};
use turnstile_step::{Core, Effect, Input, InputOf, OutOf};

/// Does what it is told.
#[derive(Clone, Copy, Debug)]
struct Puppet;

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
enum Do {
    SaveAndSend(u64),
    Tick,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
struct Word(u64);

/// A number that can be written unless it is 13.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Deserialize)]
struct Number(u64);

impl Serialize for Number {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.0 {
            13 => Err(serde::ser::Error::custom("13 is no number")),
            number => serializer.serialize_newtype_struct("Number", &number),
        }
    }
}

turnstile_step::not_symbolic!(Do, Word, Number);

impl Core for Puppet {
    type State = u64;
    type Peer = u8;
    type Message = Word;
    type Timer = ();
    type Command = Do;
    type Notice = Word;
    type Saved = Number;

    fn start(&self) -> u64 {
        0
    }

    fn step(&self, state: &mut u64, input: InputOf<Self>, out: &mut OutOf<Self>) {
        *state += 1;
        match input {
            Input::Command(Do::SaveAndSend(number)) => {
                out.effects.push(Effect::Save(Number(number)));
                out.effects.push(Effect::Send { to: 1, message: Word(number) });
            }
            Input::Command(Do::Tick) | Input::Fired(()) => out.effects.push(Effect::Arm(())),
            Input::Message { message, .. } => out.effects.push(Effect::Notify(message)),
            Input::Restart(_) => *state = 0,
        }
    }
}

/// A store that panics once it is told to.
#[derive(Clone, Default)]
struct Fragile(Arc<AtomicBool>);

impl Store for Fragile {
    fn read(&mut self, _each: Visitor<'_>) -> io::Result<()> {
        Ok(())
    }

    fn write(&mut self, _batch: &Batch) {
        assert!(!self.0.load(Ordering::Relaxed), "this store is broken");
    }

    fn sync(&mut self) -> io::Result<()> {
        Ok(())
    }
}

type Started = (Node<Puppet, LocalTransport<u8, Word>>, Notices<Puppet>, Inbox<Puppet>);

async fn start(own: u8, net: &Local<u8, Word>, store: Fragile, tick: Duration) -> Started {
    let options = Options {
        store: Some(Box::new(store)),
        notices_max: 2,
        ..Options::new(move |_: &_, ()| tick)
    };
    let mut kept = None;
    let started = Node::start(Puppet, options, |inbox| {
        kept = Some(inbox.clone());
        std::future::ready(Ok(net.join(own, inbox)))
    });
    let (node, notices) = started.await.expect("the store can be read");
    (node, notices, kept.expect("the transport was made"))
}

const SECOND: Duration = Duration::from_secs(1);

#[tokio::test(start_paused = true)]
async fn nothing_leaves_that_could_not_be_saved() {
    let net = Local::new();
    let (node, mut notices, _inbox) = start(0, &net, Fragile::default(), SECOND).await;
    let (_peer, mut heard, _) = start(1, &net, Fragile::default(), SECOND).await;
    node.command(Do::SaveAndSend(1)).await.expect("it runs");
    assert_eq!(heard.notice().await, Some(Word(1)));
    node.command(Do::SaveAndSend(13)).await.expect("it runs");
    assert_eq!(notices.next().await, Some(Event::Broken));
    assert_eq!(node.command(Do::SaveAndSend(2)).await, Err(Stopped));
    assert!(timeout(SECOND, notices.next()).await.is_err(), "it is told once");
    assert!(timeout(SECOND, heard.next()).await.is_err(), "nothing more is heard");
    assert!(!node.stop(SECOND).await.is_durable);
}

#[tokio::test(start_paused = true)]
async fn a_store_that_panics_breaks_the_node_and_is_told() {
    let (net, store) = (Local::new(), Fragile::default());
    let (node, mut notices, inbox) = start(0, &net, store.clone(), SECOND).await;
    store.0.store(true, Ordering::Relaxed);
    node.command(Do::SaveAndSend(1)).await.expect("it runs");
    assert_eq!(notices.next().await, Some(Event::Broken));
    timeout(SECOND, inbox.deliver(1, Word(1))).await.expect("it hears nothing, at once");
    assert!(!node.stop(SECOND).await.is_durable);
}

#[tokio::test(start_paused = true)]
async fn a_user_that_goes_lets_the_node_go_on() {
    let net = Local::new();
    let (node, notices, inbox) = start(0, &net, Fragile::default(), SECOND).await;
    inbox.deliver(1, Word(1)).await;
    inbox.deliver(1, Word(2)).await;
    let third = tokio::spawn({
        let inbox = inbox.clone();
        async move { inbox.deliver(1, Word(3)).await }
    });
    sleep(SECOND).await;
    assert!(!third.is_finished(), "two notices wait, and no more may");
    drop(notices);
    timeout(SECOND, third).await.expect("it goes on").expect("it does not panic");
    assert_eq!(node.state(), 3);
}

#[tokio::test(start_paused = true)]
async fn a_stop_waits_for_no_message_that_has_no_room() {
    let net = Local::new();
    let (node, _notices, inbox) = start(0, &net, Fragile::default(), SECOND).await;
    inbox.deliver(1, Word(1)).await;
    inbox.deliver(1, Word(2)).await;
    let third = tokio::spawn(async move { inbox.deliver(1, Word(3)).await });
    sleep(SECOND).await;
    let end = timeout(SECOND, node.stop(Duration::MAX)).await.expect("it stops at once");
    assert!(end.is_durable && end.state == 2);
    timeout(SECOND, third).await.expect("it ends").expect("it does not panic");
}

#[tokio::test(start_paused = true)]
async fn a_timer_that_is_due_again_at_once_leaves_room_to_others() {
    let net = Local::new();
    let (node, mut notices, inbox) = start(0, &net, Fragile::default(), Duration::ZERO).await;
    node.command(Do::Tick).await.expect("it runs");
    for number in 0..100 {
        inbox.deliver(1, Word(number)).await;
        assert_eq!(notices.notice().await, Some(Word(number)));
    }
    assert!(node.stop(SECOND).await.state > 200, "the timer has fired as often");
}

#[tokio::test(start_paused = true)]
async fn a_peer_that_was_dropped_is_not_reachable() {
    let net = Local::new();
    let (node, mut notices, inbox) = start(0, &net, Fragile::default(), SECOND).await;
    let (peer, mut heard, _) = start(1, &net, Fragile::default(), SECOND).await;
    node.command(Do::SaveAndSend(1)).await.expect("it runs");
    assert_eq!(heard.notice().await, Some(Word(1)));
    drop((peer, heard));
    sleep(SECOND).await;
    node.command(Do::SaveAndSend(2)).await.expect("it runs");
    let Some(Event::Unsent(unsent)) = notices.next().await else { panic!("it was not sent") };
    assert_eq!((unsent.message, unsent.why), (Word(2), UnsentReason::Unreachable));
    drop(inbox);
}

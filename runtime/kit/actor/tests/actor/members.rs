//! Members of a system: the roles, links and routes of the system file decide who gets a message.

use std::path::{Path, PathBuf};
use std::time::Duration;

use turnstile_actor::{Actor, ActorOptions, Answer, System};
use turnstile_host::transport::local::Local;
use turnstile_simulation::free_port;

turnstile_machine::machine!("../../../spec/examples/two-phase-commit/coordinator.yaml");
turnstile_machine::machine!("../../../spec/examples/two-phase-commit/participant.yaml");
turnstile_machine::machine!("../../../spec/examples/alternating-bit/sender.yaml");
turnstile_machine::machine!("../../../spec/examples/alternating-bit/receiver.yaml");

use abp_sender::Event as ToSender;
use commit_coordinator as coordinator;
use commit_participant as participant;

const TIMEOUT: Duration = Duration::from_secs(5);

fn example(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../spec/examples").join(path)
}

/// A participant, and whether it can commit.
struct Vote(bool);

impl participant::Handler for Vote {
    fn it_can_commit(&mut self, _: participant::Event) -> bool {
        self.0
    }
}

/// Runs a transaction of two participants in one process; returns how the three end.
async fn transact(votes: [bool; 2]) -> (coordinator::State, [participant::State; 2]) {
    let system = System::open(example("two-phase-commit/two-phase-commit.yaml"));
    let system = system.expect("it can be read");
    let names: Vec<&str> = system.nodes().collect();
    assert_eq!(names, ["coordinator", "participant 1", "participant 2"]);
    let network = Local::new();
    let mut participants = Vec::new();
    for (name, vote) in ["participant 1", "participant 2"].into_iter().zip(votes) {
        let member = system.member::<participant::Machine>(name).expect("it is a node");
        let (hub, peer) = (network.clone(), member.peer());
        let durations = participant::Durations { decision_timer: TIMEOUT };
        let options = ActorOptions { member: Some(member), ..ActorOptions::new(durations) };
        let join = async |inbox| Ok(hub.join(peer, inbox));
        let actor = Actor::<participant::Machine>::start(Box::new(Vote(vote)), options, join);
        participants.push(actor.await.expect("it starts"));
    }
    let member = system.member::<coordinator::Machine>("coordinator").expect("it is a node");
    let peer = member.peer();
    let durations = coordinator::Durations { vote_timer: TIMEOUT };
    let options = ActorOptions { member: Some(member), ..ActorOptions::new(durations) };
    let join = async |inbox| Ok(network.join(peer, inbox));
    let actor = Actor::<coordinator::Machine>::start(Box::new(()), options, join);
    let actor = actor.await.expect("it starts");
    let begun = actor.give(coordinator::Event::Begin).await;
    assert!(matches!(begun, Ok(Answer::Taken { .. })));
    let is_over = |at| matches!(at, participant::State::Committed | participant::State::Aborted);
    let mut ends = Vec::new();
    for participant in &participants {
        let end = participant.handle().wait_until(is_over).await;
        ends.push(end.expect("it runs"));
    }
    for participant in participants {
        assert_eq!(participant.counts().refused, 0);
        participant.stop(TIMEOUT).await.expect("it has not failed");
    }
    (actor.state(), [ends[0], ends[1]])
}

#[tokio::test(start_paused = true)]
async fn routes_decide_who_gets_a_message() {
    use coordinator::State as Of;
    use participant::State as End;

    assert_eq!(transact([true, true]).await, (Of::Committed, [End::Committed; 2]));
    assert_eq!(transact([true, false]).await, (Of::Aborted, [End::Aborted; 2]));
    assert_eq!(transact([false, false]).await, (Of::Aborted, [End::Aborted; 2]));
}

/// Counts the messages that are delivered to the user.
struct Deliver(tokio::sync::mpsc::UnboundedSender<u16>);

impl abp_receiver::Handler for Deliver {
    fn deliver(&mut self, event: abp_receiver::Event) {
        self.0.send(event.number()).expect("the test listens");
    }
}

#[tokio::test]
async fn a_connection_that_is_killed_loses_no_message() {
    let system = System::open(example("alternating-bit/alternating-bit.yaml"));
    let system = system.expect("it can be read");
    let at = |port: u16| format!("127.0.0.1:{port}").parse().expect("it is an address");
    let [one, other] = [free_port(), free_port()];
    let (delivered, mut deliveries) = tokio::sync::mpsc::unbounded_channel();
    let start_receiver = async |resume| {
        let member = system.member::<abp_receiver::Machine>("receiver").expect("it is a node");
        let tcp = member.tcp(&[("sender", at(one))]).expect("it is linked");
        let options = ActorOptions::new(abp_receiver::Durations {});
        let options = ActorOptions { member: Some(member), resume, ..options };
        let listen = format!("127.0.0.1:{other}");
        let bind = async |inbox| tcp.bind(&listen, inbox).await;
        let handler = Box::new(Deliver(delivered.clone()));
        Actor::<abp_receiver::Machine>::start(handler, options, bind).await.expect("it starts")
    };
    let member = system.member::<abp_sender::Machine>("sender").expect("it is a node");
    let tcp = member.tcp(&[("receiver", at(other))]).expect("it is linked");
    let durations = abp_sender::Durations { retransmission_timer: Duration::from_millis(50) };
    let options = ActorOptions { member: Some(member), ..ActorOptions::new(durations) };
    let listen = format!("127.0.0.1:{one}");
    let bind = async |inbox| tcp.bind(&listen, inbox).await;
    let sender = Actor::<abp_sender::Machine>::start(Box::new(()), options, bind);
    let sender = sender.await.expect("it starts");
    let mut receiver = Some(start_receiver(None).await);
    let is_ready = |at| matches!(at, abp_sender::State::Ready0 | abp_sender::State::Ready1);
    for number in 0..8 {
        // Every other message is sent while nobody listens: the receiver and its connection are
        // gone, and come back with the same state.
        let is_killed = number % 2 == 1;
        let ended = match receiver.take_if(|_| is_killed) {
            Some(receiver) => Some(receiver.stop(Duration::ZERO).await.expect("it runs")),
            None => None,
        };
        assert!(matches!(sender.give(ToSender::Send).await, Ok(Answer::Taken { .. })));
        if let Some(ended) = ended {
            receiver = Some(start_receiver(Some(ended.snapshot)).await);
        }
        sender.handle().wait_until(is_ready).await.expect("it runs");
        assert_eq!(deliveries.recv().await, Some(number % 2));
    }
    assert!(deliveries.is_empty(), "every message is delivered once");
    let refused = receiver.map(|receiver| receiver.counts().refused);
    assert_eq!((sender.counts().refused, refused), (0, Some(0)));
    sender.stop(TIMEOUT).await.expect("it has not failed");
}

#[tokio::test]
async fn what_does_not_fit_is_refused_with_its_place() {
    let system = System::open(example("alternating-bit/alternating-bit.yaml"));
    let system = system.expect("it can be read");
    let error = |result: std::io::Result<()>| result.expect_err("it does not fit").to_string();
    let of = |name| error(system.member::<abp_sender::Machine>(name).map(drop));
    assert_eq!(of("sendr"), "`alternating-bit` has no node `sendr`: sender, receiver");
    let other = of("receiver");
    assert!(other.starts_with("node `receiver` of `alternating-bit` runs the table"), "{other}");
    let member = system.member::<abp_sender::Machine>("sender").expect("it is a node");
    let missing = error(member.tcp(&[]).map(drop));
    assert_eq!(missing, "the node `receiver` has no address");
    let address = "localhost:1".parse().expect("it is an address");
    let unlinked = error(member.tcp(&[("door", address)]).map(drop));
    assert_eq!(unlinked, "no link leads to or from a node `door`: receiver");
    let durations = abp_sender::Durations { retransmission_timer: TIMEOUT };
    let alone = Actor::<abp_sender::Machine>::spawn(Box::new(()), durations).await;
    assert_eq!(
        error(alone.map(drop)),
        "`abp-sender` sends messages (`transmit 0` sends `data`): start it as a member of a system"
    );
    let table = error(System::open(example("lift/car.yaml")).map(drop));
    assert!(table.contains("car.yaml"), "{table}");
    let nothing = error(System::open(example("no.yaml")).map(drop));
    assert!(nothing.contains("no.yaml"), "{nothing}");
}

#[test]
fn a_link_that_no_transport_carries_is_refused() {
    let tables = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../checker/tests/tables");
    for (file, what) in [
        ("calls/calls.yaml", "the link `client to server` of `calls` carries requests"),
        ("buffer/buffer.yaml", "of `buffer` makes its sender wait while it is full"),
    ] {
        let refused = System::open(format!("{tables}/{file}")).expect_err("it cannot run");
        assert!(refused.to_string().contains(what), "{refused}");
    }
}

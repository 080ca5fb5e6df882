//! The alternating-bit protocol between two processes, by its system file:
//!
//! ```text
//! alternating_bit receiver 127.0.0.1:7001 127.0.0.1:7000 /tmp/receiver
//! alternating_bit sender   127.0.0.1:7000 127.0.0.1:7001
//! ```
//!
//! The sender sends a message for each line that it reads, and prints when it is acknowledged. The
//! receiver prints the bit of each message that it delivers, once, also if it is killed between.

use std::error::Error;
use std::io;
use std::path::Path;
use std::time::Duration;

use turnstile_actor::{Actor, ActorOptions, System};
use turnstile_host::store::LogStore;

turnstile_machine::machine!("../../../spec/examples/alternating-bit/sender.yaml");
turnstile_machine::machine!("../../../spec/examples/alternating-bit/receiver.yaml");

const SYSTEM: &str = concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/../../../spec/examples/alternating-bit/alternating-bit.yaml"
);

struct Print;

impl abp_receiver::Handler for Print {
    fn deliver(&mut self, event: abp_receiver::Event) {
        println!("{}", event.number());
    }
}

async fn receive(listen: &str, peer: &str, data: &str) -> Result<(), Box<dyn Error>> {
    let member = System::open(SYSTEM)?.member::<abp_receiver::Machine>("receiver")?;
    let tcp = member.tcp(&[("sender", peer.parse()?)])?;
    let mut options = ActorOptions::new(abp_receiver::Durations {});
    (options.member, options.name) = (Some(member), "receiver".to_owned());
    options.store = Some(Box::new(LogStore::open(Path::new(data))?));
    let bind = async |inbox| tcp.bind(listen, inbox).await;
    let actor = Actor::<abp_receiver::Machine>::start(Box::new(Print), options, bind).await?;
    // Until it is killed, or fails.
    actor.handle().wait_until(|_| false).await?;
    Ok(())
}

async fn send(listen: &str, peer: &str) -> Result<(), Box<dyn Error>> {
    use abp_sender::State;

    let member = System::open(SYSTEM)?.member::<abp_sender::Machine>("sender")?;
    let tcp = member.tcp(&[("receiver", peer.parse()?)])?;
    let durations = abp_sender::Durations { retransmission_timer: Duration::from_millis(100) };
    let options = ActorOptions { member: Some(member), ..ActorOptions::new(durations) };
    let bind = async |inbox| tcp.bind(listen, inbox).await;
    let actor = Actor::<abp_sender::Machine>::start(Box::new(()), options, bind).await?;
    for line in io::stdin().lines() {
        line?;
        actor.give(abp_sender::Event::Send).await?;
        actor.handle().wait_until(|at| matches!(at, State::Ready0 | State::Ready1)).await?;
        println!("acknowledged");
    }
    actor.stop(Duration::from_secs(1)).await?;
    Ok(())
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    match words.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["receiver", listen, peer, data] => receive(listen, peer, data).await,
        ["sender", listen, peer] => send(listen, peer).await,
        _ => Err("usage: alternating_bit receiver LISTEN PEER DATA | sender LISTEN PEER".into()),
    }
}

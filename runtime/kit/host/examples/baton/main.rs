//! One of two runners: `baton OWN LISTEN OTHER ADDRESS DATA TRACE [begin]`.

mod core;

use std::error::Error;
use std::path::Path;
use std::time::Duration;

use turnstile_host::store::LogStore;
use turnstile_host::transport::tcp;
use turnstile_host::{Node, Options, Trace};

use crate::core::{Begin, HasBaton, Runner, Timer};

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let [own, listen, other, address, data, trace, begin @ ..] = &words[..] else {
        return Err("say: OWN LISTEN OTHER ADDRESS DATA TRACE [begin]".into());
    };
    let other = other.parse()?;
    let options = Options {
        store: Some(Box::new(LogStore::open(Path::new(data))?)),
        name: format!("runner {own}"),
        observer: Some(Trace::append(own, Path::new(trace))?.observer::<Runner>("runner")),
        ..Options::new(|_state, timer| match timer {
            Timer::Hold => Duration::from_millis(20),
            Timer::Retry => Duration::from_millis(200),
        })
    };
    let network = tcp::Options::new(own.parse()?, "baton 1").peer(other, address.parse()?);
    let core = Runner { other };
    let (node, mut notices) =
        Node::start(core, options, |inbox| network.bind(listen, inbox)).await?;
    if !begin.is_empty() {
        node.command(Begin).await?;
    }
    while let Some(HasBaton(number)) = notices.notice().await {
        println!("{number}");
    }
    Ok(())
}

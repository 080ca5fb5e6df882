//! The latency of a POST while other clients filter many claims without a match.

use std::cell::Cell;
use std::rc::Rc;
use std::time::{Duration, Instant};

use tokio::task::{LocalSet, spawn_local};

use crate::client::Client;
use crate::server::Server;
use crate::tally::Tally;

/// The number of clients that create the claims.
const WRITERS: usize = 32;

/// Prints a row for each number of readers, with this number of claims.
pub(crate) fn run(claims: usize, time: Duration) {
    let server = Server::in_memory(None);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.expect("a runtime");
    let tasks = LocalSet::new();
    tasks.block_on(&runtime, fill(&server, claims));
    println!("{claims} claims in memory, {} s a row\n", time.as_secs_f64());
    println!("| clients that filter | lists | POSTs | p50 ms | p99 ms | most ms |");
    println!("| ---: | ---: | ---: | ---: | ---: | ---: |");
    for readers in [0, 4] {
        tasks.block_on(&runtime, row(&server, readers, time));
    }
}

/// Creates this number of claims, each of another resource.
pub(crate) async fn fill(server: &Server, claims: usize) {
    let next = Rc::new(Cell::new(0));
    let mut writers = Vec::new();
    for _ in 0..WRITERS {
        let mut client = Client::connect(server.address(0)).await;
        let next = next.clone();
        writers.push(spawn_local(async move {
            while next.get() < claims {
                let number = next.replace(next.get() + 1);
                let claim = client.post(&format!("held/{number}"), false).await;
                assert_eq!(claim.status, 201, "nobody else wants it");
            }
        }));
    }
    for writer in writers {
        writer.await.expect("a client ends well");
    }
}

async fn row(server: &Server, readers: usize, time: Duration) {
    let end = Instant::now() + time;
    let mut reading = Vec::new();
    for _ in 0..readers {
        let mut client = Client::connect(server.address(0)).await;
        reading.push(spawn_local(async move {
            let mut lists = 0;
            while Instant::now() < end {
                assert_eq!(client.filter().await.status, 200, "a list may be empty");
                lists += 1;
            }
            lists
        }));
    }
    let mut client = Client::connect(server.address(0)).await;
    let mut tally = Tally::default();
    while Instant::now() < end {
        let started = Instant::now();
        let claim = client.post("wanted", false).await;
        tally.note(started.elapsed());
        assert_eq!(claim.status, 201, "nobody else wants it");
        client.patch(claim.id, "released", false).await;
    }
    let mut lists = 0;
    for reader in reading {
        lists += reader.await.expect("a client ends well");
    }
    let tally = Tally::sum(&[tally]);
    println!(
        "| {readers} | {lists} | {} | {:.2} | {:.2} | {:.2} |",
        tally.count(),
        tally.percentile_ms(50),
        tally.percentile_ms(99),
        tally.percentile_ms(100),
    );
}

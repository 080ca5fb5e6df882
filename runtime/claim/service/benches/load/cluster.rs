//! Three members with their disks, beside three of etcd, under the same load in turns.

use std::time::{Duration, Instant};

use tokio::task::LocalSet;

use crate::client::Client;
use crate::etcd::Etcd;
use crate::lock::HeldClaim;
use crate::server::Server;
use crate::table::{OURS, Row};
use crate::{Load, ROUNDS, measure_in_turns, print_machine, row, table};

/// The cluster of this build.
const CLUSTER: &str = "three turnstileds";

/// Measures all rows in turns, and prints the table.
pub(crate) fn run(time: Duration) {
    print_machine(time);
    let (cluster, etcds) = (Some(Server::cluster(None)), Server::etcds(3));
    let (single, etcd) = (Some(Server::on_disk(None)), Server::etcd());
    let mut rows: Vec<Row<'_>> = Vec::new();
    for (load, clients) in [(Load::Pairs, 8), (Load::Pairs, 64), (Load::HandOvers, 64)] {
        rows.push(row::<HeldClaim>(CLUSTER, load, clients, &cluster, time));
        rows.push(row::<Etcd>("three etcds", load, clients, &etcds, time));
        rows.push(row::<HeldClaim>(OURS, load, clients, &single, time));
        rows.push(row::<Etcd>("etcd", load, clients, &etcd, time));
    }
    measure_in_turns(&mut rows);
    table::print(&rows, CLUSTER);
    drop(rows);
    drop((cluster, etcds, single, etcd));
    println!("\n| heartbeat, s | a kill of the leader to the next grant of a free lock, s |");
    println!("| ---: | ---: |");
    for heartbeat in ["0.025", "0.15"] {
        let mut all: Vec<f64> = (0..ROUNDS).map(|_| failover(heartbeat).as_secs_f64()).collect();
        all.sort_unstable_by(f64::total_cmp);
        let (least, middle, most) = (all[0], all[ROUNDS / 2], all[ROUNDS - 1]);
        println!("| {heartbeat} | {middle:.2} ({least:.2} to {most:.2}) |");
    }
}

/// Kills the leader of a new cluster. Returns the time until another member grants a lock.
fn failover(heartbeat: &str) -> Duration {
    let mut server = Server::cluster(Some(heartbeat));
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.expect("a runtime");
    LocalSet::new().block_on(&runtime, async {
        let mut client = Client::connect(server.address(0)).await;
        // It is answered once there is a leader.
        assert_eq!(client.post("load/first", false).await.status, 201);
        assert_eq!(client.call("GET /metrics", "", false).await.status, 200);
        let metrics = client.text().lines();
        let leader = metrics.filter_map(|line| line.strip_prefix("turnstile_log_leader ")).next();
        let leader: usize = leader.and_then(|id| id.trim().parse().ok()).expect("a leader");
        let mut client = Client::connect(server.address(leader)).await;
        let started = Instant::now();
        server.kill(leader - 1);
        while client.post("load/next", false).await.status != 201 {
            assert!(started.elapsed() < Duration::from_secs(60), "no other leader");
        }
        started.elapsed()
    })
}

//! Three members with their disks, beside three of etcd, under the same load in turns.

use std::time::Duration;

use crate::etcd::Etcd;
use crate::lock::Claim;
use crate::server::Server;
use crate::table::{OURS, Row};
use crate::{Load, measure_in_turns, print_machine, row, table};

/// The cluster of this build.
const CLUSTER: &str = "three turnstileds";

/// Measures all rows in turns, and prints the table.
pub(crate) fn run(time: Duration) {
    print_machine(time);
    let (cluster, etcds) = (Some(Server::cluster()), Server::etcds(3));
    let (single, etcd) = (Some(Server::on_disk(None)), Server::etcd());
    let mut rows: Vec<Row<'_>> = Vec::new();
    for (load, clients) in [(Load::Pairs, 8), (Load::Pairs, 64), (Load::HandOvers, 64)] {
        rows.push(row::<Claim>(CLUSTER, load, clients, &cluster, time));
        rows.push(row::<Etcd>("three etcds", load, clients, &etcds, time));
        rows.push(row::<Claim>(OURS, load, clients, &single, time));
        rows.push(row::<Etcd>("etcd", load, clients, &etcd, time));
    }
    measure_in_turns(&mut rows);
    table::print(&rows, CLUSTER);
}

//! What members cost that have nothing to do, by their default settings.

use std::io;
use std::thread::sleep;
use std::time::{Duration, Instant};

use crate::cluster::Cluster;
use crate::place::Programs;
use crate::round::Folder;
use crate::service::Service;

/// What they send to find each other is over by then.
const SETTLED: Duration = Duration::from_secs(10);
const MEASURED: Duration = Duration::from_secs(30);

/// Prints what each of so many members needs: processor time and bytes sent.
pub(crate) fn measure(service: Service, programs: &Programs, members: u8) -> io::Result<()> {
    let folder = Folder::new(&format!("{service:?}-idle"))?;
    let cluster = Cluster::start(service, programs.clone(), members, folder.path(), Vec::new())?;
    sleep(SETTLED);
    let (begun, before) = (Instant::now(), costs(&cluster)?);
    sleep(MEASURED);
    let after = costs(&cluster)?;
    let seconds = begun.elapsed().as_secs_f64();
    let mut cpu = Vec::new();
    let mut sent = Vec::new();
    for ((cpu_before, sent_before), (cpu_after, sent_after)) in before.into_iter().zip(after) {
        cpu.push((cpu_after - cpu_before).as_secs_f64() / seconds * 100.0);
        sent.push((sent_after - sent_before) as f64 / seconds);
    }
    cpu.sort_by(f64::total_cmp);
    sent.sort_by(f64::total_cmp);
    let (middle, last) = (cpu.len() / 2, cpu.len() - 1);
    println!(
        "{service:?}, {members} members, each: {:.2} % of a processor (most {:.2}), {:.0} bytes/s \
         sent (most {:.0}); median of the members over {seconds:.0} s",
        cpu[middle], cpu[last], sent[middle], sent[last]
    );
    Ok(())
}

/// The processor time of each member so far, and the bytes that it has sent.
fn costs(cluster: &Cluster) -> io::Result<Vec<(Duration, u64)>> {
    let ids = cluster.members.keys();
    ids.map(|id| Ok((cluster.processor_time(*id)?, cluster.network.sent(*id)?))).collect()
}

//! The configuration of openraft.

use std::io;
use std::time::Duration;

use openraft::{Config, SnapshotPolicy};
use tokio::sync::Semaphore;

use crate::network::REQUEST_BYTES_MAX;
use crate::options::Options;

/// # Errors
/// When the options contradict each other.
pub(super) fn of(options: &Options) -> io::Result<Config> {
    check_sizes(options)?;
    let (lease, after_lease) = election(options)?;
    let millis = |time: Duration| u64::try_from(time.as_millis()).unwrap_or(u64::MAX);
    let config = Config {
        cluster_name: "turnstile".into(),
        heartbeat_interval: millis(options.heartbeat),
        election_timeout_min: millis(after_lease),
        election_timeout_max: millis(lease),
        install_snapshot_timeout: millis(options.snapshot_timeout),
        snapshot_max_chunk_size: options.snapshot_chunk_bytes,
        // See `snapshots`.
        snapshot_policy: SnapshotPolicy::Never,
        max_in_snapshot_log_to_keep: options.keep_entries,
        // A new member becomes a voter when it lags by this many entries at most.
        replication_lag_threshold: 100,
        ..Config::default()
    };
    config.validate().map_err(invalid)
}

fn check_sizes(options: &Options) -> io::Result<()> {
    let largest = options.operation_bytes.saturating_add(options.entry_bytes);
    let chunk = usize::try_from(options.snapshot_chunk_bytes).unwrap_or(usize::MAX);
    if largest.max(chunk) > REQUEST_BYTES_MAX / 2 {
        let text = format!("an entry or a part of a snapshot of {} bytes", largest.max(chunk));
        let most = REQUEST_BYTES_MAX / 2;
        return Err(invalid(format!("the options allow {text}: at most {most} are possible")));
    }
    let (largest, room) = (options.operation_bytes, options.queue_bytes);
    if !(largest..=Semaphore::MAX_PERMITS).contains(&room) {
        let text = format!("an operation may have {largest} bytes, and a queue {room} of them");
        return Err(invalid(text));
    }
    Ok(())
}

/// How long members trust a leader, and the least time from then to an election. Openraft has the
/// former as the greatest value of the latter.
fn election(options: &Options) -> io::Result<(Duration, Duration)> {
    let Options { heartbeat, election_least: least, election_most: most, .. } = options;
    let lease = *most / 2;
    let after_lease = least.saturating_sub(lease);
    if after_lease <= *heartbeat || after_lease >= lease {
        let text =
            format!("an election after {least:?} to {most:?}, a heartbeat every {heartbeat:?}");
        let remedy = "the least must exceed half of the most by more than a heartbeat";
        return Err(invalid(format!("{text}: {remedy}, and be less than the most")));
    }
    Ok((lease, after_lease))
}

fn invalid(error: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidInput, error)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_election_begins_after_the_time_of_the_options() {
        for options in [Options::new(1), Options::with_heartbeat(1, Duration::from_millis(20))] {
            let config = of(&options).expect("they agree");
            let lease = Duration::from_millis(config.election_timeout_max);
            let after_lease = Duration::from_millis(config.election_timeout_min);
            assert_eq!(lease + after_lease, options.election_least);
            assert_eq!(2 * lease, options.election_most);
        }
    }

    #[test]
    fn an_election_that_others_would_refuse_is_refused() {
        let millis = Duration::from_millis;
        for (least, most) in [(600, 1000), (400, 1000), (1000, 1000), (1200, 1000)] {
            let (heartbeat, election_least) = (millis(100), millis(least));
            let election_most = millis(most);
            let options = Options { heartbeat, election_least, election_most, ..Options::new(1) };
            let error = of(&options).expect_err("they contradict each other").to_string();
            assert!(error.contains("more than a heartbeat"), "{error}");
        }
    }
}

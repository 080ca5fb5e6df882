//! The memory, descriptors, threads and files of a process, and whether they grow.

use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::path::Path;

/// One sample.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Sample {
    /// In KiB.
    pub(crate) memory: u64,
    pub(crate) descriptors: u64,
    pub(crate) threads: u64,
    pub(crate) files: u64,
    /// In KiB.
    pub(crate) bytes: u64,
    /// The number of the newest log.
    pub(crate) log: u64,
}

impl Sample {
    /// # Errors
    /// When the process has ended.
    pub(crate) fn take(process: u32, data: &Path) -> io::Result<Self> {
        let status = fs::read_to_string(format!("/proc/{process}/status"))?;
        let field = |name: &str| {
            let line = status.lines().find_map(|line| line.strip_prefix(name));
            let number = line.and_then(|line| line.split_whitespace().next()?.parse().ok());
            number.ok_or_else(|| io::Error::other(format!("no {name} in the process's status")))
        };
        let descriptors = fs::read_dir(format!("/proc/{process}/fd"))?.count() as u64;
        let (mut files, mut bytes, mut logs) = (0, 0, BTreeSet::new());
        for file in fs::read_dir(data)? {
            let file = file?;
            files += 1;
            // One that is folded meanwhile is gone.
            bytes += file.metadata().map_or(0, |file| file.len()) / 1024;
            let name = file.file_name();
            let log: Option<u64> =
                name.to_str().and_then(|name| name.strip_suffix(".log")?.parse().ok());
            logs.extend(log);
        }
        Ok(Self {
            memory: field("VmRSS:")?,
            descriptors,
            threads: field("Threads:")?,
            files,
            bytes,
            log: logs.last().copied().unwrap_or(0),
        })
    }
}

/// How the samples of a third are combined.
#[derive(Clone, Copy)]
enum Of {
    /// The mean.
    Mean,
    /// The maximum.
    Most,
}

/// A quantity that must not grow.
struct Flat {
    name: &'static str,
    of: fn(&Sample) -> u64,
    by: Of,
    /// The tolerance: a share of the previous value in percent, and an absolute amount.
    percent: u64,
    more: u64,
}

/// The quantities that do not grow in a server without leaks, and their tolerances. A leak of ten
/// bytes per request exceeds these within ten minutes of 3,400 requests per second.
const FLAT: [Flat; 5] = [
    // The allocator gives back when it likes, and a fold comes and goes.
    Flat { name: "memory in KiB", of: |s| s.memory, by: Of::Mean, percent: 5, more: 2_048 },
    // Connections come and go.
    Flat { name: "descriptors", of: |s| s.descriptors, by: Of::Most, percent: 0, more: 32 },
    // A fold has one.
    Flat { name: "threads", of: |s| s.threads, by: Of::Most, percent: 0, more: 2 },
    // A fold that takes longer meets another log and an image that is not finished.
    Flat { name: "files", of: |s| s.files, by: Of::Most, percent: 0, more: 2 },
    // A log is made at its whole length, and may meet the one before.
    Flat { name: "bytes on disk in KiB", of: |s| s.bytes, by: Of::Most, percent: 10, more: 65_536 },
];

impl Flat {
    fn amount(&self, samples: &[Sample]) -> u64 {
        let values = samples.iter().map(self.of);
        match self.by {
            Of::Mean => values.sum::<u64>() / samples.len().max(1) as u64,
            Of::Most => values.max().unwrap_or(0),
        }
    }
}

/// Prints the values of each third. Returns what has grown from the second to the last.
pub(crate) fn judge(samples: &[Sample]) -> Vec<String> {
    let third = samples.len() / 3;
    let thirds = [&samples[..third], &samples[third..2 * third], &samples[2 * third..]];
    println!("\n| | first third | second third | last third | allowed |");
    println!("| --- | ---: | ---: | ---: | ---: |");
    let mut wrong = Vec::new();
    for flat in FLAT {
        let [first, second, last] = thirds.map(|samples| flat.amount(samples));
        let allowed = second + second * flat.percent / 100 + flat.more;
        let name = match flat.by {
            Of::Mean => format!("{}, mean", flat.name),
            Of::Most => format!("{}, most", flat.name),
        };
        println!("| {name} | {first} | {second} | {last} | {allowed} |");
        if last > allowed {
            let grown = last - second;
            wrong.push(format!("{name} has grown by {grown} from {second} to {last}"));
        }
    }
    let logs = thirds.map(|samples| {
        let log = |sample: Option<&Sample>| sample.map_or(0, |sample| sample.log);
        log(samples.last()) - log(samples.first())
    });
    println!("| logs begun | {} | {} | {} | |", logs[0], logs[1], logs[2]);
    if logs.contains(&0) {
        wrong.push(format!("a third has begun no log ({logs:?}): nothing was folded, run longer"));
    }
    wrong
}

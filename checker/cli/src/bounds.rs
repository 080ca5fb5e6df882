//! Threads and bounds of a search: the same options for every verb that searches.

use std::time::{Duration, Instant};

use turnstile_harness::options::Options;
use turnstile_search::bounds::Limits;

use super::terminal::ProgressLine;

#[derive(Debug, clap::Args)]
pub(crate) struct Bounds {
    /// Number of threads [default: one per processor]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads: Option<u16>,
    /// Stop each search after N unique states
    #[arg(long, value_name = "N")]
    max_states: Option<u64>,
    /// Stop each search at this much memory, in bytes or with a suffix K, M or G
    #[arg(long, value_name = "BYTES", value_parser = memory)]
    max_memory: Option<u64>,
    /// Stop all searches after this many seconds
    #[arg(long, value_name = "SECS", value_parser = seconds)]
    timeout: Option<Duration>,
}

impl Bounds {
    /// The options of a search within these bounds; the timeout counts from `begun`.
    pub(crate) fn options<'a>(&self, begun: Instant, line: &'a ProgressLine) -> Options<'a> {
        let processors = std::thread::available_parallelism().map_or(1, usize::from);
        Options {
            threads: self.threads.map_or(processors, usize::from),
            limits: Limits {
                max_states: self.max_states,
                max_memory: self.max_memory,
                deadline: self.timeout.and_then(|timeout| begun.checked_add(timeout)),
            },
            ..Options::new(line)
        }
    }
}

/// `1048576`, `64M`.
fn memory(text: &str) -> Result<u64, String> {
    let (digits, factor) = match text.char_indices().last() {
        Some((at, 'k' | 'K')) => (&text[..at], 1 << 10),
        Some((at, 'm' | 'M')) => (&text[..at], 1 << 20),
        Some((at, 'g' | 'G')) => (&text[..at], 1 << 30),
        _ => (text, 1),
    };
    let number: u64 =
        digits.parse().map_err(|_| "expected bytes, for example 1048576 or 64M".to_owned())?;
    number.checked_mul(factor).ok_or_else(|| "more than 2^64 bytes".to_owned())
}

/// `60`, `0.5`.
fn seconds(text: &str) -> Result<Duration, String> {
    let number: f64 =
        text.parse().map_err(|_| "expected seconds, for example 60 or 0.5".to_owned())?;
    if number.is_nan() || number < 0.0 {
        return Err("expected seconds, at least 0".to_owned());
    }
    // Beyond the range of `Duration` there is no timeout.
    Ok(Duration::try_from_secs_f64(number).unwrap_or(Duration::MAX))
}

//! How many threads search, and where they stop although there is more: the same for every verb
//! that searches.

use std::time::{Duration, Instant};

use turnstile_harness::options::Options;
use turnstile_search::bounds::Limits;

use super::terminal::Line;

#[derive(Debug, clap::Args)]
pub(crate) struct Bounds {
    /// Threads: all for one search, or one for each where many are asked for [default: as many
    /// as there are processors]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads: Option<u16>,
    /// End each search beyond so many unique states [default: 1000000 with `--as-written`, where
    /// nothing else bounds a search]
    #[arg(long, value_name = "N")]
    max_states: Option<u64>,
    /// End each search beyond so much memory: bytes, or with K, M or G behind the number
    #[arg(long, value_name = "BYTES", value_parser = memory)]
    max_memory: Option<u64>,
    /// End all searches after so many seconds
    #[arg(long, value_name = "SECS", value_parser = seconds)]
    timeout: Option<Duration>,
}

impl Bounds {
    /// A search within these bounds, all of them counted from when the command began.
    pub(crate) fn options<'a>(&self, begun: Instant, line: &'a Line) -> Options<'a> {
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
    let number: u64 = digits.parse().map_err(|_| "bytes, as 1048576 or 64M".to_owned())?;
    number.checked_mul(factor).ok_or_else(|| "more bytes than can be counted".to_owned())
}

/// `60`, `0.5`.
fn seconds(text: &str) -> Result<Duration, String> {
    let number: f64 = text.parse().map_err(|_| "seconds, as 60 or 0.5".to_owned())?;
    if number.is_nan() || number < 0.0 {
        return Err("seconds, from 0 on".to_owned());
    }
    // Longer than anybody waits is for ever.
    Ok(Duration::try_from_secs_f64(number).unwrap_or(Duration::MAX))
}

//! Rate limit for repeated warnings: each text once per minute.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use tokio::time::{Duration, Instant};

/// The time after which a text may be logged again.
const PAUSE: Duration = Duration::from_secs(60);
/// The maximum number of remembered texts; further ones are not logged.
const MOST: usize = 64;

/// The logged texts and their times.
#[derive(Debug, Default)]
pub(super) struct Warned(Mutex<BTreeMap<String, Instant>>);

impl Warned {
    /// Whether to log this text now.
    pub(super) fn is_time(&self, text: &str) -> bool {
        let mut texts = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        texts.retain(|_, told| told.elapsed() < PAUSE);
        let is_time = texts.len() < MOST && !texts.contains_key(text);
        if is_time {
            texts.insert(text.to_owned(), Instant::now());
        }
        is_time
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn each_text_is_told_once_a_minute_and_so_many_at_most() {
        let warned = Warned::default();
        assert!(warned.is_time("one"));
        assert!(!warned.is_time("one"));
        let told = (0..1000).filter(|number| warned.is_time(&number.to_string())).count();
        assert_eq!(told, MOST - 1);
        tokio::time::advance(PAUSE).await;
        assert!(warned.is_time("one"));
    }
}

//! Durations as people and programs write them: numbers of seconds, neither negative nor endless.

use std::time::Duration;

/// The maximum duration: a century.
pub const LONGEST: Duration = Duration::from_secs(100 * 366 * 86_400);

/// The duration that a number of seconds is.
///
/// # Errors
/// Where it is none; why, in words.
pub fn of(number: f64) -> Result<Duration, String> {
    let time = Duration::try_from_secs_f64(number).ok().filter(|time| *time <= LONGEST);
    time.ok_or_else(|| {
        format!("{number} is not a number of seconds from 0 to {}", LONGEST.as_secs())
    })
}

/// Reads a number of seconds.
///
/// # Errors
/// Where it is none; why, in words.
pub fn read(text: &str) -> Result<Duration, String> {
    // Without the text, which may be a secret in the wrong place.
    text.parse().map_err(|_| "it is not a number of seconds".to_owned()).and_then(of)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seconds_are_read_within_reason() {
        assert_eq!(read("0.25"), Ok(Duration::from_millis(250)));
        assert_eq!(of(0.0), Ok(Duration::ZERO));
        for text in ["", "soon", "-1", "inf", "NaN", "1e12", "1e300"] {
            assert!(read(text).is_err_and(|why| why.contains("not a number of seconds")), "{text}");
        }
    }
}

//! Dates as RFC 822 (with RFC 1123's year) writes them, always in UTC. It reads no clock.

use std::fmt;

/// Microseconds since the Unix epoch, written as `Tue, 22 Nov 2011 06:12:18 +0000`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Date(pub u64);

const DAYS: [&str; 7] = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"];
const MONTHS: [&str; 12] =
    ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

impl fmt::Display for Date {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let seconds = self.0 / 1_000_000;
        let (days, time) = (seconds / 86_400, seconds % 86_400);
        let (year, month, day) = civil(days);
        write!(
            f,
            "{}, {day:02} {} {year} {:02}:{:02}:{:02} +0000",
            DAYS[(days % 7) as usize],
            MONTHS[(month - 1) as usize],
            time / 3_600,
            time / 60 % 60,
            time % 60,
        )
    }
}

impl serde::Serialize for Date {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

/// Year, month and day of a count of days since the epoch. The year is taken to begin in March, so
/// that a leap day is its last.
fn civil(days: u64) -> (u64, u64, u64) {
    const ERA: u64 = 146_097;
    let days = days + 719_468;
    let (era, of_era) = (days / ERA, days % ERA);
    let year = (of_era - of_era / 1_460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year + year / 4 - year / 100);
    let shifted = (5 * of_year + 2) / 153;
    let day = of_year - (153 * shifted + 2) / 5 + 1;
    let month = if shifted < 10 { shifted + 3 } else { shifted - 9 };
    (year + era * 400 + u64::from(month <= 2), month, day)
}

#[cfg(test)]
mod tests {
    use super::Date;

    #[track_caller]
    fn check(seconds: u64, expected: &str) {
        assert_eq!(Date(seconds * 1_000_000 + 999_999).to_string(), expected);
    }

    #[test]
    fn dates_are_those_of_the_calendar() {
        check(0, "Thu, 01 Jan 1970 00:00:00 +0000");
        check(951_782_400, "Tue, 29 Feb 2000 00:00:00 +0000");
        check(1_321_942_338, "Tue, 22 Nov 2011 06:12:18 +0000");
        check(4_102_444_799, "Thu, 31 Dec 2099 23:59:59 +0000");
        check(4_107_542_400, "Mon, 01 Mar 2100 00:00:00 +0000");
    }
}

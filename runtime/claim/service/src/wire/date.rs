//! Dates in the formats of RFC 822 (with RFC 1123's year) and RFC 3339, written in UTC.

use std::fmt;

/// Microseconds since the Unix epoch, written as `Tue, 22 Nov 2011 06:12:18 +0000`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Date(pub u64);

const DAYS: [&str; 7] = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"];
const MONTHS: [&str; 12] =
    ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

impl fmt::Display for Date {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.with_rfc822(|text| f.write_str(text))
    }
}

impl Date {
    /// Calls a function with the date as `Tue, 22 Nov 2011 06:12:18 +0000`. Every claim has it
    /// several times: a format string would take ten times as long, and a string an allocation.
    fn with_rfc822<T>(self, take: impl FnOnce(&str) -> T) -> T {
        let seconds = self.0 / 1_000_000;
        let (days, time) = (seconds / 86_400, seconds % 86_400);
        let (year, month, day) = civil(days);
        let (name, of_year) = (DAYS[(days % 7) as usize], MONTHS[(month - 1) as usize]);
        let (hour, minute, second) = (time / 3_600, time / 60 % 60, time % 60);
        if year > 9_999 {
            let clock = format!("{hour:02}:{minute:02}:{second:02}");
            return take(&format!("{name}, {day:02} {of_year} {year} {clock} +0000"));
        }
        let mut text = *b"Thu, 01 Jan 1970 00:00:00 +0000";
        text[..3].copy_from_slice(name.as_bytes());
        text[8..11].copy_from_slice(of_year.as_bytes());
        let numbers = [day, year / 100, year % 100, hour, minute, second];
        for (at, number) in [5, 12, 14, 17, 20, 23].into_iter().zip(numbers) {
            text[at..at + 2].copy_from_slice(&[digit(number / 10), digit(number % 10)]);
        }
        take(std::str::from_utf8(&text).expect("it is ASCII"))
    }

    /// Formats the date as `2011-11-22T06:12:18.000000Z`.
    #[must_use]
    pub fn rfc3339(self) -> String {
        let (seconds, micros) = (self.0 / 1_000_000, self.0 % 1_000_000);
        let (days, time) = (seconds / 86_400, seconds % 86_400);
        let (year, month, day) = civil(days);
        let (hour, minute, second) = (time / 3_600, time / 60 % 60, time % 60);
        format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}.{micros:06}Z")
    }

    /// Parses an RFC 3339 date from 1970 on, or a day, which means its start in UTC. Fractions of a
    /// second are rejected.
    #[must_use]
    pub fn read(text: &str) -> Option<Self> {
        let (day, time) = match text.split_once(['T', 't', ' ']) {
            Some((day, time)) => (day, Some(time)),
            None => (text, None),
        };
        let (year, month) = (number(day, 0, 4)?, number(day, 5, 2)?);
        let is_day = day.len() == 10 && [4, 7].iter().all(|at| day.as_bytes()[*at] == b'-');
        let days = days(year, month, number(day, 8, 2)?).filter(|_| is_day)?;
        let seconds = time.map_or(Some(0), seconds)?.checked_add_unsigned(days * 86_400)?;
        u64::try_from(seconds).ok().map(|seconds| Self(seconds * 1_000_000))
    }
}

/// A number below 10 as a digit.
const fn digit(number: u64) -> u8 {
    b'0' + number as u8
}

/// Seconds since the start of a day in UTC; negative for some offsets.
fn seconds(time: &str) -> Option<i64> {
    let (clock, zone) = time.split_at_checked(8)?;
    let is_clock = [2, 5].iter().all(|at| clock.as_bytes()[*at] == b':');
    let (hour, minute, second) = (number(clock, 0, 2)?, number(clock, 3, 2)?, number(clock, 6, 2)?);
    let sign = match zone.chars().next()? {
        'Z' | 'z' if zone.len() == 1 => 0,
        '+' if zone.len() == 6 && zone.as_bytes()[3] == b':' => 1,
        '-' if zone.len() == 6 && zone.as_bytes()[3] == b':' => -1,
        _ => return None,
    };
    let (ahead_h, ahead_min) =
        if sign == 0 { (0, 0) } else { (number(zone, 1, 2)?, number(zone, 4, 2)?) };
    let is_time = hour < 24 && minute < 60 && second < 60 && ahead_h < 24 && ahead_min < 60;
    let local = i64::try_from(hour * 3_600 + minute * 60 + second).ok()?;
    let ahead = i64::try_from(ahead_h * 3_600 + ahead_min * 60).ok()?;
    (is_clock && is_time).then_some(local - sign * ahead)
}

/// Parses a number of this many digits.
fn number(text: &str, from: usize, len: usize) -> Option<u64> {
    let digits = text.get(from..from + len)?;
    digits.bytes().all(|byte| byte.is_ascii_digit()).then(|| digits.parse().ok())?
}

/// The number of days from the epoch to a valid date.
fn days(year: u64, month: u64, day: u64) -> Option<u64> {
    let shifted_year = if month <= 2 { year.checked_sub(1)? } else { year };
    let of_year = (153 * ((month + 9) % 12) + 2) / 5 + day;
    let before = 365 * shifted_year + shifted_year / 4 - shifted_year / 100 + shifted_year / 400;
    let days = (before + of_year).checked_sub(719_469)?;
    (civil(days) == (year, month, day)).then_some(days)
}

impl serde::Serialize for Date {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.with_rfc822(|text| serializer.serialize_str(text))
    }
}

/// The year, month and day of a number of days since the epoch. Years start in March here, so that
/// a leap day is the last day of a year.
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
        check(253_402_300_800, "Sat, 01 Jan 10000 00:00:00 +0000");
    }

    #[track_caller]
    fn check_read(text: &str, seconds: Option<u64>) {
        assert_eq!(Date::read(text), seconds.map(|seconds| Date(seconds * 1_000_000)), "{text}");
    }

    #[test]
    fn a_date_of_rfc_3339_is_read_and_written() {
        check_read("1970-01-01", Some(0));
        check_read("2000-02-29", Some(951_782_400));
        check_read("2100-03-01", Some(4_107_542_400));
        check_read("2011-11-22T06:12:18Z", Some(1_321_942_338));
        check_read("2011-11-22 07:42:18+01:30", Some(1_321_942_338));
        check_read("2011-11-21t23:12:18-07:00", Some(1_321_942_338));
        assert_eq!(Date(1_321_942_338_000_007).rfc3339(), "2011-11-22T06:12:18.000007Z");
        let others = ["", "2011", "2011-11", "2011-1-22", "2100-02-29", "2011-00-01", "2011-04-31"];
        let times = ["24:00:00Z", "23:60:00Z", "23:00:60Z", "01:02:03", "01:02:03+1", "1:02:03Z"];
        for text in others.into_iter().chain(["1969-12-31", "2011-11-22Z", "+011-11-22"]) {
            check_read(text, None);
        }
        for time in times.into_iter().chain(["", "01:02:03+24:00", "01:02:03+0100", "é1:02:03Z"]) {
            check_read(&format!("2011-11-22T{time}"), None);
        }
        check_read("1970-01-01T00:00:00+00:01", None);
    }
}

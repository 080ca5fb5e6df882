//! Dates in the formats of RFC 822 (with RFC 1123's year) and RFC 3339, written in UTC.

use std::fmt;

use jiff::tz::TimeZone;
use jiff::{Timestamp, civil};

/// Microseconds since the Unix epoch, written as `Tue, 22 Nov 2011 06:12:18 +0000`. A time that is
/// later than the year 9999 is written as one at its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Date(pub u64);

const DAYS: [&str; 7] = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"];
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
        let at = TimeZone::UTC.to_datetime(self.timestamp());
        let mut text = *b"Thu, 01 Jan 1970 00:00:00 +0000";
        text[..3].copy_from_slice(DAYS[at.weekday().to_monday_zero_offset() as usize].as_bytes());
        text[8..11].copy_from_slice(MONTHS[at.month() as usize - 1].as_bytes());
        let (century, year) = ((at.year() / 100) as u8, (at.year() % 100) as u8);
        let [day, hour, minute, second] =
            [at.day(), at.hour(), at.minute(), at.second()].map(i8::cast_unsigned);
        let numbers = [day, century, year, hour, minute, second];
        for (at, number) in [5, 12, 14, 17, 20, 23].into_iter().zip(numbers) {
            text[at..at + 2].copy_from_slice(&[b'0' + number / 10, b'0' + number % 10]);
        }
        take(std::str::from_utf8(&text).expect("it is ASCII"))
    }

    /// Formats the date as `2011-11-22T06:12:18.000000Z`.
    #[must_use]
    pub fn rfc3339(self) -> String {
        format!("{:.6}", self.timestamp())
    }

    /// Parses an RFC 3339 date from 1970 on, or a day, which means its start in UTC. Fractions of a
    /// second are rejected.
    #[must_use]
    pub fn read(text: &str) -> Option<Self> {
        let read: Result<Timestamp, _> = match text.len() {
            10 => text.parse().and_then(|day: civil::Date| TimeZone::UTC.to_timestamp(day.into())),
            _ => text.parse(),
        };
        let read = read.ok().filter(|read| read.subsec_nanosecond() == 0)?;
        u64::try_from(read.as_microsecond()).ok().map(Self)
    }

    fn timestamp(self) -> Timestamp {
        let micros = i64::try_from(self.0).unwrap_or(i64::MAX);
        Timestamp::from_microsecond(micros).unwrap_or(Timestamp::MAX)
    }
}

impl serde::Serialize for Date {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.with_rfc822(|text| serializer.serialize_str(text))
    }
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
        check(253_402_300_800, "Thu, 30 Dec 9999 22:00:00 +0000");
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
        // A leap second is the one before it.
        check_read("2016-12-31T23:59:60Z", Some(1_483_228_799));
        assert_eq!(Date(1_321_942_338_000_007).rfc3339(), "2011-11-22T06:12:18.000007Z");
        let others = ["", "2011", "2011-11", "2011-1-22", "2100-02-29", "2011-00-01", "2011-04-31"];
        let times = [
            "24:00:00Z",
            "23:60:00Z",
            "23:00:61Z",
            "01:02:03.5Z",
            "01:02:03",
            "01:02:03+1",
            "1:02:03Z",
        ];
        for text in others.into_iter().chain(["1969-12-31", "2011-11-22Z", "+011-11-22"]) {
            check_read(text, None);
        }
        for time in times.into_iter().chain(["", "01:02:03+26:00", "é1:02:03Z"]) {
            check_read(&format!("2011-11-22T{time}"), None);
        }
        check_read("1970-01-01T00:00:00+00:01", None);
    }
}

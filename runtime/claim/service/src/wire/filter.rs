//! The filters, the limit and the offset of `GET /v1/claims/`.
//!
//! It parses and compares values; it does not see the claims.

use turnstile_claim_core::record::Status;

pub use crate::wire::percent::encode;
use crate::wire::query::{Query, STALE};
use crate::wire::request::FieldErrors;

/// The default limit.
const LIMIT_DEFAULT: usize = 10;

/// A lower and an upper bound in seconds, both inclusive.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Range {
    minimum: Option<f64>,
    maximum: Option<f64>,
}

impl Range {
    /// Whether a value is within the bounds. A missing value is only if there are no bounds.
    #[must_use]
    pub fn holds(&self, value: Option<f64>) -> bool {
        match value {
            None => !self.is_set(),
            Some(value) => {
                self.minimum.is_none_or(|minimum| value >= minimum)
                    && self.maximum.is_none_or(|maximum| value <= maximum)
            }
        }
    }

    /// Whether there is any bound.
    #[must_use]
    pub const fn is_set(&self) -> bool {
        self.minimum.is_some() || self.maximum.is_some()
    }
}

/// A filter of claims.
#[derive(Clone, Debug, PartialEq)]
pub struct Filter {
    /// Only claims of this resource.
    pub resource: Option<String>,
    /// Only claims of this status.
    pub status: Option<Status>,
    /// Only claims with this remaining ttl; implies active.
    pub ttl: Range,
    /// Only claims that were active for this long.
    pub active_duration: Range,
    /// Only claims that waited for this long.
    pub waiting_duration: Range,
    /// The maximum number of claims.
    pub limit: usize,
    /// The number of matching claims to skip.
    pub offset: usize,
}

impl Default for Filter {
    fn default() -> Self {
        Self {
            resource: None,
            status: None,
            ttl: Range::default(),
            active_duration: Range::default(),
            waiting_duration: Range::default(),
            limit: LIMIT_DEFAULT,
            offset: 0,
        }
    }
}

impl Filter {
    /// The parameters of a query for a list of claims.
    pub const KEYS: [&'static str; 11] = [
        "resource",
        "status",
        "minimum_ttl",
        "maximum_ttl",
        "minimum_active_duration",
        "maximum_active_duration",
        "minimum_waiting_duration",
        "maximum_waiting_duration",
        "limit",
        "offset",
        STALE,
    ];

    /// Takes the filter of a query.
    ///
    /// # Errors
    /// The field errors for a 400.
    pub fn read(query: &Query) -> Result<Self, FieldErrors> {
        let mut filter = Self::default();
        let mut reasons = FieldErrors::new();
        for (name, value) in query.pairs() {
            filter.set(name, value, &mut reasons);
        }
        if reasons.is_empty() { Ok(filter) } else { Err(reasons) }
    }

    /// Whether finished claims never match.
    #[must_use]
    pub fn wants_live(&self) -> bool {
        self.status.is_some_and(|status| !status.is_final()) || self.ttl.is_set()
    }

    fn set(&mut self, name: &'static str, value: &str, reasons: &mut FieldErrors) {
        match name {
            "resource" => self.resource = Some(value.to_owned()),
            "status" => match Status::from_name(value) {
                Some(status) => self.status = Some(status),
                None => {
                    reasons.insert("status", format!("{value:?} is not a valid status"));
                }
            },
            "limit" => set_count(&mut self.limit, name, value, reasons),
            "offset" => set_count(&mut self.offset, name, value, reasons),
            _ => self.set_bound(name, value, reasons),
        }
    }

    fn set_bound(&mut self, name: &'static str, value: &str, reasons: &mut FieldErrors) {
        let bound = match name {
            "minimum_ttl" => &mut self.ttl.minimum,
            "maximum_ttl" => &mut self.ttl.maximum,
            "minimum_active_duration" => &mut self.active_duration.minimum,
            "maximum_active_duration" => &mut self.active_duration.maximum,
            "minimum_waiting_duration" => &mut self.waiting_duration.minimum,
            "maximum_waiting_duration" => &mut self.waiting_duration.maximum,
            // It is no filter, but a property of the read.
            _ => return,
        };
        match value.parse::<f64>() {
            Ok(seconds) if !seconds.is_nan() => *bound = Some(seconds),
            Ok(_) | Err(_) => {
                reasons.insert(name, format!("{value:?} is not a number of seconds"));
            }
        }
    }
}

fn set_count(count: &mut usize, key: &'static str, value: &str, reasons: &mut FieldErrors) {
    match value.parse() {
        Ok(number) => *count = number,
        Err(_) => {
            reasons.insert(key, format!("{value:?} is not a number of claims"));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(query: &str) -> Result<Filter, FieldErrors> {
        Filter::read(&Query::read(query, &Filter::KEYS)?)
    }

    #[track_caller]
    fn check_refused(query: &str, key: &str) {
        let reasons = read(query).expect_err("a bad value");
        assert!(reasons.contains_key(key), "{query}: {reasons:?}");
    }

    #[test]
    fn a_filter_is_read_whole() {
        let filter = read("resource=a%2Fb+c&status=active&minimum_ttl=1.5&limit=3&offset=2")
            .expect("well formed");
        assert_eq!(filter.resource.as_deref(), Some("a/b c"));
        assert_eq!(filter.status, Some(Status::Active));
        assert_eq!((filter.limit, filter.offset), (3, 2));
        assert!(filter.ttl.holds(Some(1.5)));
        assert!(!filter.ttl.holds(Some(1.4)));
        assert!(!filter.ttl.holds(None));
        assert!(filter.active_duration.holds(None));
        assert_eq!(read("").expect("nothing is asked"), Filter::default());
    }

    #[test]
    fn a_bad_value_is_refused_under_its_name() {
        check_refused("minimum_ttl=foo", "minimum_ttl");
        check_refused("maximum_active_duration=", "maximum_active_duration");
        check_refused("minimum_waiting_duration=NaN", "minimum_waiting_duration");
        check_refused("limit=-1", "limit");
        check_refused("offset=x", "offset");
        check_refused("status=lost", "status");
        check_refused("resource=%zz", "message");
    }
}

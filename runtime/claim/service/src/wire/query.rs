//! The query of a request: percent-encoded parameters, of which each is known and there once.
//!
//! One that is misspelled or repeated is refused: the request would mean something else without it.

use std::collections::BTreeMap;

use crate::wire::percent::decode;
use crate::wire::request::FieldErrors;

/// Whether a read may lack the latest changes: `true` or `false`.
pub const STALE: &str = "stale";

/// The parameters of a query.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Query(BTreeMap<&'static str, String>);

impl Query {
    /// Parses a query string that may have these parameters.
    ///
    /// # Errors
    /// The field errors for a 400.
    pub fn read(query: &str, known: &[&'static str]) -> Result<Self, FieldErrors> {
        let (mut found, mut reasons) = (Self::default(), FieldErrors::new());
        for pair in query.split('&').filter(|pair| !pair.is_empty()) {
            let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
            let (Some(name), Some(value)) = (decode(name), decode(value)) else {
                reasons.insert("message", "The query string is not percent-encoded UTF-8".into());
                continue;
            };
            let Some(key) = known.iter().find(|known| **known == name) else {
                let known = if known.is_empty() { "none".into() } else { known.join(", ") };
                let text = format!("{name:?} is no parameter of this path: there are {known}");
                reasons.insert("extra-parameters", text);
                continue;
            };
            if found.0.insert(key, value).is_some() {
                reasons.insert(key, "It is given twice".into());
            }
        }
        if reasons.is_empty() { Ok(found) } else { Err(reasons) }
    }

    /// The parameters and their values.
    pub fn pairs(&self) -> impl Iterator<Item = (&'static str, &str)> {
        self.0.iter().map(|(name, value)| (*name, value.as_str()))
    }

    /// Whether a parameter is `true`; `false`, if it is not there.
    ///
    /// # Errors
    /// The field error for a 400, if it is neither.
    pub fn flag(&self, name: &'static str) -> Result<bool, FieldErrors> {
        match self.0.get(name).map(String::as_str) {
            Some("true") => Ok(true),
            Some("false") | None => Ok(false),
            Some(value) => {
                Err(FieldErrors::from([(name, format!("{value:?} is neither true nor false"))]))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check_refused(query: &str, key: &str) {
        let reasons = Query::read(query, &["limit", STALE]).expect_err("a bad query");
        assert_eq!(reasons.keys().copied().collect::<Vec<_>>(), [key], "{query}: {reasons:?}");
    }

    #[test]
    fn a_query_has_what_is_known_once() {
        let query = Query::read("&limit=a%2Fb+c&stale=true&", &["limit", STALE]);
        let query = query.expect("well formed");
        assert_eq!(query.pairs().collect::<Vec<_>>(), [("limit", "a/b c"), (STALE, "true")]);
        assert_eq!((query.flag(STALE), query.flag("other")), (Ok(true), Ok(false)));
        assert!(query.flag("limit").is_err());
        check_refused("limit=1&limit=1", "limit");
        check_refused("stale&limit=1&st%61le=true", STALE);
        check_refused("limits=1&Limit=1", "extra-parameters");
        check_refused("limit=%zz", "message");
        assert!(Query::read("stale=true", &[]).is_err());
    }
}

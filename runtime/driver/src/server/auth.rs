//! Bearer tokens: who may speak to the server at all.
//!
//! Tokens are compared in time that does not depend on where they differ, and never logged.

use std::io;
use std::path::Path;

use hyper::header::{AUTHORIZATION, HeaderMap};

use crate::trouble::at;

/// The tokens that open the server; none: everyone may speak.
#[derive(Clone, Default)]
pub struct Tokens(Vec<String>);

impl std::fmt::Debug for Tokens {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Tokens({} of them)", self.0.len())
    }
}

impl Tokens {
    /// Reads a file of tokens, one a line.
    ///
    /// # Errors
    /// When the file cannot be read, or has no token in it.
    pub fn read(path: &Path) -> io::Result<Self> {
        let text = std::fs::read_to_string(path).map_err(at(path.display()))?;
        let lines = text.lines().map(str::trim);
        let tokens: Vec<String> =
            lines.filter(|line| !line.is_empty()).map(ToOwned::to_owned).collect();
        if tokens.is_empty() {
            let text = format!("{} has no token in it", path.display());
            return Err(io::Error::new(io::ErrorKind::InvalidData, text));
        }
        Ok(Self(tokens))
    }

    /// Whether nobody has to show a token.
    #[must_use]
    pub fn is_open(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether a request shows one of the tokens.
    #[must_use]
    pub fn admit(&self, headers: &HeaderMap) -> bool {
        let shown = headers
            .get(AUTHORIZATION)
            .and_then(|value| value.to_str().ok())
            .and_then(|value| value.split_once(' '))
            .filter(|(scheme, _)| scheme.eq_ignore_ascii_case("bearer"))
            .map(|(_, token)| token.trim());
        self.is_open() || shown.is_some_and(|shown| self.has(shown))
    }

    /// Whether this is one of the tokens.
    #[must_use]
    pub fn has(&self, shown: &str) -> bool {
        self.0.iter().fold(false, |found, token| found | is_same(token, shown))
    }
}

/// Whether two secrets are the same, in a time that says nothing of where they differ.
pub(super) fn is_same(token: &str, shown: &str) -> bool {
    let differences = token.bytes().zip(shown.bytes()).fold(0, |sum, (a, b)| sum | (a ^ b));
    differences == 0 && token.len() == shown.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(shown: Option<&str>, expected: bool) {
        let tokens = Tokens(vec!["one".into(), "another".into()]);
        let mut headers = HeaderMap::new();
        if let Some(shown) = shown {
            headers.insert(AUTHORIZATION, shown.parse().expect("printable"));
        }
        assert_eq!(tokens.admit(&headers), expected, "{shown:?}");
    }

    #[test]
    fn only_a_whole_token_is_admitted() {
        check(Some("Bearer one"), true);
        check(Some("bearer another"), true);
        check(Some("Bearer on"), false);
        check(Some("Bearer ones"), false);
        check(Some("Bearer "), false);
        check(Some("Basic one"), false);
        check(Some("one"), false);
        check(None, false);
        assert!(Tokens::default().admit(&HeaderMap::new()));
    }
}

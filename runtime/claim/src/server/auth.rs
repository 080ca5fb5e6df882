//! Bearer tokens: who may speak to the server, as whom, and with which rights.
//!
//! Tokens are compared in time that does not depend on where they differ, and never logged.

use std::io;
use std::net::SocketAddr;
use std::path::Path;
use std::sync::{Arc, PoisonError, RwLock};

use hyper::header::{AUTHORIZATION, HeaderMap};

use super::token_file::{self, Token};
use crate::wire::date::Date;

/// The tokens that open the server; none: everyone may speak. Clones share them.
#[derive(Clone, Default)]
pub struct Tokens {
    file: Option<Arc<Path>>,
    list: Arc<RwLock<Arc<[Token]>>>,
}

impl std::fmt::Debug for Tokens {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Tokens({} of them)", self.list().len())
    }
}

/// Who sends a request, and from where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Identity {
    /// The name of the token that was shown, if it has one.
    pub(crate) name: Option<Arc<str>>,
    /// May change and read what belongs to others.
    pub(crate) has_all_rights: bool,
    pub(crate) from: SocketAddr,
}

impl Identity {
    /// Whether it may change a claim of this owner, and read its user data. A claim that was made
    /// without a named token belongs to nobody, and is everybody's.
    pub(crate) fn may_change(&self, owner: Option<&str>) -> bool {
        self.has_all_rights || owner.is_none() || owner == self.name.as_deref()
    }
}

/// What a token that was shown turns out to be.
pub(super) enum Shown {
    Right(Token),
    /// It was right until then.
    Expired(Token),
    Wrong,
}

impl Tokens {
    /// Reads a tokens file: `[[token]]` tables with `name` and `secret`, and perhaps `comment`,
    /// `expires` and `operator`; or one token a line, without names.
    ///
    /// # Errors
    /// When the file cannot be read, when others can read it, or when it has no token in it.
    pub fn read(path: &Path) -> io::Result<Self> {
        let list = token_file::read(path)?.into();
        Ok(Self { file: Some(path.into()), list: Arc::new(RwLock::new(list)) })
    }

    /// Reads the file again, for all clones.
    ///
    /// # Errors
    /// As [`Tokens::read`]; the tokens then stay as they were.
    pub fn reload(&self) -> io::Result<()> {
        if let Some(path) = &self.file {
            let list = token_file::read(path)?.into();
            *self.list.write().unwrap_or_else(PoisonError::into_inner) = list;
        }
        Ok(())
    }

    /// Whether nobody has to show a token.
    #[must_use]
    pub fn is_open(&self) -> bool {
        self.list().is_empty()
    }

    /// What a token is at this time. All are looked at, so that the time it takes leads to none.
    pub(super) fn find(&self, shown: &str, now: Date) -> Shown {
        let list = self.list();
        let mut found = None;
        for token in list.iter() {
            if is_same(&token.secret, shown) {
                found = Some(token);
            }
        }
        match found {
            None => Shown::Wrong,
            Some(token) if token.expires.is_some_and(|expires| expires.0 <= now.0) => {
                Shown::Expired(token.clone())
            }
            Some(token) => Shown::Right(token.clone()),
        }
    }

    fn list(&self) -> Arc<[Token]> {
        self.list.read().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

/// The token that a request shows.
pub(super) fn bearer(headers: &HeaderMap) -> Option<&str> {
    let shown = headers.get(AUTHORIZATION)?.to_str().ok()?.split_once(' ');
    shown.filter(|(scheme, _)| scheme.eq_ignore_ascii_case("bearer")).map(|(_, token)| token.trim())
}

/// Whether two secrets are the same, in a time that says nothing of where they differ.
pub(super) fn is_same(token: &str, shown: &str) -> bool {
    let differences = token.bytes().zip(shown.bytes()).fold(0, |sum, (a, b)| sum | (a ^ b));
    differences == 0 && token.len() == shown.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn identity(name: Option<&str>, has_all_rights: bool) -> Identity {
        let from = SocketAddr::from(([127, 0, 0, 1], 1));
        Identity { name: name.map(Into::into), has_all_rights, from }
    }

    #[test]
    fn only_a_whole_token_is_right() {
        let token = |secret: &str| Token {
            name: None,
            secret: secret.into(),
            is_operator: false,
            expires: None,
        };
        let list: Arc<[Token]> = [token("one"), token("another")].into();
        let tokens = Tokens { file: None, list: Arc::new(RwLock::new(list)) };
        let is_right = |shown| matches!(tokens.find(shown, Date(0)), Shown::Right(_));
        assert!(is_right("one") && is_right("another"));
        assert!(!["", "on", "ones", "One", "one another"].into_iter().any(is_right));
    }

    #[test]
    fn a_token_is_shown_as_a_bearer_s() {
        let check = |value: &str, expected: Option<&str>| {
            let headers = [(AUTHORIZATION, value.parse().expect("printable"))];
            assert_eq!(bearer(&headers.into_iter().collect()), expected, "{value}");
        };
        check("Bearer one", Some("one"));
        check("bearer  another ", Some("another"));
        check("Bearer a b", Some("a b"));
        check("Basic one", None);
        check("one", None);
        assert_eq!(bearer(&HeaderMap::new()), None);
    }

    #[test]
    fn a_claim_is_changed_by_its_owner_unless_it_is_everybody_s() {
        let (ci, plain, operator) =
            (identity(Some("ci"), false), identity(None, false), identity(Some("root"), true));
        let may = |identity: &Identity| {
            [None, Some("ci"), Some("deploy")].map(|owner| identity.may_change(owner))
        };
        assert_eq!(may(&ci), [true, true, false]);
        assert_eq!(may(&plain), [true, false, false]);
        assert_eq!(may(&operator), [true, true, true]);
    }
}

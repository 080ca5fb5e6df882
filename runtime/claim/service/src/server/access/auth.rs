//! Bearer tokens: authentication, owners and rights.
//!
//! Tokens are compared in constant time, and never logged.

use std::io;
use std::net::SocketAddr;
use std::path::Path;
use std::sync::{Arc, PoisonError, RwLock};

use hyper::header::{AUTHORIZATION, HeaderMap};

use crate::server::access::token_file::{self, BearerToken};
use crate::wire::date::Date;

/// The accepted tokens; if empty, no token is required. Clones share them.
#[derive(Clone, Default)]
pub struct Tokens {
    file: Option<Arc<Path>>,
    list: Arc<RwLock<Arc<[BearerToken]>>>,
}

impl std::fmt::Debug for Tokens {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Tokens({} of them)", self.list().len())
    }
}

/// The identity and address of a client.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Identity {
    /// The name of its token, if it has one.
    pub(crate) name: Option<Arc<str>>,
    /// Whether it may change and read the claims of other owners.
    pub(crate) has_all_rights: bool,
    pub(crate) from: SocketAddr,
}

impl Identity {
    /// Whether it may change a claim of this owner and read its user data. A claim created without
    /// a named token has no owner, and every client may change it.
    pub(crate) fn may_change(&self, owner: Option<&str>) -> bool {
        self.has_all_rights || owner.is_none() || owner == self.name.as_deref()
    }
}

/// The result of looking up a token.
pub(crate) enum TokenCheck {
    Right(BearerToken),
    /// The token expired at this time.
    Expired(BearerToken),
    Wrong,
}

impl Tokens {
    /// Reads a tokens file: `[[token]]` tables with `name` and `secret`, and optionally `comment`,
    /// `expires` and `operator`; or one token per line, without names.
    ///
    /// # Errors
    /// When the file cannot be read, when other users have access to it, or when it contains no
    /// token.
    pub fn read(path: &Path) -> io::Result<Self> {
        let list = token_file::read(path)?.into();
        Ok(Self { file: Some(path.into()), list: Arc::new(RwLock::new(list)) })
    }

    /// Reloads the file, for all clones.
    ///
    /// # Errors
    /// As [`Tokens::read`]; the previous tokens then stay in use.
    pub fn reload(&self) -> io::Result<()> {
        if let Some(path) = &self.file {
            let list = token_file::read(path)?.into();
            *self.list.write().unwrap_or_else(PoisonError::into_inner) = list;
        }
        Ok(())
    }

    /// Whether no token is required.
    #[must_use]
    pub fn is_open(&self) -> bool {
        self.list().is_empty()
    }

    /// Looks up a token at this time. All tokens are compared, so that the time does not depend on
    /// the result.
    pub(crate) fn find(&self, shown: &str, now: Date) -> TokenCheck {
        let list = self.list();
        let mut found = None;
        for token in list.iter() {
            if is_same(&token.secret, shown) {
                found = Some(token);
            }
        }
        match found {
            None => TokenCheck::Wrong,
            Some(token) if token.expires.is_some_and(|expires| expires.0 <= now.0) => {
                TokenCheck::Expired(token.clone())
            }
            Some(token) => TokenCheck::Right(token.clone()),
        }
    }

    fn list(&self) -> Arc<[BearerToken]> {
        self.list.read().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

/// The bearer token of a request.
pub(crate) fn bearer(headers: &HeaderMap) -> Option<&str> {
    let shown = headers.get(AUTHORIZATION)?.to_str().ok()?.split_once(' ');
    shown.filter(|(scheme, _)| scheme.eq_ignore_ascii_case("bearer")).map(|(_, token)| token.trim())
}

/// Compares two secrets in constant time.
pub(crate) fn is_same(token: &str, shown: &str) -> bool {
    let differences = token.bytes().zip(shown.bytes()).fold(0, |sum, (a, b)| sum | (a ^ b));
    differences == 0 && token.len() == shown.len()
}

#[cfg(test)]
mod tests {
    use crate::server::access::auth::*;

    fn identity(name: Option<&str>, has_all_rights: bool) -> Identity {
        let from = SocketAddr::from(([127, 0, 0, 1], 1));
        Identity { name: name.map(Into::into), has_all_rights, from }
    }

    #[test]
    fn only_a_whole_token_is_right() {
        let token = |secret: &str| BearerToken {
            name: None,
            secret: secret.into(),
            is_operator: false,
            expires: None,
        };
        let list: Arc<[BearerToken]> = [token("one"), token("another")].into();
        let tokens = Tokens { file: None, list: Arc::new(RwLock::new(list)) };
        let is_right = |shown| matches!(tokens.find(shown, Date(0)), TokenCheck::Right(_));
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

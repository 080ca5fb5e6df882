//! The tokens file: TOML tables, or one token per line.
//!
//! Errors never contain a secret. A file with any error is rejected as a whole: a misspelt key such
//! as `expire` is never ignored.

use std::fs::File;
use std::io::{self, Read as _};
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;
use std::sync::Arc;

use toml::Spanned;
use toml::de::{DeTable, DeValue};
use turnstile_host::at;

use crate::wire::date::Date;

/// The key of the tables of tokens, which a header such as `[[token]]` has.
const TABLES: &str = "token";
const KEYS: [&str; 5] = ["name", "secret", "comment", "expires", "operator"];
/// The maximum length of a name in bytes; the store keeps the length in one byte.
const NAME_MAX: usize = u8::MAX as usize;

/// A token.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct BearerToken {
    /// The owner of its claims; `None` in a file of plain lines.
    pub(crate) name: Option<Arc<str>>,
    /// What is shown.
    pub(crate) secret: Arc<str>,
    /// Whether it may change and read the claims of other owners.
    pub(crate) is_operator: bool,
    /// It is rejected from then on, in microseconds since the Unix epoch.
    pub(crate) expires: Option<Date>,
}

/// Reads a file that only its owner may access.
pub(crate) fn read(path: &Path) -> io::Result<Vec<BearerToken>> {
    let mut file = File::open(path).map_err(at(path.display()))?;
    let mode = file.metadata().map_err(at(path.display()))?.mode() & 0o7777;
    let refuse = |kind, text: String| Err(io::Error::new(kind, text));
    if mode & 0o077 != 0 {
        let text = format!(
            "{}: its mode is {mode:04o}, so that others may read or write the tokens; \
             `chmod 600` keeps them private",
            path.display()
        );
        return refuse(io::ErrorKind::PermissionDenied, text);
    }
    let mut text = String::new();
    file.read_to_string(&mut text).map_err(at(path.display()))?;
    match parse(&text) {
        Ok(tokens) if tokens.is_empty() => {
            let text = format!("{} contains no token", path.display());
            refuse(io::ErrorKind::InvalidData, text)
        }
        Ok(tokens) => Ok(tokens),
        Err(error) => refuse(io::ErrorKind::InvalidData, format!("{}: {error}", path.display())),
    }
}

fn parse(text: &str) -> Result<Vec<BearerToken>, String> {
    let lines = text.lines().map(str::trim);
    let lines = lines.filter(|line| !line.is_empty() && !line.starts_with('#'));
    // A file with misspelt headers must not be read as a list of tokens such as `operator = true`.
    let is_key = |line: &str| {
        let key = line.split_once('=').map(|(key, _)| key.trim_end());
        key.is_some_and(|key| key == TABLES || KEYS.contains(&key))
    };
    if lines.clone().any(|line| line.starts_with('[') || is_key(line)) {
        return read_tables(text).map_err(|fault| fault.words(text));
    }
    let plain = |line: &str| BearerToken {
        name: None,
        secret: line.into(),
        is_operator: false,
        expires: None,
    };
    Ok(lines.map(plain).collect())
}

/// What is wrong, and at which byte. The words have nothing of the file but known keys.
struct Fault {
    at: usize,
    what: String,
}

impl Fault {
    fn new<T>(at: &Spanned<T>, what: impl Into<String>) -> Self {
        Self { at: at.span().start, what: what.into() }
    }

    fn words(&self, text: &str) -> String {
        let before = text.get(..self.at).unwrap_or(text);
        let line = before.matches('\n').count() + 1;
        format!("line {line}: {}", self.what)
    }
}

fn read_tables(text: &str) -> Result<Vec<BearerToken>, Fault> {
    let file = DeTable::parse(text).map_err(|error| Fault {
        at: error.span().map_or(text.len(), |span| span.start),
        what: error.message().to_owned(),
    })?;
    let mut tokens: Vec<BearerToken> = Vec::new();
    for (key, value) in file.get_ref() {
        let tables = value.get_ref().as_array().filter(|_| key.get_ref() == TABLES);
        let tables =
            tables.ok_or_else(|| Fault::new(key, "expected [[token]] before each token"))?;
        for table in tables {
            let token = read_table(table)?;
            if tokens.iter().any(|other| other.secret == token.secret) {
                return Err(Fault::new(table, "another token has the same secret"));
            }
            tokens.push(token);
        }
    }
    Ok(tokens)
}

fn read_table(table: &Spanned<DeValue<'_>>) -> Result<BearerToken, Fault> {
    let keys = table.get_ref().as_table().ok_or_else(|| Fault::new(table, "expected a table"))?;
    let (mut name, mut secret, mut expires, mut is_operator) = (None, None, None, false);
    for (key, value) in keys {
        let refused = |what: &str| Fault::new(value, what);
        let string = || value.get_ref().as_str().ok_or_else(|| refused("expected a string"));
        match &**key.get_ref() {
            "name" => name = Some(read_name(string()?).map_err(|what| Fault::new(value, what))?),
            "secret" => secret = Some(read_secret(string()?).map_err(refused)?),
            "expires" => {
                let date = value.get_ref().as_datetime().map(ToString::to_string);
                let date = date.as_deref().and_then(Date::read);
                let what = "expected a date such as 2030-12-31 or 2030-12-31T23:59:59Z";
                expires = Some(date.ok_or_else(|| refused(what))?);
            }
            "operator" => {
                let is_so = value.get_ref().as_bool();
                is_operator = is_so.ok_or_else(|| refused("expected true or false"))?;
            }
            "comment" => drop(string()?),
            _ => {
                let what = format!("unknown key: expected one of {}", KEYS.join(", "));
                return Err(Fault::new(key, what));
            }
        }
    }
    Ok(BearerToken {
        name: Some(name.ok_or_else(|| Fault::new(table, "the token has no name"))?.into()),
        secret: secret.ok_or_else(|| Fault::new(table, "the token has no secret"))?.into(),
        is_operator,
        expires,
    })
}

fn read_name(name: &str) -> Result<&str, String> {
    match (1..=NAME_MAX).contains(&name.len()) && !name.contains(char::is_control) {
        true => Ok(name),
        false => Err(format!("a name must have 1 to {NAME_MAX} bytes and no control characters")),
    }
}

fn read_secret(secret: &str) -> Result<&str, &'static str> {
    match secret {
        "" => Err("the secret is empty"),
        text if text.trim() != text => Err("the secret starts or ends with white space"),
        text => Ok(text),
    }
}

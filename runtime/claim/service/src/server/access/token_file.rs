//! The tokens file: TOML tables, or one token per line.
//!
//! Errors never contain a secret. A file with any error is rejected as a whole: a misspelt key such
//! as `expire` is never ignored.

use std::fs::File;
use std::io::{self, Read as _};
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;
use std::sync::Arc;

use crate::wire::date::Date;
use turnstile_host::at;

const HEADER: &str = "[[token]]";
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
    let lines = text.lines().map(str::trim).zip(1_usize..);
    let lines: Vec<(&str, usize)> =
        lines.filter(|(line, _)| !line.is_empty() && !line.starts_with('#')).collect();
    // A file with misspelt headers must not be read as a list of tokens such as `operator = true`.
    let is_key =
        |line: &str| line.split_once('=').is_some_and(|(key, _)| KEYS.contains(&key.trim_end()));
    if lines.iter().any(|(line, _)| line.starts_with('[') || is_key(line)) {
        return read_tables(&lines);
    }
    let plain = |(line, _): &(&str, usize)| BearerToken {
        name: None,
        secret: (*line).into(),
        is_operator: false,
        expires: None,
    };
    Ok(lines.iter().map(plain).collect())
}

fn read_tables(lines: &[(&str, usize)]) -> Result<Vec<BearerToken>, String> {
    let mut tables: Vec<TableReader> = Vec::new();
    for (line, number) in lines {
        let number = *number;
        let read = match (line.starts_with('['), tables.last_mut()) {
            (true, _) if bare(line) == HEADER => {
                tables.push(TableReader { number, ..TableReader::default() });
                Ok(())
            }
            (true, _) => Err(format!("the only table header allowed is {HEADER}")),
            (false, None) => Err(format!("expected {HEADER} before the first key")),
            (false, Some(table)) => table.set(line),
        };
        read.map_err(|error| format!("line {number}: {error}"))?;
    }
    let mut tokens: Vec<BearerToken> = Vec::new();
    for table in tables {
        let number = table.number;
        let token = table.into_token().map_err(|error| format!("line {number}: {error}"))?;
        if tokens.iter().any(|other| other.secret == token.secret) {
            return Err(format!("line {number}: another token has the same secret"));
        }
        tokens.push(token);
    }
    Ok(tokens)
}

/// The keys of a table so far, and the line of its header.
#[derive(Default)]
struct TableReader {
    number: usize,
    said: Vec<&'static str>,
    name: Option<String>,
    secret: Option<String>,
    expires: Option<Date>,
    is_operator: bool,
}

impl TableReader {
    fn set(&mut self, line: &str) -> Result<(), String> {
        let (key, value) = line.split_once('=').ok_or("expected KEY = VALUE")?;
        let (key, value) = (key.trim_end(), value.trim_start());
        let known = KEYS.into_iter().find(|known| *known == key);
        let key =
            known.ok_or_else(|| format!("unknown key: expected one of {}", KEYS.join(", ")))?;
        if self.said.contains(&key) {
            return Err(format!("duplicate key {key:?}"));
        }
        self.said.push(key);
        match key {
            "name" => self.name = Some(read_name(read_string(value)?)?),
            "secret" => self.secret = Some(read_secret(read_string(value)?)?),
            "expires" => {
                let date = Date::read(bare(value));
                let text = "expected a date such as 2030-12-31 or 2030-12-31T23:59:59Z";
                self.expires = Some(date.ok_or(text)?);
            }
            "operator" => {
                self.is_operator = bare(value).parse().map_err(|_| "expected true or false")?;
            }
            // Comments are ignored.
            _ => drop(read_string(value)?),
        }
        Ok(())
    }

    fn into_token(self) -> Result<BearerToken, &'static str> {
        Ok(BearerToken {
            name: Some(self.name.ok_or("the token has no name")?.into()),
            secret: self.secret.ok_or("the token has no secret")?.into(),
            is_operator: self.is_operator,
            expires: self.expires,
        })
    }
}

fn read_name(name: String) -> Result<String, String> {
    match (1..=NAME_MAX).contains(&name.len()) && !name.contains(char::is_control) {
        true => Ok(name),
        false => Err(format!("a name must have 1 to {NAME_MAX} bytes and no control characters")),
    }
}

fn read_secret(secret: String) -> Result<String, &'static str> {
    match secret.as_str() {
        "" => Err("the secret is empty"),
        text if text.trim() != text => Err("the secret starts or ends with white space"),
        _ => Ok(secret),
    }
}

/// An unquoted value, up to a comment.
fn bare(value: &str) -> &str {
    value.split('#').next().unwrap_or("").trim()
}

/// A single-line TOML string: basic, with escapes of quote and backslash only, or literal.
fn read_string(value: &str) -> Result<String, &'static str> {
    let refused = "expected a quoted string";
    let mut rest = value.chars();
    let quote = rest.next().filter(|quote| ['"', '\''].contains(quote)).ok_or(refused)?;
    let mut text = String::new();
    loop {
        match rest.next().ok_or(refused)? {
            letter if letter == quote => break,
            '\\' if quote == '"' => {
                let escaped = rest.next().filter(|letter| ['"', '\\'].contains(letter));
                text.push(escaped.ok_or("a backslash may escape only a quote or a backslash")?);
            }
            letter => text.push(letter),
        }
    }
    if bare(rest.as_str()).is_empty() { Ok(text) } else { Err(refused) }
}

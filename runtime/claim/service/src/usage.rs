//! The programs' errors about their arguments, without the secrets of URLs.

use clap::error::{ContextKind, ContextValue};

use crate::client::redacted;

/// Hides what may be secret in a URL, in its own place or in another one.
#[must_use]
pub fn without_secrets(mut error: clap::Error) -> clap::Error {
    let argument = error.get(ContextKind::InvalidArg);
    let takes_url = matches!(argument, Some(ContextValue::String(name)) if name.contains("<URL>"));
    let is_url = |word: &String| takes_url || word.contains("://") || word.contains('@');
    let words = error.context().filter_map(|(kind, value)| {
        let ContextValue::String(word) = value else { return None };
        is_url(word).then(|| (kind, redacted(word)))
    });
    let words: Vec<(ContextKind, String)> = words.collect();
    for (kind, word) in words {
        error.insert(kind, ContextValue::String(word));
        // It quotes the word.
        error.insert(ContextKind::Suggested, ContextValue::None);
    }
    error
}

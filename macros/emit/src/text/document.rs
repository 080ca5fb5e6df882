//! From the document's words to Rust's: identifiers, and rustdoc that cannot be mistaken for code.

use proc_macro2::{Ident, Span, TokenStream};
use quote::quote;
use turnstile_spec::table::{Lines, Name, RowSource};

use crate::text::word::is_ident;

/// Whether a word can stand as a variant.
pub(crate) fn is_variant(word: &str) -> bool {
    word.starts_with(|c: char| c.is_ascii_uppercase()) && is_ident(word)
}

/// An identifier, raw or with a mark behind it where the word is one of Rust's own.
pub(crate) fn ident(word: &str) -> Ident {
    if is_ident(word) {
        return Ident::new(word, Span::call_site());
    }
    let clean: String = word.chars().map(|c| if c.is_alphanumeric() { c } else { '_' }).collect();
    let lead = if clean.starts_with(|c: char| c.is_alphabetic() || c == '_') { "" } else { "_" };
    Ident::new(&format!("{lead}{clean}_"), Span::call_site())
}

/// A number without a suffix, as a person would write it.
pub(crate) fn number<T: Into<u64>>(number: T) -> TokenStream {
    let literal = proc_macro2::Literal::u64_unsuffixed(number.into());
    quote!(#literal)
}

/// `claim-record` as `claim_record`, `retrying abort` as `retrying_abort`, `GetLock` as `get_lock`,
/// `PrintABill` as `print_a_bill`.
pub(crate) fn snake(words: &str) -> Ident {
    let mut text = String::new();
    let mut after_lower = false;
    let mut chars = words.chars().peekable();
    while let Some(c) = chars.next() {
        let begins = chars.peek().is_some_and(|next| next.is_lowercase());
        if c.is_uppercase() && (after_lower || begins) || !c.is_alphanumeric() && !text.is_empty() {
            text.push('_');
        }
        if c.is_alphanumeric() {
            text.extend(c.to_lowercase());
        }
        after_lower = c.is_lowercase() || c.is_ascii_digit();
    }
    let parts: Vec<&str> = text.split('_').filter(|part| !part.is_empty()).collect();
    ident(&parts.join("_"))
}

/// Rustdoc, a paragraph a line.
pub(crate) fn doc(paragraphs: &[String]) -> TokenStream {
    let text = paragraphs.join("\n\n");
    let lines = text.lines().map(|line| match line {
        "" => String::new(),
        line => format!(" {line}"),
    });
    quote!(#(#[doc = #lines])*)
}

/// Prose, with every mark that Markdown would act on escaped.
pub(crate) fn prose(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.split_whitespace().collect::<Vec<_>>().join(" ").chars() {
        if matches!(c, '[' | ']' | '<' | '>' | '*' | '_' | '`' | '\\' | '|') {
            escaped.push('\\');
        }
        escaped.push(c);
    }
    escaped
}

/// ` (lines 36 and 40-41)`, or nothing.
pub(crate) fn cited(cite: &[Lines]) -> String {
    let lines: Vec<String> = cite
        .iter()
        .map(|lines| match lines.start() == lines.end() {
            true => lines.start().to_string(),
            false => format!("{}-{}", lines.start(), lines.end()),
        })
        .collect();
    match lines.as_slice() {
        [] => String::new(),
        [line] if line.contains('-') => format!(" (lines {line})"),
        [line] => format!(" (line {line})"),
        lines => format!(" (lines {})", lines.join(", ")),
    }
}

/// The document's description of a name, with its lines.
pub(crate) fn name(name: &Name) -> Vec<String> {
    let mut lines = vec![format!("`{}`{}.", name.name.replace('`', "'"), cited(&name.cite))];
    if !name.about.is_empty() {
        lines.push(sentence(&name.about));
    }
    lines
}

/// A row in the document's words.
pub(crate) fn row(written: &RowSource) -> Vec<String> {
    let mut line = format!("{} → {}: {}", written.from, written.to, written.event);
    if !written.guard.is_empty() {
        line.push_str(&format!(" if {}", written.guard));
    }
    if !written.actions.is_empty() {
        line.push_str(&format!("; {}", written.actions.join(", ")));
    }
    let mut lines = vec![format!("{}{}.", prose(&line), cited(&written.cite))];
    if let Some(amendment) = &written.amended_by {
        lines.push(format!("By amendment {}.", prose(amendment)));
    }
    lines
}

/// Prose that begins large and ends with a stop.
pub(crate) fn sentence(text: &str) -> String {
    let text = prose(text);
    let mut letters = text.chars();
    let first: String = letters.next().map(|c| c.to_uppercase().collect()).unwrap_or_default();
    let stop = if text.ends_with(['.', '!', '?']) { "" } else { "." };
    format!("{first}{}{stop}", letters.as_str())
}

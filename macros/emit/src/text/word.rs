//! What Rust takes for an identifier, and which words it keeps for itself.

use proc_macro2::{TokenStream, TokenTree};

/// Words that an edition of Rust has a use for, or keeps for one.
const KEYWORDS: [&str; 53] = [
    "_", "abstract", "as", "async", "await", "become", "box", "break", "const", "continue",
    "crate", "do", "dyn", "else", "enum", "extern", "false", "final", "fn", "for", "gen", "if",
    "impl", "in", "let", "loop", "macro", "match", "mod", "move", "mut", "override", "priv", "pub",
    "ref", "return", "Self", "self", "static", "struct", "super", "trait", "true", "try", "type",
    "typeof", "unsafe", "unsized", "use", "virtual", "where", "while", "yield",
];

pub(crate) fn is_keyword(word: &str) -> bool {
    KEYWORDS.contains(&word)
}

/// Whether a text is one identifier.
pub(crate) fn is_ident(text: &str) -> bool {
    let Ok(tokens) = text.parse::<TokenStream>() else { return false };
    let tokens: Vec<TokenTree> = tokens.into_iter().collect();
    matches!(&tokens[..], [TokenTree::Ident(ident)] if !is_keyword(&ident.to_string()))
}

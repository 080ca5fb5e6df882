//! The arguments of a call: `machine!("a.yaml", typestate, derive(serde))`.

use std::iter::Peekable;
use std::vec::IntoIter;

use proc_macro2::{Delimiter, Group, Ident, Span, TokenStream, TokenTree};
use quote::{quote, quote_spanned};

use crate::Options;
use crate::text::literal::text;
use crate::text::word::is_keyword;

/// A parsed call.
#[derive(Clone, Debug)]
pub struct Call {
    /// The file, from the directory of the caller's Cargo.toml.
    pub path: String,
    /// The options.
    pub options: Options,
    /// `diagram("FILE.svg")`: the picture that rustdoc shows, from the directory of the caller's
    /// Cargo.toml.
    pub diagram: Option<String>,
    /// The span of the file name in the caller's code.
    span: Span,
}

impl Call {
    /// Parses the arguments of a call.
    ///
    /// # Errors
    ///
    /// The tokens of a `compile_error!` at the invalid argument.
    pub fn parse(words: TokenStream) -> Result<Self, TokenStream> {
        let mut tokens = Vec::new();
        flat(words, &mut tokens);
        let mut tokens = tokens.into_iter().peekable();
        let first = tokens.next();
        let path = first.as_ref().and_then(|token| match token {
            TokenTree::Literal(literal) => Some((text(&literal.to_string())?, literal.span())),
            TokenTree::Group(_) | TokenTree::Ident(_) | TokenTree::Punct(_) => None,
        });
        let Some((path, span)) = path else {
            let expected = "expected the path of a file, in quotes";
            return Err(match first {
                Some(token) => error(token.span(), expected),
                None => error(Span::call_site(), &format!("unexpected end of input, {expected}")),
            });
        };
        let mut call = Self { path, options: Options::default(), diagram: None, span };
        while let Some(token) = tokens.next() {
            if !matches!(&token, TokenTree::Punct(comma) if comma.as_char() == ',') {
                return Err(error(token.span(), "expected `,`"));
            }
            if let Some(token) = tokens.next() {
                call.extra(token, &mut tokens)?;
            }
        }
        Ok(call)
    }

    /// An error at the name of the file.
    #[must_use]
    pub fn error(&self, message: &str) -> TokenStream {
        error(self.span, message)
    }

    fn extra(&mut self, token: TokenTree, rest: &mut Rest) -> Result<(), TokenStream> {
        let word = match token {
            TokenTree::Ident(word) => word,
            TokenTree::Group(_) | TokenTree::Literal(_) | TokenTree::Punct(_) => {
                return Err(error(token.span(), "expected identifier"));
            }
        };
        let name = word.to_string();
        match name.as_str() {
            "tracing" => self.options.tracing = true,
            "typestate" => self.options.typestate = true,
            "step_into" => self.options.step_into = true,
            "derive" => {
                derive(&word, rest)?;
                self.options.serde = true;
            }
            "diagram" => self.diagram = Some(diagram(&word, rest)?),
            _ if is_keyword(&name) => {
                let text = format!("expected identifier, found keyword `{name}`");
                return Err(error(word.span(), &text));
            }
            _ => {
                let text = "expected `typestate`, `step_into`, `derive(serde)`, `tracing` or \
                            `diagram(\"FILE.svg\")`";
                return Err(error(word.span(), text));
            }
        }
        Ok(())
    }

    /// Makes the compiler expand the call again when the file changes.
    #[must_use]
    pub fn tracked(&self) -> TokenStream {
        let path = format!("/{}", self.path);
        quote! {
            const _: &[u8] = ::core::include_bytes!(::core::concat!(
                ::core::env!("CARGO_MANIFEST_DIR"),
                #path
            ));
        }
    }
}

/// The tokens that are still to be read.
type Rest = Peekable<IntoIter<TokenTree>>;

/// The list after `derive`: `serde` only.
fn derive(word: &Ident, rest: &mut Rest) -> Result<(), TokenStream> {
    let text = "only `derive(serde)` is known";
    let (list, inner) = list(rest).ok_or_else(|| error(word.span(), text))?;
    match inner.as_slice() {
        [TokenTree::Ident(what)] if what == "serde" => Ok(()),
        [TokenTree::Ident(what), ..] if !is_keyword(&what.to_string()) => {
            Err(error(what.span(), text))
        }
        _ => Err(error(list.span(), text)),
    }
}

/// What stands in brackets behind `diagram`: the path of a file, in quotes.
fn diagram(word: &Ident, rest: &mut Rest) -> Result<String, TokenStream> {
    let expected = "expected `diagram(\"FILE.svg\")`";
    let (_, inner) = list(rest).ok_or_else(|| error(word.span(), expected))?;
    match inner.as_slice() {
        [TokenTree::Literal(path)] => text(&path.to_string()),
        _ => None,
    }
    .ok_or_else(|| error(word.span(), expected))
}

/// The next token and its content, if it is a list in parentheses.
fn list(rest: &mut Rest) -> Option<(Group, Vec<TokenTree>)> {
    let is_list = |token: &TokenTree| match token {
        TokenTree::Group(list) => list.delimiter() == Delimiter::Parenthesis,
        TokenTree::Ident(_) | TokenTree::Literal(_) | TokenTree::Punct(_) => false,
    };
    let Some(TokenTree::Group(list)) = rest.next_if(is_list) else { return None };
    let mut inner = Vec::new();
    flat(list.stream(), &mut inner);
    Some((list, inner))
}

/// The tokens of a call, without the invisible groups around the arguments of a macro.
fn flat(words: TokenStream, tokens: &mut Vec<TokenTree>) {
    for token in words {
        if let TokenTree::Group(group) = &token
            && group.delimiter() == Delimiter::None
        {
            flat(group.stream(), tokens);
        } else {
            tokens.push(token);
        }
    }
}

fn error(span: Span, message: &str) -> TokenStream {
    quote_spanned!(span => ::core::compile_error! { #message })
}

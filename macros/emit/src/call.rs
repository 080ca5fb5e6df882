//! The words between the parentheses: `machine!("a.yaml", typestate, derive(serde))`.

use proc_macro2::{Span, TokenStream};
use quote::quote;
use syn::parse::{Parse, ParseStream};
use syn::token::Paren;
use syn::{Ident, LitStr, Token, parenthesized};

use crate::Extras;

/// A parsed call.
#[derive(Clone, Debug)]
pub struct Call {
    /// The file, from the directory of the caller's Cargo.toml.
    pub path: String,
    /// What is asked for beside the machine.
    pub extras: Extras,
    /// Where the name stands in the caller's code.
    span: Span,
}

impl Call {
    /// Parses the words of a call; what is wrong with them comes back as an error to expand to.
    ///
    /// # Errors
    ///
    /// Tokens of a `compile_error!` at the word that is wrong.
    pub fn parse(words: TokenStream) -> Result<Self, TokenStream> {
        syn::parse2(words).map_err(|error| error.to_compile_error())
    }

    /// An error at the name of the file.
    #[must_use]
    pub fn error(&self, message: &str) -> TokenStream {
        syn::Error::new(self.span, message).to_compile_error()
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

impl Parse for Call {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        if !input.peek(LitStr) {
            return Err(input.error("expected the path of a file, in quotes"));
        }
        let path: LitStr = input.parse()?;
        let mut call = Self { path: path.value(), extras: Extras::default(), span: path.span() };
        while !input.is_empty() {
            input.parse::<Token![,]>()?;
            if !input.is_empty() {
                call.extra(input)?;
            }
        }
        Ok(call)
    }
}

impl Call {
    fn extra(&mut self, input: ParseStream<'_>) -> syn::Result<()> {
        let word: Ident = input.parse()?;
        if word == "tracing" {
            self.extras.tracing = true;
        } else if word == "typestate" {
            self.extras.typestate = true;
        } else if word == "step_into" {
            self.extras.step_into = true;
        } else if word == "derive" {
            let text = "only `derive(serde)` is known";
            if !input.peek(Paren) {
                return Err(syn::Error::new(word.span(), text));
            }
            let list;
            let brackets = parenthesized!(list in input);
            let what: Option<Ident> = list.parse()?;
            let is_serde = what.as_ref().is_some_and(|what| what == "serde") && list.is_empty();
            if !is_serde {
                let span = what.map_or(brackets.span.join(), |what| what.span());
                return Err(syn::Error::new(span, text));
            }
            self.extras.serde = true;
        } else {
            let text = "expected `typestate`, `step_into`, `derive(serde)` or `tracing`";
            return Err(syn::Error::new(word.span(), text));
        }
        Ok(())
    }
}

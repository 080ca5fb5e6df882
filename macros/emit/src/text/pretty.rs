//! Emitted tokens as text that a person reads.

use proc_macro2::TokenStream;

/// The text of emitted items, formatted.
///
/// # Errors
///
/// The tokens are not items; emitted ones always are.
pub fn pretty(tokens: TokenStream) -> syn::Result<String> {
    Ok(prettyplease::unparse(&syn::parse2(tokens)?))
}

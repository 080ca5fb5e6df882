//! The fields of a struct or a variant: how each is taken out, and what visits it.

use proc_macro2::{Span, TokenStream as Tokens};
use quote::{format_ident, quote, quote_spanned};
use syn::spanned::Spanned as _;
use syn::{Attribute, Field, Fields, Ident, Index};

/// What the attribute may say.
pub(super) const WORDS: &str = "a field has `#[symbolic(skip)]`, if it holds no number, or \
                                `#[symbolic(values)]`, if it is a map whose keys hold none";

/// What takes the fields apart, and a visit to each.
pub(super) fn visits(fields: &Fields) -> syn::Result<(Tokens, Tokens)> {
    let (mut pattern, mut visits) = (Tokens::new(), Tokens::new());
    for (place, field) in fields.iter().enumerate() {
        // Of a type that cannot be visited, the error stands there.
        let at = Span::call_site().located_at(field.ty.span());
        let local = format_ident!("field_{place}", span = at);
        let name = match &field.ident {
            Some(name) => quote!(#name),
            None => {
                let place = Index::from(place);
                quote!(#place)
            }
        };
        let visit = visit(field, &local)?;
        let local = if visit.is_empty() { quote!(_) } else { quote!(#local) };
        pattern.extend(quote!(#name: #local,));
        visits.extend(visit);
    }
    Ok((quote!({ #pattern }), visits))
}

/// A visit to a field; nothing where it is skipped.
fn visit(field: &Field, local: &Ident) -> syn::Result<Tokens> {
    let mut own = own(&field.attrs);
    let word = own.next().map(|attribute| attribute.parse_args::<Ident>()).transpose();
    let word = word.map_err(|error| syn::Error::new(error.span(), WORDS))?;
    if let Some(second) = own.next() {
        return Err(syn::Error::new_spanned(second, WORDS));
    }
    let visit = quote!(::turnstile_step::Symbolic::visit_ids);
    match word {
        None => Ok(quote!(#visit(#local, each);)),
        Some(word) if word == "skip" => Ok(Tokens::new()),
        Some(word) if word == "values" => {
            let values = quote_spanned!(local.span()=> #local.values_mut());
            Ok(quote!(for value in #values { #visit(value, each); }))
        }
        Some(word) => Err(syn::Error::new_spanned(word, WORDS)),
    }
}

/// The attributes that are the derive's.
pub(super) fn own(all: &[Attribute]) -> impl Iterator<Item = &Attribute> {
    all.iter().filter(|attribute| attribute.path().is_ident("symbolic"))
}

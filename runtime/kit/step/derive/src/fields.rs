//! The fields of a struct or a variant: the pattern that binds them, and the code that visits them.

use proc_macro2::{Span, TokenStream as Tokens};
use quote::{format_ident, quote, quote_spanned};
use syn::spanned::Spanned as _;
use syn::{Attribute, Field, Fields, Ident, Index};

/// The error for any other argument of the attribute.
pub(super) const USAGE: &str = "expected `#[symbolic(skip)]` on a field without numbers, or \
                                `#[symbolic(values)]` on a map whose keys hold none";

/// The pattern that binds the fields, and the code that visits each.
pub(super) fn visits(fields: &Fields) -> syn::Result<(Tokens, Tokens)> {
    let (mut pattern, mut visits) = (Tokens::new(), Tokens::new());
    for (place, field) in fields.iter().enumerate() {
        // A type that cannot be visited is an error at the type.
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

/// The code that visits a field; empty if it is skipped.
fn visit(field: &Field, local: &Ident) -> syn::Result<Tokens> {
    let mut attributes = symbolic_attributes(&field.attrs);
    let argument = attributes.next().map(|attribute| attribute.parse_args::<Ident>()).transpose();
    let argument = argument.map_err(|error| syn::Error::new(error.span(), USAGE))?;
    if let Some(second) = attributes.next() {
        return Err(syn::Error::new_spanned(second, USAGE));
    }
    let visit = quote!(::turnstile_step::Symbolic::visit_ids);
    match argument {
        None => Ok(quote!(#visit(#local, each);)),
        Some(argument) if argument == "skip" => Ok(Tokens::new()),
        Some(argument) if argument == "values" => {
            let values = quote_spanned!(local.span()=> #local.values_mut());
            Ok(quote!(for value in #values { #visit(value, each); }))
        }
        Some(argument) => Err(syn::Error::new_spanned(argument, USAGE)),
    }
}

/// The attributes of the derive.
pub(super) fn symbolic_attributes(all: &[Attribute]) -> impl Iterator<Item = &Attribute> {
    all.iter().filter(|attribute| attribute.path().is_ident("symbolic"))
}

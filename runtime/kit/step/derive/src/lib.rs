#![doc = include_str!("../README.md")]

use proc_macro::TokenStream;
use proc_macro2::TokenStream as Tokens;
use quote::quote;
use syn::{Data, DeriveInput, parse_macro_input, parse_quote};

use crate::fields::{symbolic_attributes, visits};

mod fields;

/// Visits the symbolic numbers of each field, in the order of the fields. Attributes of a field:
///
/// - `#[symbolic(skip)]`: not visited. It holds no symbolic number, and its type is foreign and
///   cannot implement the trait, or it is a collection not worth walking.
/// - `#[symbolic(values)]`: a map whose keys hold no symbolic number; its values are visited in
///   place. A map without the attribute is sorted again after the visit.
#[proc_macro_derive(Symbolic, attributes(symbolic))]
pub fn symbolic(item: TokenStream) -> TokenStream {
    let item = parse_macro_input!(item as DeriveInput);
    symbolic_impl(item).unwrap_or_else(|error| error.to_compile_error()).into()
}

/// The error for an attribute in another place.
const MISPLACED: &str = "`symbolic` is an attribute of a field";

fn symbolic_impl(mut item: DeriveInput) -> syn::Result<Tokens> {
    if let Some(stray) = symbolic_attributes(&item.attrs).next() {
        return Err(syn::Error::new_spanned(stray, MISPLACED));
    }
    for parameter in item.generics.type_params_mut() {
        parameter.bounds.push(parse_quote!(::turnstile_step::Symbolic));
    }
    let body = match &item.data {
        Data::Struct(data) => {
            let (pattern, visits) = visits(&data.fields)?;
            quote!(let Self #pattern = self; #visits)
        }
        Data::Enum(data) if data.variants.is_empty() => quote!(match *self {}),
        Data::Enum(data) => {
            let mut arms = Tokens::new();
            for variant in &data.variants {
                if let Some(stray) = symbolic_attributes(&variant.attrs).next() {
                    return Err(syn::Error::new_spanned(stray, MISPLACED));
                }
                let name = &variant.ident;
                let (pattern, visits) = visits(&variant.fields)?;
                arms.extend(quote!(Self::#name #pattern => { #visits }));
            }
            quote!(match self { #arms })
        }
        Data::Union(_) => {
            let text = "`Symbolic` cannot be derived for a union: implement it";
            return Err(syn::Error::new_spanned(&item.ident, text));
        }
    };
    let name = &item.ident;
    let (generics, arguments, bounds) = item.generics.split_for_impl();
    Ok(quote! {
        #[automatically_derived]
        impl #generics ::turnstile_step::Symbolic for #name #arguments #bounds {
            fn visit_ids(
                &mut self,
                each: &mut dyn ::core::ops::FnMut(::turnstile_step::IdClass, &mut u64),
            ) {
                let _ = &each;
                #body
            }
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fields::USAGE;

    #[track_caller]
    fn check(item: &str, expected: Option<&str>) {
        let error = syn::parse_str(item).and_then(symbolic_impl).err();
        assert_eq!(error.map(|error| error.to_string()).as_deref(), expected);
    }

    #[test]
    fn a_field_has_one_attribute_that_says_how_it_is_visited() {
        check("struct A { #[symbolic(skip)] one: u8 }", None);
        check("enum A { One(#[symbolic(values)] B), Two }", None);
        check("struct A { #[symbolic(Skip)] one: u8 }", Some(USAGE));
        check("struct A { #[symbolic] one: u8 }", Some(USAGE));
        check("struct A { #[symbolic()] one: u8 }", Some(USAGE));
        check("struct A { #[symbolic = \"skip\"] one: u8 }", Some(USAGE));
        check("struct A(#[symbolic(skip, values)] B);", Some(USAGE));
        check("struct A(#[symbolic(skip)] #[symbolic(skip)] B);", Some(USAGE));
    }

    #[test]
    fn neither_a_type_nor_a_variant_has_one() {
        check("#[symbolic(skip)] struct A(u8);", Some(MISPLACED));
        check("enum A { #[symbolic(skip)] One(u8) }", Some(MISPLACED));
    }
}

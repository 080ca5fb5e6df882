#![doc = include_str!("../README.md")]

use proc_macro::TokenStream;
use proc_macro2::TokenStream as Tokens;
use quote::quote;
use syn::{Data, DeriveInput, parse_macro_input, parse_quote};

use crate::fields::{own, visits};

mod fields;

/// Visits the numbers of each field, in the order of the fields. A field may say otherwise:
///
/// - `#[symbolic(skip)]`: it is not visited. It holds no number, and is of a type of another crate,
///   which cannot implement the trait, or a collection that would be walked for nothing.
/// - `#[symbolic(values)]`: it is a map whose keys hold no number, and its values are visited where
///   they are. A map that is visited itself is sorted anew.
#[proc_macro_derive(Symbolic, attributes(symbolic))]
pub fn symbolic(item: TokenStream) -> TokenStream {
    let item = parse_macro_input!(item as DeriveInput);
    symbolic_impl(item).unwrap_or_else(|error| error.to_compile_error()).into()
}

/// What is said of one that stands elsewhere.
const OF_A_FIELD: &str = "`symbolic` is an attribute of a field";

fn symbolic_impl(mut item: DeriveInput) -> syn::Result<Tokens> {
    if let Some(stray) = own(&item.attrs).next() {
        return Err(syn::Error::new_spanned(stray, OF_A_FIELD));
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
                if let Some(stray) = own(&variant.attrs).next() {
                    return Err(syn::Error::new_spanned(stray, OF_A_FIELD));
                }
                let name = &variant.ident;
                let (pattern, visits) = visits(&variant.fields)?;
                arms.extend(quote!(Self::#name #pattern => { #visits }));
            }
            quote!(match self { #arms })
        }
        Data::Union(_) => {
            let text =
                "a union does not say which of its fields is set: implement `Symbolic` for it";
            return Err(syn::Error::new_spanned(&item.ident, text));
        }
    };
    let name = &item.ident;
    let (generics, of, bounds) = item.generics.split_for_impl();
    Ok(quote! {
        #[automatically_derived]
        impl #generics ::turnstile_step::Symbolic for #name #of #bounds {
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
    use crate::fields::WORDS;

    #[track_caller]
    fn check(item: &str, expected: Option<&str>) {
        let error = syn::parse_str(item).and_then(symbolic_impl).err();
        assert_eq!(error.map(|error| error.to_string()).as_deref(), expected);
    }

    #[test]
    fn a_field_has_one_attribute_that_says_how_it_is_visited() {
        check("struct A { #[symbolic(skip)] one: u8 }", None);
        check("enum A { One(#[symbolic(values)] B), Two }", None);
        check("struct A { #[symbolic(Skip)] one: u8 }", Some(WORDS));
        check("struct A { #[symbolic] one: u8 }", Some(WORDS));
        check("struct A { #[symbolic()] one: u8 }", Some(WORDS));
        check("struct A { #[symbolic = \"skip\"] one: u8 }", Some(WORDS));
        check("struct A(#[symbolic(skip, values)] B);", Some(WORDS));
        check("struct A(#[symbolic(skip)] #[symbolic(skip)] B);", Some(WORDS));
    }

    #[test]
    fn neither_a_type_nor_a_variant_has_one() {
        check("#[symbolic(skip)] struct A(u8);", Some(OF_A_FIELD));
        check("enum A { #[symbolic(skip)] One(u8) }", Some(OF_A_FIELD));
    }
}

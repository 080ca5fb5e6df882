//! `#[derive(Symbolic)]`: visits every field in its order, so that none is forgotten.

use proc_macro::TokenStream;
use proc_macro2::TokenStream as Tokens;
use quote::{format_ident, quote};
use syn::{Data, DeriveInput, Fields, Index, parse_macro_input, parse_quote};

/// Visits the numbers of each field, in the order of the fields.
#[proc_macro_derive(Symbolic)]
pub fn symbolic(item: TokenStream) -> TokenStream {
    let item = parse_macro_input!(item as DeriveInput);
    symbolic_impl(item).unwrap_or_else(|error| error.to_compile_error()).into()
}

fn symbolic_impl(mut item: DeriveInput) -> syn::Result<Tokens> {
    for parameter in item.generics.type_params_mut() {
        parameter.bounds.push(parse_quote!(::turnstile_step::Symbolic));
    }
    let body = match &item.data {
        Data::Struct(data) => {
            let (pattern, visits) = visits(&data.fields);
            quote!(let Self #pattern = self; #visits)
        }
        Data::Enum(data) if data.variants.is_empty() => quote!(match *self {}),
        Data::Enum(data) => {
            let arms = data.variants.iter().map(|variant| {
                let name = &variant.ident;
                let (pattern, visits) = visits(&variant.fields);
                quote!(Self::#name #pattern => { #visits })
            });
            quote!(match self { #(#arms)* })
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

/// What takes the fields apart, and a visit to each.
fn visits(fields: &Fields) -> (Tokens, Tokens) {
    let (mut pattern, mut visits) = (Tokens::new(), Tokens::new());
    for (place, field) in fields.iter().enumerate() {
        let local = format_ident!("field_{place}");
        let name = match &field.ident {
            Some(name) => quote!(#name),
            None => {
                let place = Index::from(place);
                quote!(#place)
            }
        };
        pattern.extend(quote!(#name: #local,));
        visits.extend(quote!(::turnstile_step::Symbolic::visit_ids(#local, each);));
    }
    (quote!({ #pattern }), visits)
}

//! The page of a machine in rustdoc: how large it is, its diagram, its rows.
//!
//! The rows and the diagram are there for rustdoc alone (`cfg(doc)`): a build drops them unread.

use std::collections::BTreeSet;

use proc_macro2::TokenStream;
use quote::quote;
use turnstile_spec::table::RowSource;

use crate::text::document::{doc, prose, snake};
use crate::{Machine, row};

/// What rustdoc shows of the module.
pub(crate) fn module(machine: &Machine<'_>) -> TokenStream {
    let (head, rows) = (doc(&head(machine)), rows(machine));
    let diagram = machine.diagram.map(diagram);
    quote!(#head #diagram #rows)
}

fn head(machine: &Machine<'_>) -> [String; 2] {
    let words = machine.vocabulary;
    let of = match machine.title {
        "" => String::new(),
        title => format!(" of “{}”", prose(title)),
    };
    let first = format!("The machine `{}`{of}.", words.machine);
    let states = machine.table.states.iter().flatten().count();
    let second = format!(
        "{states} states, {} events, {} rows. Written by `machine!` from the table; \
         the names are the document's.",
        words.events.len(),
        machine.table.rows.len()
    );
    [first, second]
}

/// The picture inside the page. It stands in a shadow tree, so that its style sheet is its own, and
/// scrolls where it is larger than the page.
fn diagram(path: &str) -> TokenStream {
    const STYLE: &str = ":host { display: block; overflow: auto; max-height: 90vh }";
    let open = format!("<div><template shadowrootmode=\"open\"><style>{STYLE}</style>");
    let path = format!("/{path}");
    let before = ["", "# Diagram", "", open.as_str()];
    quote! {
        #(#[cfg_attr(doc, doc = #before)])*
        #[cfg_attr(doc, doc = ::core::include_str!(::core::concat!(
            ::core::env!("CARGO_MANIFEST_DIR"),
            #path
        )))]
        #[cfg_attr(doc, doc = "</template></div>")]
    }
}

/// The written rows that the table has, one line each.
fn rows(machine: &Machine<'_>) -> Option<TokenStream> {
    let words = machine.vocabulary;
    let taken: BTreeSet<usize> = machine.table.rows.iter().map(|row| row.id.index()).collect();
    let module = snake(&words.machine);
    let rows = words.rows.iter().zip(row::constants(words)).enumerate();
    let lines: Vec<String> = rows
        .filter(|(place, _)| taken.contains(place))
        .map(|(_, (row, constant))| line(row, &format!("{module}::RowId::{constant}")))
        .collect();
    let head = ["", "# Rows", "", "| row | from | event | to | actions |", "|-|-|-|-|-|"];
    let head = head.into_iter();
    let table = head.chain(lines.iter().map(String::as_str));
    (!lines.is_empty()).then(|| quote!(#(#[cfg_attr(doc, doc = #table)])*))
}

fn line(row: &RowSource, id: &str) -> String {
    let guard = match row.guard.as_str() {
        "" => String::new(),
        guard => format!(" if {}", prose(guard)),
    };
    format!(
        "| [{}]({id}) | {} | {}{guard} | {} | {} |",
        prose(&row.id),
        prose(&row.from),
        prose(&row.event),
        prose(&row.to),
        prose(&row.actions.join(", ")),
    )
}

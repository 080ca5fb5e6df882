//! The cells of a table as match arms: the outcome of each range of payload numbers.
//!
//! The arms are the same in every form of a machine; their right sides come from a [`Leaf`].

use proc_macro2::TokenStream;
use quote::quote;
use turnstile_spec::cell_index::CellEntry;
use turnstile_spec::table::{CellKind, Condition, Event, PayloadDomain, Row, Vocabulary};

use crate::event::{field, words_ident};
use crate::text::document::{ident, number};

/// Ranges of payload numbers, both ends included.
pub(crate) type Ranges = Vec<(u16, u16)>;

/// The maximum number of guards in one cell for which a gap between its rows is decided exactly.
const GUARDS_MAX: usize = 12;

/// The response to a range of payload numbers: rows to try in order, then the entry of the cell.
#[derive(Clone, PartialEq)]
pub(crate) struct CellResponse<'a> {
    pub(crate) rows: Vec<(usize, &'a Row)>,
    pub(crate) otherwise: Option<CellKind>,
}

/// The right side of a match arm: statements that end in an expression.
pub(crate) trait Leaf {
    /// A row is taken; it is known by its place in the table's rows.
    fn taken(&self, index: usize, row: &Row) -> TokenStream;
    /// The event is ignored.
    fn ignored(&self) -> TokenStream;
    /// There is no row.
    fn refused(&self, impossible: bool) -> TokenStream;
    /// The path to the machine's module: empty, or `super::`.
    fn root(&self) -> TokenStream {
        TokenStream::new()
    }
}

impl CellResponse<'_> {
    /// Whether the cell has neither a row nor an entry.
    pub(crate) fn is_nothing(&self) -> bool {
        self.rows.is_empty() && self.otherwise.is_none()
    }

    /// Whether one of the rows is taken whatever the guards say.
    pub(crate) fn is_decided(&self) -> bool {
        is_decided(&self.rows)
    }
}

fn is_decided(rows: &[(usize, &Row)]) -> bool {
    let mut asked = Vec::new();
    for (_, row) in rows {
        row.guard.asked(&mut asked);
    }
    if asked.len() > GUARDS_MAX {
        return rows.iter().any(|(_, row)| row.guard == Condition::default());
    }
    (0..1u32 << asked.len()).all(|answers| {
        let answer = |guard| {
            let place = asked.iter().position(|it| *it == guard);
            place.is_some_and(|place| answers >> place & 1 == 1)
        };
        rows.iter().any(|(_, row)| row.guard.holds(&mut { answer }))
    })
}

/// The response of a cell to each payload number: equal responses together, in the order of the
/// smallest number of each. A number is any of 16 bits, whatever the domain: the type admits it.
pub(crate) fn responses<'a>(
    place: &CellEntry<'a>,
    event: &Event,
) -> Vec<(Ranges, CellResponse<'a>)> {
    let bounds = match event.payload.as_ref().map(|payload| &payload.domain) {
        Some(PayloadDomain::Number(_)) => (0, u16::MAX),
        Some(domain) => domain.bounds(),
        None => (0, 0),
    };
    let CellEntry { rows, cells } = place;
    let mut found: Vec<(Ranges, CellResponse<'a>)> = Vec::new();
    for (start, end) in place.pieces(bounds) {
        let matching = rows.iter().copied().filter(|(_, row)| row.pattern.matches(start));
        let mut response = CellResponse { rows: matching.collect(), otherwise: None };
        let enough = (1..=response.rows.len()).find(|count| is_decided(&response.rows[..*count]));
        response.rows.truncate(enough.unwrap_or(response.rows.len()));
        if enough.is_none() {
            let cell = cells.iter().find(|(_, cell)| cell.pattern.matches(start));
            response.otherwise = cell.map(|(_, cell)| cell.kind);
        }
        match found.iter_mut().find(|(_, other)| *other == response) {
            Some((ranges, _)) => match ranges.last_mut() {
                Some(last) if last.1 + 1 == start => last.1 = end,
                _ => ranges.push((start, end)),
            },
            None => found.push((vec![(start, end)], response)),
        }
    }
    found
}

/// The arms of a match on an event's payload, the last one for all that is left.
pub(crate) fn arms(
    words: &Vocabulary,
    event: &Event,
    responses: &[(Ranges, CellResponse<'_>)],
    leaf: &dyn Leaf,
) -> TokenStream {
    let Some(payload) = &event.payload else { return quote!() };
    let patterns = |ranges: &Ranges| match &payload.domain {
        PayloadDomain::Number(_) => numbers(ranges),
        PayloadDomain::Bool => {
            let each = each(ranges).map(|number| number != 0);
            quote!(#(#each)|*)
        }
        PayloadDomain::Words(names) => {
            let of_type = words_ident(event, payload);
            let each = each(ranges).map(|number| ident(&names[usize::from(number)].ident));
            let root = leaf.root();
            quote!(#(#root #of_type::#each)|*)
        }
    };
    let is_number = matches!(payload.domain, PayloadDomain::Number(_));
    let arms = responses.iter().filter(|(_, response)| !is_number || !response.is_nothing());
    let mut arms: Vec<_> = arms.collect();
    // The compiler tests ranges in the order written: one number is sooner found than a hundred.
    arms.sort_by_key(|(ranges, _)| ranges.iter().map(|(a, z)| u32::from(z - a) + 1).sum::<u32>());
    let arms = arms.into_iter().map(|(ranges, response)| {
        let (pattern, outcome) = (patterns(ranges), outcome(words, response, leaf));
        quote!(#pattern => { #outcome })
    });
    let refused = leaf.refused(false);
    let rest = is_number && responses.iter().any(|(_, response)| response.is_nothing());
    let rest = rest.then(|| quote!(_ => #refused,));
    let field = field(payload);
    quote!(match #field { #(#arms,)* #rest })
}

/// The code of one response: statements that end in an expression.
pub(crate) fn outcome(
    words: &Vocabulary,
    response: &CellResponse<'_>,
    leaf: &dyn Leaf,
) -> TokenStream {
    let mut chain = Vec::new();
    let mut last = match response.otherwise {
        None | Some(CellKind::Unspecified) => leaf.refused(false),
        Some(CellKind::Impossible) => leaf.refused(true),
        Some(CellKind::Ignore) => leaf.ignored(),
    };
    let is_decided = response.is_decided();
    for (nth, &(index, row)) in response.rows.iter().enumerate() {
        let taken = leaf.taken(index, row);
        if is_decided && nth + 1 == response.rows.len() {
            last = taken;
        } else {
            let condition = condition(words, &row.guard, &leaf.root(), false);
            chain.push(quote!(if #condition { #taken }));
        }
    }
    if chain.is_empty() { last } else { quote!(#(#chain else)* { #last }) }
}

fn condition(
    words: &Vocabulary,
    guard: &Condition,
    root: &TokenStream,
    inner: bool,
) -> TokenStream {
    let join = |parts: &[Condition], sign: TokenStream| {
        let mut parts = parts.iter().map(|part| condition(words, part, root, true));
        let first = parts.next();
        let joined = quote!(#first #(#sign #parts)*);
        if inner { quote!((#joined)) } else { joined }
    };
    match guard {
        Condition::Is(guard) => {
            let name = ident(&words.guards[guard.index()].ident);
            quote!(guards(#root Guard::#name))
        }
        Condition::All(parts) if parts.is_empty() => quote!(true),
        Condition::Any(parts) if parts.is_empty() => quote!(false),
        Condition::All(parts) | Condition::Any(parts) if parts.len() == 1 => {
            condition(words, &parts[0], root, inner)
        }
        Condition::All(parts) => join(parts, quote!(&&)),
        Condition::Any(parts) => join(parts, quote!(||)),
        Condition::Not(part) => {
            let part = condition(words, part, root, true);
            quote!(!#part)
        }
    }
}

fn numbers(ranges: &Ranges) -> TokenStream {
    let parts = ranges.iter().map(|&(least, greatest)| match least == greatest {
        true => number(least),
        false => {
            let (least, greatest) = (number(least), number(greatest));
            quote!(#least..=#greatest)
        }
    });
    quote!(#(#parts)|*)
}

fn each(ranges: &Ranges) -> impl Iterator<Item = u16> {
    ranges.iter().flat_map(|&(least, greatest)| least..=greatest)
}

//! A property without a predicate.

turnstile_machine::system!("tables/gate.yaml");

struct Predicates;

impl gate::Properties for Predicates {
    type View<'a> = &'a [u8];

    fn one_walks_in(&self, view: &&[u8]) -> bool {
        view.len() < 2
    }

    fn a_visitor_is_inside(&self, view: &&[u8]) -> bool {
        !view.is_empty()
    }

    fn nobody_is_shut_in(&self, view: &&[u8]) -> bool {
        view.is_empty()
    }
}

fn main() {
    assert!(gate::Properties::one_walks_in(&Predicates, &&[0_u8][..]));
}

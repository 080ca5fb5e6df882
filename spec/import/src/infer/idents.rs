//! Rust identifiers, where those of two names would be one, or where a name has no letter.

use std::collections::BTreeSet;

use turnstile_spec::camel;

use crate::draft::Draft;
use crate::grid::Word;

pub(super) fn infer(draft: &mut Draft) {
    spell("State", draft.states.iter_mut().map(|one| (&one.name, &mut one.ident)));
    spell("Event", draft.events.iter_mut().map(|one| (&one.name, &mut one.ident)));
    spell("Action", draft.actions.iter_mut().map(|one| (&one.name, &mut one.ident)));
    spell("Guard", draft.guards.iter_mut().map(|one| (&one.name, &mut one.ident)));
    // A generic name is no resource, and has no identifier.
    let generic = |class: &crate::draft::ResourceClass| {
        matches!(class, crate::draft::ResourceClass::AnyOf(_))
    };
    let resources = draft.resources.iter_mut().filter(|one| !generic(&one.class));
    spell("Resource", resources.map(|one| (&one.name, &mut one.ident)));
}

fn spell<'d>(what: &str, names: impl Iterator<Item = (&'d Word, &'d mut Option<String>)>) {
    let mut taken: BTreeSet<String> = BTreeSet::new();
    for (nth, (name, given)) in names.enumerate() {
        let own = camel(&name.text);
        let is_valid = !own.is_empty() && own != "Self";
        if is_valid && taken.insert(own.clone()) {
            continue;
        }
        let base = if is_valid { own } else { what.to_owned() };
        let sign = match name.text.trim_end_matches(')').chars().next_back() {
            Some('+') => "Plus",
            Some('-' | '−') => "Minus",
            _ if name.text.starts_with(char::is_uppercase) => "Capital",
            Some(_) | None => "",
        };
        let numbered = (nth + 1..).map(|number| format!("{base}{number}"));
        let signed = Some(format!("{base}{sign}")).filter(|_| is_valid && !sign.is_empty());
        let free = signed.into_iter().chain(numbered).find(|ident| !taken.contains(ident));
        let Some(ident) = free else { continue };
        taken.insert(ident.clone());
        *given = Some(ident);
    }
}

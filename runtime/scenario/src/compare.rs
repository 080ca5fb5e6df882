//! What a file says of a step beside what the core does now: which of the one is which of the
//! other.

/// Tells where two lists differ, between those at both ends that agree: each thing that is written
/// goes with the next that is the same, or else of the same kind. `departs` hears the place in what
/// is written, and both; what has no counterpart stands alone.
pub(super) fn compare<A, B>(
    written: &[A],
    now: &[B],
    is_same: impl Fn(&A, &B) -> bool,
    is_like: impl Fn(&A, &B) -> bool,
    mut departs: impl FnMut(usize, Option<&A>, Option<&B>),
) {
    let both = written.iter().zip(now);
    let ahead = both.take_while(|(a, b)| is_same(a, b)).count();
    let ends = written[ahead..].iter().rev().zip(now[ahead..].iter().rev());
    let behind = ends.take_while(|(a, b)| is_same(a, b)).count();
    let (end, mut rest) = (written.len() - behind, &now[ahead..now.len() - behind]);
    for (place, old) in written[..end].iter().enumerate().skip(ahead) {
        let found = rest.iter().position(|new| is_same(old, new));
        let found = found.or_else(|| rest.iter().position(|new| is_like(old, new)));
        let Some(found) = found else {
            departs(place, Some(old), None);
            continue;
        };
        rest[..found].iter().for_each(|missing| departs(place, None, Some(missing)));
        let new = &rest[found];
        if !is_same(old, new) {
            departs(place, Some(old), Some(new));
        }
        rest = &rest[found + 1..];
    }
    rest.iter().for_each(|missing| departs(end, None, Some(missing)));
}

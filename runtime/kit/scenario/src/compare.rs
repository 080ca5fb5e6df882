//! The comparison of two lists of rows or effects: the ones in a file and the ones of a core.

/// Calls `differs` for each difference of two lists, with the index in `expected` and both items.
/// An expected item is paired with the next actual one that is equal, or else of the same kind; an
/// item without a counterpart is reported alone. Equal items at both ends are skipped.
pub(super) fn compare<A, B>(
    expected: &[A],
    actual: &[B],
    is_same: impl Fn(&A, &B) -> bool,
    is_like: impl Fn(&A, &B) -> bool,
    mut differs: impl FnMut(usize, Option<&A>, Option<&B>),
) {
    let both = expected.iter().zip(actual);
    let ahead = both.take_while(|(a, b)| is_same(a, b)).count();
    let ends = expected[ahead..].iter().rev().zip(actual[ahead..].iter().rev());
    let behind = ends.take_while(|(a, b)| is_same(a, b)).count();
    let (end, mut rest) = (expected.len() - behind, &actual[ahead..actual.len() - behind]);
    for (place, old) in expected[..end].iter().enumerate().skip(ahead) {
        let found = rest.iter().position(|new| is_same(old, new));
        let found = found.or_else(|| rest.iter().position(|new| is_like(old, new)));
        let Some(found) = found else {
            differs(place, Some(old), None);
            continue;
        };
        rest[..found].iter().for_each(|missing| differs(place, None, Some(missing)));
        let new = &rest[found];
        if !is_same(old, new) {
            differs(place, Some(old), Some(new));
        }
        rest = &rest[found + 1..];
    }
    rest.iter().for_each(|missing| differs(end, None, Some(missing)));
}

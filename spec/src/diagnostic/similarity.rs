//! Similarity of names, for suggestions.

use crate::limit;

/// The least similarity of a suggested name.
const LIKE: f64 = 0.6;

/// The most similar name, if one is similar enough; the last of equally similar ones.
#[must_use]
pub fn nearest<'n>(name: &str, known: impl Iterator<Item = &'n str>) -> Option<&'n str> {
    let mut nearest = Nearest { name, found: None };
    for near in known {
        nearest.look_at(near);
    }
    nearest.found.map(|(_, near)| near)
}

struct Nearest<'a, 'n> {
    name: &'a str,
    found: Option<((f64, f64), &'n str)>,
}

impl<'n> Nearest<'_, 'n> {
    fn look_at(&mut self, near: &'n str) {
        if self.name.len() > limit::NAME_BYTES {
            return;
        }
        let like = similarity(self.name, near);
        let is_nearer = self.found.is_none_or(|(best, _)| like >= best);
        if like.0 >= LIKE && is_nearer {
            self.found = Some((like, near));
        }
    }
}

/// The similarity of two names, from 0 to 1: ignoring case, then with case.
fn similarity(name: &str, near: &str) -> (f64, f64) {
    (like(&name.to_lowercase(), &near.to_lowercase()), like(name, near))
}

/// The edit distance of two names, ignoring case.
pub(crate) fn distance(a: &str, b: &str) -> usize {
    let [a, b] = [a, b].map(|name| name.to_lowercase().chars().collect::<Vec<char>>());
    edits(&a, &b)
}

/// One minus the edit distance over the length of the longer name.
fn like(a: &str, b: &str) -> f64 {
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
    let longer = a.len().max(b.len());
    if longer == 0 { 1.0 } else { 1.0 - edits(&a, &b) as f64 / longer as f64 }
}

/// The Damerau-Levenshtein distance: insertions, deletions, substitutions, and transpositions of
/// letters with edits between them.
fn edits(a: &[char], b: &[char]) -> usize {
    // `cost[i][j]`: of the first i letters of one and the first j of the other.
    let mut cost: Vec<Vec<usize>> = vec![(0..=b.len()).collect()];
    // For each letter of b: how many letters of a there are up to the last that is the same.
    let mut seen = vec![0; b.len()];
    for (i, letter) in a.iter().enumerate() {
        let mut row = vec![i + 1];
        // How many letters of b there are up to the last that is this one.
        let mut same = 0;
        for (j, other) in b.iter().enumerate() {
            let change = cost[i][j] + usize::from(letter != other);
            let mut least = change.min(row[j] + 1).min(cost[i][j + 1] + 1);
            if seen[j] > 0 && same > 0 {
                let between = (i - seen[j]) + (j - same);
                least = least.min(cost[seen[j] - 1][same - 1] + between + 1);
            }
            row.push(least);
            if letter == other {
                same = j + 1;
            }
        }
        for (at, other) in seen.iter_mut().zip(b) {
            if letter == other {
                *at = i + 1;
            }
        }
        cost.push(row);
    }
    cost[a.len()][b.len()]
}

//! What must be true of the commands that ran under a lock, whatever happened meanwhile.

use std::collections::BTreeMap;

use crate::load::hold::Hold;

/// Two commands of one lock that contradict its promise.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Violation {
    /// Both ran at the same time.
    TwoHolders(Hold, Hold),
    /// The later one has not the greater token.
    TokenNotGreater(Hold, Hold),
}

/// The violations among commands, in the order of time.
pub(crate) fn violations(holds: &[Hold]) -> Vec<Violation> {
    let mut locks: BTreeMap<&str, Vec<&Hold>> = BTreeMap::new();
    for hold in holds {
        locks.entry(&hold.lock).or_default().push(hold);
    }
    let mut found = Vec::new();
    for mut list in locks.into_values() {
        list.sort_by_key(|hold| hold.from);
        // The one that ran for the longest so far, and the one with the greatest token.
        let (mut last, mut newest): (Option<&Hold>, Option<&Hold>) = (None, None);
        for hold in list {
            if let Some(last) = last.filter(|last| hold.from <= last.until) {
                found.push(Violation::TwoHolders(last.clone(), hold.clone()));
            }
            if let Some(newest) = newest.filter(|newest| hold.token <= newest.token) {
                found.push(Violation::TokenNotGreater(newest.clone(), hold.clone()));
            }
            last = last.filter(|last| last.until > hold.until).or(Some(hold));
            newest = newest.filter(|newest| newest.token > hold.token).or(Some(hold));
        }
    }
    found
}

/// The violations among the commands of a service whose parts both grant a lock while they do not
/// reach each other. They have met again at a time: whatever began later began alone, by a token
/// that is greater than all before. Earlier on, no two commands ran at the same time by one
/// coordinator's round, which the first 33 characters of a token name.
pub(crate) fn violations_in_parts(holds: &[Hold], met: u64) -> Vec<Violation> {
    let mut rounds: BTreeMap<&str, Vec<Hold>> = BTreeMap::new();
    for hold in holds {
        let round = hold.token.get(..33).unwrap_or_default();
        rounds.entry(round).or_default().push(hold.clone());
    }
    let mut found: Vec<Violation> = rounds.values().flat_map(|holds| violations(holds)).collect();
    let (before, after): (Vec<Hold>, Vec<Hold>) =
        holds.iter().cloned().partition(|hold| hold.from < met);
    found.extend(violations(&after));
    for hold in &after {
        let is_late = |earlier: &&Hold| earlier.lock == hold.lock && earlier.token >= hold.token;
        let earlier = before.iter().find(is_late);
        found.extend(earlier.map(|one| Violation::TokenNotGreater(one.clone(), hold.clone())));
    }
    found
}

/// The longest time without the begin of a command, in nanoseconds, between two times.
pub(crate) fn longest_gap(holds: &[Hold], from: u64, until: u64) -> u64 {
    let mut begins: Vec<u64> = holds.iter().map(|hold| hold.from).collect();
    begins.retain(|begin| (from..until).contains(begin));
    begins.extend([from, until]);
    begins.sort_unstable();
    begins.windows(2).map(|pair| pair[1] - pair[0]).max().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hold(lock: &str, token: u64, from: u64, until: u64) -> Hold {
        Hold { lock: lock.into(), token: format!("{token:020}"), member: 1, from, until }
    }

    #[test]
    fn commands_one_after_the_other_are_right() {
        let holds = [hold("a", 1, 0, 4), hold("b", 1, 2, 6), hold("a", 3, 5, 9)];
        assert_eq!(violations(&holds), []);
    }

    #[test]
    fn a_command_that_began_while_another_ran_is_found() {
        let (long, short) = (hold("a", 1, 0, 100), hold("a", 2, 10, 20));
        let third = hold("a", 3, 50, 60);
        let found = violations(&[third.clone(), short.clone(), long.clone()]);
        let beside = |hold| Violation::TwoHolders(long.clone(), hold);
        assert_eq!(found, [short, third].map(beside));
    }

    #[test]
    fn a_token_that_does_not_grow_is_found() {
        let (first, second, third) = (hold("a", 7, 0, 1), hold("a", 6, 2, 3), hold("a", 7, 4, 5));
        let found = violations(&[first.clone(), second.clone(), third.clone()]);
        let not_greater = |hold| Violation::TokenNotGreater(first.clone(), hold);
        assert_eq!(found, [second, third].map(not_greater));
    }

    #[test]
    fn parts_have_holders_of_their_own_until_they_meet() {
        let part = |round: u64, part: u64, number: u64, from: u64, until: u64| {
            let token = format!("{round:016x}-{part:016x}-{number:016x}");
            Hold { lock: "a".into(), token, member: 1, from, until }
        };
        let (one, other) = (part(5, 1, 1, 0, 9), part(5, 2, 1, 3, 20));
        let later = part(7, 1, 1, 30, 40);
        assert_eq!(violations_in_parts(&[one.clone(), other.clone(), later.clone()], 25), []);
        let same = part(5, 1, 2, 4, 5);
        let found = violations_in_parts(&[one.clone(), same.clone()], 25);
        assert_eq!(found, [Violation::TwoHolders(one, same)]);
        let late = part(5, 1, 3, 30, 31);
        let found = violations_in_parts(&[other.clone(), late.clone()], 25);
        assert_eq!(found, [Violation::TokenNotGreater(other, late)]);
        let (beside, parted) = (part(8, 2, 1, 35, 36), later.clone());
        let found = violations_in_parts(&[parted, beside.clone()], 25);
        assert_eq!(found, [Violation::TwoHolders(later, beside)]);
    }

    #[test]
    fn a_gap_reaches_to_both_ends() {
        let holds = [hold("a", 1, 10, 11), hold("a", 2, 14, 15)];
        assert_eq!(longest_gap(&holds, 0, 20), 10);
        assert_eq!(longest_gap(&holds, 10, 20), 6);
        assert_eq!(longest_gap(&[], 0, 20), 20);
    }
}

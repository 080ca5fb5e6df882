//! What must be true of the commands that ran under a lock, whatever happened meanwhile.

use std::collections::BTreeMap;

use crate::hold::Hold;

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
        Hold { lock: lock.into(), token, member: 1, from, until }
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
        let expected =
            [Violation::TwoHolders(long.clone(), short), Violation::TwoHolders(long, third)];
        assert_eq!(found, expected);
    }

    #[test]
    fn a_token_that_does_not_grow_is_found() {
        let (first, second, third) = (hold("a", 7, 0, 1), hold("a", 6, 2, 3), hold("a", 7, 4, 5));
        let found = violations(&[first.clone(), second.clone(), third.clone()]);
        let expected = [
            Violation::TokenNotGreater(first.clone(), second),
            Violation::TokenNotGreater(first, third),
        ];
        assert_eq!(found, expected);
    }

    #[test]
    fn a_gap_reaches_to_both_ends() {
        let holds = [hold("a", 1, 10, 11), hold("a", 2, 14, 15)];
        assert_eq!(longest_gap(&holds, 0, 20), 10);
        assert_eq!(longest_gap(&holds, 10, 20), 6);
        assert_eq!(longest_gap(&[], 0, 20), 20);
    }
}

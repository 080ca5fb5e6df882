//! What must be true of the status of claims, as clients see it at different members.
//!
//! The status of a claim only goes forward: it is absent, waits, is active, and has ended. So a
//! history is linearizable exactly if no answer is behind one that was given before it was asked
//! for, and all answers name one end.

use std::collections::BTreeMap;

/// A claim as a client saw it, in nanoseconds of the machine's monotonic clock.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Seen {
    /// When the client sent its request.
    pub(crate) asked: u64,
    /// When it had the answer.
    pub(crate) answered: u64,
    /// The claim's number.
    pub(crate) claim: u64,
    /// The status: how far the claim has come, and how it ended.
    pub(crate) status: Status,
}

/// The status of a claim, in the order in which it goes forward.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Status {
    Absent,
    Waiting,
    Active,
    /// It has ended, by this word of the protocol.
    Ended(String),
}

/// Two answers about a claim that contradict each other.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Contradiction {
    /// The later one is behind the earlier one.
    Backward(Seen, Seen),
    /// They name two ends.
    TwoEnds(Seen, Seen),
}

impl Status {
    /// A status by its word in the protocol.
    pub(crate) fn of(word: &str) -> Self {
        match word {
            "absent" => Self::Absent,
            "waiting" => Self::Waiting,
            "active" => Self::Active,
            other => Self::Ended(other.to_owned()),
        }
    }

    /// Its word.
    pub(crate) fn word(&self) -> &str {
        match self {
            Self::Absent => "absent",
            Self::Waiting => "waiting",
            Self::Active => "active",
            Self::Ended(word) => word,
        }
    }

    /// How far the claim has come.
    const fn level(&self) -> u8 {
        match self {
            Self::Absent => 0,
            Self::Waiting => 1,
            Self::Active => 2,
            Self::Ended(_) => 3,
        }
    }
}

/// The contradictions among answers.
pub(crate) fn contradictions(all: &[Seen]) -> Vec<Contradiction> {
    let mut claims: BTreeMap<u64, Vec<&Seen>> = BTreeMap::new();
    for seen in all {
        claims.entry(seen.claim).or_default().push(seen);
    }
    let mut found = Vec::new();
    for by_question in claims.values_mut() {
        let mut by_answer = by_question.clone();
        by_question.sort_by_key(|seen| seen.asked);
        by_answer.sort_by_key(|seen| seen.answered);
        let mut earlier = by_answer.into_iter().peekable();
        // The answer that was the furthest, of those before the question.
        let mut furthest: Option<&Seen> = None;
        let mut end: Option<&Seen> = None;
        for seen in by_question {
            while let Some(before) = earlier.next_if(|before| before.answered < seen.asked) {
                let is_further =
                    furthest.is_none_or(|now| now.status.level() < before.status.level());
                furthest = if is_further { Some(before) } else { furthest };
            }
            if let Some(before) =
                furthest.filter(|before| before.status.level() > seen.status.level())
            {
                found.push(Contradiction::Backward(before.clone(), (*seen).clone()));
            }
            if matches!(seen.status, Status::Ended(_)) {
                let first = *end.get_or_insert(seen);
                if first.status != seen.status {
                    found.push(Contradiction::TwoEnds(first.clone(), (*seen).clone()));
                }
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seen(asked: u64, answered: u64, word: &str) -> Seen {
        Seen { asked, answered, claim: 1, status: Status::of(word) }
    }

    #[test]
    fn answers_at_the_same_time_may_come_in_any_order() {
        let all = [seen(0, 10, "released"), seen(1, 9, "active"), seen(2, 3, "absent")];
        assert_eq!(contradictions(&all), []);
        assert_eq!(contradictions(&[seen(0, 1, "waiting"), seen(2, 3, "active")]), []);
    }

    #[test]
    fn an_answer_behind_an_earlier_one_is_found() {
        let (created, lost) = (seen(0, 1, "active"), seen(2, 3, "absent"));
        let (ended, stale) = (seen(4, 9, "released"), seen(10, 11, "active"));
        let all = [stale.clone(), lost.clone(), created.clone(), ended.clone()];
        let expected =
            [Contradiction::Backward(created, lost), Contradiction::Backward(ended, stale)];
        assert_eq!(contradictions(&all), expected);
    }

    #[test]
    fn the_furthest_of_the_earlier_answers_counts() {
        let (far, near) = (seen(0, 5, "released"), seen(1, 6, "active"));
        let late = seen(7, 8, "active");
        let found = contradictions(&[far.clone(), near, late.clone()]);
        assert_eq!(found, [Contradiction::Backward(far, late)]);
    }

    #[test]
    fn two_ends_are_found() {
        let (one, other) = (seen(0, 5, "released"), seen(1, 6, "expired"));
        let found = contradictions(&[one.clone(), other.clone()]);
        assert_eq!(found, [Contradiction::TwoEnds(one, other)]);
    }

    #[test]
    fn claims_are_apart() {
        let other = Seen { claim: 2, ..seen(4, 5, "absent") };
        assert_eq!(contradictions(&[seen(0, 1, "active"), other]), []);
    }
}

//! The fencing token of a lock, for what the lock protects.

use std::fmt;

use turnstile_group_lock_core::message;

/// A fencing token: greater than that of every earlier grant of the same lock in one group, and
/// over merges. Its text has one length, and texts are ordered as their tokens are.
///
/// Two parts of a group that do not reach each other have tokens of their own, which differ; those
/// of the group in which they meet again are greater than all of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FencingToken(message::FencingToken);

impl FencingToken {
    pub(crate) const fn new(token: message::FencingToken) -> Self {
        Self(token)
    }
}

impl fmt::Display for FencingToken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let message::FencingToken { round, coordinator, number } = self.0;
        write!(f, "{:016x}-{:016x}-{:016x}", round.number(), coordinator.0, number.0)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use turnstile_view_handler_core::MemberId;
    use turnstile_view_handler_core::number::ViewId;

    use crate::turns::token::*;

    fn token() -> impl Strategy<Value = FencingToken> {
        let part = || prop_oneof![0_u64..3, any::<u64>()];
        (part(), part(), part()).prop_map(|(round, coordinator, number)| {
            let (round, number) = (ViewId::new(round), message::GrantNumber(number));
            let coordinator = MemberId(coordinator);
            FencingToken::new(message::FencingToken { round, coordinator, number })
        })
    }

    proptest! {
        #[test]
        fn texts_are_ordered_as_tokens_are(one in token(), other in token()) {
            prop_assert_eq!(one.to_string().cmp(&other.to_string()), one.cmp(&other));
            prop_assert_eq!(one.to_string().len(), 50);
        }
    }
}

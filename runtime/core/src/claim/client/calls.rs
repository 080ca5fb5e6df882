//! The requests of one claim that are sent and not yet answered. Knows nothing of states.

use alloc::vec::Vec;

use turnstile_machines::claim::Resource;
use turnstile_step::Symbolic;

use crate::number::CallId;

/// The most requests that one claim may have outstanding. The table needs far fewer: each state
/// holds at most one, and what it leaves behind is answered before long.
pub const CALLS_MAX: usize = 8;

/// An outstanding request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Symbolic)]
pub struct Call {
    /// Its number.
    pub id: CallId,
    /// Which of the machine's requests it is.
    #[symbolic(skip)]
    pub request: Resource,
    /// Whether it was given up: its answer is dropped.
    pub is_abandoned: bool,
}

/// All that are outstanding, by number.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Symbolic)]
pub struct Calls(Vec<Call>);

impl Calls {
    /// Nothing is outstanding.
    pub(super) const NONE: Self = Self(Vec::new());

    /// Every outstanding call, by number.
    pub fn iter(&self) -> impl Iterator<Item = &Call> {
        self.0.iter()
    }

    /// Notes a request and gives it the smallest free number; `None` where [`CALLS_MAX`] are out.
    pub(super) fn open(&mut self, request: Resource) -> Option<CallId> {
        if self.0.len() >= CALLS_MAX {
            return None;
        }
        let id = CallId::smallest_free(self.0.iter().map(|call| call.id));
        let place = self.0.partition_point(|call| call.id < id);
        self.0.insert(place, Call { id, request, is_abandoned: false });
        Some(id)
    }

    /// Takes out the call that was answered.
    pub(super) fn close(&mut self, id: CallId) -> Option<Call> {
        let place = self.0.iter().position(|call| call.id == id)?;
        Some(self.0.remove(place))
    }

    /// Gives up every outstanding call of a request.
    pub(super) fn abandon(&mut self, request: Resource) {
        for call in self.0.iter_mut().filter(|call| call.request == request) {
            call.is_abandoned = true;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_is_free_again_once_answered() {
        let mut calls = Calls::default();
        assert_eq!(calls.open(Resource::RegisterPostRequest), Some(CallId::new(0)));
        assert_eq!(calls.open(Resource::AbortPatchRequest), Some(CallId::new(1)));
        assert!(calls.close(CallId::new(0)).is_some());
        assert!(calls.close(CallId::new(0)).is_none());
        assert_eq!(calls.open(Resource::RenewPatchRequest), Some(CallId::new(0)));
        let numbers: Vec<_> = calls.iter().map(|call| call.id.number()).collect();
        assert_eq!(numbers, [0, 1]);
    }

    #[test]
    fn there_is_a_most() {
        let mut calls = Calls::default();
        for _ in 0..CALLS_MAX {
            assert!(calls.open(Resource::RenewPatchRequest).is_some());
        }
        assert_eq!(calls.open(Resource::RenewPatchRequest), None);
        calls.abandon(Resource::RenewPatchRequest);
        assert!(calls.iter().all(|call| call.is_abandoned));
    }
}

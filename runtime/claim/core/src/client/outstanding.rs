//! The outstanding requests of one claim: sent and not yet answered.

use alloc::vec::Vec;

use turnstile_claim_machines::claim::Resource;
use turnstile_step::Symbolic;

use turnstile_ids::number::CallId;

/// The most outstanding requests of one claim. The table needs far fewer: a state holds at most
/// one, besides abandoned ones that are soon answered.
pub const CALLS_MAX: usize = 8;

/// An outstanding request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Symbolic)]
pub struct OutstandingRequest {
    /// Its number.
    pub id: CallId,
    /// Which of the machine's requests it is.
    #[symbolic(skip)]
    pub request: Resource,
    /// Whether it was abandoned: its response is dropped.
    pub is_abandoned: bool,
}

/// The outstanding requests, in the order of their ids.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Symbolic)]
pub struct OutstandingRequests(Vec<OutstandingRequest>);

impl OutstandingRequests {
    /// No outstanding request.
    pub(super) const NONE: Self = Self(Vec::new());

    /// Every outstanding request, in the order of their ids.
    pub fn iter(&self) -> impl Iterator<Item = &OutstandingRequest> {
        self.0.iter()
    }

    /// Adds a request with the smallest free id; `None` if [`CALLS_MAX`] are outstanding.
    pub(super) fn open(&mut self, request: Resource) -> Option<CallId> {
        if self.0.len() >= CALLS_MAX {
            return None;
        }
        let id = CallId::smallest_free(self.0.iter().map(|call| call.id));
        let place = self.0.partition_point(|call| call.id < id);
        self.0.insert(place, OutstandingRequest { id, request, is_abandoned: false });
        Some(id)
    }

    /// Removes the request that was answered.
    pub(super) fn close(&mut self, id: CallId) -> Option<OutstandingRequest> {
        let place = self.0.iter().position(|call| call.id == id)?;
        Some(self.0.remove(place))
    }

    /// Abandons every outstanding request of one kind.
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
        let mut calls = OutstandingRequests::default();
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
        let mut calls = OutstandingRequests::default();
        for _ in 0..CALLS_MAX {
            assert!(calls.open(Resource::RenewPatchRequest).is_some());
        }
        assert_eq!(calls.open(Resource::RenewPatchRequest), None);
        calls.abandon(Resource::RenewPatchRequest);
        assert!(calls.iter().all(|call| call.is_abandoned));
    }
}

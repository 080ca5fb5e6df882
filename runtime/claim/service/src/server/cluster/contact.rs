//! When a leader was in contact with a majority last.

use std::time::Duration;

use tokio::time::Instant;

/// The contact of a leader. While it has none, no client can renew its lease; so after a break
/// those that have not lapsed before are renewed first of all.
#[derive(Debug, Default)]
pub(super) struct Contact {
    /// `None`: it has not begun.
    last: Option<Instant>,
}

impl Contact {
    /// A majority was in contact at this time. Returns whether there was no break before, which is
    /// one of more than a lease; until [`Contact::resume`] it is not over.
    pub(super) fn goes_on(&mut self, at: Instant, lease: Duration) -> bool {
        let goes_on = self.last.is_some_and(|last| at <= last + lease);
        if goes_on {
            self.last = self.last.max(Some(at));
        }
        goes_on
    }

    /// A break is over: the leases are renewed.
    pub(super) const fn resume(&mut self, at: Instant) {
        self.last = Some(at);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_break_lasts_until_the_leases_are_renewed() {
        let (start, lease) = (Instant::now(), Duration::from_secs(2));
        let after = |seconds| start + Duration::from_secs(seconds);
        let mut contact = Contact::default();
        assert!(!contact.goes_on(start, lease), "it has not begun");
        contact.resume(start);
        assert!(contact.goes_on(after(2), lease));
        assert!(contact.goes_on(after(1), lease), "what is older changes nothing");
        assert!(contact.goes_on(after(4), lease));
        assert!(!contact.goes_on(after(7), lease));
        assert!(!contact.goes_on(after(8), lease), "the leases are not renewed yet");
        contact.resume(after(8));
        assert!(contact.goes_on(after(9), lease));
    }
}

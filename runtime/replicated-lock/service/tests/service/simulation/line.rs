//! A line of members for one lock, once all is repaired: each one lines up when the one before it
//! waits, and all are served in this order.

/// The line.
pub(crate) struct Line {
    order: Vec<u64>,
    /// How many hold the lock, wait for it or have had it.
    entered: usize,
    served: usize,
    /// How many have given it back.
    left: usize,
    /// A member has an error, and lines up again.
    is_disturbed: bool,
}

impl Line {
    pub(crate) const fn new(order: Vec<u64>) -> Self {
        Self { order, entered: 0, served: 0, left: 0, is_disturbed: false }
    }

    /// The member that has to line up now.
    pub(crate) fn next(&self) -> Option<u64> {
        self.order.get(self.entered).copied()
    }

    pub(crate) fn is_first(&self, member: u64) -> bool {
        self.order[0] == member
    }

    /// A member waits for the lock.
    pub(crate) fn waits(&mut self, member: u64) {
        self.entered += usize::from(self.next() == Some(member));
    }

    pub(crate) const fn disturb(&mut self) {
        self.is_disturbed = true;
    }

    /// A member has the lock; whether it is its turn.
    pub(crate) fn serve(&mut self, member: u64) -> bool {
        let is_its_turn = self.is_disturbed || self.order.get(self.served) == Some(&member);
        self.served += 1;
        // The first one has not waited, nor has one that has lined up again.
        self.entered = self.entered.max(self.served);
        is_its_turn
    }

    /// A member has given the lock back.
    pub(crate) const fn leave(&mut self) {
        self.left += 1;
    }

    /// Whether all have lined up.
    pub(crate) const fn is_complete(&self) -> bool {
        self.entered >= self.order.len()
    }

    pub(crate) const fn is_over(&self) -> bool {
        self.left >= self.order.len()
    }
}

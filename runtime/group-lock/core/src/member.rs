//! A member: its address, and the tables that it runs.

use turnstile_group_lock_machines::group_lock_client as client_machine;
use turnstile_group_lock_machines::group_lock_coordinator as coordinator_machine;
use turnstile_machine::Rules;
use turnstile_view_handler_core::MemberId;

/// The core of a member.
///
/// It needs reliable FIFO links between members while both stay in the group. A message to itself
/// is delivered within the same step. [`Command::View`] delivers views that contain this member,
/// each with a greater number than the one before; of two views with one number, from groups that
/// do not know each other, at most one. A restarted member is a new one, with another [`MemberId`].
///
/// No input makes it panic. A message from outside its view or from another coordinator changes
/// nothing; neither does a repeated response, nor a timer that is not armed. Failed actions and
/// unhandled events are in [`Out::rows`].
///
/// [`Out::rows`]: turnstile_step::Out::rows
/// [`Command::View`]: crate::Command::View
#[derive(Clone, Debug)]
pub struct Member<
    C: Rules<client_machine::Machine> = client_machine::Machine,
    K: Rules<coordinator_machine::Machine> = coordinator_machine::Machine,
> {
    /// The address of this member.
    pub me: MemberId,
    /// The table of each lock at the client.
    pub client: C,
    /// The table of the coordinator.
    pub coordinator: K,
}

impl Member {
    /// A member by the compiled tables.
    #[must_use]
    pub const fn new(me: MemberId) -> Self {
        let (client, coordinator) = (client_machine::Machine, coordinator_machine::Machine);
        Self { me, client, coordinator }
    }
}

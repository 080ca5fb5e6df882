//! The monitor (history variables) of the claim system's properties.

use turnstile_claim_core::number::ClaimId;
use turnstile_claim_core::{client, keychain, record};
use turnstile_ids::fence;
use turnstile_ids::number::Token;
use turnstile_step::Symbolic;
use turnstile_world::{NodeId, Observation, Value};

use crate::claim::ClaimSystem;
use crate::client_command::ClientCommand;
use crate::keychain::ProgramCommand;
use crate::{envelope, server};

/// The history variables of the system.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Symbolic)]
pub(crate) struct Monitor {
    /// One per client, then one per resource of each keychain.
    pub(crate) users: Vec<UserHistory>,
    /// The newest fencing token of a grant.
    pub(crate) granted: Option<Token>,
    /// The server has crashed, and its last save may contain a grant that no client was told.
    pub(crate) may_have_granted: bool,
    /// A grant had no fencing token, or one that was not greater than all before it.
    pub(crate) issued_stale_token: bool,
    /// The store refused an act with the newest fencing token.
    pub(crate) refused_newest_token: bool,
    /// A claim was granted before an older one (FIFO violated).
    pub(crate) overtook_waiter: bool,
    /// A request had to wait, or was refused for lack of room, without an active claim.
    pub(crate) waits_for_free_lock: bool,
    /// A finished claim was deleted before an older one.
    pub(crate) deleted_out_of_order: bool,
    /// A request got another answer than the protocol promises.
    pub(crate) answered_wrongly: bool,
    /// A claim's status changed without its cause, or did not although there was one.
    pub(crate) changed_wrongly: bool,
    /// A timer of a claim was restarted at a wrong moment, or not at a right one.
    pub(crate) counted_wrongly: bool,
    /// The end of a lease was not announced, or another was.
    pub(crate) announced_wrongly: bool,
    /// A restart would not have found a claim as it was, or has not.
    pub(crate) saved_wrongly: bool,
    /// The newest claim.
    pub(crate) newest: Option<ClaimId>,
    /// A claim got the id of an older one, or a smaller one.
    pub(crate) gave_id_again: bool,
}

/// The history variables of one user of a claim.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Symbolic)]
pub(crate) struct UserHistory {
    /// A `claim()` waits for its answer.
    pub(crate) waits: bool,
    /// A `claim()` has returned.
    pub(crate) is_answered: bool,
    /// It returned a failure.
    pub(crate) has_failed: bool,
    /// Its user was granted the lock, and not notified of its loss or release since.
    pub(crate) is_held: bool,
    /// A `release()` waits for its answer.
    pub(crate) releases: bool,
    /// A `claim()` has returned twice.
    pub(crate) answered_twice: bool,
    /// The store accepted an act of it since the grant.
    pub(crate) acted: bool,
    /// The store then accepted an act of another client.
    pub(crate) interrupted: bool,
    /// The store then accepted an act of it again.
    pub(crate) interleaved: bool,
    /// Its client was asked for a fresh key, and has got none since.
    pub(crate) needs_key: bool,
    /// A second claim of a claimed resource was not refused.
    pub(crate) claimed_twice: bool,
    /// A holder that did not release its lock was notified of a release.
    pub(crate) loss_reported_as_release: bool,
}

impl Monitor {
    /// Renames nodes: the history of each node `n` becomes that of `to[n]`.
    pub(crate) fn rename(&mut self, system: &ClaimSystem, to: &[NodeId]) {
        let before = self.users.clone();
        for (node, to) in to.iter().enumerate() {
            for (old, new) in system.users_of(node).zip(system.users_of(*to)) {
                self.users[new] = before[old];
            }
        }
    }
}

impl UserHistory {
    /// Whether its user believes that it holds the lock, and has not released it.
    pub(crate) const fn holds(&self) -> bool {
        self.is_held && !self.releases
    }
}

/// Updates the history variables.
pub(super) fn observe(system: &ClaimSystem, monitor: &mut Monitor, seen: &Observation) {
    match seen {
        Observation::Asked(node, command) => {
            if let Some(ClientCommand::User(command)) = command.get() {
                asked(&mut monitor.users[*node], *command);
            } else if let Some(ClientCommand::FreshKey(_)) = command.get() {
                monitor.users[*node].needs_key = false;
            } else if let Some(ProgramCommand { command, is_again: _ }) = command.get() {
                asked_keychain(system, monitor, *node, *command);
            }
        }
        Observation::Told(node, notice) => hear(system, monitor, *node, notice),
        Observation::Crashed(node) | Observation::Restarted(node) => {
            monitor.may_have_granted |= *node == system.server();
            for user in system.users_of(*node) {
                let history = &mut monitor.users[user];
                *history =
                    UserHistory { interleaved: history.interleaved, ..UserHistory::default() };
            }
        }
        Observation::Violation(_) => {}
    }
}

/// A node has notified its user.
fn hear(system: &ClaimSystem, monitor: &mut Monitor, node: NodeId, notice: &Value) {
    if let Some(notice) = notice.get::<client::Notice>() {
        fence(monitor, notice);
        told(&mut monitor.users[node], *notice);
    } else if let Some(notice) = notice.get::<keychain::Notice>() {
        match notice {
            keychain::Notice::Told { resource, notice } => {
                fence(monitor, notice);
                told(&mut monitor.users[system.user_index(node, *resource)], *notice);
            }
            keychain::Notice::AlreadyClaimed { resource, .. }
            | keychain::Notice::TooMany { resource, .. } => {
                refused(&mut monitor.users[system.user_index(node, *resource)]);
            }
        }
    } else if let Some(notice) = notice.get::<fence::Notice>() {
        match notice {
            fence::Notice::Accepted { from, token: _ } => {
                accepted(monitor, system.acting_user(envelope::node(*from)));
            }
            fence::Notice::Refused { from: _, token } => {
                monitor.refused_newest_token |= Some(*token) >= monitor.granted;
            }
        }
    } else {
        match notice.of() {
            server::Notice::Record(record::Notice::Became { claim, status, token }) => {
                if *status == record::Status::Active {
                    granted(monitor, *token);
                }
                // It is so only at first.
                if *status == record::Status::Waiting {
                    monitor.gave_id_again |= Some(*claim) <= monitor.newest;
                    monitor.newest = monitor.newest.max(Some(*claim));
                }
            }
            server::Notice::Record(record::Notice::Over { claim: _ }) => {}
            server::Notice::Overtaken(_) => monitor.overtook_waiter = true,
            server::Notice::WaitForFreeLock => monitor.waits_for_free_lock = true,
            server::Notice::DeletedOutOfOrder(_) => monitor.deleted_out_of_order = true,
            server::Notice::WrongAnswer(_) => monitor.answered_wrongly = true,
            server::Notice::WrongStatus(_) => monitor.changed_wrongly = true,
            server::Notice::WrongTimer(_) => monitor.counted_wrongly = true,
            server::Notice::WrongEnd(_) => monitor.announced_wrongly = true,
            server::Notice::WrongSave(_) => monitor.saved_wrongly = true,
        }
    }
}

/// The server has granted a claim.
fn granted(monitor: &mut Monitor, token: Option<Token>) {
    monitor.issued_stale_token |= token <= monitor.granted;
    monitor.granted = monitor.granted.max(token);
}

/// A user is notified of a grant: the server must have minted its token. A token newer than all
/// observed ones belongs to a grant that a server saved before it crashed in the middle of a step.
fn fence(monitor: &mut Monitor, notice: &client::Notice) {
    if let client::Notice::Acquired { token } = notice {
        let is_unseen = *token > monitor.granted;
        monitor.issued_stale_token |= token.is_none() || is_unseen && !monitor.may_have_granted;
        monitor.granted = monitor.granted.max(*token);
    }
}

fn asked_keychain(
    system: &ClaimSystem,
    monitor: &mut Monitor,
    keychain: NodeId,
    command: keychain::Command,
) {
    match command {
        keychain::Command::Claim { resource, key } => {
            let history = &mut monitor.users[system.user_index(keychain, resource)];
            if history.waits || history.is_held {
                history.claimed_twice = true;
            } else {
                *history =
                    UserHistory { interleaved: history.interleaved, ..UserHistory::default() };
                asked(history, client::Command::Claim { key });
            }
        }
        keychain::Command::Release { resource } => {
            let history = &mut monitor.users[system.user_index(keychain, resource)];
            asked(history, client::Command::Release);
        }
        keychain::Command::Close => {
            for user in system.users_of(keychain) {
                asked(&mut monitor.users[user], client::Command::Release);
            }
        }
        keychain::Command::GoOn { resource, key: _ } => {
            monitor.users[system.user_index(keychain, resource)].needs_key = false;
        }
        keychain::Command::Act { resource: _ } => {}
    }
}

/// A claim of a resource was refused, rightly if the previous claim still exists.
fn refused(history: &mut UserHistory) {
    if history.claimed_twice {
        history.claimed_twice = false;
    } else {
        answer(history);
    }
}

fn asked(history: &mut UserHistory, command: client::Command) {
    match command {
        client::Command::Claim { key: _ } => history.waits = true,
        // After a signal only a pending release() is still to return.
        client::Command::Signal => {
            (history.waits, history.is_held, history.needs_key) = (false, false, false);
        }
        // A release() before claim() has returned releases no lock.
        client::Command::Release => history.releases |= history.is_held,
        client::Command::Act => {}
    }
}

fn told(history: &mut UserHistory, notice: client::Notice) {
    match notice {
        client::Notice::Acquired { token: _ } => {
            (history.acted, history.interrupted, history.is_held) = (false, false, true);
            answer(history);
        }
        client::Notice::KeyNeeded => history.needs_key = true,
        // For a waiting claim() or release() this is its return; for a holder it is a notification.
        client::Notice::TimedOut
        | client::Notice::TooSlow
        | client::Notice::Failed { status: _ }
            if history.waits =>
        {
            history.has_failed = matches!(notice, client::Notice::Failed { .. });
            answer(history);
        }
        client::Notice::TimedOut | client::Notice::TooSlow if !history.releases => {
            history.answered_twice = true;
        }
        client::Notice::TimedOut
        | client::Notice::TooSlow
        | client::Notice::Failed { status: _ }
        | client::Notice::Released
        | client::Notice::Lost => {
            history.loss_reported_as_release |=
                history.holds() && notice == client::Notice::Released;
            (history.releases, history.is_held) = (false, false);
        }
    }
}

fn answer(history: &mut UserHistory) {
    history.answered_twice |= history.is_answered;
    (history.waits, history.is_answered, history.needs_key) = (false, true, false);
}

/// The store accepted an act of a user.
fn accepted(monitor: &mut Monitor, from: usize) {
    for (user, history) in monitor.users.iter_mut().enumerate() {
        if user == from {
            history.interleaved |= history.interrupted;
            history.acted = true;
        } else {
            history.interrupted |= history.acted;
        }
    }
}

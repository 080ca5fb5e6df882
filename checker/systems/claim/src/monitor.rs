//! The monitor (history variables) of the claim system's properties.

use turnstile_claim_core::number::ClaimId;
use turnstile_claim_core::{client, keychain, record};
use turnstile_ids::fence;
use turnstile_ids::number::Token;
use turnstile_step::Symbolic;
use turnstile_world::{Breaches, NodeId, Observation, Value};

use crate::claim::ClaimSystem;
use crate::client_command::ClientCommand;
use crate::keychain::ProgramCommand;
use crate::{envelope, rule, server};

/// The history variables of the system.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Symbolic)]
pub(crate) struct Monitor {
    /// One per client, then one per resource of each keychain.
    pub(crate) users: Vec<UserHistory>,
    /// The newest fencing token of a grant.
    pub(crate) granted: Option<Token>,
    /// The server has crashed, and its last save may contain a grant that no client was told.
    pub(crate) may_have_granted: bool,
    /// The newest claim.
    pub(crate) newest: Option<ClaimId>,
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
    /// The store accepted an act of it since the grant.
    pub(crate) acted: bool,
    /// The store then accepted an act of another client.
    pub(crate) interrupted: bool,
    /// Its client was asked for a fresh key, and has got none since.
    pub(crate) needs_key: bool,
    /// A second claim of a claimed resource was not refused.
    pub(crate) claimed_twice: bool,
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

/// Updates the history variables; adds the rules that the step breaks by them.
pub(super) fn observe(
    system: &ClaimSystem,
    monitor: &mut Monitor,
    seen: &Observation,
    breaches: &mut Breaches,
) {
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
        Observation::Told(node, notice) => hear(system, monitor, *node, notice, breaches),
        Observation::Crashed(node) | Observation::Restarted(node) => {
            monitor.may_have_granted |= *node == system.server();
            for user in system.users_of(*node) {
                monitor.users[user] = UserHistory::default();
            }
        }
        Observation::Violation(_) | Observation::Breaches(_) => {}
    }
}

/// A node has notified its user.
fn hear(
    system: &ClaimSystem,
    monitor: &mut Monitor,
    node: NodeId,
    notice: &Value,
    breaches: &mut Breaches,
) {
    if let Some(notice) = notice.get::<client::Notice>() {
        fence(monitor, notice, breaches);
        told(&mut monitor.users[node], *notice, breaches);
    } else if let Some(notice) = notice.get::<keychain::Notice>() {
        match notice {
            keychain::Notice::Told { resource, notice } => {
                fence(monitor, notice, breaches);
                let user = system.user_index(node, *resource);
                told(&mut monitor.users[user], *notice, breaches);
            }
            keychain::Notice::AlreadyClaimed { resource, .. }
            | keychain::Notice::TooMany { resource, .. } => {
                refused(&mut monitor.users[system.user_index(node, *resource)], breaches);
            }
        }
    } else if let Some(notice) = notice.get::<fence::Notice>() {
        match notice {
            fence::Notice::Accepted { from, token: _ } => {
                accepted(monitor, system.acting_user(envelope::node(*from)), breaches);
            }
            fence::Notice::Refused { from: _, token } => {
                breaches.require(rule::NEWEST_TOKEN, Some(*token) < monitor.granted);
            }
        }
    } else {
        let server::Notice(notice) = notice.of();
        match notice {
            record::Notice::Became { claim, status, token } => {
                if *status == record::Status::Active {
                    granted(monitor, *token, breaches);
                }
                // It is so only at first.
                if *status == record::Status::Waiting {
                    breaches.require(rule::NEW_ID, Some(*claim) > monitor.newest);
                    monitor.newest = monitor.newest.max(Some(*claim));
                }
            }
            record::Notice::Over { claim: _ } => {}
        }
    }
}

/// The server has granted a claim.
fn granted(monitor: &mut Monitor, token: Option<Token>, breaches: &mut Breaches) {
    breaches.require(rule::TOKEN, token > monitor.granted);
    monitor.granted = monitor.granted.max(token);
}

/// A user is notified of a grant: the server must have minted its token. A token newer than all
/// observed ones belongs to a grant that a server saved before it crashed in the middle of a step.
fn fence(monitor: &mut Monitor, notice: &client::Notice, breaches: &mut Breaches) {
    if let client::Notice::Acquired { token } = notice {
        let is_unseen = *token > monitor.granted;
        let is_minted = token.is_some() && (!is_unseen || monitor.may_have_granted);
        breaches.require(rule::TOKEN, is_minted);
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
                *history = UserHistory::default();
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
fn refused(history: &mut UserHistory, breaches: &mut Breaches) {
    if history.claimed_twice {
        history.claimed_twice = false;
    } else {
        answer(history, breaches);
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

fn told(history: &mut UserHistory, notice: client::Notice, breaches: &mut Breaches) {
    match notice {
        client::Notice::Acquired { token: _ } => {
            (history.acted, history.interrupted, history.is_held) = (false, false, true);
            answer(history, breaches);
        }
        client::Notice::KeyNeeded => history.needs_key = true,
        // For a waiting claim() or release() this is its return; for a holder it is a notification.
        client::Notice::TimedOut
        | client::Notice::TooSlow
        | client::Notice::Failed { status: _ }
            if history.waits =>
        {
            history.has_failed = matches!(notice, client::Notice::Failed { .. });
            answer(history, breaches);
        }
        client::Notice::TimedOut | client::Notice::TooSlow if !history.releases => {
            breaches.require(rule::ONE_RETURN, false);
        }
        client::Notice::TimedOut
        | client::Notice::TooSlow
        | client::Notice::Failed { status: _ }
        | client::Notice::Released
        | client::Notice::Lost => {
            let is_release = notice == client::Notice::Released;
            breaches.require(rule::LOSS, !history.holds() || !is_release);
            (history.releases, history.is_held) = (false, false);
        }
    }
}

fn answer(history: &mut UserHistory, breaches: &mut Breaches) {
    breaches.require(rule::ONE_RETURN, !history.is_answered);
    (history.waits, history.is_answered, history.needs_key) = (false, true, false);
}

/// The store accepted an act of a user.
fn accepted(monitor: &mut Monitor, from: usize, breaches: &mut Breaches) {
    for (user, history) in monitor.users.iter_mut().enumerate() {
        if user == from {
            breaches.require(rule::ACTS, !history.interrupted);
            history.acted = true;
        } else {
            history.interrupted |= history.acted;
        }
    }
}

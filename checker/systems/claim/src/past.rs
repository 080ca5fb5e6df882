//! What the properties of the claim system remember of the past.

use turnstile_core::claim::{client, keychain, record};
use turnstile_core::fence;
use turnstile_core::number::Token;
use turnstile_step::Symbolic;
use turnstile_world::{NodeId, Observation, Value};

use crate::chain::ProgramCommand;
use crate::client::ClientCommand;
use crate::system::Claim;
use crate::{letter, server};

/// What the properties remember.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Symbolic)]
pub(crate) struct Monitor {
    /// Of each client, and then of each resource of each keychain.
    pub(crate) seats: Vec<Past>,
    /// The newest token that a claim was granted with.
    pub(crate) granted: Option<Token>,
    /// The server has crashed, and may have granted a claim with the last that it saved.
    pub(crate) may_have_granted: bool,
    /// A grant had no token, or none that was newer than all before it.
    pub(crate) is_unfenced: bool,
    /// The store refused the newest token.
    pub(crate) is_shut_out: bool,
    /// A claim was granted before an older one whose turn it was.
    pub(crate) is_passed_over: bool,
    /// Somebody asked and has to wait for nobody.
    pub(crate) is_idle: bool,
    /// A finished claim was forgotten before an older one.
    pub(crate) is_forgetful: bool,
}

/// What the properties remember of one user of a claim.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Symbolic)]
pub(crate) struct Past {
    /// A `claim()` waits for its answer.
    pub(crate) waits: bool,
    /// A `claim()` was answered.
    pub(crate) is_answered: bool,
    /// By this: that it has failed.
    pub(crate) has_failed: bool,
    /// Its user was told that it holds the lock, and of no end of it.
    pub(crate) is_held: bool,
    /// A `release()` waits for its answer.
    pub(crate) releases: bool,
    /// A `claim()` was answered twice.
    pub(crate) answered_twice: bool,
    /// The store accepted an act of it since it was told that it holds the lock.
    pub(crate) acted: bool,
    /// And then one of another client.
    pub(crate) interrupted: bool,
    /// And then one of it again.
    pub(crate) interleaved: bool,
    /// A second claim of a resource that is claimed was not refused.
    pub(crate) is_doubled: bool,
    /// A holder that gave nothing back was told that its lock was released.
    pub(crate) is_mistold: bool,
}

impl Monitor {
    /// Moves what is kept by node: of each node `n` to `to[n]`.
    pub(crate) fn rename(&mut self, system: &Claim, to: &[NodeId]) {
        let before = self.seats.clone();
        for (node, to) in to.iter().enumerate() {
            for (old, new) in system.seats_of(node).zip(system.seats_of(*to)) {
                self.seats[new] = before[old];
            }
        }
    }
}

impl Past {
    /// Whether its user was told that it holds the lock, and has not given it back.
    pub(crate) const fn holds(&self) -> bool {
        self.is_held && !self.releases
    }
}

/// Remembers what the properties need of the past.
pub(super) fn observe(system: &Claim, monitor: &mut Monitor, seen: &Observation) {
    match seen {
        Observation::Asked(node, command) => {
            if let Some(ClientCommand::User(command)) = command.get() {
                asked(&mut monitor.seats[*node], *command);
            } else if let Some(ProgramCommand { command, is_again: _ }) = command.get() {
                asked_keychain(system, monitor, *node, *command);
            }
        }
        Observation::Told(node, notice) => hear(system, monitor, *node, notice),
        Observation::Crashed(node) | Observation::Restarted(node) => {
            monitor.may_have_granted |= *node == system.server();
            for seat in system.seats_of(*node) {
                let past = &mut monitor.seats[seat];
                *past = Past { interleaved: past.interleaved, ..Past::default() };
            }
        }
        Observation::Violation(_) => {}
    }
}

/// A node has told its user something.
fn hear(system: &Claim, monitor: &mut Monitor, node: NodeId, notice: &Value) {
    if let Some(notice) = notice.get::<client::Notice>() {
        fence(monitor, notice);
        told(&mut monitor.seats[node], *notice);
    } else if let Some(notice) = notice.get::<keychain::Notice>() {
        match notice {
            keychain::Notice::Told { resource, notice } => {
                fence(monitor, notice);
                told(&mut monitor.seats[system.seat(node, *resource)], *notice);
            }
            keychain::Notice::AlreadyClaimed { resource, .. }
            | keychain::Notice::TooMany { resource, .. } => {
                refused(&mut monitor.seats[system.seat(node, *resource)]);
            }
        }
    } else if let Some(notice) = notice.get::<fence::Notice>() {
        match notice {
            fence::Notice::Accepted { from, token: _ } => {
                accepted(monitor, system.user(letter::node(*from)));
            }
            fence::Notice::Refused { from: _, token } => {
                monitor.is_shut_out |= Some(*token) >= monitor.granted;
            }
        }
    } else {
        match notice.of() {
            server::Notice::Kept(record::Notice::Became { claim: _, status, token }) => {
                if *status == record::Status::Active {
                    granted(monitor, *token);
                }
            }
            server::Notice::Kept(record::Notice::Over { claim: _ }) => {}
            server::Notice::PassedOver(_) => monitor.is_passed_over = true,
            server::Notice::Idle => monitor.is_idle = true,
            server::Notice::Forgotten(_) => monitor.is_forgetful = true,
        }
    }
}

/// The server has granted a claim.
fn granted(monitor: &mut Monitor, token: Option<Token>) {
    monitor.is_unfenced |= token <= monitor.granted;
    monitor.granted = monitor.granted.max(token);
}

/// A user is told of a grant: it has a token, which the server has minted. One that is newer than
/// all that were seen is of a grant that a server which crashed in the middle of a step had saved
/// and told nobody.
fn fence(monitor: &mut Monitor, notice: &client::Notice) {
    if let client::Notice::Acquired { token } = notice {
        let is_unseen = *token > monitor.granted;
        monitor.is_unfenced |= token.is_none() || is_unseen && !monitor.may_have_granted;
        monitor.granted = monitor.granted.max(*token);
    }
}

fn asked_keychain(
    system: &Claim,
    monitor: &mut Monitor,
    keychain: NodeId,
    command: keychain::Command,
) {
    match command {
        keychain::Command::Claim { resource, key } => {
            let past = &mut monitor.seats[system.seat(keychain, resource)];
            if past.waits || past.is_held {
                past.is_doubled = true;
            } else {
                *past = Past { interleaved: past.interleaved, ..Past::default() };
                asked(past, client::Command::Claim { key });
            }
        }
        keychain::Command::Release { resource } => {
            let past = &mut monitor.seats[system.seat(keychain, resource)];
            asked(past, client::Command::Release);
        }
        keychain::Command::Close => {
            for seat in system.seats_of(keychain) {
                asked(&mut monitor.seats[seat], client::Command::Release);
            }
        }
        keychain::Command::GoOn { .. } | keychain::Command::Act { resource: _ } => {}
    }
}

/// A claim of a resource was refused; rightly, if the one before it is there still.
fn refused(past: &mut Past) {
    if past.is_doubled {
        past.is_doubled = false;
    } else {
        answer(past);
    }
}

fn asked(past: &mut Past, command: client::Command) {
    match command {
        client::Command::Claim { key: _ } => past.waits = true,
        // Who sends a signal waits for nothing any more, but for what it gives back already.
        client::Command::Signal => (past.waits, past.is_held) = (false, false),
        // A release() before claim() has answered has no lock to speak of.
        client::Command::Release => past.releases |= past.is_held,
        client::Command::Act => {}
    }
}

fn told(past: &mut Past, notice: client::Notice) {
    match notice {
        client::Notice::Acquired { token: _ } => {
            (past.acted, past.interrupted, past.is_held) = (false, false, true);
            answer(past);
        }
        client::Notice::KeyNeeded => {}
        // To a claim() or a release() that waits it is the answer; to a holder it is news.
        client::Notice::TimedOut | client::Notice::Failed { status: _ } if past.waits => {
            past.has_failed = notice != client::Notice::TimedOut;
            answer(past);
        }
        client::Notice::TimedOut if !past.releases => past.answered_twice = true,
        client::Notice::TimedOut
        | client::Notice::Failed { status: _ }
        | client::Notice::Released
        | client::Notice::Lost => {
            past.is_mistold |= past.holds() && notice == client::Notice::Released;
            (past.releases, past.is_held) = (false, false);
        }
    }
}

fn answer(past: &mut Past) {
    past.answered_twice |= past.is_answered;
    (past.waits, past.is_answered) = (false, true);
}

/// The store accepted an act of the client of a seat.
fn accepted(monitor: &mut Monitor, from: usize) {
    for (seat, past) in monitor.seats.iter_mut().enumerate() {
        if seat == from {
            past.interleaved |= past.interrupted;
            past.acted = true;
        } else {
            past.interrupted |= past.acted;
        }
    }
}

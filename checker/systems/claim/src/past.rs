//! What the properties of the claim system remember of the past.

use turnstile_core::claim::{client, keychain, record};
use turnstile_core::fence;
use turnstile_core::number::Token;
use turnstile_world::NodeId;
use turnstile_world::monitor::Observation;
use turnstile_world::system::ObservationOf;

use crate::{Claim, ClaimTypes, Command, Monitor, Notice, Past};

/// Remembers what the properties need of the past.
pub(super) fn observe(system: &Claim, monitor: &mut Monitor, seen: &ObservationOf<ClaimTypes>) {
    match seen {
        Observation::Asked(client, Command::Client(command)) => {
            asked(&mut monitor.seats[*client], *command);
        }
        Observation::Asked(keychain, Command::Keychain(command) | Command::ClaimAgain(command)) => {
            asked_keychain(system, monitor, *keychain, *command);
        }
        Observation::Told(client, Notice::Client(notice)) => {
            fence(monitor, notice);
            told(&mut monitor.seats[*client], *notice);
        }
        Observation::Told(
            keychain,
            Notice::Keychain(keychain::Notice::Told { resource, notice }),
        ) => {
            fence(monitor, notice);
            told(&mut monitor.seats[system.seat(*keychain, *resource)], *notice);
        }
        Observation::Told(
            keychain,
            Notice::Keychain(
                keychain::Notice::AlreadyClaimed { resource, .. }
                | keychain::Notice::TooMany { resource, .. },
            ),
        ) => refused(&mut monitor.seats[system.seat(*keychain, *resource)]),
        Observation::Told(_, Notice::Store(fence::Notice::Accepted { from, token: _ })) => {
            accepted(monitor, system.user(super::cores::node(*from)));
        }
        Observation::Told(
            _,
            Notice::Server(record::Notice::Became { claim: _, status, token }),
        ) => {
            if *status == record::Status::Active {
                granted(monitor, *token);
            }
        }
        Observation::Told(_, Notice::PassedOver(_)) => monitor.is_passed_over = true,
        Observation::Told(_, Notice::Idle) => monitor.is_idle = true,
        Observation::Told(_, Notice::Forgotten(_)) => monitor.is_forgetful = true,
        Observation::Crashed(node) | Observation::Restarted(node) => {
            monitor.may_have_granted |= *node == system.server();
            for seat in system.seats_of(*node) {
                let past = &mut monitor.seats[seat];
                *past = Past { interleaved: past.interleaved, ..Past::default() };
            }
        }
        Observation::Told(_, Notice::Store(fence::Notice::Refused { from: _, token })) => {
            monitor.is_shut_out |= Some(*token) >= monitor.granted;
        }
        Observation::Told(_, Notice::Server(record::Notice::Over { claim: _ }))
        | Observation::Asked(
            _,
            Command::Revoke(_) | Command::FreshKey(_) | Command::AskOtherwise,
        )
        | Observation::Violation(_) => {}
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

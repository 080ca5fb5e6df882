//! The keychain's core behind the World's types, and what its program may ask. Nothing is decided
//! here.

use std::collections::BTreeMap;

use turnstile_core::claim::keychain::{Command, Keychain, Timer};
use turnstile_core::claim::message::{ResourceName, Server};
use turnstile_core::number::IdempotencyKey;
use turnstile_machines::claim::{Resource, State as Stage};
use turnstile_step::{
    Core, Effect, EffectOf as EffectOfCore, Input, InputOf as CoreInput, Out, OutOf as CoreOut,
};
use turnstile_world::NodeId;
use turnstile_world::system::{InputOf, OutOf};

use super::cores::over;
use super::types::{self, Chain, ClaimTypes, Ended, Letter, Notice};
use super::{Claim, ClientRules, FRESH_KEY, RESOURCE};

type Of = Keychain<ClientRules>;

impl Claim {
    /// A program claims each resource, gives it back or ends at any moment; the store is behind one
    /// of the locks.
    pub(super) fn asks(&self, node: NodeId, chain: &Chain) -> Vec<types::Command> {
        if chain.is_closed {
            return Vec::new();
        }
        let mut asks = vec![types::Command::Keychain(Command::Close)];
        for resource in self.resources() {
            let key = IdempotencyKey::new(FRESH_KEY + node as u64);
            let claim = Command::Claim { resource, key };
            if chain.begun.contains(&resource) {
                asks.push(types::Command::ClaimAgain(claim));
            } else {
                asks.push(types::Command::Keychain(claim));
            }
            let is_at = |stage| chain.core.claim(resource).is_some_and(|one| one.at == stage);
            if is_at(Stage::StartingOver) {
                asks.push(types::Command::Keychain(Command::GoOn { resource, key }));
            }
            if chain.core.claim(resource).is_some() {
                asks.push(types::Command::Keychain(Command::Release { resource }));
            }
            let is_held = chain.core.claim(resource).is_some_and(|claim| claim.is_held());
            if resource == RESOURCE && is_held {
                asks.push(types::Command::Keychain(Command::Act { resource }));
            }
        }
        asks
    }

    pub(super) fn step_keychain(
        &self,
        choice: u8,
        chain: &mut Chain,
        input: InputOf<ClaimTypes>,
        out: &mut OutOf<ClaimTypes>,
    ) {
        let is_backed = matches!(&input, Input::Message { message, .. } if message.is_backed);
        let Some(input) = self.keychain_input(input) else { return };
        match input {
            Input::Command(Command::Claim { resource, .. }) => {
                chain.begun.insert(resource);
            }
            Input::Command(Command::Close) => chain.is_closed = true,
            Input::Restart(_) => *chain = Chain::default(),
            Input::Command(_) | Input::Message { .. } | Input::Fired(_) => {}
        }
        let is_timer = matches!(input, Input::Fired(_));
        if let Input::Fired(Timer { resource, timer: Resource::LeaseTimer }) = input {
            chain.backed.remove(&resource);
        }
        let claimed = chain.core.claimed().filter_map(|resource| {
            let client = chain.core.claim(resource)?;
            Some((resource, Ended { claim: client.claim, key: client.key }))
        });
        let before: BTreeMap<ResourceName, Ended> = claimed.collect();
        let mut inner: CoreOut<Of> = Out::default();
        let over = over::<Of>(&input).and_then(|claim| chain.core.resource_of(claim));
        let core = Keychain { rules: self.client.choosing(choice), waits: self.waits };
        core.step(&mut chain.core, input, &mut inner);
        let claim = over.and_then(|resource| chain.core.claim(resource));
        chain.is_deaf |= claim.is_some_and(|claim| claim.is_held());
        for (resource, was) in before {
            if chain.core.claim(resource).is_some() {
                continue;
            }
            if is_timer {
                chain.ended.remove(&resource);
            } else {
                chain.ended.insert(resource, was);
            }
        }
        chain.ended.retain(|resource, _| chain.core.claim(*resource).is_none());
        for effect in &inner.effects {
            back(chain, effect, is_backed);
        }
        out.rows.append(&mut inner.rows);
        out.effects.extend(inner.effects.into_iter().filter_map(|effect| match effect {
            Effect::Send { to, message } => {
                let to = if to == Server::Claims { self.server() } else { self.store() };
                Some(Effect::Send { to, message: Letter::plain(message) })
            }
            Effect::Arm(timer) => Some(Effect::Arm(types::Timer::Keychain(timer))),
            Effect::Disarm(timer) => Some(Effect::Disarm(types::Timer::Keychain(timer))),
            Effect::Save(()) => None,
            Effect::Notify(notice) => Some(Effect::Notify(Notice::Keychain(notice))),
        }));
    }

    fn keychain_input(&self, input: InputOf<ClaimTypes>) -> Option<CoreInput<Of>> {
        Some(match input {
            Input::Message { from, message: letter } => {
                let from = if from == self.server() { Server::Claims } else { Server::Store };
                Input::Message { from, message: letter.message }
            }
            Input::Fired(types::Timer::Keychain(timer)) => Input::Fired(timer),
            Input::Command(
                types::Command::Keychain(command) | types::Command::ClaimAgain(command),
            ) => Input::Command(command),
            Input::Fired(types::Timer::Client(_) | types::Timer::Server(_))
            | Input::Command(
                types::Command::Client(_)
                | types::Command::FreshKey(_)
                | types::Command::AskOtherwise
                | types::Command::Revoke(_),
            ) => return None,
            Input::Restart(_) => Input::Restart(None),
        })
    }
}

/// What an effect says of the lease of one of the claims.
fn back(chain: &mut Chain, effect: &EffectOfCore<Of>, is_backed: bool) {
    match effect {
        Effect::Arm(Timer { resource, timer: Resource::LeaseTimer }) if is_backed => {
            chain.backed.insert(*resource);
        }
        Effect::Arm(Timer { resource, timer: Resource::LeaseTimer })
        | Effect::Disarm(Timer { resource, timer: Resource::LeaseTimer }) => {
            chain.backed.remove(resource);
        }
        Effect::Arm(_)
        | Effect::Disarm(_)
        | Effect::Send { .. }
        | Effect::Save(())
        | Effect::Notify(_) => {}
    }
}

/// A command of a program in words.
pub(super) fn words(command: &Command) -> String {
    match command {
        Command::Claim { resource, key: _ } => format!("claim(resource {})", resource.0),
        Command::GoOn { resource, key: _ } => format!("a fresh key for resource {}", resource.0),
        Command::Release { resource } => format!("requests release of resource {}", resource.0),
        Command::Close => "its program ends".to_owned(),
        Command::Act { resource } => format!("acts on resource {}", resource.0),
    }
}

//! A keychain as a node: the commands of its program, and the checks of its steps.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use turnstile_claim_core::keychain::{self, Command, Keychain, Timer};
use turnstile_claim_core::message::{ResourceName, Server};
use turnstile_claim_core::number::{ClaimId, IdempotencyKey};
use turnstile_claim_machines::claim::{Resource, State as Stage};
use turnstile_ids::number::CallId;
use turnstile_step::{Core, Effect, EffectOf, Input, InputOf, OutOf, RowOutcome, Symbolic};
use turnstile_world::{Breaches, CoreNode, NodeId};

use crate::claim::{ClaimSystem, FRESH_KEY, RESOURCE};
use crate::envelope::{Envelope, Enveloped, received};
use crate::promises::posts_its_key;
use crate::rule;

/// A keychain, its program's claims, and the relation of its leases to the server's ttl.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Symbolic)]
pub(crate) struct KeychainState {
    /// The core's state.
    pub(crate) core: keychain::State,
    /// The resources with [`crate::client::ClientState::is_backed`].
    #[symbolic(skip)]
    pub(crate) backed: BTreeSet<ResourceName>,
    /// The resources that were ever claimed.
    #[symbolic(skip)]
    begun: BTreeSet<ResourceName>,
    /// The claims that the core has dropped, except those that ended by a timer.
    #[symbolic(values)]
    pub(crate) ended: BTreeMap<ResourceName, EndedClaim>,
    /// The program has ended.
    pub(crate) is_closed: bool,
}

/// A claim that ended by an answer: the id and the key by which the server may know it.
pub(crate) type EndedClaim = (Option<ClaimId>, Option<IdempotencyKey>);

/// A command of a program to its keychain.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Symbolic)]
pub(crate) struct ProgramCommand {
    /// The command of the core.
    pub(crate) command: Command,
    /// It claims a resource that it has claimed before.
    pub(crate) is_again: bool,
}

/// A keychain of a world.
#[derive(Clone, Debug)]
pub(crate) struct KeychainNode {
    pub(crate) claim: ClaimSystem,
    pub(crate) node: NodeId,
}

impl Core for KeychainNode {
    type State = KeychainState;
    type Peer = Server;
    type Message = Envelope;
    type Timer = Timer;
    type Command = ProgramCommand;
    type Notice = keychain::Notice;
    type Saved = ();

    fn start(&self) -> KeychainState {
        KeychainState::default()
    }

    fn step(&self, state: &mut KeychainState, input: InputOf<Self>, out: &mut OutOf<Self>) {
        CoreNode::step(self, self, state, input, out, &mut Breaches::default());
    }
}

/// The key that a program supplies for a claim.
fn supplied_key(input: &Input<Server, Envelope, Timer, Command, ()>) -> Option<IdempotencyKey> {
    match input {
        Input::Command(Command::Claim { key, .. } | Command::GoOn { key, .. }) => Some(*key),
        Input::Command(_) | Input::Fired(_) | Input::Message { .. } | Input::Restart(_) => None,
    }
}

/// Whether no outstanding request is of a claim that has ended: its answer would be another's.
fn drops_calls(core: &keychain::State) -> bool {
    let owners = (0..CALLS_MAX).map(|call| core.resource_of_call(CallId::new(call)));
    owners.flatten().all(|resource| core.claim(resource).is_some())
}

/// More requests than a keychain of a world has outstanding.
const CALLS_MAX: u16 = 32;

/// The violation where the POST of a new claim has not the key that its program drew.
const ANOTHER_KEY: RowOutcome = RowOutcome::ActionFailed {
    machine: "claim",
    action: "send POST",
    reason: "a new claim is posted with its own key",
};

/// The violation where a claim has ended, and an answer to it would be taken for one to the next.
const STRAY_CALL: RowOutcome = RowOutcome::ActionFailed {
    machine: "claim",
    action: "abandon request",
    reason: "an ended claim has no outstanding request",
};

impl CoreNode for KeychainNode {
    type Core = Self;

    fn core(&self, choice: u8) -> Self {
        Self { claim: self.claim.choosing(choice), node: self.node }
    }

    fn step(
        &self,
        node: &Self,
        keychain_state: &mut KeychainState,
        input: InputOf<Self>,
        out: &mut OutOf<Self>,
        breaches: &mut Breaches,
    ) {
        let received = received(&input);
        let is_timer = matches!(input, Input::Fired(_));
        let input = match input {
            Input::Command(ProgramCommand { command, is_again: _ }) => {
                keychain_state.is_closed |= command == Command::Close;
                if let Command::Claim { resource, .. } = command {
                    keychain_state.begun.insert(resource);
                }
                Input::Command(command)
            }
            Input::Fired(timer) => {
                if timer.timer == Resource::LeaseTimer {
                    keychain_state.backed.remove(&timer.resource);
                }
                Input::Fired(timer)
            }
            Input::Message { from, message } => Input::Message { from, message },
            Input::Restart(saved) => Input::Restart(saved),
        };
        let key = supplied_key(&input);
        let claimed = keychain_state.core.claimed().filter_map(|resource| {
            let client = keychain_state.core.claim(resource)?;
            Some((resource, (client.claim, client.key)))
        });
        let before: BTreeMap<ResourceName, EndedClaim> = claimed.collect();
        let over = received.and_then(Envelope::over).and_then(|claim| {
            let mut claims = before.iter();
            let known = claims.find(|(_, (known, _))| *known == Some(claim));
            known.map(|(resource, _)| *resource)
        });
        let core = Keychain { rules: node.claim.client.clone(), waits: node.claim.waits };
        Enveloped(core).step(&mut keychain_state.core, input, out);
        let claim = over.and_then(|resource| keychain_state.core.claim(resource));
        breaches.require(rule::KNOWN_END, !claim.is_some_and(|claim| claim.is_held()));
        for (resource, was) in before {
            if keychain_state.core.claim(resource).is_some() {
                continue;
            }
            if is_timer {
                keychain_state.ended.remove(&resource);
            } else {
                keychain_state.ended.insert(resource, was);
            }
        }
        keychain_state.ended.retain(|resource, _| keychain_state.core.claim(*resource).is_none());
        let is_its_key = key.is_none_or(|key| posts_its_key(&node.claim.client, key, &out.effects));
        out.rows.extend((!is_its_key).then_some(ANOTHER_KEY));
        out.rows.extend((!drops_calls(&keychain_state.core)).then_some(STRAY_CALL));
        for effect in &out.effects {
            back(keychain_state, effect, received.is_some_and(|envelope| envelope.is_backed));
        }
    }

    fn choices(&self) -> u8 {
        self.claim.client.choices()
    }

    fn node(&self, peer: Server) -> NodeId {
        self.claim.node_of(peer)
    }

    fn peer(&self, node: NodeId) -> Server {
        self.claim.server_at(node)
    }

    /// A program claims each resource, releases it or ends at any moment; one of the locks protects
    /// the store.
    fn commands(&self, keychain_state: &KeychainState) -> Vec<ProgramCommand> {
        if keychain_state.is_closed {
            return Vec::new();
        }
        let mut asks = vec![Command::Close];
        for resource in self.claim.resources() {
            let key = IdempotencyKey::new(FRESH_KEY + self.node as u64);
            asks.push(Command::Claim { resource, key });
            let Some(claim) = keychain_state.core.claim(resource) else { continue };
            if claim.at == Stage::StartingOver {
                asks.push(Command::GoOn { resource, key });
            }
            asks.push(Command::Release { resource });
            if resource == RESOURCE && claim.is_held() {
                asks.push(Command::Act { resource });
            }
        }
        let ask = |command| ProgramCommand {
            command,
            is_again: matches!(command, Command::Claim { resource, .. }
                if keychain_state.begun.contains(&resource)),
        };
        asks.into_iter().map(ask).collect()
    }

    fn timer_name(&self, timer: &Timer) -> &'static str {
        timer.timer.name()
    }

    fn heard_words(&self, envelope: &Envelope) -> String {
        envelope.heard_words()
    }

    fn timer_words(&self, timer: &Timer) -> String {
        timer.timer.to_string()
    }

    fn fired_words(&self, timer: &Timer) -> String {
        format!("{} triggers", timer.timer)
    }

    fn notice_words(&self, notice: &keychain::Notice) -> Option<String> {
        Some(if let keychain::Notice::Told { resource, notice } = notice {
            format!("tells program: {notice:?}, of resource {}", resource.0)
        } else {
            format!("tells program: {notice:?}")
        })
    }
}

/// Records what an effect does to the lease of a claim.
fn back(keychain_state: &mut KeychainState, effect: &EffectOf<KeychainNode>, is_backed: bool) {
    let (Effect::Arm(timer) | Effect::Disarm(timer)) = effect else { return };
    if timer.timer != Resource::LeaseTimer {
        return;
    }
    if is_backed && matches!(effect, Effect::Arm(_)) {
        keychain_state.backed.insert(timer.resource);
    } else {
        keychain_state.backed.remove(&timer.resource);
    }
}

impl fmt::Display for ProgramCommand {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.command {
            Command::Claim { resource, key: _ } => write!(f, "claim(resource {})", resource.0),
            Command::GoOn { resource, key: _ } => {
                write!(f, "a fresh key for resource {}", resource.0)
            }
            Command::Release { resource } => {
                write!(f, "requests release of resource {}", resource.0)
            }
            Command::Close => f.write_str("its program ends"),
            Command::Act { resource } => write!(f, "acts on resource {}", resource.0),
        }
    }
}

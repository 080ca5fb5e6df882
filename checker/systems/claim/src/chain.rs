//! A keychain as a node: what its program may ask, and what is judged of its steps.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use turnstile_core::claim::keychain::{self, Command, Keychain, Timer};
use turnstile_core::claim::message::{ResourceName, Server};
use turnstile_core::number::{ClaimId, IdempotencyKey};
use turnstile_machines::claim::{Resource, State as Stage};
use turnstile_step::{Core, Effect, EffectOf, Input, InputOf, OutOf, Symbolic};
use turnstile_world::{CoreNode, NodeId};

use crate::letter::{InLetters, Letter, heard};
use crate::system::{Claim, FRESH_KEY, RESOURCE};

/// A keychain, what its program has asked of it, and what its clock has to do with the server's.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Symbolic)]
pub(crate) struct Chain {
    /// The core's state.
    pub(crate) core: keychain::State,
    /// The resources of which [`crate::client::Lessee::is_backed`] is so.
    #[symbolic(skip)]
    pub(crate) backed: BTreeSet<ResourceName>,
    /// The resources that were ever claimed.
    #[symbolic(skip)]
    begun: BTreeSet<ResourceName>,
    /// What became of the claims that the core has forgotten, but for those whose time was over.
    #[symbolic(values)]
    pub(crate) ended: BTreeMap<ResourceName, Ended>,
    /// The program is there no more.
    pub(crate) is_closed: bool,
    /// It was told that a claim is over, and still says that the program holds the lock.
    pub(crate) is_deaf: bool,
}

/// A claim that has ended by an answer, by what the server may know it: its id, its key.
pub(crate) type Ended = (Option<ClaimId>, Option<IdempotencyKey>);

/// What a program asks of its keychain.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Symbolic)]
pub(crate) struct ProgramCommand {
    /// What.
    pub(crate) command: Command,
    /// It claims a resource that it has claimed before.
    pub(crate) is_again: bool,
}

/// A keychain of a world.
#[derive(Clone, Debug)]
pub(crate) struct KeychainNode {
    pub(crate) claim: Claim,
    pub(crate) node: NodeId,
}

impl Core for KeychainNode {
    type State = Chain;
    type Peer = Server;
    type Message = Letter;
    type Timer = Timer;
    type Command = ProgramCommand;
    type Notice = keychain::Notice;
    type Saved = ();

    fn start(&self) -> Chain {
        Chain::default()
    }

    fn step(&self, chain: &mut Chain, input: InputOf<Self>, out: &mut OutOf<Self>) {
        let heard = heard(&input);
        let is_timer = matches!(input, Input::Fired(_));
        let input = match input {
            Input::Command(ProgramCommand { command, is_again: _ }) => {
                chain.is_closed |= command == Command::Close;
                if let Command::Claim { resource, .. } = command {
                    chain.begun.insert(resource);
                }
                Input::Command(command)
            }
            Input::Fired(timer) => {
                if timer.timer == Resource::LeaseTimer {
                    chain.backed.remove(&timer.resource);
                }
                Input::Fired(timer)
            }
            Input::Message { from, message } => Input::Message { from, message },
            Input::Restart(saved) => Input::Restart(saved),
        };
        let claimed = chain.core.claimed().filter_map(|resource| {
            let client = chain.core.claim(resource)?;
            Some((resource, (client.claim, client.key)))
        });
        let before: BTreeMap<ResourceName, Ended> = claimed.collect();
        let over = heard.and_then(Letter::over).and_then(|claim| chain.core.resource_of(claim));
        let core = Keychain { rules: self.claim.client.clone(), waits: self.claim.waits };
        InLetters(core).step(&mut chain.core, input, out);
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
        for effect in &out.effects {
            back(chain, effect, heard.is_some_and(|letter| letter.is_backed));
        }
    }
}

impl CoreNode for KeychainNode {
    type Core = Self;

    fn core(&self, choice: u8) -> Self {
        Self { claim: self.claim.choosing(choice), node: self.node }
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

    /// A program claims each resource, gives it back or ends at any moment; the store is behind one
    /// of the locks.
    fn commands(&self, chain: &Chain) -> Vec<ProgramCommand> {
        if chain.is_closed {
            return Vec::new();
        }
        let mut asks = vec![Command::Close];
        for resource in self.claim.resources() {
            let key = IdempotencyKey::new(FRESH_KEY + self.node as u64);
            asks.push(Command::Claim { resource, key });
            let Some(claim) = chain.core.claim(resource) else { continue };
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
                if chain.begun.contains(&resource)),
        };
        asks.into_iter().map(ask).collect()
    }

    fn timer_name(&self, timer: &Timer) -> &'static str {
        timer.timer.name()
    }

    fn heard_words(&self, letter: &Letter) -> String {
        letter.heard_words()
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

/// What an effect says of the lease of one of the claims.
fn back(chain: &mut Chain, effect: &EffectOf<KeychainNode>, is_backed: bool) {
    let (Effect::Arm(timer) | Effect::Disarm(timer)) = effect else { return };
    if timer.timer != Resource::LeaseTimer {
        return;
    }
    if is_backed && matches!(effect, Effect::Arm(_)) {
        chain.backed.insert(timer.resource);
    } else {
        chain.backed.remove(&timer.resource);
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

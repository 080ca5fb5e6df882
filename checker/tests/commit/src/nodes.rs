//! The cores as nodes of a World: their addresses, and the commands of their users.

use turnstile_harness::tables::rules::AnyTable;
use turnstile_machine::Rules as _;
use turnstile_world::{CoreNode, NodeId};

use crate::coordinator::{self, Coordinator};
use crate::message::{Command, Peer};
use crate::participant::{self, Participant};

/// The coordinator's table, chosen at run time.
pub(crate) type CoordinatorRules = AnyTable<coordinator::Machine>;

/// The participants' table, chosen at run time.
pub(crate) type ParticipantRules = AnyTable<participant::Machine>;

impl CoreNode for Coordinator<CoordinatorRules> {
    type Core = Self;

    fn core(&self, choice: u8) -> Self {
        Self { rules: self.rules.choosing(choice), ..self.clone() }
    }

    fn choices(&self) -> u8 {
        self.rules.choices()
    }

    fn node(&self, peer: Peer) -> NodeId {
        peer
    }

    fn peer(&self, node: NodeId) -> Peer {
        node
    }

    fn commands(&self, state: &coordinator::State) -> Vec<Command> {
        if state.at == self.rules.initial() { vec![Command::Begin] } else { Vec::new() }
    }

    fn state_words(&self, state: &coordinator::State) -> Option<String> {
        Some(state.at.name().to_owned())
    }
}

impl CoreNode for Participant<ParticipantRules> {
    type Core = Self;

    fn core(&self, choice: u8) -> Self {
        Self { rules: self.rules.choosing(choice) }
    }

    fn choices(&self) -> u8 {
        self.rules.choices()
    }

    fn node(&self, peer: Peer) -> NodeId {
        peer
    }

    fn peer(&self, node: NodeId) -> Peer {
        node
    }

    fn commands(&self, state: &participant::State) -> Vec<Command> {
        let works = state.at == self.rules.initial() && state.can_commit;
        if works { vec![Command::Refuse] } else { Vec::new() }
    }

    fn state_words(&self, state: &participant::State) -> Option<String> {
        Some(state.at.name().to_owned())
    }
}

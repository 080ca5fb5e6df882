//! What the clones of a client share: its configuration, its connections to the server, and the
//! channel to its driver, which the first command starts.

use std::sync::{Mutex, PoisonError};

use tokio::sync::mpsc;
use turnstile_host::simulation;

use super::builder::LockClientBuilder;
use super::command::UserCommand;
use super::driver::ClientDriver;
use super::retry_policy::Rng;
use crate::client::requests::call::Caller;

/// What the clones of a client share.
#[derive(Debug)]
pub(super) struct ClientShared {
    pub(super) config: LockClientBuilder,
    pub(super) caller: Caller,
    /// The process id of the keychain, if there is one.
    pub(super) keychain: Option<u32>,
    pub(super) rng: Mutex<Rng>,
    pub(super) commands: Mutex<Option<mpsc::UnboundedSender<UserCommand>>>,
}

impl ClientShared {
    /// The channel for commands: to the keychain process, or to the driver in this process, which
    /// the first command starts in the current runtime.
    pub(super) fn commands(&self) -> mpsc::UnboundedSender<UserCommand> {
        let mut commands = self.commands.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(commands) = &*commands
            && (!commands.is_closed() || self.keychain.is_some())
        {
            return commands.clone();
        }
        let (sender, receiver) = mpsc::unbounded_channel();
        simulation::spawn(self.drive().run(receiver));
        *commands = Some(sender.clone());
        sender
    }

    pub(super) fn drive(&self) -> ClientDriver {
        let seed = self.rng.lock().unwrap_or_else(PoisonError::into_inner).number();
        let LockClientBuilder { clock, trace, .. } = &self.config;
        ClientDriver::new(self.caller.clone(), clock.clone(), Rng::seeded(seed), trace.clone())
    }
}

//! The start of a node's transport, by its configuration.

use std::io;

use tokio::net::TcpListener;

use super::address::not_an_address;
use super::network::{Dial, Listen, SystemTcp};
use super::options::{Options, PeerId};
use super::{Message, Tcp};
use crate::transport::Receiver;

impl<P: PeerId> Options<P> {
    /// Listens on a local address, `host:port`, and starts. Needs a tokio runtime.
    ///
    /// # Errors
    /// When the address cannot be bound, and as [`Options::start`].
    pub async fn bind<M, R>(self, listen: &str, receiver: R) -> io::Result<Tcp<P, M>>
    where
        M: Message,
        R: Receiver<P, M>,
    {
        let listener = TcpListener::bind(listen).await.map_err(|error| {
            if error.kind() == io::ErrorKind::InvalidInput {
                return io::Error::new(error.kind(), not_an_address(listen));
            }
            crate::at(listen)(error)
        })?;
        self.start(listener, SystemTcp, receiver)
    }

    /// Starts with a listener and a dialer. Needs a tokio runtime.
    ///
    /// # Errors
    /// When the protocol's name is empty or has more than 255 bytes.
    pub fn start<M, R, L, D>(self, listener: L, dial: D, receiver: R) -> io::Result<Tcp<P, M>>
    where
        M: Message,
        R: Receiver<P, M>,
        L: Listen,
        D: Dial,
    {
        let Self { own, protocol, peers, address_of, .. } = &self;
        if !(1..=255).contains(&protocol.len()) {
            let text =
                format!("the protocol's name has {} bytes: expected 1 to 255", protocol.len());
            return Err(io::Error::new(io::ErrorKind::InvalidInput, text));
        }
        if peers.is_empty() && address_of.is_none() {
            tracing::warn!(?own, "the node has no peers: it cannot send or receive messages");
        }
        Ok(Tcp::start(self, listener, dial, receiver))
    }
}

//! What stands for TLS without the feature `tls`: nobody has any.

use std::io;

use super::address::Address;
use super::network::{Stream, Wire};
use crate::transport::Refusal;

/// A node's certificate, of which there is none.
#[derive(Clone, Debug)]
pub(super) enum Tls {}

impl Tls {
    pub(super) async fn connect(&self, _stream: impl Stream, _to: &Address) -> io::Result<Wire> {
        match *self {}
    }

    pub(super) async fn accept(&self, _stream: impl Stream) -> io::Result<(Wire, PeerCertificate)> {
        match *self {}
    }
}

/// Says why a handshake has failed.
pub(super) fn explained(error: &io::Error) -> String {
    error.to_string()
}

/// The certificate of a peer, of which there is none.
pub(super) enum PeerCertificate {}

impl PeerCertificate {
    pub(super) fn is_of(&self, _peer: &Address) -> Result<(), Refusal> {
        match *self {}
    }
}

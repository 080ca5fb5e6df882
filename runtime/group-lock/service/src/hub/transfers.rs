//! The transfers of the application's state that go on.

use std::collections::BTreeMap;
use std::net::SocketAddr;

use tokio::sync::mpsc;
use turnstile_view_handler_core::MemberId;

use crate::wire::{Located, Piece};

/// The transfers of the application's state.
#[derive(Default)]
pub(super) struct Transfers {
    /// The members that may ask for it.
    pub(super) offers: BTreeMap<MemberId, mpsc::Sender<(u64, SocketAddr)>>,
    /// The member that gives it, and has said so last.
    pub(super) giver: Option<Located>,
    /// The pieces that have arrived.
    pub(super) pieces: Option<mpsc::Sender<(u64, Piece)>>,
}

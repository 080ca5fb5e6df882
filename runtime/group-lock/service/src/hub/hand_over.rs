//! How the application's state is given to a member that joins, and got from another one.

use std::io;
use std::sync::Arc;

use tokio::sync::mpsc;
use turnstile_view_handler_core::MemberId;

use super::Hub;
use crate::transfer::{offer, receive};
use crate::wire::{Located, Packet, Piece};

/// The maximum number of pieces of a state, or of questions for them, that wait.
const PULLS_MAX: usize = 4;

impl Hub {
    /// Gives the state to a member that asks for it from now on.
    pub(super) fn offer_state(self: &Arc<Self>, to: MemberId) {
        let (asked, pulls) = mpsc::channel(PULLS_MAX);
        let mut state = self.lock();
        state.transfers.offers.retain(|_, asked| !asked.is_closed());
        state.transfers.offers.insert(to, asked);
        let members = (state.router.own(), to);
        drop(state);
        tokio::spawn(offer(Arc::downgrade(self), self.state.clone(), members, pulls));
    }

    /// Gets the state from the member that has said last that it gives it.
    ///
    /// # Errors
    /// As [`receive`].
    pub(crate) async fn receive_state(&self) -> io::Result<()> {
        let (arrived, pieces) = mpsc::channel(PULLS_MAX);
        let giver = {
            let mut state = self.lock();
            state.transfers.pieces = Some(arrived);
            state.transfers.giver
        };
        match (&self.state, giver) {
            (Some(state), Some(giver)) => receive(self, &**state, giver, pieces).await,
            (None, _) | (_, None) => Ok(()),
        }
    }

    /// Asks for a piece of the state.
    pub(crate) fn pull(&self, (to, at): Located, place: u64) {
        let from = self.lock().router.own();
        self.transmit(vec![(at, Packet::Pull { from, to, place })]);
    }

    /// A member asks for a piece. What finds no room is asked for again.
    pub(super) fn pulled(&self, (from, at): Located, to: MemberId, place: u64) {
        if let Some(state) = self.lock_for(to)
            && let Some(offered) = state.transfers.offers.get(&from)
        {
            let _asked = offered.try_send((place, at));
        }
    }

    /// A piece has arrived. What finds no room is asked for again.
    pub(super) fn piece(&self, from: MemberId, to: MemberId, piece: (u64, Piece)) {
        if let Some(state) = self.lock_for(to)
            && state.transfers.giver.is_some_and(|(giver, _)| giver == from)
            && let Some(arrived) = &state.transfers.pieces
        {
            let _arrived = arrived.try_send(piece);
        }
    }
}

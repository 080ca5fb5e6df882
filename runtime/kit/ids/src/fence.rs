//! A store that checks fencing tokens: it rejects an operation whose token is older than the newest
//! token seen. It cannot reject an operation without a token, and it keeps no other data.

use core::fmt;

use turnstile_step::{Core, Effect, Input, InputOf, OutOf, Symbolic};

use crate::never::Never;
use crate::number::Token;

/// A client, by the number that the host of its server or of its store gives it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Symbolic)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Caller(pub u64);

/// An operation on the store.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Symbolic)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Act {
    /// The token of the lock under which it is executed, if it has one.
    pub token: Option<Token>,
}

/// The core of a store that checks fencing tokens.
///
/// Each [`Act`] causes one notice. A greater token is saved before its operation is accepted.
#[derive(Clone, Copy, Debug, Default)]
pub struct Fence;

/// The greatest token seen.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Symbolic)]
pub struct State {
    newest: Option<Token>,
}

impl State {
    /// The greatest token seen.
    #[must_use]
    pub const fn newest(&self) -> Option<Token> {
        self.newest
    }
}

/// The outcome of an operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Symbolic)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub enum Notice {
    /// It was executed.
    Accepted {
        /// The client.
        from: Caller,
        /// The token of the operation.
        token: Option<Token>,
    },
    /// It was rejected: a newer token was seen before.
    Refused {
        /// The client.
        from: Caller,
        /// The token of the operation.
        token: Token,
    },
}

impl Core for Fence {
    type State = State;
    type Peer = Caller;
    type Message = Act;
    type Timer = Never;
    type Command = Never;
    type Notice = Notice;
    type Saved = Option<Token>;

    fn start(&self) -> State {
        State::default()
    }

    fn step(&self, state: &mut State, input: InputOf<Self>, out: &mut OutOf<Self>) {
        match input {
            Input::Message { from, message: Act { token } } => act(state, from, token, out),
            Input::Fired(never) | Input::Command(never) => match never {},
            Input::Restart(saved) => state.newest = saved.flatten(),
        }
    }
}

fn act(state: &mut State, from: Caller, token: Option<Token>, out: &mut OutOf<Fence>) {
    if let (Some(token), Some(newest)) = (token, state.newest)
        && token < newest
    {
        out.effects.push(Effect::Notify(Notice::Refused { from, token }));
        return;
    }
    if token > state.newest {
        state.newest = token;
        out.effects.push(Effect::Save(token));
    }
    out.effects.push(Effect::Notify(Notice::Accepted { from, token }));
}

impl fmt::Display for Caller {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "client {}", self.0)
    }
}

impl fmt::Display for Notice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Accepted { from, token: Some(token) } => {
                write!(f, "accepted client {}, token {token}", from.0)
            }
            Self::Accepted { from, token: None } => {
                write!(f, "accepted client {}, no token", from.0)
            }
            Self::Refused { from, token } => write!(f, "refused client {}, token {token}", from.0),
        }
    }
}

#[cfg(test)]
mod tests {
    use alloc::vec;
    use alloc::vec::Vec;

    use super::*;
    use turnstile_step::{EffectOf, Out};

    fn acts(state: &mut State, from: u64, token: Option<u64>) -> Vec<EffectOf<Fence>> {
        let mut out = Out::default();
        let message = Act { token: token.map(Token::new) };
        Fence.step(state, Input::Message { from: Caller(from), message }, &mut out);
        out.effects
    }

    fn accepted(from: u64, token: Option<u64>) -> EffectOf<Fence> {
        Effect::Notify(Notice::Accepted { from: Caller(from), token: token.map(Token::new) })
    }

    #[test]
    fn an_older_token_is_refused_and_the_same_one_is_not() {
        let mut state = Fence.start();
        let newest = Effect::Save(Some(Token::new(4)));
        assert_eq!(acts(&mut state, 1, Some(4)), vec![newest, accepted(1, Some(4))]);
        let refused = Notice::Refused { from: Caller(2), token: Token::new(3) };
        assert_eq!(acts(&mut state, 2, Some(3)), vec![Effect::Notify(refused)]);
        assert_eq!(acts(&mut state, 1, Some(4)), vec![accepted(1, Some(4))]);
    }

    #[test]
    fn an_act_without_a_token_cannot_be_refused() {
        let mut state = Fence.start();
        acts(&mut state, 1, Some(4));
        assert_eq!(acts(&mut state, 2, None), vec![accepted(2, None)]);
        assert_eq!(state.newest(), Some(Token::new(4)));
    }

    #[test]
    fn a_restart_forgets_no_token() {
        let mut state = Fence.start();
        acts(&mut state, 1, Some(4));
        let mut out = Out::default();
        Fence.step(&mut state, Input::Restart(Some(Some(Token::new(4)))), &mut out);
        let refused = Notice::Refused { from: Caller(2), token: Token::new(3) };
        assert_eq!(acts(&mut state, 2, Some(3)), vec![Effect::Notify(refused)]);
    }
}

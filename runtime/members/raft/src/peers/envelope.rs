//! What stands before the content of requests between members, and of their answers.

use bytes::{Buf as _, BufMut as _, Bytes};

/// The size of what stands before the content of any request but the question who is there: its
/// kind, the id of its sender, and the processes of both.
const HEAD_BYTES: usize = 1 + 3 * 8;

/// The first byte of an answer: the content follows.
pub(super) const ANSWER: u8 = 0;
/// The first byte of an answer: the request was for another process.
pub(super) const OTHER_PROCESS: u8 = 1;
/// The first byte of an answer: the sender is refused, and the reason follows.
pub(super) const REFUSED: u8 = 2;
/// The first byte of an answer: the sender is refused since it was removed, and the text follows.
pub(super) const REMOVED: u8 = 3;

/// The head of a request.
pub(crate) struct Head {
    pub(crate) kind: u8,
    pub(crate) from: u64,
    pub(super) process: u64,
    pub(super) to_process: u64,
}

impl Head {
    /// Takes the head from a request; `None` if it has none.
    pub(crate) fn take(request: &mut Bytes) -> Option<Self> {
        if request.len() < HEAD_BYTES {
            return None;
        }
        let kind = request.get_u8();
        let (from, process) = (request.get_u64_le(), request.get_u64_le());
        Some(Self { kind, from, process, to_process: request.get_u64_le() })
    }

    /// The beginning of a request.
    pub(super) fn encode(&self) -> Vec<u8> {
        let Self { kind, from, process, to_process } = *self;
        let mut request = Vec::with_capacity(HEAD_BYTES);
        request.put_u8(kind);
        [from, process, to_process].into_iter().for_each(|number| request.put_u64_le(number));
        request
    }
}

/// The answer to a request, with this content.
pub(crate) fn answer(content: &[u8]) -> Bytes {
    [&[ANSWER], content].concat().into()
}

/// The answer to a request whose sender is refused, and why.
pub(crate) fn refused(why: &str) -> Bytes {
    refusal(REFUSED, why)
}

/// The answer to a request whose sender is refused: [`REFUSED`] or [`REMOVED`], and why.
pub(super) fn refusal(code: u8, why: &str) -> Bytes {
    [&[code], why.as_bytes()].concat().into()
}

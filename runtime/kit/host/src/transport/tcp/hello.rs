//! The hello message, the first frame of a connection: sender, receiver, protocol; and its answer.

use serde::Serialize;
use serde::de::DeserializeOwned;

use super::frame::HEAD;
use super::rejection::Rejection;
use crate::transport::Refusal;

/// The magic number of hello messages and answers.
const MAGIC: [u8; 4] = *b"TSTL";

/// The version of the framing and encoding. Nodes of different versions reject each other.
const VERSION: u16 = 1;

/// The maximum size of a hello message or answer in bytes.
pub(super) const MOST: usize = 1024;

/// The code of an answer that accepts.
const WELCOME: u8 = 0;

/// Encodes a hello message as a frame; `None` if the ids are too long.
pub(super) fn hello<P: Serialize>(protocol: &str, from: &P, to: &P) -> Option<Vec<u8>> {
    let mut frame = begin();
    frame.push(u8::try_from(protocol.len()).ok()?);
    frame.extend(protocol.as_bytes());
    let frame = postcard::to_extend(&(from, to), frame).ok()?;
    if frame.len() - HEAD > MOST {
        return None;
    }
    finish(frame)
}

/// Encodes an answer as a frame: accepted, or the reason of the rejection.
pub(super) fn answer(rejection: Option<&Rejection>) -> Option<Vec<u8>> {
    let mut frame = begin();
    match rejection {
        Some(rejection) => rejection.write(&mut frame),
        None => frame.push(WELCOME),
    }
    finish(frame)
}

fn begin() -> Vec<u8> {
    let mut frame = vec![0; HEAD];
    frame.extend(MAGIC);
    frame.extend(VERSION.to_be_bytes());
    frame
}

fn finish(mut frame: Vec<u8>) -> Option<Vec<u8>> {
    let length = u32::try_from(frame.len() - HEAD).ok()?;
    frame[..HEAD].copy_from_slice(&length.to_be_bytes());
    Some(frame)
}

/// Decodes a hello message: the ids of its sender and receiver.
pub(super) fn read_hello<P>(frame: &[u8], protocol: &str) -> Result<(P, P), Rejection>
where
    P: DeserializeOwned,
{
    let (length, rest) = versioned(frame)?.split_first().ok_or(Refusal::NoHello)?;
    let (name, ids) = rest.split_at_checked(usize::from(*length)).ok_or(Refusal::NoHello)?;
    if name != protocol.as_bytes() {
        let name = String::from_utf8_lossy(name);
        let about = format!("this node's protocol is {protocol:?}, the peer's {name:?}");
        return Err(Rejection::new(Refusal::Protocol, about));
    }
    postcard::from_bytes(ids).map_err(|_| Refusal::NoHello.into())
}

/// Decodes an answer.
pub(super) fn read_answer(frame: &[u8]) -> Result<(), Rejection> {
    match versioned(frame)? {
        [WELCOME] => Ok(()),
        rejected => Err(Rejection::read(rejected).unwrap_or(Refusal::NoHello.into())),
    }
}

/// The bytes after the magic number and the version.
fn versioned(frame: &[u8]) -> Result<&[u8], Rejection> {
    let rest = frame.strip_prefix(&MAGIC).ok_or(Refusal::NoHello)?;
    let (version, rest) = rest.split_first_chunk::<2>().ok_or(Refusal::NoHello)?;
    let version = u16::from_be_bytes(*version);
    if version != VERSION {
        let about = format!(
            "this node has version {VERSION}, the peer {version}: start the same program at both"
        );
        return Err(Rejection::new(Refusal::Version, about));
    }
    Ok(rest)
}

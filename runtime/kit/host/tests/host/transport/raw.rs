//! Bytes of a connection as somebody could write them who is no node.

use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWriteExt as _, DuplexStream};

use super::inbox::Text;
use super::pipes::PROTOCOL;

/// A frame that says that its sender is there.
pub(crate) const BEAT: &[u8] = &[0, 0, 0, 1, 0];

/// A frame that welcomes.
pub(crate) fn welcome() -> Vec<u8> {
    frame(b"TSTL\x00\x01\x00")
}

/// A hello in a version of the framing and in a protocol.
pub(crate) fn hello_in(version: u8, protocol: &str, from: u32, to: u32) -> Vec<u8> {
    let mut bytes = b"TSTL\x00".to_vec();
    bytes.push(version);
    bytes.push(u8::try_from(protocol.len()).expect("it is short"));
    bytes.extend(protocol.as_bytes());
    frame(&postcard::to_extend(&(from, to), bytes).expect("ids can be written"))
}

/// The hello of a node of these tests.
pub(crate) fn hello(from: u32, to: u32) -> Vec<u8> {
    hello_in(1, PROTOCOL, from, to)
}

/// A frame with a message.
pub(crate) fn message(text: &Text) -> Vec<u8> {
    frame(&postcard::to_extend(text, vec![1]).expect("a text can be written"))
}

pub(crate) fn frame(bytes: &[u8]) -> Vec<u8> {
    let length = u32::try_from(bytes.len()).expect("it is short");
    [&length.to_be_bytes(), bytes].concat()
}

/// Reads a frame.
pub(crate) async fn read(stream: &mut (impl AsyncRead + Unpin)) -> Vec<u8> {
    let length = stream.read_u32().await.expect("a frame comes");
    let mut bytes = vec![0; usize::try_from(length).expect("it is short")];
    stream.read_exact(&mut bytes).await.expect("all of it comes");
    bytes
}

/// Says hello and hears the welcome.
pub(crate) async fn begin(stream: &mut DuplexStream, from: u32, to: u32) {
    stream.write_all(&hello(from, to)).await.expect("somebody listens");
    assert_eq!(frame(&read(stream).await), welcome());
}

/// Waits until the peer closed the connection, and tells what it still said.
pub(crate) async fn rest(stream: &mut (impl AsyncRead + Unpin)) -> Vec<u8> {
    let mut bytes = Vec::new();
    stream.read_to_end(&mut bytes).await.expect("the other side ends the connection");
    bytes
}

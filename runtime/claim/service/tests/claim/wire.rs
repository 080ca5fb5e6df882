//! A stream that a test hands to the server: what is read and written is the inner one's.

use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::pin::Pin;
use std::task::{Context, Poll};

use tokio::io::{
    AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _, DuplexStream, ReadBuf, duplex,
};
use tokio::sync::mpsc;
use tokio::task::JoinHandle;
use turnstile_claim::server::{Accept, Server, TryWrite};

/// A stream; each test says what its last word is.
pub(crate) struct Wire<S>(pub(crate) S);

impl<S: AsyncRead + Unpin> AsyncRead for Wire<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_read(context, buffer)
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for Wire<S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.0).poll_write(context, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_shutdown(context)
    }
}

/// An end of a connection within the process, that holds a few bytes only.
pub(crate) type Pipe = Wire<DuplexStream>;

impl TryWrite for Pipe {
    fn try_write(&self, _text: &[u8]) {}
}

/// Where such connections come from.
struct Pipes(mpsc::UnboundedReceiver<DuplexStream>);

impl Accept for Pipes {
    type Stream = Pipe;

    async fn accept(&mut self) -> io::Result<(Pipe, SocketAddr)> {
        match self.0.recv().await {
            Some(pipe) => Ok((Wire(pipe), (Ipv4Addr::LOCALHOST, 1).into())),
            None => std::future::pending().await,
        }
    }
}

/// Serves connections within the process, which hold so many bytes each: how one connects, and the
/// server.
pub(crate) fn serve(
    server: Server,
    bytes: usize,
) -> (impl Fn() -> DuplexStream, JoinHandle<io::Result<()>>) {
    let (pipes, accepted) = mpsc::unbounded_channel();
    let connect = move || {
        let (near, far) = duplex(bytes);
        pipes.send(far).expect("the server takes it");
        near
    };
    (connect, tokio::spawn(server.serve(Pipes(accepted), std::future::pending())))
}

/// Asks, and reads until the answer is there or so many bytes of it.
pub(crate) async fn ask(pipe: &mut DuplexStream, request: &str, most: usize) -> String {
    pipe.write_all(request.as_bytes()).await.expect("the server reads");
    let mut bytes = Vec::new();
    while bytes.len() < most {
        let read = pipe.read_buf(&mut bytes).await.expect("the server answers");
        if read == 0 || is_whole(&bytes) {
            break;
        }
    }
    String::from_utf8(bytes).expect("text")
}

fn is_whole(answer: &[u8]) -> bool {
    let beginning = String::from_utf8_lossy(&answer[..answer.len().min(500)]);
    let Some((head, _)) = beginning.split_once("\r\n\r\n") else { return false };
    let len = head.split("content-length: ").nth(1).and_then(|rest| rest.lines().next());
    match len.and_then(|len| len.parse::<usize>().ok()) {
        Some(len) => answer.len() >= head.len() + 4 + len,
        // It has no body.
        None if head.starts_with("HTTP/1.1 204") => true,
        None => answer.ends_with(b"0\r\n\r\n"),
    }
}

/// A request with a JSON body; its line is the method and the path.
pub(crate) fn request(line: &str, body: &str) -> String {
    let head = format!("{line} HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json");
    format!("{head}\r\ncontent-length: {}\r\n\r\n{body}", body.len())
}

pub(crate) fn get(path: &str) -> String {
    format!("GET {path} HTTP/1.1\r\nhost: localhost\r\n\r\n")
}

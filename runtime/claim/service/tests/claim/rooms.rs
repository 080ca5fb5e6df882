//! Which connection is closed for another one, in a simulated time: those of any address.

use std::io;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::time::Duration;

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _, DuplexStream, duplex};
use tokio::sync::mpsc;
use turnstile_claim::server::{Accept, Options, Server, Storage};

use super::tokens::tokens;
use crate::wire::{Pipe, Wire, ask, get};

const HOME: IpAddr = IpAddr::V4(Ipv4Addr::LOCALHOST);
const OTHER: IpAddr = IpAddr::V4(Ipv4Addr::new(192, 0, 2, 1));

/// Where connections come from, each with its address.
struct Doors(mpsc::UnboundedReceiver<(DuplexStream, IpAddr)>);

impl Accept for Doors {
    type Stream = Pipe;

    async fn accept(&mut self) -> io::Result<(Pipe, SocketAddr)> {
        match self.0.recv().await {
            Some((pipe, from)) => Ok((Wire(pipe), (from, 1).into())),
            None => std::future::pending().await,
        }
    }
}

/// A server far more patient than any test, and its open connections, in the order of their time.
struct Room {
    doors: mpsc::UnboundedSender<(DuplexStream, IpAddr)>,
    open: Vec<DuplexStream>,
}

impl Room {
    fn of(connections_max: usize) -> Self {
        let patience = Duration::from_secs(600);
        let options = Options {
            connections_max,
            tokens: tokens("rooms.tokens", "secret\n"),
            header_timeout: patience,
            body_timeout: patience,
            ..Options::default()
        };
        let server = Server::open(Storage::Memory, options).expect("nothing to read");
        let (doors, accepted) = mpsc::unbounded_channel();
        tokio::spawn(server.serve(Doors(accepted), std::future::pending()));
        Self { doors, open: Vec::new() }
    }

    /// Connects, and asks without a token. Returns the place of the connection that is closed for
    /// it.
    async fn enter(&mut self, from: IpAddr) -> Option<usize> {
        let (mut near, far) = duplex(1 << 12);
        self.doors.send((far, from)).expect("the server takes it");
        let answer = ask(&mut near, &get("/healthz"), usize::MAX).await;
        assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
        tokio::time::advance(Duration::from_millis(5)).await;
        let mut closed = None;
        for (place, pipe) in self.open.iter_mut().enumerate() {
            let read = tokio::select! {
                biased;
                read = pipe.read_u8() => Some(read),
                () = std::future::ready(()) => None,
            };
            if read.is_some_and(|read| read.is_err()) {
                assert_eq!(closed.replace(place), None, "one is enough");
            }
        }
        if let Some(place) = closed {
            drop(self.open.remove(place));
        }
        self.open.push(near);
        closed
    }

    /// Connects where there is room.
    async fn fill(&mut self, from: IpAddr, count: usize) {
        for _ in 0..count {
            assert_eq!(self.enter(from).await, None, "there is room");
        }
    }

    /// Asks on a connection with a token, or without one.
    async fn ask(&mut self, place: usize, with_token: bool) {
        let known = "authorization: Bearer secret\r\nhost:";
        let request = match with_token {
            true => get("/v1/claims/").replace("host:", known),
            false => get("/healthz"),
        };
        let answer = ask(&mut self.open[place], &request, usize::MAX).await;
        assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
        tokio::time::advance(Duration::from_millis(5)).await;
    }

    /// Asks for a lock, which is granted at once if it is free; otherwise the server is at work for
    /// `wait` seconds.
    async fn post(&mut self, place: usize, wait: u32) {
        let body = r#"{"resource":"r","ttl":900}"#;
        let head = "POST /v1/claims/ HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer secret";
        let kind = format!("content-type: application/json\r\nprefer: wait={wait}");
        let request = format!("{head}\r\n{kind}\r\ncontent-length: {}\r\n\r\n{body}", body.len());
        if wait == 0 {
            let answer = ask(&mut self.open[place], &request, usize::MAX).await;
            assert!(answer.starts_with("HTTP/1.1 201"), "{answer}");
            return;
        }
        let sent = self.open[place].write_all(request.as_bytes()).await;
        sent.expect("the server reads");
        // Until it has read: nothing else runs.
        for _ in 0..100 {
            tokio::task::yield_now().await;
        }
    }
}

#[tokio::test(start_paused = true)]
async fn the_stranger_that_dawdles_longest_makes_room() {
    let mut room = Room::of(8);
    room.fill(HOME, 8).await;
    room.ask(0, true).await;
    room.ask(1, false).await;
    assert_eq!(room.enter(HOME).await, Some(2));
    assert_eq!(room.enter(HOME).await, Some(2));
    assert_eq!(room.enter(OTHER).await, Some(2), "from wherever");
}

#[tokio::test(start_paused = true)]
async fn the_known_keep_seven_eighths_and_leave_the_rest() {
    let mut room = Room::of(8);
    room.fill(HOME, 8).await;
    for place in 0..8 {
        room.ask(place, true).await;
    }
    assert_eq!(room.enter(HOME).await, Some(0), "they have one more than theirs");
    for _ in 0..20 {
        assert_eq!(room.enter(HOME).await, Some(7), "strangers take turns");
    }
}

#[tokio::test(start_paused = true)]
async fn nobody_makes_room_who_is_at_work() {
    let mut room = Room::of(2);
    room.fill(HOME, 2).await;
    room.post(0, 0).await;
    room.post(1, 300).await;
    let place = room.enter(HOME).await;
    assert_eq!(place, Some(0), "the other one waits for its lock");
}

#[tokio::test(start_paused = true)]
async fn an_address_that_has_its_share_makes_room_itself() {
    let mut room = Room::of(16);
    room.fill(HOME, 1).await;
    room.fill(OTHER, 4).await;
    assert_eq!(room.enter(OTHER).await, Some(1), "a quarter is its share");
    room.fill(HOME, 11).await;
    assert_eq!(room.enter(HOME).await, Some(0), "a workstation has them all");
}

//! Locks of redis as in its manual: `SET NX PX`, released by a script that compares.
//!
//! For a lock that is handed over in order, waiters wait in `BLPOP`, and a release pushes.

use std::net::SocketAddr;

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

use crate::lock::Lock;

/// Deletes the lock if this client still holds it.
const UNLOCK: &str =
    "if redis.call('get',KEYS[1])==ARGV[1] then return redis.call('del',KEYS[1]) else return 0 end";
/// The same, and wakes the client that has waited longest.
const PASS: &str = "if redis.call('get',KEYS[1])==ARGV[1] then redis.call('del',KEYS[1]) return \
                    redis.call('lpush',KEYS[1]..':queue','next') else return 0 end";

/// One kept-alive connection.
struct Resp {
    stream: TcpStream,
    out: String,
    buffer: Vec<u8>,
}

impl Resp {
    async fn connect(at: SocketAddr) -> Self {
        let stream = TcpStream::connect(at).await.expect("the server listens");
        stream.set_nodelay(true).expect("a socket takes it");
        Self { stream, out: String::new(), buffer: Vec::new() }
    }

    /// Sends one command. Returns the last line of its response.
    async fn call(&mut self, words: &[&str]) -> &str {
        self.out.clear();
        self.out.push_str(&format!("*{}\r\n", words.len()));
        for word in words {
            self.out.push_str(&format!("${}\r\n{word}\r\n", word.len()));
        }
        self.stream.write_all(self.out.as_bytes()).await.expect("the server reads");
        self.buffer.clear();
        while !is_whole(&self.buffer) {
            let read = self.stream.read_buf(&mut self.buffer).await.expect("the server answers");
            assert_ne!(read, 0, "the server keeps the connection");
        }
        let text = std::str::from_utf8(&self.buffer).expect("answers are text");
        text.lines().last().expect("a line")
    }
}

/// Whether the response is complete: one line, two for a text, five for a list of two texts.
fn is_whole(answer: &[u8]) -> bool {
    let lines = match answer.first() {
        None => return false,
        Some(b'*') => 5,
        Some(b'$') => 2,
        Some(_) => 1,
    };
    answer.ends_with(b"\n") && answer.iter().filter(|byte| **byte == b'\n').count() == lines
}

/// A client of redis. A lock without a lease is handed over by two commands instead of three, and
/// a crash of its holder loses it.
pub(crate) struct Redis<const HAS_LEASE: bool> {
    resp: Resp,
    unlock: String,
    pass: String,
    name: String,
    token: u64,
}

impl<const HAS_LEASE: bool> Redis<HAS_LEASE> {
    async fn set(&mut self) {
        self.token += 1;
        let token = self.token.to_string();
        let set = self.resp.call(&["SET", &self.name, &token, "NX", "PX", "60000"]).await;
        assert_eq!(set, "+OK", "nobody else wants it");
    }

    async fn release(&mut self, script: String) -> String {
        let token = self.token.to_string();
        let released = self.resp.call(&["EVALSHA", &script, "1", &self.name, &token]).await;
        assert_ne!(released, ":0", "the lock is held");
        script
    }
}

impl<const HAS_LEASE: bool> Lock for Redis<HAS_LEASE> {
    async fn connect(at: SocketAddr) -> Self {
        let mut resp = Resp::connect(at).await;
        let unlock = resp.call(&["SCRIPT", "LOAD", UNLOCK]).await.to_owned();
        let pass = resp.call(&["SCRIPT", "LOAD", PASS]).await.to_owned();
        Self { resp, unlock, pass, name: String::new(), token: 0 }
    }

    async fn lock(&mut self, name: &str) {
        name.clone_into(&mut self.name);
        self.set().await;
    }

    async fn unlock(&mut self) {
        let script = std::mem::take(&mut self.unlock);
        self.unlock = self.release(script).await;
    }

    async fn prepare(&mut self, name: &str) {
        self.resp.call(&["DEL", name, &format!("{name}:queue")]).await;
        self.resp.call(&["LPUSH", &format!("{name}:queue"), "next"]).await;
    }

    async fn wait(&mut self, name: &str) {
        name.clone_into(&mut self.name);
        let called = self.resp.call(&["BLPOP", &format!("{name}:queue"), "0"]).await;
        assert_eq!(called, "next", "its turn comes");
        if HAS_LEASE {
            self.set().await;
        }
    }

    async fn pass(&mut self) {
        if HAS_LEASE {
            let script = std::mem::take(&mut self.pass);
            self.pass = self.release(script).await;
        } else {
            let queue = format!("{}:queue", self.name);
            self.resp.call(&["LPUSH", &queue, "next"]).await;
        }
    }
}

//! Requests to a claim server over one connection, without the project's own client.

use std::io::{self, BufRead as _, BufReader, Read as _, Write as _};
use std::net::{SocketAddr, TcpStream};
use std::time::Duration;

use serde_json::Value;

/// The maximum time for an answer.
const PATIENCE: Duration = Duration::from_secs(15);
/// The longest body that is read.
const BODY_MAX: u64 = 1 << 20;

/// A connection, if there is one.
pub(crate) struct Http {
    server: SocketAddr,
    stream: Option<BufReader<TcpStream>>,
}

/// An answer of the server.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) body: Value,
}

impl Http {
    pub(crate) const fn new(server: SocketAddr) -> Self {
        Self { server, stream: None }
    }

    /// Sends a request. After an error nobody knows whether it had an effect.
    pub(crate) fn request(&mut self, line: &str, body: &str) -> io::Result<Answer> {
        let mut stream = match self.stream.take() {
            Some(stream) => stream,
            None => self.connect()?,
        };
        let text = format!(
            "{line} HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n\
             content-length: {}\r\n\r\n{body}",
            body.len()
        );
        stream.get_mut().write_all(text.as_bytes())?;
        let (answer, is_kept) = read(&mut stream)?;
        self.stream = is_kept.then_some(stream);
        Ok(answer)
    }

    fn connect(&self) -> io::Result<BufReader<TcpStream>> {
        let stream = TcpStream::connect_timeout(&self.server, PATIENCE)?;
        stream.set_read_timeout(Some(PATIENCE))?;
        stream.set_write_timeout(Some(PATIENCE))?;
        stream.set_nodelay(true)?;
        Ok(BufReader::new(stream))
    }
}

/// Reads an answer, and whether the connection is kept.
fn read(stream: &mut BufReader<TcpStream>) -> io::Result<(Answer, bool)> {
    let mut line = String::new();
    stream.read_line(&mut line)?;
    let status = line.get(9..12).and_then(|status| status.parse().ok()).ok_or_else(broken)?;
    let (mut length, mut is_kept) = (0, true);
    loop {
        line.clear();
        if stream.read_line(&mut line)? == 0 {
            return Err(broken());
        }
        let Some((name, value)) = line.trim_end().split_once(':') else { break };
        match name.to_ascii_lowercase().as_str() {
            "content-length" => length = value.trim().parse().map_err(|_| broken())?,
            "connection" => is_kept = !value.trim().eq_ignore_ascii_case("close"),
            _ => {}
        }
    }
    let mut bytes = Vec::new();
    stream.take(length.min(BODY_MAX)).read_to_end(&mut bytes)?;
    if (bytes.len() as u64) < length {
        return Err(broken());
    }
    let body = serde_json::from_slice(&bytes).unwrap_or(Value::Null);
    Ok((Answer { status, body }, is_kept))
}

fn broken() -> io::Error {
    io::Error::new(io::ErrorKind::UnexpectedEof, "the answer is cut short")
}

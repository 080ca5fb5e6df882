//! A minimal HTTP client: the generator shares the processors with the server.

use std::net::SocketAddr;

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

/// One kept-alive connection.
pub(crate) struct Client {
    stream: TcpStream,
    /// Further fields of the header of each request.
    fields: String,
    out: String,
    buffer: Vec<u8>,
}

/// The parts of a response that are used.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    /// The claim's id in the Location header, if any.
    pub(crate) id: u64,
}

impl Client {
    pub(crate) async fn connect(at: SocketAddr) -> Self {
        let stream = TcpStream::connect(at).await.expect("the server listens");
        stream.set_nodelay(true).expect("a socket takes it");
        Self { stream, fields: String::new(), out: String::new(), buffer: Vec::new() }
    }

    /// The same connection with a bearer token.
    pub(crate) fn with_token(self, secret: &str) -> Self {
        Self { fields: format!("authorization: Bearer {secret}\r\n"), ..self }
    }

    pub(crate) async fn post(&mut self, resource: &str, wait: bool) -> Answer {
        let body = format!(r#"{{"resource":"{resource}","ttl":60}}"#);
        self.call("POST /v1/claims/", &body, wait).await
    }

    pub(crate) async fn patch(&mut self, id: u64, status: &str, wait: bool) -> Answer {
        let body = format!(r#"{{"status":"{status}"}}"#);
        self.call(&format!("PATCH /v1/claims/{id}/"), &body, wait).await
    }

    /// Requests a list that matches no claim.
    pub(crate) async fn filter(&mut self) -> Answer {
        self.call("GET /v1/claims/?minimum_active_duration=1e9", "", false).await
    }

    pub(crate) async fn call(&mut self, line: &str, body: &str, wait: bool) -> Answer {
        let prefer = if wait { "prefer: wait=30\r\n" } else { "" };
        let (len, fields) = (body.len(), &self.fields);
        self.out.clear();
        self.out.push_str(&format!(
            "{line} HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n{prefer}\
             {fields}content-length: {len}\r\n\r\n{body}"
        ));
        self.stream.write_all(self.out.as_bytes()).await.expect("the server reads");
        self.buffer.clear();
        loop {
            let read = self.stream.read_buf(&mut self.buffer).await.expect("the server answers");
            assert_ne!(read, 0, "the server keeps the connection");
            if let Some(answer) = parse(&self.buffer) {
                return answer;
            }
        }
    }

    /// The last response.
    pub(crate) fn text(&self) -> &str {
        std::str::from_utf8(&self.buffer).expect("it is text")
    }

    /// The text after `"name":"` in the last response.
    pub(crate) fn field(&self, name: &str) -> String {
        let text = self.text();
        let (_, value) = text.split_once(&format!("\"{name}\":\"")).expect(text);
        value.split('"').next().expect("a first part").to_owned()
    }
}

/// A complete response, if it has been received.
fn parse(bytes: &[u8]) -> Option<Answer> {
    let text = std::str::from_utf8(bytes).ok()?;
    let (head, body) = text.split_once("\r\n\r\n")?;
    let field = |name: &str| {
        head.lines().find_map(|line| {
            let (start, value) = line.split_at_checked(name.len())?;
            start.eq_ignore_ascii_case(name).then(|| value.trim())
        })
    };
    let len = field("content-length:").map_or(0, |len| len.parse().expect("a number"));
    if body.len() < len {
        return None;
    }
    let status = head.get(9..12).and_then(|status| status.parse().ok()).expect("a status");
    let id = field("location:")
        .and_then(|url| url.trim_end_matches('/').rsplit('/').next()?.parse().ok())
        .unwrap_or(0);
    Some(Answer { status, id })
}

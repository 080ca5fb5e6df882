//! A small HTTP client over one connection; it returns the status and the body of a response.

use std::io;
use std::net::SocketAddr;

use tokio::io::{AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::net::TcpStream;

/// One connection.
pub(crate) struct Client {
    stream: BufReader<TcpStream>,
}

/// A complete response.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) body: Vec<u8>,
}

impl Answer {
    /// The claim's id; 0 if the response has none.
    pub(crate) fn id(&self) -> u64 {
        let body: Option<serde_json::Value> = serde_json::from_slice(&self.body).ok();
        let url = body.as_ref().and_then(|body| body["url"].as_str()).unwrap_or_default();
        url.trim_end_matches('/').rsplit('/').next().and_then(|id| id.parse().ok()).unwrap_or(0)
    }
}

impl Client {
    pub(crate) async fn connect(at: SocketAddr) -> io::Result<Self> {
        let stream = TcpStream::connect(at).await?;
        stream.set_nodelay(true)?;
        Ok(Self { stream: BufReader::new(stream) })
    }

    /// Posts a claim; `headers` are complete lines.
    pub(crate) async fn post(&mut self, body: &str, headers: &str) -> io::Result<Answer> {
        self.send("POST", "/v1/claims/", headers, body).await?;
        self.hear().await
    }

    pub(crate) async fn set(&mut self, id: u64, status: &str, headers: &str) -> io::Result<Answer> {
        let body = format!(r#"{{"status":"{status}"}}"#);
        self.send("PATCH", &format!("/v1/claims/{id}/"), headers, &body).await?;
        self.hear().await
    }

    pub(crate) async fn get(&mut self, path: &str) -> io::Result<Answer> {
        self.send("GET", path, "", "").await?;
        self.hear().await
    }

    /// Sends a request without waiting for its response.
    pub(crate) async fn send(
        &mut self,
        method: &str,
        path: &str,
        headers: &str,
        body: &str,
    ) -> io::Result<()> {
        let len = body.len();
        let text = format!(
            "{method} {path} HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n\
             {headers}content-length: {len}\r\n\r\n{body}"
        );
        self.stream.get_mut().write_all(text.as_bytes()).await
    }

    async fn hear(&mut self) -> io::Result<Answer> {
        let unread = |what: &str| io::Error::other(format!("no {what} in the answer"));
        let line = self.line().await?;
        let status = line.split(' ').nth(1).and_then(|status| status.parse().ok());
        let status = status.ok_or_else(|| unread("status"))?;
        let (mut len, mut is_chunked) = (0, false);
        loop {
            let line = self.line().await?.to_ascii_lowercase();
            let Some((name, value)) = line.split_once(':') else { break };
            match name {
                "content-length" => len = value.trim().parse().map_err(|_| unread("length"))?,
                "transfer-encoding" => is_chunked = value.trim() == "chunked",
                _ => {}
            }
        }
        let mut body = Vec::new();
        if !is_chunked {
            self.read(&mut body, len).await?;
        }
        while is_chunked {
            let line = self.line().await?;
            let len = usize::from_str_radix(&line, 16).map_err(|_| unread("length"))?;
            self.read(&mut body, len).await?;
            self.line().await?;
            is_chunked = len > 0;
        }
        Ok(Answer { status, body })
    }

    async fn read(&mut self, body: &mut Vec<u8>, len: usize) -> io::Result<()> {
        let begin = body.len();
        body.resize(begin + len, 0);
        self.stream.read_exact(&mut body[begin..]).await.map(drop)
    }

    async fn line(&mut self) -> io::Result<String> {
        let mut line = String::new();
        match self.stream.read_line(&mut line).await? {
            0 => Err(io::ErrorKind::UnexpectedEof.into()),
            _ => Ok(line.trim_end().to_owned()),
        }
    }
}

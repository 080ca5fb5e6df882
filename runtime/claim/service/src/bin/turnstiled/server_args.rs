//! The server that a command of `turnstiled` asks.

use clap::Args;
use turnstile_claim::client::{Error, LockClient, LockClientBuilder};

const DEFAULT_URL: &str = "http://127.0.0.1:5000";

/// The server that a command asks.
#[derive(Args, Debug)]
pub(crate) struct ServerArgs {
    /// The URL of a member [default: TURNSTILE_URL, or http://127.0.0.1:5000].
    #[arg(long, value_name = "URL")]
    url: Option<String>,
}

impl ServerArgs {
    pub(crate) fn client(self) -> Result<LockClient, Error> {
        let url = self.url.or_else(|| std::env::var("TURNSTILE_URL").ok());
        LockClientBuilder::from_list(url.as_deref().unwrap_or(DEFAULT_URL)).build()
    }
}

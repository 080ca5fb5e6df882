//! Requests to the servers of one service, and their answers.

pub(crate) mod answer;
pub(crate) mod call;
pub(crate) mod connect;
pub(crate) mod explain;
pub(crate) mod pending_request;
pub(crate) mod redact;
pub(crate) mod request;
pub(crate) mod server_address;
pub(crate) mod server_list;
pub(crate) mod watch;

//! What the kernel asks and is told: requests, answers, and what it is made to forget.

pub(crate) mod answer;
pub(crate) mod caller;
pub(crate) mod reply;
pub(crate) mod request;
pub(crate) mod trim;

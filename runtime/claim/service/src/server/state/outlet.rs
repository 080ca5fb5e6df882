//! What leaves the engine: replies, and lines of the audit log.

use turnstile_host::Outlet;

use crate::server::audit::Audit;
use crate::server::state::reply::Reply;
use crate::server::web::call::OutgoingReply;

/// The outlet for responses and lines of the audit log.
pub(crate) struct ReplyOutlet(pub(crate) Option<Audit>);

impl Outlet<OutgoingReply> for ReplyOutlet {
    fn deliver(&self, answers: &mut Vec<OutgoingReply>, is_durable: bool) {
        for OutgoingReply(sender, reply) in answers.drain(..) {
            let reply = if is_durable { reply } else { Reply::storage_in_trouble() };
            // An error means that the client is gone.
            let _gone = sender.send(reply);
        }
    }

    fn log(&self, lines: &[u8]) {
        if let Some(audit) = &self.0 {
            audit.write(lines);
        }
    }
}

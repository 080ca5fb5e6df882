//! Ports of processes that are started, killed and started again.

use std::sync::atomic::{AtomicU32, Ordering};

use tokio::net::TcpSocket;

/// A port that no connection gets by itself while its process is down.
pub fn free_port() -> u16 {
    static NEXT: AtomicU32 = AtomicU32::new(0);
    let first = std::process::id().wrapping_mul(64);
    loop {
        let number = first.wrapping_add(NEXT.fetch_add(1, Ordering::Relaxed));
        let port = 10_000 + (number % 20_000) as u16;
        if is_free(port) {
            return port;
        }
    }
}

/// Whether nobody listens. The socket that asks does not listen itself: a process that another
/// thread is just forking has it, too, until it executes its program, and would hold the port.
fn is_free(port: u16) -> bool {
    let socket = TcpSocket::new_v4().expect("the system has sockets");
    socket.set_reuseaddr(true).expect("a socket has this option");
    socket.bind(([127, 0, 0, 1], port).into()).is_ok()
}

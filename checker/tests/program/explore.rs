//! `turnstile explore` serves stateright's Explorer, or says why it cannot.

use std::io::{self, BufRead as _, BufReader, Read as _, Write as _};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use crate::command::{Scratch, text, turnstile};

/// How long the server may take to listen.
const PATIENCE: Duration = Duration::from_secs(30);

/// A process that does not outlive its test.
struct Served(Child);

impl Drop for Served {
    fn drop(&mut self) {
        // It may have ended by itself; then there is nothing to stop.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn serve(name: &str, address: SocketAddr) -> Served {
    let tables = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/tables");
    let child = Command::new(env!("CARGO_BIN_EXE_turnstile"))
        .args(["explore", name, "--listen", &address.to_string()])
        .current_dir(tables)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn();
    Served(child.expect("the binary is built"))
}

/// The answer to a request; a server that is about to listen may refuse or reset connections.
fn get(address: SocketAddr, path: &str) -> String {
    let begun = Instant::now();
    loop {
        match ask(address, path) {
            Ok(answer) => return answer,
            Err(error) => assert!(begun.elapsed() < PATIENCE, "{error}"),
        }
        std::thread::yield_now();
    }
}

fn ask(address: SocketAddr, path: &str) -> io::Result<String> {
    let mut stream = TcpStream::connect(address)?;
    write!(stream, "GET {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")?;
    let mut answer = String::new();
    stream.read_to_string(&mut answer)?;
    Ok(answer)
}

#[test]
fn a_table_can_be_walked_through() {
    let mut served = serve("gate.yaml", SocketAddr::from(([127, 0, 0, 1], 0)));
    let mut line = String::new();
    let stdout = served.0.stdout.take().expect("piped");
    BufReader::new(stdout).read_line(&mut line).expect("text");
    let address = line.strip_prefix("gate: open http://").expect(&line);
    let address = address.strip_suffix(" in a browser\n").expect(&line);
    let address: SocketAddr = address.parse().expect(&line);
    assert!(get(address, "/").contains("<html"));
    let status = get(address, "/.status");
    assert!(status.contains("no unhandled event"), "{status}");
    let states = get(address, "/.states/");
    assert!(states.contains("at: locked"), "{states}");
}

#[test]
fn a_taken_port_is_bad_usage() {
    let taken = TcpListener::bind("127.0.0.1:0").expect("a free port");
    let address = taken.local_addr().expect("it is bound");
    let mut served = serve("gate.yaml", address);
    assert_eq!(served.0.wait().expect("it ends").code(), Some(2));
}

#[test]
fn a_table_with_errors_is_shown_with_its_lines() {
    let folder = Scratch::new("explore-errors");
    std::fs::write(folder.join("bad.yaml"), "machine: bad\nstate: []\n").expect("it is ours");
    let output = turnstile(&folder, &["explore", "bad.yaml"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(text(&output.stderr).contains("--> bad.yaml:2:1"), "{}", text(&output.stderr));
}

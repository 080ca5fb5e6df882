//! The example `shop`, an axum service, as a process.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};

/// A process that is killed at the end.
struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        self.0.kill().and_then(|()| self.0.wait()).expect("it is our child");
    }
}

/// The status of a response, and its body.
fn request(address: &str, request: &str) -> (String, String) {
    let mut stream = TcpStream::connect(address).expect("it listens");
    let text = format!("{request} HTTP/1.1\r\nhost: shop\r\nconnection: close\r\n\r\n");
    stream.write_all(text.as_bytes()).expect("it reads");
    let mut response = String::new();
    stream.read_to_string(&mut response).expect("it responds");
    let (head, body) = response.split_once("\r\n\r\n").expect("it has a head");
    (head[9..12].to_owned(), body.to_owned())
}

#[test]
fn an_order_over_http_is_placed_refused_twice_and_given_up_in_time() {
    let mut program = std::env::current_exe().expect("a test has a path");
    program.pop();
    program.pop();
    program.push("examples/shop");
    assert!(program.exists(), "{} is not built: cargo build --examples", program.display());
    let mut command = Command::new(program);
    let child = command.arg("127.0.0.1:0").stdout(Stdio::piped()).spawn().expect("it starts");
    let mut shop = Running(child);
    let mut lines = BufReader::new(shop.0.stdout.take().expect("it is piped")).lines();
    let mut line = || lines.next().expect("it goes on").expect("it prints text");
    let address = line();
    let get = || request(&address, "GET /");
    let post = |event: &str| request(&address, &format!("POST /{event}")).0;
    assert_eq!(get(), ("200".to_owned(), "open".to_owned()));
    assert_eq!(post("paid"), "204");
    assert_eq!(post("burn"), "404");
    assert_eq!(post("place"), "204");
    assert_eq!(get().1, "awaiting payment");
    assert_eq!(post("place"), "409");
    assert_eq!(post("payment%20timer%20fires"), "409");
    // After the payment timer and two reminders.
    assert_eq!(line(), "given up");
    // The state follows its actions.
    while get().1 == "awaiting payment" {}
    assert_eq!(get().1, "given up");
}

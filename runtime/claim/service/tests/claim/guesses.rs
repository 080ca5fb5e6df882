//! Wrong tokens: limited per address, and no reason to keep out a right one.

use std::net::{SocketAddr, TcpStream};
use std::time::{Duration, Instant};

use turnstile_claim::server::{Options, Storage};

use super::Running;
use super::tokens::tokens;
use crate::http::{Answer, Client, PATIENCE};

const TOKENS: &str = "one\nanother\n";
const GUESSES: u32 = 3;

fn guarded(name: &str) -> Running {
    let options =
        Options { tokens: tokens(name, TOKENS), wrong_tokens_max: GUESSES, ..Options::default() };
    Running::start(Storage::Memory, options)
}

fn ask(client: Client, token: &str) -> Answer {
    client.with_token(token).get("/v1/claims/")
}

/// A client with another address than the rest of the test.
fn elsewhere(server: &Running) -> Client {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let stream = runtime.expect("a runtime").block_on(async {
        let socket = tokio::net::TcpSocket::new_v4()?;
        socket.bind(SocketAddr::from(([127, 0, 0, 2], 0)))?;
        socket.connect(server.at).await?.into_std()
    });
    let stream: TcpStream = stream.expect("loopback has more than one address");
    stream.set_nonblocking(false).expect("a socket takes it");
    Client::on(server.at, stream)
}

#[test]
fn wrong_tokens_are_limited_per_address() {
    let server = guarded("guesses.tokens");
    ask(server.client(), "one").expect(200);
    for guess in 0..GUESSES {
        ask(server.client(), &format!("guess {guess}")).expect(401);
    }
    let refused = ask(server.client(), "another guess").expect(429);
    let pause: u32 = refused.headers["retry-after"].parse().expect("seconds");
    assert!((1..=60).contains(&pause), "{refused:?}");
    ask(server.client(), "one").expect(200);
    // Without a token nothing is guessed.
    server.client().get("/v1/claims/").expect(401);
    server.client().get("/healthz").expect(200);
    ask(elsewhere(&server), "another").expect(200);
    ask(elsewhere(&server), "guess").expect(401);
}

#[test]
fn the_form_of_the_status_page_has_the_same_limit() {
    let server = guarded("form.tokens");
    let from = format!("http://{}", server.at);
    let log_in = |token: &str| {
        let mut client = server.client().with("origin", &from);
        client.request("POST", "/status/login/", &format!("token={token}"))
    };
    for guess in 1..GUESSES {
        log_in(&format!("guess{guess}")).expect(401);
    }
    log_in("one").expect(303);
    ask(server.client(), "guess").expect(401);
    let refused = log_in("next").expect(429);
    assert!(refused.headers.contains_key("retry-after"), "{refused:?}");
    assert!(refused.text.contains("<form"), "a browser is shown a page: {}", refused.text);
    log_in("another").expect(303);
    log_in("one").expect(303);
}

/// Behind a proxy, all clients have one address.
#[test]
fn a_right_token_is_let_in_however_many_wrong_ones_its_address_sends() {
    let server = guarded("others.tokens");
    for guess in 0..GUESSES {
        ask(server.client(), &format!("guess {guess}")).expect(401);
    }
    ask(server.client(), "more").expect(429);
    ask(server.client(), "another").expect(200);
    let begun = Instant::now();
    for _ in 0..100 {
        ask(server.client(), "another").expect(200);
    }
    assert!(begun.elapsed() < PATIENCE, "it is delayed once");
}

/// A client that is set up with a wrong token repeats it.
#[test]
fn a_wrong_token_that_is_repeated_is_one_guess() {
    let server = guarded("repeated.tokens");
    for _ in 0..10 * GUESSES {
        ask(server.client(), "mistyped").expect(401);
    }
    for guess in 1..GUESSES {
        ask(server.client(), &format!("guess {guess}")).expect(401);
    }
    ask(server.client(), "more").expect(429);
    ask(server.client(), "mistyped").expect(401);
}

#[test]
fn right_tokens_are_never_counted() {
    let server = guarded("right.tokens");
    for _ in 0..10 * GUESSES {
        ask(server.client(), "one").expect(200);
    }
}

/// So long a guess is held back, and a right token that is new at its address.
const DELAY: Duration = Duration::from_secs(1);

/// The answer to a token, and whether it was held back.
fn timed(server: &Running, token: &str) -> (Answer, bool) {
    let begun = Instant::now();
    let answer = ask(server.client(), token);
    (answer, begun.elapsed() >= DELAY)
}

#[test]
fn a_guess_takes_its_time_and_a_right_token_waits_once() {
    let server = guarded("delayed.tokens");
    for guess in 0..GUESSES {
        ask(server.client(), &format!("guess {guess}")).expect(401);
    }
    let (refused, is_held_back) = timed(&server, "more");
    assert!(is_held_back, "a guess takes its time: {refused:?}");
    refused.expect(429);
    let (right, is_held_back) = timed(&server, "one");
    assert!(is_held_back, "nothing tells it from a wrong one: {right:?}");
    right.expect(200);
    let begun = Instant::now();
    for _ in 0..100 {
        ask(server.client(), "one").expect(200);
    }
    assert!(begun.elapsed() < 100 * DELAY, "it waits once");
}

#[test]
fn a_guess_is_let_through_when_it_comes_as_late_as_it_is_told() {
    // One a second.
    let (tokens, most) = (tokens("later.tokens", TOKENS), 60);
    let options = Options { tokens, wrong_tokens_max: most, ..Options::default() };
    let server = Running::start(Storage::Memory, options);
    let guesses = (0..10 * most).map(|guess| ask(server.client(), &format!("guess {guess}")));
    let refused = guesses.into_iter().find(|answer| answer.status == 429);
    let refused = refused.expect("they come faster");
    assert_eq!(refused.headers["retry-after"], "1", "{refused:?}");
    // It was held back for so long.
    ask(server.client(), "another guess").expect(401);
}

/// A client with an expired token keeps retrying beside one with a new token.
#[test]
fn an_expired_token_is_no_guess() {
    let text = "[[token]]\nname = \"a\"\nsecret = \"old\"\nexpires = 2001-02-03\n";
    let options = Options {
        tokens: tokens("expired.tokens", text),
        wrong_tokens_max: 1,
        ..Options::default()
    };
    let server = Running::start(Storage::Memory, options);
    for _ in 0..10 {
        let refused = ask(server.client(), "old").expect(401);
        assert!(refused.text.contains("expired"), "{refused:?}");
    }
    ask(server.client(), "guess").expect(401);
}

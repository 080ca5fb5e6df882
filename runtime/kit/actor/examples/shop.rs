//! An order over HTTP: `shop 127.0.0.1:3000`, then `curl -X POST 127.0.0.1:3000/place`.

use std::error::Error;
use std::time::Duration;

use axum::Router;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::routing::{get, post};
use turnstile_actor::{Actor, Answer, Handle};

turnstile_machine::machine!("tests/order.yaml");

use order::{Durations, Event, EventKind, Handler, Machine};

struct Shop;

impl Handler for Shop {
    fn ship(&mut self, _: Event) {
        println!("shipped");
    }

    fn apologise(&mut self, _: Event) {
        println!("given up");
    }

    fn there_is_stock(&mut self, _: Event) -> bool {
        true
    }
}

async fn give(State(order): State<Handle<Machine>>, Path(event): Path<String>) -> StatusCode {
    let Some(event) = EventKind::from_name(&event) else { return StatusCode::NOT_FOUND };
    match order.give(event.event(0)).await {
        Ok(Answer::Taken { .. } | Answer::Ignored) => StatusCode::NO_CONTENT,
        Ok(Answer::Refused) => StatusCode::CONFLICT,
        Err(_) => StatusCode::SERVICE_UNAVAILABLE,
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let address = std::env::args().nth(1).ok_or("say where to listen: 127.0.0.1:3000")?;
    let durations = Durations { payment_timer: Duration::from_secs(1) };
    let order = Actor::<Machine>::spawn(Box::new(Shop), durations).await?;
    let state = |State(order): State<Handle<Machine>>| async move { order.state().to_string() };
    let app = Router::new().route("/", get(state)).route("/{event}", post(give));
    let listener = tokio::net::TcpListener::bind(address).await?;
    println!("{}", listener.local_addr()?);
    Ok(axum::serve(listener, app.with_state(order.handle())).await?)
}

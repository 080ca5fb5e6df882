//! A server with constant responses: the cost of HTTP alone, with the same libraries.

use std::convert::Infallible;
use std::time::Duration;

use http_body_util::{BodyExt as _, Full};
use hyper::body::{Bytes, Incoming};
use hyper::header::{CONTENT_TYPE, LOCATION};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Method, Request, Response, StatusCode};
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::net::TcpListener;

/// A body of the size of a claim.
const BODY: &str = r#"{"claim_id":1234567,"resource":"load/001","status":"active","ttl":60.0,"#;

/// Serves until it is killed.
pub(crate) fn serve() {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build();
    runtime.expect("a runtime").block_on(async {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port is free");
        println!("listening on http://{}", listener.local_addr().expect("it listens"));
        loop {
            let (stream, _) = listener.accept().await.expect("a connection");
            stream.set_nodelay(true).expect("a socket takes it");
            tokio::spawn(
                http1::Builder::new()
                    .timer(TokioTimer::new())
                    .header_read_timeout(Duration::from_secs(30))
                    .half_close(true)
                    .serve_connection(TokioIo::new(stream), service_fn(answer)),
            );
        }
    });
}

async fn answer(request: Request<Incoming>) -> Result<Response<Full<Bytes>>, Infallible> {
    let is_post = request.method() == Method::POST;
    let read = request.into_body().collect().await;
    assert!(read.is_ok(), "a body is read");
    let mut response = Response::new(Full::default());
    if is_post {
        *response.status_mut() = StatusCode::CREATED;
        let url = "http://localhost/v1/claims/1/";
        response.headers_mut().insert(CONTENT_TYPE, "application/json".parse().expect("a value"));
        response.headers_mut().insert(LOCATION, url.parse().expect("a value"));
        *response.body_mut() = Full::from(BODY.repeat(4));
    } else {
        *response.status_mut() = StatusCode::NO_CONTENT;
    }
    Ok(response)
}

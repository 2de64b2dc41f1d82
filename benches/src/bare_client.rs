//! A bare client of hyper, which does nothing but call.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use bytes::Bytes;
use http_body_util::{BodyExt, Full};
use hyper::Request;
use hyper::client::conn::http1;
use hyper_util::rt::TokioIo;
use tokio::net::TcpStream;

use crate::clock;

/// As many as the server opens to one host.
const CONNECTIONS: usize = 64;

/// Makes so many calls with as many headers as the server sends, and says of each that it was answered.
pub fn call(port: u16, calls: usize, done: impl Fn(usize) + Clone + Send + 'static) {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().expect("threads");
    let next = Arc::new(AtomicUsize::new(0));
    runtime.block_on(async {
        let clients = (0..CONNECTIONS).map(|_| {
            let (next, done) = (Arc::clone(&next), done.clone());
            tokio::spawn(async move {
                let stream = TcpStream::connect(("127.0.0.1", port)).await.expect("a connection");
                stream.set_nodelay(true).expect("a connection");
                let (mut sender, connection) = http1::handshake(TokioIo::new(stream)).await.expect("a connection");
                tokio::spawn(connection);
                loop {
                    let number = next.fetch_add(1, Ordering::Relaxed);
                    if number >= calls {
                        break;
                    }
                    let answer = sender.send_request(request(port, number)).await.expect("an answer");
                    assert!(answer.status().is_success(), "a good answer");
                    answer.into_body().collect().await.expect("a whole answer");
                    done(number);
                }
            })
        });
        for client in clients.collect::<Vec<_>>() {
            client.await.expect("every call is answered well");
        }
    });
}

/// The same request as the server's.
fn request(port: u16, number: usize) -> Request<Full<Bytes>> {
    let body = format!(r#"{{"number":{number},"text":"{}"}}"#, "x".repeat(60));
    Request::post("/job")
        .header("host", format!("127.0.0.1:{port}"))
        .header("content-type", "application/json")
        .header("user-agent", "punctual/0.1.0")
        .header("content-length", body.len())
        .header("x-ms-execution-tag", format!("{number:032x}"))
        .header("x-ms-client-request-id", format!("00000000-0000-0000-0000-{number:012x}"))
        .header("x-ms-scheduler-jobid", format!("00000000-0000-0000-0000-000000000000/default/default/job-{number:08}"))
        .header("x-ms-scheduler-expected-execution-time", clock::now().to_string())
        .header("traceparent", format!("00-{number:032x}-{number:016x}-01"))
        .body(Full::new(Bytes::from(body)))
        .expect("a request")
}

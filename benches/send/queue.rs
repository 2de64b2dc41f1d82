//! Messages to a storage queue.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

use bytes::Bytes;
use http_body_util::{BodyExt, Full};
use hyper::Request;
use hyper::client::conn::http1;
use hyper_util::rt::TokioIo;
use punctual_actions::{ServiceEndpoint, Settings, storage_queue};
use punctual_model::action::{Secret, StorageQueueAction, Target};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::runtime::Runtime;

use crate::job::{self, MESSAGE};
use crate::{AT_ONCE, MESSAGES, Rates, compare, execute, per_second, serve};

const SAS: &str = "sv=2019-07-07&ss=q&srt=co&sp=a&se=2099-01-01&sig=c2lnbmF0dXJlc2lnbmF0dXJlc2lnbmF0dXJl";

/// As long as what the action sends: the envelope in base64.
const BODY_BYTES: usize = 1000;

pub(crate) fn measure(runtime: &Runtime) -> Rates {
    let port = serve(take);
    let template = format!("http://127.0.0.1:{port}/{}", storage_queue::ACCOUNT);
    let endpoint = ServiceEndpoint::http(&template, storage_queue::ACCOUNT).expect("an address");
    let settings = Settings { storage_queue: storage_queue::Settings { endpoint }, ..Settings::default() };
    let actions = job::actions(settings);
    let call = job::call(Target::StorageQueue(StorageQueueAction {
        account: "account".to_owned(),
        queue: "reports".to_owned(),
        sas_token: Secret::new(SAS),
        message: MESSAGE.to_owned(),
        format: None,
        time_to_live: None,
        visibility_delay: None,
    }));
    compare("storage queue", || bare(runtime, port), || execute(runtime, &actions, &call))
}

/// A queue that takes everything.
async fn take(mut stream: TcpStream) {
    let (mut buffer, mut filled) = (vec![0; 64 << 10], 0);
    while let Ok(read @ 1..) = stream.read(&mut buffer[filled..]).await {
        filled += read;
        if is_whole(&buffer[..filled]) {
            filled = 0;
            if stream.write_all(b"HTTP/1.1 201 Created\r\ncontent-length: 0\r\n\r\n").await.is_err() {
                return;
            }
        }
    }
}

fn is_whole(request: &[u8]) -> bool {
    let Some(head) = request.windows(4).position(|bytes| bytes == b"\r\n\r\n") else { return false };
    let lines = std::str::from_utf8(&request[..head]).expect("headers are text").lines();
    let lengths =
        lines.filter_map(|line| line.split_once(": ")).filter(|(name, _)| name.eq_ignore_ascii_case("content-length"));
    let length: usize = lengths.filter_map(|(_, length)| length.parse::<usize>().ok()).sum();
    request.len() >= head + 4 + length
}

fn bare(runtime: &Runtime, port: u16) -> f64 {
    let next = Arc::new(AtomicUsize::new(0));
    let started = Instant::now();
    runtime.block_on(async {
        let clients = (0..AT_ONCE).map(|_| {
            let next = Arc::clone(&next);
            tokio::spawn(async move {
                let stream = TcpStream::connect(("127.0.0.1", port)).await.expect("a connection");
                stream.set_nodelay(true).expect("a connection");
                let (mut sender, connection) = http1::handshake(TokioIo::new(stream)).await.expect("a connection");
                tokio::spawn(connection);
                while next.fetch_add(1, Ordering::Relaxed) < MESSAGES {
                    let answer = sender.send_request(request(port)).await.expect("an answer");
                    assert_eq!(answer.status(), 201, "a good answer");
                    answer.into_body().collect().await.expect("a whole answer");
                }
            })
        });
        for client in clients.collect::<Vec<_>>() {
            client.await.expect("every message is taken");
        }
    });
    per_second(started)
}

fn request(port: u16) -> Request<Full<Bytes>> {
    Request::post(format!("/account/reports/messages?{SAS}"))
        .header("host", format!("127.0.0.1:{port}"))
        .header("content-type", "application/xml")
        .header("x-ms-version", "2019-07-07")
        .header("content-length", BODY_BYTES)
        .body(Full::new(Bytes::from(vec![b'x'; BODY_BYTES])))
        .expect("a request")
}

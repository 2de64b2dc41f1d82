//! The receiver's own process.

use std::io::Read;
use std::sync::Arc;
use std::time::Duration;

use serde_json::json;
use tokio::io::{AsyncBufReadExt, AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt, BufReader};
use tokio::net::{TcpListener, TcpSocket, TcpStream};
use tokio_rustls::TlsAcceptor;

use super::request::Request;
use super::tally::Tally;
use super::{HANGING, SLOW, certificate};
use crate::clock;

/// What every call is answered with.
const ANSWER: &[u8] = b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok";

/// Characters of the answer on the port that answers at length: one long word, so that it could hold a secret in any form.
const WORDY_ANSWER_CHARS: usize = 16_000;

/// No request of ours is longer.
const REQUEST_BYTES_MAX: usize = 16 << 10;

/// How calls are answered.
#[derive(Clone)]
struct Manner {
    says: Arc<[u8]>,
    after: Duration,
}

/// Receives until its input ends.
pub fn serve() -> ! {
    std::thread::spawn(|| {
        let _ = std::io::stdin().read(&mut [0]);
        std::process::exit(0);
    });
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().expect("threads");
    runtime.block_on(async {
        let tally = Arc::new(Tally::new());
        let (tls, authority) = certificate::make();
        let (plain, secure, wordy) = (listen().await, listen().await, listen().await);
        let (slow, control) = (listen().await, listen().await);
        let mut hanging = Vec::new();
        for _ in 0..HANGING {
            hanging.push(listen().await);
        }
        let refusing = TcpSocket::new_v4().expect("a socket");
        refusing.bind("127.0.0.1:0".parse().expect("an address")).expect("a port");
        let ports = json!({
            "plain": port(&plain), "tls": port(&secure), "wordy": port(&wordy), "slow": port(&slow), "control": port(&control),
            "hanging": hanging.iter().map(port).collect::<Vec<_>>(),
            "refusing": refusing.local_addr().expect("an address").port(),
            "authority": authority,
        });
        println!("{ports}");
        for listener in hanging {
            tokio::spawn(hang(listener));
        }
        let at_once = Manner { says: ANSWER.into(), after: Duration::ZERO };
        let slowly = Manner { after: SLOW, ..at_once.clone() };
        let at_length = Manner { says: wordy_answer(), ..at_once.clone() };
        tokio::spawn(receive(plain, None, at_once.clone(), Arc::clone(&tally)));
        tokio::spawn(receive(secure, Some(tls), at_once, Arc::clone(&tally)));
        tokio::spawn(receive(slow, None, slowly, Arc::clone(&tally)));
        tokio::spawn(receive(wordy, None, at_length, Arc::new(Tally::new())));
        loop {
            let (stream, _) = control.accept().await.expect("a connection");
            obey(stream, &tally).await;
        }
    })
}

async fn listen() -> TcpListener {
    TcpListener::bind("127.0.0.1:0").await.expect("a port")
}

fn port(listener: &TcpListener) -> u16 {
    listener.local_addr().expect("an address").port()
}

/// Takes connections and whatever comes on them, and says nothing.
async fn hang(listener: TcpListener) {
    while let Ok((mut stream, _)) = listener.accept().await {
        tokio::spawn(async move { tokio::io::copy(&mut stream, &mut tokio::io::sink()).await });
    }
}

fn wordy_answer() -> Arc<[u8]> {
    let word = "a".repeat(WORDY_ANSWER_CHARS);
    format!("HTTP/1.1 200 OK\r\ncontent-length: {WORDY_ANSWER_CHARS}\r\n\r\n{word}").into_bytes().into()
}

async fn receive(listener: TcpListener, tls: Option<TlsAcceptor>, manner: Manner, tally: Arc<Tally>) {
    while let Ok((stream, _)) = listener.accept().await {
        let _ = stream.set_nodelay(true);
        tally.note_connection();
        let (tls, manner, tally) = (tls.clone(), manner.clone(), Arc::clone(&tally));
        tokio::spawn(async move {
            match tls {
                None => answer(stream, &manner, &tally).await,
                Some(tls) => {
                    if let Ok(stream) = tls.accept(stream).await {
                        answer(stream, &manner, &tally).await;
                    }
                }
            }
        });
    }
}

/// Answers every request on a connection, until the other side has enough.
async fn answer(mut stream: impl AsyncRead + AsyncWrite + Unpin, manner: &Manner, tally: &Tally) {
    let mut buffer = vec![0; REQUEST_BYTES_MAX];
    let mut filled = 0;
    loop {
        match stream.read(&mut buffer[filled..]).await {
            Ok(read) if read > 0 => filled += read,
            _ => return,
        }
        while let Some(request) = Request::parse(&buffer[..filled]) {
            tally.note(&request, clock::now());
            if !manner.after.is_zero() {
                tokio::time::sleep(manner.after).await;
            }
            if stream.write_all(&manner.says).await.is_err() || stream.flush().await.is_err() {
                return;
            }
            buffer.copy_within(request.bytes..filled, 0);
            filled -= request.bytes;
        }
    }
}

/// Does what it is told, line by line.
async fn obey(stream: TcpStream, tally: &Tally) {
    let mut lines = BufReader::new(stream).lines();
    while let Ok(Some(line)) = lines.next_line().await {
        if line == "clear" {
            tally.clear();
        }
        let answer = format!("{}\n", tally.json());
        if lines.get_mut().get_mut().write_all(answer.as_bytes()).await.is_err() {
            return;
        }
    }
}

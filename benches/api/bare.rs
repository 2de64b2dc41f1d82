//! A server that reads the same requests and answers with as many bytes, and does nothing else.

use std::convert::Infallible;
use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};

use bytes::Bytes;
use http_body_util::{BodyExt, Full};
use hyper::body::Incoming;
use hyper::service::service_fn;
use hyper::{Request, Response};
use hyper_util::rt::{TokioExecutor, TokioIo};
use hyper_util::server::conn::auto::Builder;
use tokio::net::TcpListener;

/// What this program is told to be the bare server with.
pub(crate) const ARGUMENT: &str = "bare-server";

/// As long as the answer to a create.
const ANSWER: [u8; 700] = [b'x'; 700];

/// The bare server, in a process of its own as the real one is.
pub(crate) struct Bare {
    child: Child,
    port: u16,
}

impl Bare {
    pub(crate) fn start() -> Self {
        let program = std::env::current_exe().expect("this program");
        let mut child =
            Command::new(program).arg(ARGUMENT).stdout(Stdio::piped()).spawn().expect("this program once more");
        let mut line = String::new();
        BufReader::new(child.stdout.take().expect("its output")).read_line(&mut line).expect("its port");
        Self { child, port: line.trim().parse().expect("a port") }
    }

    pub(crate) const fn port(&self) -> u16 {
        self.port
    }
}

impl Drop for Bare {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Serves until it is killed.
pub(crate) fn serve() -> ! {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().expect("threads");
    runtime.block_on(async {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        println!("{}", listener.local_addr().expect("a port").port());
        loop {
            let (stream, _) = listener.accept().await.expect("a connection");
            let _ = stream.set_nodelay(true);
            tokio::spawn(async move {
                let builder = Builder::new(TokioExecutor::new());
                let _ = builder.serve_connection(TokioIo::new(stream), service_fn(answer)).await;
            });
        }
    })
}

async fn answer(request: Request<Incoming>) -> Result<Response<Full<Bytes>>, Infallible> {
    let _ = request.into_body().collect().await;
    Ok(Response::new(Full::new(Bytes::from_static(&ANSWER))))
}

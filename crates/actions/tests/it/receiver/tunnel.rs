//! A proxy that connects whoever asks to the same target.

use std::net::SocketAddr;

use tokio::io::{AsyncReadExt, AsyncWriteExt, copy_bidirectional};
use tokio::net::{TcpListener, TcpStream};

/// Starts it, and says where it listens.
pub(crate) async fn start(target: SocketAddr) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(async move {
        while let Ok((mut client, _)) = listener.accept().await {
            tokio::spawn(async move {
                let mut head = Vec::new();
                while !head.ends_with(b"\r\n\r\n") {
                    head.push(client.read_u8().await.unwrap());
                }
                client.write_all(b"HTTP/1.1 200 Connection established\r\n\r\n").await.unwrap();
                let mut target = TcpStream::connect(target).await.unwrap();
                copy_bidirectional(&mut client, &mut target).await.ok();
            });
        }
    });
    address
}
